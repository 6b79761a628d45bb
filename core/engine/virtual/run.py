"""Runs a prepared job on virtual lanes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import repeat
from threading import Event

from core.engine.lanes.isolated import IsolatedLane
from core.engine.prepare import Prepared
from core.engine.tasks.operations import Operations
from core.engine.tasks.steps import Calibrate, run_steps
from core.engine.virtual.calibration import RECALIBRATIONS, VirtualCalibration
from core.engine.virtual.executor import VirtualExecutor, link_of
from core.engine.virtual.rank_ops import RankOps
from core.engine.virtual.rehearsal import Rehearsal
from core.engine.virtual.size_costs import block_costs_by_size
from core.plan.faults import Faults
from core.plan.link import Link
from core.recording.schema import TraceWriter


def run_on_virtual_lanes(prepared: Prepared, writer: TraceWriter, stop: Event) -> None:
    """Run every step in virtual time. Raises RunStopped on request, or the exception of a task."""
    link = link_of(prepared.specification)
    operations = _operations(prepared)
    plan = prepared.plan_list[0]
    for text in Faults.of(prepared.specification).without_effect(plan.columns, plan.lanes):
        writer.log("warning", str(text))
    with IsolatedLane(prepared.lanes[0]) as isolated:
        if isolated.note:
            writer.log("warning", isolated.note)
        log = partial(writer.log, "info")
        rehearsal = Rehearsal(partial(_operations, prepared), isolated, log)
        executor = VirtualExecutor(
            operations=operations,
            isolated=isolated,
            writer=writer,
            prepared=prepared,
            stop=stop,
            rehearsal=rehearsal,
        )
        calibrations = _calibrations(prepared, isolated, link, stop, rehearsal)
        calibrate_sizes = partial(block_costs_by_size, prepared, isolated, stop)
        run_steps(
            prepared=prepared,
            writer=writer,
            operations=operations,
            run_step=executor.run,
            calibrations=calibrations,
            calibrate_sizes=calibrate_sizes,
        )


def _calibrations(
    prepared: Prepared, isolated: IsolatedLane, link: Link | None, stop: Event, rehearsal: Rehearsal
) -> Iterator[Calibrate]:
    """Yield the functions that measure costs before the first measured steps, one for each."""
    rows = prepared.specification.all_rows[prepared.specification.warmup]
    make = partial(_operations, prepared)
    plan = prepared.plans[rows]
    calibration = VirtualCalibration(
        operations=make,
        plan=plan,
        isolated=isolated,
        link=link,
        stop=stop,
        rehearsal=rehearsal,
    )
    yield calibration.measure
    yield from repeat(calibration.measure_again, RECALIBRATIONS)


def _operations(prepared: Prepared) -> Operations:
    """Return operations for the tasks of the plans, on new copies of the modules."""
    if prepared.strategy.on_ranks:
        return RankOps(prepared)
    return Operations(prepared)
