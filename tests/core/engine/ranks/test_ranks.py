"""What ranks say, whatever torch does in them."""

import itertools

import pytest

from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.devices import Accelerator, Hardware
from core.plan.division import Collective
from core.plan.specification import Specification
from core.plan.task import Kind, Payload
from tests.core.engine.models.test_own_models import own
from tests.core.helpers import Engine

pytest.importorskip("torch")

from core.engine.rank_models.timer import TimedOp
from core.engine.ranks.rank import on_tracks

UNUSED = """
class Unused(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = nn.Linear(8, 8), nn.Linear(8, 8)
    def forward(self, x):
        return self.used(x)
def build():
    return [Unused(), nn.Linear(8, 8)]
"""
NORMALISED = """
def build():
    return [nn.Linear(8, 8), nn.BatchNorm1d(8)]
"""


@pytest.fixture(scope="module")
def engine():
    engine = Engine()
    yield engine
    engine.client.close()


@pytest.mark.parametrize(
    ("code", "batch", "said"),
    [
        (UNUSED, 8, "no gradient for 0.unused.weight, 0.unused.bias: ddp waits for"),
        (NORMALISED, 3, "batch normalisation needs more than one value per channel on every lane"),
    ],
    ids=["unused", "normalised"],
)
def test_what_torch_cannot_do_is_said_in_one_line_with_a_remedy(
    engine, tmp_path, code, batch, said
):
    model = own(tmp_path, code)
    engine.run(Specification("ddp", model, "2xcpu", batch=batch, steps=1, warmup=0))
    engine.wait("ended")
    assert engine.ended.outcome == "failed"
    assert said in engine.ended.text and "\n" not in engine.ended.text


@pytest.mark.parametrize(("asked", "devices"), [("2xmps", "mps, mps"), ("2xxpu:0", "xpu:0, xpu:0")])
def test_ranks_that_have_no_process_group_to_meet_in_are_refused_beforehand(asked, devices):
    from core.engine.prepare import prepare

    hardware = Hardware(8, 8 << 30, (Accelerator(asked.removeprefix("2x"), "A", 0),))
    with pytest.raises(PlanError, match=f"ranks cannot meet on {devices}: torch has no process"):
        prepare(Specification("ddp", devices=asked), hardware)


def collective(launched, end=None):
    timed = TimedOp(Kind.ALL_REDUCE, 0, launched - 1, launched=launched)
    timed.end = end
    return timed


def test_a_collective_begins_on_the_first_of_two_tracks_that_is_free():
    told = [collective(10, 40), collective(11, 20), collective(12, 30), collective(50, 60)]
    rows = on_tracks(told, [7, 9], lambda stamp: stamp)
    assert [(lane, start, end) for _, lane, start, end in rows] == [
        (None, 10, 40), (9, 11, 20), (9, 20, 30), (9, 50, 60),
    ]  # fmt: skip


def test_what_stands_in_a_queue_behind_open_collectives_has_not_begun():
    told = [collective(10), collective(11, 20), collective(12), collective(13)]
    rows = on_tracks(told, [7, 9], lambda stamp: stamp)
    assert [(lane, start, end) for _, lane, start, end in rows] == [
        (None, 10, None), (9, 11, 20), (9, 20, None),
    ]  # fmt: skip


def test_on_one_track_collectives_run_one_after_the_other():
    told = [collective(10, 20), collective(11, 35)]
    rows = on_tracks(told, [7], lambda stamp: stamp)
    assert [(lane, start, end) for _, lane, start, end in rows] == [(None, 10, 20), (None, 20, 35)]


def expectations(specification, rank=0):
    from core.engine.hardware import find_hardware
    from core.engine.prepare import prepare
    from core.engine.ranks.expectation import Expectations

    numbers = itertools.count()
    prepared = prepare(specification, find_hardware())
    return Expectations(prepared, rank, lambda tasks: next(numbers))


def buckets(*groups):
    return tuple(
        Collective(Kind.ALL_REDUCE, Payload.PARAMETER_GRADIENTS, names) for names in groups
    )


def test_tasks_whose_numbers_may_change_are_not_announced():
    expected = expectations(Specification("ddp", ModelSettings("toymodel"), "2xcpu", batch=4))
    first = expected.begin(0)
    # Passes come before any collective, so that buckets do not move them; the step does not.
    assert first.own[Kind.BACKWARD, 0, Payload.NONE].index < first.sure
    assert first.own[Kind.STEP, -1, Payload.NONE].index >= first.sure
    split = buckets(("1.bias", "1.weight"), ("0.0.bias", "0.0.weight"))
    expected.learn(split)
    assert len(expected.now.plan.tasks) > len(first.plan.tasks)
    assert expected.now.number != first.number
    assert expected.begin(1).sure == first.sure and expected.now.number == first.number + 1
    expected.learn(split)
    assert expected.begin(2).sure == len(expected.now.plan.tasks)
