"""Runs all steps of a run in order: writes plans, measures costs in between, verifies each step."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import partial

import torch

from core.costs.cost_values import values_of
from core.costs.costs import CostModel
from core.engine.calibration.calibrate import PassListener, measure_task_costs
from core.engine.failures import is_out_of_memory
from core.engine.lanes.devices import open_lanes
from core.engine.models.modules import Batch
from core.engine.models.workload import verification_notes
from core.engine.prepare import Prepared
from core.engine.tasks.executor import Executor
from core.engine.tasks.operations import Operations
from core.engine.tasks.values import StepState
from core.engine.verify import needs_parameters, verify_step
from core.plan.nested import Nested
from core.plan.plan import Plan
from core.recording.schema import COSTS_LEVEL, SIZE_COSTS_LEVEL, TraceWriter
from core.trace.event_rows import PASSES

LONGEST_STEP_SECONDS = 10.0
"""Costs are not measured if a step takes longer: a measurement takes more than two steps."""

RunStep = Callable[[int, Plan, int, Batch, Nested | None], StepState]
"""Runs a step, as Executor.run does; the third argument is the writer's number of the plan."""
Calibrate = Callable[[Batch, PassListener], CostModel]
"""Measures the costs of a batch's tasks, and reports the number of completed passes.

Raises RunStopped, or the exception of a task.
"""
CalibrateSizes = Callable[[Batch, CostModel], CostModel | None]
"""Measures the costs of the model's blocks for several sizes of micro-batches.

Copies the costs of transfers from its argument. Returns None if the model cannot be measured in
this way. Raises the same exceptions as Calibrate.
"""


def run_on_lanes(prepared: Prepared, writer: TraceWriter, stop: threading.Event) -> None:
    """Run every step. Raises RunStopped on request, or the exception of a task."""
    operations = Operations(prepared)
    cores = prepared.lanes[0].cores
    if cores > 0:
        # The plain step must compute as a lane does, with the same rounding.
        torch.set_num_threads(cores)
    with ExitStack() as stack:
        plan = prepared.plan_list[0]
        lanes = [stack.enter_context(lane) for lane in open_lanes(plan.lanes)]
        for text in dict.fromkeys(lane.note for lane in lanes if lane.note):
            writer.log("warning", text)
        executor = Executor(lanes, operations, writer, stop)

        def calibrate(batch: Batch, on_pass: PassListener) -> CostModel:
            return measure_task_costs(prepared, batch, lanes, stop, on_pass)

        run_steps(
            prepared=prepared,
            writer=writer,
            operations=operations,
            run_step=executor.run,
            calibrations=[calibrate],
        )


def run_steps(
    prepared: Prepared,
    writer: TraceWriter,
    operations: Operations,
    run_step: RunStep,
    calibrations: Iterable[Calibrate],
    calibrate_sizes: CalibrateSizes | None = None,
) -> None:
    """Write the plans, measure costs, run every step and verify it, as the specification says.

    The first of `calibrations` measures costs before the first measured step, the second one before
    the next step, and so on. `calibrate_sizes` runs once, after the first calibration.
    """
    assert prepared.workload is not None
    specification = prepared.specification
    workload = prepared.workload
    rows = specification.all_rows
    plans = prepared.plans
    nested = prepared.nested
    numbers: dict[int, int] = {}
    for count, plan in plans.items():
        block_tasks = nested[count].tasks if nested else ()
        numbers[count] = writer.plan([*plan.tasks, *block_tasks])
    if specification.verify:
        for text in verification_notes(workload):
            writer.log("warning", text)
    seconds = 0.0
    remaining: Iterator[Calibrate] = iter(())
    if specification.calibrate:
        remaining = iter(calibrations)
    for index, batch in enumerate(workload.batches(specification)):
        if index == specification.warmup and seconds > LONGEST_STEP_SECONDS:
            text = f"a step takes {seconds:.0f} s: its costs are not measured beforehand"
            writer.log("info", text)
            remaining = iter(())
        calibrate = next(remaining, None) if index >= specification.warmup else None
        if calibrate is not None:
            costs = _record_costs(batch, calibrate, writer)
            if costs is None:
                remaining = iter(())
            elif calibrate_sizes is not None:
                _record_size_costs(batch, costs, calibrate_sizes, writer)
            calibrate_sizes = None
        before = operations.model.parameters()[0] if needs_parameters(specification) else {}
        began = time.monotonic()
        count = rows[index]
        step = run_step(index, plans[count], numbers[count], batch, nested.get(count))
        seconds = time.monotonic() - began
        verify_step(
            writer=writer,
            specification=specification,
            workload=workload,
            step=index,
            batch=batch,
            parts=step.plan.parts,
            before=before,
            loss=sum(piece.item() for piece in step.losses),
            copies=operations.model.gradients,
        )


def _record_costs(batch: Batch, calibrate: Calibrate, writer: TraceWriter) -> CostModel | None:
    """Measure and write the costs of the next step's tasks; None if memory does not suffice."""
    on_pass = partial(writer.counter, PASSES)
    costs = _measure_if_possible(partial(calibrate, batch, on_pass), writer)
    if costs is not None:
        writer.log(COSTS_LEVEL, json.dumps(values_of(costs)))
    return costs


def _record_size_costs(
    batch: Batch, costs: CostModel, calibrate_sizes: CalibrateSizes, writer: TraceWriter
) -> None:
    """Measure and write the costs of blocks for several sizes, if possible."""
    by_size = _measure_if_possible(partial(calibrate_sizes, batch, costs), writer)
    if by_size is not None:
        writer.log(SIZE_COSTS_LEVEL, json.dumps(values_of(by_size)))


def _measure_if_possible(
    measure: Callable[[], CostModel | None], writer: TraceWriter
) -> CostModel | None:
    """Return the result of `measure`; log a line and return None if memory does not suffice."""
    try:
        return measure()
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        writer.log("info", "there is not enough memory to measure costs in addition to the run")
        return None
