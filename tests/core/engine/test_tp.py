"""Tensor parallel: copies of what lanes repeat stay equal, and shards are named as described."""

import threading
from contextlib import ExitStack
from dataclasses import replace
from math import sqrt

import pytest

torch = pytest.importorskip("torch")

from core.engine.hardware import find_hardware  # noqa: E402
from core.engine.lanes.devices import open_lanes  # noqa: E402
from core.engine.models.modules import build_blocks  # noqa: E402
from core.engine.models.shards import build_lane_blocks  # noqa: E402
from core.engine.models.stage_module import StageModule  # noqa: E402
from core.engine.prepare import prepare  # noqa: E402
from core.engine.tasks.executor import Executor  # noqa: E402
from core.engine.tasks.operations import Operations  # noqa: E402
from core.models.catalogue import MODELS, ModelSettings  # noqa: E402
from core.plan.specification import Specification  # noqa: E402
from core.report.summary import summarise  # noqa: E402
from core.trace.verified import EPSILON, verified  # noqa: E402
from tests.core.helpers import run_here  # noqa: E402

GPT = ModelSettings("gpt", width=24, depth=2, heads=12, sequence=5)


MLP = ModelSettings("mlp", width=24, depth=5)


def operations_after(specification):
    """Run without recording; what holds the parameters then."""
    prepared = prepare(specification, find_hardware())
    operations = Operations(prepared)
    plan = prepared.plan_list[0]
    with ExitStack() as stack:
        threads = [stack.enter_context(lane) for lane in open_lanes(plan.lanes)]
        executor = Executor(threads, operations, None, threading.Event())
        for index, batch in enumerate(prepared.workload.batches(prepared.specification)):
            executor.run(index, plan, 0, batch)
    return operations


@pytest.mark.parametrize("lanes", [2, 3, 4])
@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam", "adamw"])
@pytest.mark.parametrize("model", [GPT, MLP], ids=lambda model: model.name)
def test_copies_of_repeated_parameters_stay_bitwise_equal(model, optimizer, lanes):
    operations = operations_after(
        Specification(
            "tp", model, f"{lanes}xcpu", batch=6, steps=5, warmup=0, optimizer=optimizer
        )
    )  # fmt: skip
    compared = 0
    for (replica, stage, _), module in operations.model.stages.items():
        first = operations.model.stages[replica, stage, 0]
        for name in module.parameters.keys() - module.slices.keys():
            assert torch.equal(module.parameters[name], first.parameters[name]), name
            compared += 1
    assert compared > 0


@pytest.mark.parametrize("model", [GPT, MLP], ids=lambda model: model.name)
def test_the_joined_shards_step_as_the_whole_model_does(model):
    # Not adam, whose first steps are as long for a gradient that is a rounding error.
    split = Specification(
        "tp", model, "3xcpu", batch=6, steps=5, warmup=0, optimizer="momentum", lr=0.05
    )
    (wanted,) = operations_after(replace(split, strategy="single")).model.parameters()
    (found,) = operations_after(split).model.parameters()
    assert found.keys() == wanted.keys()
    for name, parameter in wanted.items():
        torch.testing.assert_close(found[name], parameter, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("model", [GPT, MLP], ids=lambda model: model.name)
def test_a_wrong_gradient_of_any_one_shard_fails_the_verification(model, monkeypatch):
    real = StageModule.take_sums

    def doubled(module):
        if module.lane == 1 and module.slices:
            for name in module.slices:
                module.parameters[name].grad.mul_(2)
        return real(module)

    monkeypatch.setattr(StageModule, "take_sums", doubled)
    specification = Specification(
        "tp", model, "2xcpu", batch=6, steps=1, warmup=0, verify=True, calibrate=False
    )
    assert summarise(run_here(specification)).gradient_error > 0.01


@pytest.mark.parametrize(
    "settings",
    [GPT, *(ModelSettings("mlp", width=12, depth=depth) for depth in (2, 5, 6))],
    ids=str,
)
def test_the_described_segments_are_those_of_the_real_blocks(settings):
    segments = MODELS[settings.name].describe(settings.filled()).segments
    blocks = build_blocks(settings.filled())
    for index, segment in enumerate(segments):
        module = build_lane_blocks(blocks, index, 0, 2)
        repeated = module.repeated if index < len(segments) - 1 else set(module.whole_names)
        assert set(segment.repeated) == repeated
        assert {*segment.divided, *segment.repeated} == set(module.whole_names)
        touched = {int(name.split(".")[0]) for name in module.whole_names}
        assert touched <= set(range(segment.first, segment.last))
    assert segments[0].first == 0 and segments[-1].last == len(blocks)


def test_a_run_with_blocks_and_another_number_of_rows_is_complete_and_verified():
    specification = Specification(
        "tp", GPT, "2xcpu", batch=4, data=10, steps=4, blocks=True, verify=True
    )
    trace = run_here(specification)
    summary = summarise(trace)
    assert not summary.faults and summary.missing == 0
    assert summary.gradient_error <= 1e-5 and summary.loss_error <= 1e-5
    assert summary.splits == ((4,), (4,), (2,), (4,))


def test_a_step_that_float32_itself_cannot_compute_any_closer_is_not_called_wrong():
    # Adam at such a rate drives the attention to where the plain float32 step is off float64's too.
    trace = run_here(
        Specification(
            "tp", ModelSettings("gpt", width=64, depth=4, heads=4), "4xvirtual", batch=7, steps=8,
            warmup=0, verify=True, calibrate=False, optimizer="adam", lr=0.5,
        )
    )  # fmt: skip
    found = verified(trace)
    assert found.gradient > sqrt(EPSILON["float32"]), "the run does not show it any more"
    assert found.agrees and found.allowed < 0.01
