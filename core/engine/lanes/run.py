"""Runs a prepared job on lanes, step by step, and verifies it if asked."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack

import torch

from core.engine.calibration.calibrate import calibrate
from core.engine.failures import is_out_of_memory
from core.engine.lanes.executor import Executor
from core.engine.lanes.lane import Lane, open_lanes
from core.engine.lanes.operations import Operations
from core.engine.models.modules import Batch
from core.engine.models.workload import Workload, verification_notes
from core.engine.prepare import Prepared
from core.engine.stop import Stop
from core.engine.verify import compare, reference, save_gradients, worst
from core.plan.nested import nested_tasks
from core.predict.costs_file import values_of
from core.recording.schema import COSTS_LEVEL
from core.recording.writer import TraceWriter

LONGEST_STEP_SECONDS = 10.0  # two of them, and a walk through one, are waited for


def run_on_lanes(prepared: Prepared, writer: TraceWriter, stop: Stop) -> None:
    """Run every step. Raises Stopped on request, or what a task raised."""
    assert prepared.workload is not None
    specification, workload = prepared.specification, prepared.workload
    rows = specification.all_rows
    operations = Operations(prepared.plan_list, workload, specification)
    plans = prepared.plans
    nested = {n: nested_tasks(plan) for n, plan in plans.items() if specification.blocks}
    numbers = {
        count: writer.plan([*plan.tasks, *(nested[count].tasks if nested else ())])
        for count, plan in plans.items()
    }
    checks = specification.verify or specification.gradients is not None
    if (cores := prepared.lanes[0].cores) > 0:
        torch.set_num_threads(cores)  # the plain step computes as a lane does, rounding included
    if specification.verify:
        for text in verification_notes(workload):
            writer.log("warning", text)
    with ExitStack() as stack:
        lanes = [stack.enter_context(lane) for lane in open_lanes(prepared.plan_list[0].lanes)]
        executor = Executor(lanes, operations, writer)
        stack.enter_context(stop.calls(executor.stop))
        seconds = 0.0
        for index, batch in enumerate(batches_of(prepared, workload)):
            if index == specification.warmup and specification.calibrate:
                _calibrate(prepared, batch, lanes, writer, stop, seconds)
            before = operations.owned_parameters()[0] if checks else {}
            began = time.monotonic()
            count = rows[index]
            inside = nested.get(count)
            step = executor.run(index, plans[count], numbers[count], batch, inside)
            seconds = time.monotonic() - began
            loss = sum(piece.item() for piece in step.losses)
            writer.counter("loss", loss, step=index)
            if specification.verify:
                wanted = reference(workload, before, batch, step.plan.parts)
                copies = operations.owned_gradients()
                errors = worst(compare(loss, gradients, wanted) for gradients in copies)
                writer.counter("gradient_error", errors.gradient, step=index)
                writer.counter("loss_error", errors.loss, step=index)
        if specification.gradients is not None:
            gradients = operations.owned_gradients()[0]
            save_gradients(specification.gradients, batch, before, gradients)


def _calibrate(
    prepared: Prepared,
    batch: Batch,
    lanes: Sequence[Lane],
    writer: TraceWriter,
    stop: Stop,
    seconds: float,
) -> None:
    """Measure what the tasks of the step to come cost, unless the last one took many `seconds`."""
    assert prepared.workload is not None
    if seconds > LONGEST_STEP_SECONDS:
        writer.log("info", f"a step takes {seconds:.0f} s: its costs are not measured beforehand")
        return
    plan = prepared.plans[len(batch[0])]
    try:
        costs = calibrate(plan, batch, prepared.workload, prepared.specification, lanes, stop)
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
