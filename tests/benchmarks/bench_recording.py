"""Cost of recording: the same executor with and without stamps, timing events and rows."""

import contextlib
import sys
import time
from dataclasses import replace
from statistics import median

import numpy as np
import pytest
import torch

from core.engine.hardware import find_hardware
from core.engine.lanes.devices import open_lanes
from core.engine.prepare import prepare
from core.engine.server import SWITCH_SECONDS
from core.engine.tasks.executor import Executor
from core.engine.tasks.operations import Operations
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.recording.recording import open_recording
from core.recording.schema import TraceWriter

SPECIFICATION = Specification(
    model=ModelSettings("mlp", width=768, depth=8),
    devices="2xcpu",
    cores_per_lane=1,
    microbatches=8,
    warmup=0,
    steps=1,
)
LONG, SHORT = 2048, 256  # rows: tasks of about 10 ms in steps of 280, of 2 ms in steps of 80
STEPS = {LONG: 4, SHORT: 12}  # of an arm; what the last one recorded is sent within the arm's time
PAIRS = {LONG: 200, SHORT: 480}
PROFILED_PAIRS = 20
LIMIT = 1.01


@pytest.fixture(autouse=True)
def _as_in_the_engine():
    """Threads take turns as in the engine's process."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("rows", [LONG, SHORT])
def test_recording_costs_at_most_one_percent_of_a_step(tmp_path, rows):
    pairs, count = PAIRS[rows], STEPS[rows]
    prepared = prepare(replace(SPECIFICATION, batch=rows), find_hardware())
    plan = prepared.plan_list[0]
    batch = prepared.workload.batches(prepared.specification)[0]
    with contextlib.ExitStack() as stack:
        sink = stack.enter_context((tmp_path / "run.arrow").open("wb"))
        writer = TraceWriter(sink, prepared.header)
        number = writer.plan(plan.tasks)
        lanes = [stack.enter_context(lane) for lane in open_lanes(prepared.header.lanes)]
        # Both work on the same modules: other tensors would lie elsewhere in memory, which alone
        # can make a step half a percent longer or shorter.
        operations = Operations(prepared)
        executors = {
            name: Executor(lanes, operations, kept)
            for name, kept in (("recorded", writer), ("bare", None))
        }

        def steps(name, first):
            """Steps one behind the other, as in a run; all that they recorded has been sent."""
            before = time.perf_counter_ns()
            with writer.sending() if name == "recorded" else contextlib.nullcontext():
                for index in range(first, first + count):
                    executors[name].run(index, plan, number, batch)
            if name == "recorded":
                writer.flush()
            return time.perf_counter_ns() - before

        for index in range(3):
            steps("bare", 0), steps("recorded", index * count)
        recorded = alternate(
            lambda i: steps("bare", 0), lambda i: steps("recorded", (3 + i) * count), pairs
        )
        profiled = alternate(
            lambda i: steps("bare", 0), lambda i: under_profiler(steps), PROFILED_PAIRS
        )
        writer.close()
    trace = open_recording(tmp_path / "run.arrow").trace
    lengths = np.concatenate([spans["end"] - spans["start"] for spans in
                              (trace.spans(lane) for lane in range(2))])  # fmt: skip
    assert len(trace.steps) == (pairs + 3) * count
    low, high = interval(recorded)
    print(
        f"\n{len(plan.tasks)} tasks a step, median task {np.median(lengths) / 1e6:.2f} ms, "
        f"median step {median(b for b, _ in recorded) / count / 1e6:.1f} ms, "
        f"{pairs} pairs of {count} steps"
        f"\nrecorded / bare   {ratio(recorded):.4f}  (95 % interval {low:.4f} to {high:.4f})"
        f"\nprofiled / bare   {ratio(profiled):.4f}  "
        "(95 % interval {:.4f} to {:.4f}; torch.profiler, CPU activities, {} pairs)".format(
            *interval(profiled), PROFILED_PAIRS
        )
    )
    assert high <= LIMIT, f"recording costs up to {100 * (high - 1):.2f} %"


def under_profiler(steps):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        return steps("bare", 0)


def alternate(one, other, pairs):
    """Pairs of times; which of the two comes first changes from pair to pair."""
    times = []
    for index in range(pairs):
        if index % 2:
            second = other(index)
            times.append((one(index), second))
        else:
            times.append((one(index), other(index)))
    return times


def ratio(pairs):
    """The median of the pairs' ratios: a pause of the machine spoils a pair, not the result."""
    return float(np.median([b / a for a, b in pairs]))


def interval(pairs, draws=10_000):
    """Percentile bootstrap interval of `ratio`, 95 %."""
    ratios = np.array([b / a for a, b in pairs])
    generator = np.random.default_rng(0)
    picked = generator.integers(0, len(ratios), (draws, len(ratios)))
    return tuple(np.percentile(np.median(ratios[picked], axis=1), [2.5, 97.5]))
