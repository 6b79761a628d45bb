"""Runs on virtual lanes measure what blocks cost in micro-batches of several sizes."""

from dataclasses import replace

import pytest

from core.costs.costs_file import reported_costs
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.plan.task import Kind
from core.predict.advisor import AdviceQuery, advise
from core.predict.compare import CostSource
from core.predict.run_costs import run_costs
from core.recording.exporters.recording import write_recording
from core.recording.recording import open_recording
from tests.core.helpers import SMALL, planned, run_here

torch = pytest.importorskip("torch")

from core.engine.virtual.size_costs import sizes_of  # noqa: E402
from core.engine.virtual.size_measurement import SizeMeasurement  # noqa: E402

RUN = Specification("pipeline", SMALL, "2xvirtual:cpu", batch=16, steps=2, warmup=1)
TIED = """
from torch import nn, randn, zeros

def build():
    first, last = nn.Linear(4, 4), nn.Linear(4, 4)
    last.weight = first.weight
    return [first, nn.ReLU(), last]

def batch(rows, generator):
    return randn(rows, 4, generator=generator), zeros(rows, 4)
"""


@pytest.mark.alone
def test_every_pass_is_known_at_each_size_that_a_schedule_may_make():
    for _ in range(3):  # other programs may make a cost that is a difference of measurements 0
        costs = reported_costs(run_here(RUN, calibrate=True).size_costs)
        assert costs is not None and costs.by_block and costs.by_rows and costs.link is not None
        if all(cost > 0 for _, cost in costs.passes[Kind.BACKWARD_WEIGHT][-1]):
            break
    blocks = len(run_here(replace(RUN, steps=1)).header.model.blocks)
    for kind in (Kind.FORWARD, Kind.BACKWARD):
        assert len(costs.passes[kind]) == blocks
        for curve in costs.passes[kind]:
            assert [size for size, _ in curve] == [1, 2, 4, 8, 16]
    for kind in (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT):
        assert [size for size, _ in costs.passes[kind][-1]] == [1, 2, 4, 8]
        assert all(cost > 0 for _, cost in costs.passes[kind][-1])
    assert set(costs.further) == {Kind.BACKWARD, Kind.BACKWARD_WEIGHT}
    assert [size for size, _ in costs.further[Kind.BACKWARD][0]] == [1, 2, 4, 8]
    assert len(costs.passes[Kind.LOSS]) == 1 and len(costs.passes[Kind.STEP]) == blocks
    assert {Kind.FORWARD, Kind.BACKWARD, Kind.STEP} <= set(costs.joined)
    # What a task costs once depends on its size, as its data does.
    for kind in (Kind.FORWARD, Kind.BACKWARD):
        assert [size for size, _ in costs.joined[kind]] == [1, 2, 4, 8, 16]
    assert costs.divided.keys() >= {Kind.FORWARD, Kind.BACKWARD}
    assert costs.input_is_data and 0 <= costs.scatter < 1


def test_one_slow_round_of_divided_blocks_does_not_decide(monkeypatch):
    rounds = iter([9000, 100, 700, 100, 110, 90])
    times = {Kind.FORWARD: 0.0}

    def one_pass(*_: object) -> dict[Kind, float]:
        times[Kind.FORWARD] = next(rounds)
        return dict(times)

    monkeypatch.setattr(SizeMeasurement, "_divided_operations", lambda *_: None)
    monkeypatch.setattr(SizeMeasurement, "_divided_pass", one_pass)
    measurement = object.__new__(SizeMeasurement)
    plan = planned(Specification("tp", SMALL, "2xvirtual:cpu", batch=16))
    assert measurement.divided_ns(plan) == {Kind.FORWARD: 100}


@pytest.mark.parametrize("name", ["toymodel", "tutorial"])
def test_a_model_of_two_blocks_and_of_one_are_measured_too(name):
    run = Specification("dp", ModelSettings(name), "2xvirtual:cpu", batch=16, steps=1, warmup=0)
    trace = run_here(run, calibrate=True)
    costs = reported_costs(trace.size_costs)
    assert costs is not None and len(costs.passes[Kind.FORWARD]) == len(trace.header.model.blocks)
    assert Kind.LOSS not in costs.joined and len(costs.passes[Kind.LOSS]) == 1


def test_the_costs_of_sizes_are_kept_in_the_recording_and_advise_on_it(tmp_path):
    trace = run_here(RUN, calibrate=True)
    known = run_costs(trace)
    assert known is not None and known.source is CostSource.BY_SIZE and known.stages == ()
    list(write_recording(trace, tmp_path / "run.arrow"))
    for indexed_from in (1, 1 << 62):
        again = open_recording(tmp_path / "run.arrow", indexed_from=indexed_from).trace
        assert again.size_costs == trace.size_costs
        assert run_costs(again) == known
    header = trace.header
    asked = AdviceQuery(header.specification, header.model, header.compute_lanes, known.costs)
    found = advise(replace(asked, measured_ns=known.step_ns))
    assert {way.specification.strategy for way in found.ways if way.known} >= {
        "single", "dp", "ddp", "fsdp", "tp", "mp", "pipeline",
    }  # fmt: skip
    assert all(way.known for way in found.ways)


def test_a_model_whose_blocks_share_parameters_has_costs_of_its_own_stages_alone(tmp_path):
    path = tmp_path / "tied.py"
    path.write_text(TIED)
    trace = run_here(
        Specification("dp", ModelSettings(str(path)), "2xvirtual:cpu", batch=8, steps=1),
        calibrate=True,
    )
    assert trace.costs is not None and trace.size_costs is None


def test_measuring_changes_no_loss(tmp_path):
    path = tmp_path / "random.py"
    path.write_text(TIED.replace("nn.ReLU()", "nn.Dropout(0.5)").replace("last.weight =", "_ ="))
    asked = Specification("mp", ModelSettings(str(path)), "2xvirtual:cpu", batch=8, steps=3)
    losses = [
        run_here(asked, calibrate=calibrate).counter("loss").values.tolist()
        for calibrate in (False, True)
    ]
    assert len(losses[0]) == 5 and losses[0] == losses[1]


@pytest.mark.parametrize(
    ("batch", "lanes", "own", "first", "every"),
    [
        (512, 4, 64, [64, 128, 512], {8, 16, 32, 64, 128, 256, 512}),
        (30, 4, 4, [4, 7, 30], {1, 3, 4, 7, 15, 30}),
        (1, 4, 1, [1], {1}),
    ],
)
def test_sizes_are_halves_of_the_batch_with_those_of_the_run_first(batch, lanes, own, first, every):
    sizes = sizes_of(batch, lanes, own)
    assert sizes[: len(first)] == first
    assert set(sizes) == every and len(sizes) == len(every)
