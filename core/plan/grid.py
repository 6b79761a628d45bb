"""A plan as the textbook grid: what each lane does in each tick if every task took one."""

from __future__ import annotations

from core.plan.task import Kind, Plan

IDLE = "."


def grid(plan: Plan) -> list[list[str]]:
    """For each lane its cells by tick: an action's name, or a dot where the lane idles.

    Copies take no tick, as in the papers' figures, so copy lanes have no cells.
    """
    cells: list[list[str]] = [[] for _ in plan.lanes]
    ends: list[int] = []
    for task in plan.tasks:
        start = max((ends[other] for other in task.after), default=0)
        if task.kind is Kind.COPY:
            ends.append(start)
            continue
        row = cells[task.lane]
        start = max(start, len(row))
        row += [IDLE] * (start - len(row)) + [str(task)]
        ends.append(start + 1)
    ticks = max(map(len, cells))
    return [row + [IDLE] * (ticks - len(row)) if row else [] for row in cells]
