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
        # Takes no tick: it ends when it starts.
        if task.kind is Kind.COPY or (task.kind is Kind.LOSS and task.microbatch is not None):
            ends.append(start)
            continue
        row = cells[task.lane]
        start = max(start, len(row))
        row += [IDLE] * (start - len(row)) + [_cell(task)]
        ends.append(start + 1)
    ticks = max(map(len, cells))
    return [row + [IDLE] * (ticks - len(row)) if row else [] for row in cells]


def _cell(task: Task) -> str:
    if task.kind is Kind.OVERLAP:
        return f"{task.stage}F{task.microbatch}+{task.paired_stage}B{task.paired_microbatch}"
    return str(task)
