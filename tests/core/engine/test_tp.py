"""Tensor parallel: copies of what lanes repeat stay equal, and shards are named as described."""

import threading

import pytest

torch = pytest.importorskip("torch")

from core.engine.hardware import find_hardware  # noqa: E402
from core.engine.lanes.executor import Executor  # noqa: E402
from core.engine.lanes.lane import open_lanes  # noqa: E402
from core.engine.lanes.operations import Operations  # noqa: E402
from core.engine.lanes.run import batches_of  # noqa: E402
from core.engine.models.modules import build_blocks  # noqa: E402
from core.engine.models.shards import lane_blocks  # noqa: E402
from core.engine.prepare import prepare  # noqa: E402
from core.models.catalogue import MODELS, ModelSettings  # noqa: E402
from core.plan.specification import Specification  # noqa: E402
from core.report.summary import summarise  # noqa: E402
from tests.core.helpers import run_here  # noqa: E402

GPT = ModelSettings("gpt", width=24, depth=2, heads=12, sequence=5)


@pytest.mark.parametrize("lanes", [2, 3, 4])
@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam", "adamw"])
@pytest.mark.parametrize("model", [GPT, ModelSettings("mlp", width=24, depth=5)], ids=str)
def test_copies_of_what_every_lane_has_stay_equal_to_the_bit(model, optimizer, lanes):
    from contextlib import ExitStack

    specification = Specification(
        "tp", model, f"{lanes}xcpu", batch=6, steps=5, warmup=0, optimizer=optimizer
    )
    prepared = prepare(specification, find_hardware())
    operations = Operations(prepared)
    plan = prepared.plan_list[0]
    with ExitStack() as stack:
        threads = [stack.enter_context(lane) for lane in open_lanes(plan.lanes)]
        executor = Executor(threads, operations, None, threading.Event())
        for index, batch in enumerate(batches_of(prepared, prepared.workload)):
            executor.run(index, plan, 0, batch)
    compared = 0
    for (replica, stage, _), module in operations.stages.items():
        first = operations.stages[replica, stage, 0]
        for name in module.parameters.keys() - module.cuts.keys():
            assert torch.equal(module.parameters[name], first.parameters[name]), name
            compared += 1
    assert compared > 0


@pytest.mark.parametrize(
    "settings",
    [GPT, *(ModelSettings("mlp", width=12, depth=depth) for depth in (2, 5, 6))],
    ids=str,
)
def test_the_described_segments_are_those_of_the_real_blocks(settings):
    segments = MODELS[settings.name].describe(settings.filled()).segments
    blocks = build_blocks(settings.filled())
    for index, segment in enumerate(segments):
        module = lane_blocks(blocks, index, 0, 2)
        repeated = module.repeated if index < len(segments) - 1 else set(module.whole_names)
        assert set(segment.repeated) == repeated
        assert {*segment.divided, *segment.repeated} == set(module.whole_names)
        touched = {int(name.split(".")[0]) for name in module.whole_names}
        assert touched <= set(range(segment.first, segment.last))
    assert segments[0].first == 0 and segments[-1].last == len(blocks)


def test_a_run_with_blocks_and_another_number_of_rows_is_whole_and_right():
    specification = Specification(
        "tp", GPT, "2xcpu", batch=4, data=10, steps=4, blocks=True, verify=True
    )
    trace = run_here(specification)
    summary = summarise(trace)
    assert not summary.faults and summary.missing == 0
    assert summary.gradient_error <= 1e-5 and summary.loss_error <= 1e-5
    assert summary.splits == ((4,), (4,), (2,), (4,))
