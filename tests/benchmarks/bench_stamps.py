"""Difference between the span of a forward and the call of the blocks inside it."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import pytest

from core.engine.hardware import find_hardware
from core.engine.lanes.devices import open_lanes
from core.engine.prepare import prepare
from core.engine.server import SWITCH_SECONDS
from core.engine.tasks.executor import Executor
from core.engine.tasks.operations import Operations
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.plan.task import KINDS, Kind
from core.recording.recording import open_recording
from core.recording.schema import TraceWriter

SPECIFICATION = Specification("single", devices="1xcpu", batch=256, lr=1e-3)
STEPS = {64: 600, 512: 300, 2048: 60}  # by the MLP's width
FIRST = 10  # steps that are left out: they allocate
MOST_US = 15.0  # before and after the blocks, in the median


@pytest.fixture(autouse=True)
def _as_in_the_engine():
    """Threads take turns as in the engine's process."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    yield
    sys.setswitchinterval(before)


def timed(function, calls):
    """The function, noting when each call begins and ends in ns."""

    def call(*values):
        before = time.perf_counter_ns()
        result = function(*values)
        calls.append((before, time.perf_counter_ns()))
        return result

    return call


@pytest.mark.parametrize("width", STEPS)
def test_a_forward_span_is_hardly_longer_than_its_blocks(tmp_path, width):
    specification = replace(SPECIFICATION, model=ModelSettings("mlp", width=width))
    prepared = prepare(specification, find_hardware())
    plan, calls = prepared.plan_list[0], []
    batch = prepared.workload.batches(prepared.specification)[0]
    with ExitStack() as stack:
        sink = stack.enter_context((tmp_path / "run.arrow").open("wb"))
        writer = TraceWriter(sink, prepared.header)
        lanes = [stack.enter_context(lane) for lane in open_lanes(prepared.header.lanes)]
        operations = Operations(prepared)
        stage = operations.model.stages[0, 0, 0]
        stage.blocks = timed(stage.blocks, calls)
        executor = Executor(lanes, operations, writer)
        with writer.sending():
            number = writer.plan(plan.tasks)
            for index in range(STEPS[width]):
                executor.run(index, plan, number, batch)
        writer.close()
    spans = open_recording(tmp_path / "run.arrow").trace.spans(0)
    forwards = spans[spans["kind"] == KINDS.index(Kind.FORWARD)][FIRST:]
    inside = np.array(calls[FIRST:]) - prepared.header.origin_ns
    assert len(forwards) == len(inside) == STEPS[width] - FIRST
    before, after = inside[:, 0] - forwards["start"], forwards["end"] - inside[:, 1]
    assert before.min() >= 0 and after.min() >= 0
    beyond, block = np.median(before + after) / 1e3, np.median(inside[:, 1] - inside[:, 0]) / 1e3
    print(
        f"\nwidth {width}: blocks {block:.0f} us; the span is {beyond:.1f} us longer "
        f"({100 * beyond / block:.2f} %): {np.median(before) / 1e3:.1f} us before, "
        f"{np.median(after) / 1e3:.1f} us after; 95th percentile of both "
        f"{np.percentile(before + after, 95) / 1e3:.1f} us"
    )
    assert beyond <= MOST_US, f"{beyond:.1f} us"
