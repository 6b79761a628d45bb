"""Between the two stamps of a task is torch's work, and nothing of the app's."""

import threading
import time

import pytest
import torch

from core.engine.hardware import find_hardware
from core.engine.lanes.lane import Stamps
from core.engine.lanes.memory import Ledger
from core.engine.prepare import prepare
from core.engine.tasks.operations import Operations
from core.plan.specification import Specification
from core.plan.task import Kind
from tests.core.helpers import SMALL, run_here

RUNS = {
    "dp": Specification("dp", SMALL, "3xcpu", batch=8, steps=3),
    "dualpipe-v": Specification(
        "pipeline", SMALL, "2xcpu", batch=8, schedule="dualpipe-v", microbatches=4, steps=3
    ),
    "zb-h1": Specification(
        "pipeline", SMALL, "2xcpu", batch=8, schedule="zb-h1", microbatches=4, steps=3, blocks=True
    ),
    "dp-pp": Specification("dp-pp", SMALL, "4xcpu", batch=8, microbatches=2, steps=3),
}


@pytest.mark.parametrize("name", RUNS)
def test_ledgers_are_kept_outside_of_every_span(name, monkeypatch):
    kept = []
    for method in ("hold", "drop"):
        unchanged = getattr(Ledger, method)

        def noted(self, *tensors, unchanged=unchanged):
            kept.append((threading.current_thread().name, time.perf_counter_ns()))
            unchanged(self, *tensors)

        monkeypatch.setattr(Ledger, method, noted)
    trace = run_here(RUNS[name])
    lanes = {lane.name: lane for lane in trace.header.lanes}
    kept = [(lanes[thread].index, at) for thread, at in kept if thread in lanes]
    assert len(kept) > 20
    origin = trace.header.origin_ns
    within = [
        span.kind
        for span in trace
        for lane, at in kept
        if span.lane == lane and span.start < at - origin < span.end
    ]
    assert within == []


def operations_of(specification):
    """Operations of a run with its first step begun, and the plan."""
    prepared = prepare(specification, find_hardware())
    operations = Operations(prepared)
    plan = prepared.plan_list[0]
    operations.begin(0, plan, prepared.workload.batches(prepared.specification)[0])
    return operations, plan


def test_an_overlap_is_begun_once_and_finished_once_around_its_two_halves():
    operations, plan = operations_of(RUNS["dualpipe-v"])
    made = []
    for task in plan.tasks:
        stamps = Stamps(lambda: made.append(0) or len(made))
        operations.run(task, stamps)
        assert (stamps.start, stamps.end) == (len(made) - 1, len(made))
    assert any(task.kind is Kind.OVERLAP for task in plan.tasks)
    assert len(made) == 2 * len(plan.tasks)


def test_a_task_in_which_torch_fails_has_a_start_and_no_end():
    operations, plan = operations_of(RUNS["dp"])
    stamps = Stamps(time.perf_counter_ns)
    operations.step.inputs[0] = (0, torch.zeros(8, 1))
    scatter, *_ = (task for task in plan.tasks if task.kind is Kind.SCATTER)
    operations.run(scatter, Stamps(time.perf_counter_ns))
    forward, *_ = (task for task in plan.tasks if task.kind is Kind.FORWARD)
    with pytest.raises(RuntimeError, match="shapes"):
        operations.run(forward, stamps)
    assert stamps.start is not None
    assert stamps.end is None
