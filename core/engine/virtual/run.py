"""Runs a prepared job on virtual lanes."""

from __future__ import annotations

from functools import partial
from threading import Event

from core.engine.lanes.alone import Alone
from core.engine.prepare import Prepared
from core.engine.run import run_steps
from core.engine.tasks.operations import Operations
from core.engine.tasks.step_counters import closed_rows
from core.engine.virtual.costs import calibrate
from core.engine.virtual.executor import Close, VirtualExecutor, link_of
from core.engine.virtual.rank_ops import RankOps
from core.plan.faults import Faults
from core.plan.task import Runner
from core.recording.writer import TraceWriter


def run_on_virtual_lanes(prepared: Prepared, writer: TraceWriter, stop: Event) -> None:
    """Run every step in virtual time. Raises Stopped on request, or what a task raised."""
    link = link_of(prepared.specification)
    operations = _operations(prepared)
    close: Close = partial(closed_rows, operations.model)
    if isinstance(operations, RankOps):
        close = operations.closed_rows
    plan = prepared.plan_list[0]
    for text in Faults.of(prepared.specification).without_effect(plan.columns, plan.lanes):
        writer.log("warning", text)
    with Alone(prepared.lanes[0]) as alone:
        if alone.note:
            writer.log("warning", alone.note)
        executor = VirtualExecutor(operations, alone, close, writer, prepared, stop)
        run_steps(
            prepared, writer, operations, executor.run,
            lambda batch, passed: calibrate(
                _operations(prepared), prepared.plans[len(batch[0])], batch, alone, link, stop,
                passed,
            ),
        )  # fmt: skip


def _operations(prepared: Prepared) -> Operations:
    """What the tasks of the plan do, on modules of their own."""
    ranks = prepared.strategy.runner is Runner.RANKS
    return RankOps(prepared) if ranks else Operations(prepared)
