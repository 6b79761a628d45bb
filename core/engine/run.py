"""Runs a prepared job on lanes, step by step, and verifies it if asked."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from threading import Event

import torch

from core.engine.calibration.calibrate import Passed, calibrate
from core.engine.failures import is_out_of_memory
from core.engine.lanes.devices import open_lanes
from core.engine.models.modules import Batch
from core.engine.models.workload import Workload, verification_notes
from core.engine.prepare import Prepared
from core.engine.tasks.executor import Executor
from core.engine.tasks.operations import Operations, Step
from core.engine.verify import judge, keeps_parameters
from core.plan.nested import Nested, nested_tasks
from core.plan.plan import Plan, Runner
from core.predict.costs import CostModel
from core.predict.costs_file import values_of
from core.recording.schema import COSTS_LEVEL, TraceWriter
from core.trace.event_rows import PASSES

LONGEST_STEP_SECONDS = 10.0  # two of them, and a walk through one, are waited for


RunStep = Callable[[int, Plan, int, Batch, Nested | None], Step]
"""Runs one step of a plan that the writer knows by a number, as Executor.run does."""
Calibrate = Callable[[Batch, Passed], CostModel]
"""Measures what the tasks of a batch cost, and tells how many passes through them are over.

Raises Stopped, or what a task raised.
"""


def run_on_lanes(prepared: Prepared, writer: TraceWriter, stop: Event) -> None:
    """Run every step. Raises Stopped on request, or what a task raised."""
    operations = Operations(prepared)
    if (cores := prepared.lanes[0].cores) > 0:
        torch.set_num_threads(cores)  # the plain step computes as a lane does, rounding included
    with ExitStack() as stack:
        lanes = [stack.enter_context(lane) for lane in open_lanes(prepared.plan_list[0].lanes)]
        for text in dict.fromkeys(lane.note for lane in lanes if lane.note):
            writer.log("warning", text)
        executor = Executor(lanes, operations, writer, stop)
        run_steps(
            prepared, writer, operations, executor.run,
            [lambda batch, passed: calibrate(prepared, batch, lanes, stop, passed)],
        )  # fmt: skip


def run_steps(
    prepared: Prepared,
    writer: TraceWriter,
    operations: Operations,
    run_step: RunStep,
    calibrations: Iterable[Calibrate],
) -> None:
    """Tell the plans, measure what tasks cost, run every step and judge it, as is asked for.

    Costs are measured by the first of `calibrations` before the first measured step, by the next
    one before the next step, as long as there are some.
    """
    assert prepared.workload is not None
    specification, workload = prepared.specification, prepared.workload
    rows, plans = specification.all_rows, prepared.plans
    nested = {}
    if specification.blocks and prepared.strategy.runner is Runner.LANES:
        nested = {count: nested_tasks(plan) for count, plan in plans.items()}
    numbers = {
        count: writer.plan([*plan.tasks, *(nested[count].tasks if nested else ())])
        for count, plan in plans.items()
    }
    if specification.verify:
        for text in verification_notes(workload):
            writer.log("warning", text)
    seconds = 0.0
    waiting = iter(calibrations if specification.calibrate else ())
    for index, batch in enumerate(batches_of(prepared, workload)):
        if index == specification.warmup and seconds > LONGEST_STEP_SECONDS:
            text = f"a step takes {seconds:.0f} s: its costs are not measured beforehand"
            writer.log("info", text)
            waiting = iter(())
        calibrate = next(waiting, None) if index >= specification.warmup else None
        if calibrate is not None and not _tell_costs(batch, calibrate, writer):
            waiting = iter(())
        before = operations.model.parameters()[0] if keeps_parameters(specification) else {}
        began = time.monotonic()
        count = rows[index]
        step = run_step(index, plans[count], numbers[count], batch, nested.get(count))
        seconds = time.monotonic() - began
        loss = sum(piece.item() for piece in step.losses)
        copies = operations.model.gradients
        judge(writer, specification, workload, index, batch, step.plan.parts, before, loss, copies)


def _tell_costs(batch: Batch, calibrate: Calibrate, writer: TraceWriter) -> bool:
    """Measure what the tasks of the step to come cost, and tell it; False if there is no room."""
    try:
        costs = calibrate(batch, partial(writer.counter, PASSES))
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        writer.log("info", "there is no memory beside the run's to measure its costs in")
        return False
    writer.log(COSTS_LEVEL, json.dumps(values_of(costs)))
    return True


def batches_of(prepared: Prepared, workload: Workload) -> list[Batch]:
    """The batch of each step: warm-up from the data's start, then the epoch from its start."""
    warmup, rows = prepared.specification.warmup, prepared.specification.all_rows
    return workload.batches(rows[:warmup]) + workload.batches(rows[warmup:])
