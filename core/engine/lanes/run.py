"""Runs a prepared job on lanes, step by step, and verifies it if asked."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack
from threading import Event

import torch

from core.engine.calibration.calibrate import calibrate
from core.engine.failures import is_out_of_memory
from core.engine.lanes.executor import Executor
from core.engine.lanes.lane import Lane, open_lanes
from core.engine.lanes.operations import Operations
from core.engine.models.modules import Batch
from core.engine.models.workload import Workload, verification_notes
from core.engine.prepare import Prepared
from core.engine.verify import judge, keeps_parameters
from core.plan.nested import nested_tasks
from core.predict.costs_file import values_of
from core.recording.schema import COSTS_LEVEL
from core.recording.writer import TraceWriter

LONGEST_STEP_SECONDS = 10.0  # two of them, and a walk through one, are waited for


def run_on_lanes(prepared: Prepared, writer: TraceWriter, stop: Event) -> None:
    """Run every step. Raises Stopped on request, or what a task raised."""
    assert prepared.workload is not None
    specification, workload = prepared.specification, prepared.workload
    rows = specification.all_rows
    operations = Operations(prepared)
    plans = prepared.plans
    nested = {n: nested_tasks(plan) for n, plan in plans.items() if specification.blocks}
    numbers = {
        count: writer.plan([*plan.tasks, *(nested[count].tasks if nested else ())])
        for count, plan in plans.items()
    }
    if (cores := prepared.lanes[0].cores) > 0:
        torch.set_num_threads(cores)  # the plain step computes as a lane does, rounding included
    if specification.verify:
        for text in verification_notes(workload):
            writer.log("warning", text)
    with ExitStack() as stack:
        lanes = [stack.enter_context(lane) for lane in open_lanes(prepared.plan_list[0].lanes)]
        executor = Executor(lanes, operations, writer, stop)
        seconds = 0.0
        for index, batch in enumerate(batches_of(prepared, workload)):
            if index == specification.warmup and specification.calibrate:
                if seconds > LONGEST_STEP_SECONDS:
                    text = f"a step takes {seconds:.0f} s: its costs are not measured beforehand"
                    writer.log("info", text)
                else:
                    _calibrate(prepared, batch, lanes, writer, stop)
            before = operations.owned_parameters()[0] if keeps_parameters(specification) else {}
            began = time.monotonic()
            count = rows[index]
            step = executor.run(index, plans[count], numbers[count], batch, nested.get(count))
            seconds = time.monotonic() - began
            loss = sum(piece.item() for piece in step.losses)
            copies = operations.owned_gradients
            judge(
                writer, specification, workload, index, batch, step.plan.parts, before, loss, copies
            )


def _calibrate(
    prepared: Prepared, batch: Batch, lanes: Sequence[Lane], writer: TraceWriter, stop: Event
) -> None:
    """Measure what the tasks of the step to come cost."""
    try:
        costs = calibrate(prepared, batch, lanes, stop)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        writer.log("info", "there is no memory beside the run's to measure its costs in")
        return
    writer.log(COSTS_LEVEL, json.dumps(values_of(costs)))


def batches_of(prepared: Prepared, workload: Workload) -> list[Batch]:
    """The batch of each step: warm-up from the data's start, then the epoch from its start."""
    warmup, rows = prepared.specification.warmup, prepared.specification.all_rows
    return workload.batches(rows[:warmup]) + workload.batches(rows[warmup:])
