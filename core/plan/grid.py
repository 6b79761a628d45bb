"""A plan as the textbook grid: what each lane does in each tick if every task took one."""

from __future__ import annotations

from core.plan.plan import Plan
from core.plan.task import Kind, Task

IDLE = "."


def grid(plan: Plan) -> list[list[str]]:
    """For each lane its cells by tick: an action's name, or a dot where the lane idles.

    An overlap is one cell, `0F3+3B1`. Copies and the losses of micro-batches take no tick, as in
    the papers' figures, so copy lanes have no cells. Where a lane has stages of several replicas,
    stage and micro-batch say which one it is: a micro-batch goes through one replica.
    """
    cells: list[list[str]] = [[] for _ in plan.lanes]
    ends: list[int] = []
    for task in plan.tasks:
        start = max((ends[other] for other in task.after), default=0)
        # It ends as it starts, so whoever waits for it waits for what that waited for.
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
