"""Runs a prepared job on virtual lanes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import repeat
from threading import Event

from core.engine.lanes.alone import Alone
from core.engine.prepare import Prepared
from core.engine.tasks.executor import Calibrate, run_steps
from core.engine.tasks.operations import Operations
from core.engine.virtual.costs import BETWEEN, AloneCosts
from core.engine.virtual.executor import VirtualExecutor, link_of
from core.engine.virtual.rank_ops import RankOps
from core.engine.virtual.rehearsal import Rehearsal
from core.engine.virtual.size_costs import block_costs_by_size
from core.plan.faults import Faults
from core.plan.link import Link
from core.recording.schema import TraceWriter


def run_on_virtual_lanes(prepared: Prepared, writer: TraceWriter, stop: Event) -> None:
    """Run every step in virtual time. Raises Stopped on request, or what a task raised."""
    link = link_of(prepared.specification)
    operations = _operations(prepared)
    plan = prepared.plan_list[0]
    for text in Faults.of(prepared.specification).without_effect(plan.columns, plan.lanes):
        writer.log("warning", text)
    with Alone(prepared.lanes[0]) as alone:
        if alone.note:
            writer.log("warning", alone.note)
        rehearsal = Rehearsal(partial(_operations, prepared), alone, partial(writer.log, "info"))
        executor = VirtualExecutor(operations, alone, writer, prepared, stop, rehearsal)
        calibrations = _calibrations(prepared, alone, link, stop, rehearsal)
        calibrate_sizes = partial(block_costs_by_size, prepared, alone, stop)
        run_steps(prepared, writer, operations, executor.run, calibrations, calibrate_sizes)


def _calibrations(
    prepared: Prepared, alone: Alone, link: Link | None, stop: Event, rehearsal: Rehearsal
) -> Iterator[Calibrate]:
    """What measures costs before each of the first measured steps, on copies of the modules."""
    rows = prepared.specification.all_rows[prepared.specification.warmup]
    make, plan = partial(_operations, prepared), prepared.plans[rows]
    costs = AloneCosts(make, plan, alone, link, stop, rehearsal)
    yield costs.measure
    yield from repeat(costs.measure_again, BETWEEN)


def _operations(prepared: Prepared) -> Operations:
    """What the tasks of the plan do, on modules of their own."""
    return RankOps(prepared) if prepared.strategy.on_ranks else Operations(prepared)
