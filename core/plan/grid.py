"""The textbook grid of a plan: each lane's action in each tick if every task took one tick."""

from __future__ import annotations

from core.plan.plan import Plan
from core.plan.task import Kind, Task

IDLE = "."


def grid(plan: Plan) -> list[list[str]]:
    """Return each lane's cells by tick: an action's name, or a dot where the lane is idle.

    An overlap is one cell, `0F3+3B1`. As in the papers' figures, copies and the losses of
    micro-batches take no tick, so copy lanes have no cells. A cell does not name the replica: a
    micro-batch goes through one replica only, so stage and micro-batch identify it.
    """
    cells: list[list[str]] = [[] for _ in plan.lanes]
    ends: list[int] = []
    for task in plan.tasks:
        start = max((ends[other] for other in task.after), default=0)
        if _takes_no_tick(task):
            ends.append(start)
            continue
        row = cells[task.lane]
        start = max(start, len(row))
        _pad(row, start)
        row.append(_cell(task))
        ends.append(start + 1)
    ticks = max(map(len, cells))
    for row in cells:
        if row:
            _pad(row, ticks)
    return cells


def _pad(row: list[str], ticks: int) -> None:
    """Add idle cells to a row until it has the given number of ticks."""
    missing = ticks - len(row)
    row += [IDLE] * missing


def _takes_no_tick(task: Task) -> bool:
    is_loss_of_part = task.kind is Kind.LOSS and task.microbatch is not None
    return task.kind is Kind.COPY or is_loss_of_part


def _cell(task: Task) -> str:
    if task.kind is Kind.OVERLAP:
        return f"{task.stage}F{task.microbatch}+{task.paired_stage}B{task.paired_microbatch}"
    return str(task)
