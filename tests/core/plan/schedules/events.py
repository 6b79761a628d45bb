"""When the passes of a schedule run if nothing but they takes time."""

from __future__ import annotations

from typing import NamedTuple

from core.plan.schedules.schedule import Action, Schedule
from core.plan.task import Kind


class Times(NamedTuple):
    """For each rank when it begins its first pass, ends its last, and how long it works."""

    starts: list[int]
    ends: list[int]
    works: list[int]

    @property
    def makespan(self) -> int:
        return max(self.ends)

    @property
    def longest_span(self) -> int:
        return max(end - start for start, end in zip(self.starts, self.ends, strict=True))


def times_of(
    schedule: Schedule, ranks: int, microbatches: int, chunks: int, f: int, b: int, w: int
) -> Times:
    """A discrete-event pass: a pass starts when its rank is free and what it needs has ended."""
    stages = schedule.stage_count(ranks, chunks)
    costs = {
        Kind.FORWARD: f,
        Kind.BACKWARD: b + w,
        Kind.BACKWARD_INPUT: b,
        Kind.BACKWARD_WEIGHT: w,
    }
    orders = [
        [_pass(action, stages, microbatches, costs) for action in order]
        for order in schedule.orders(ranks, microbatches, chunks)
    ]
    done: dict[int, int] = {}
    heads = [0] * ranks
    ends = [0] * ranks
    starts = [-1] * ranks
    left = sum(map(len, orders))
    while left:
        before = left
        for rank, order in enumerate(orders):
            head, end = heads[rank], ends[rank]
            while head < len(order):
                needs, gives, cost = order[head]
                start = end
                for need in needs:
                    ended = done.get(need, -1)
                    if ended < 0:
                        break
                    start = max(start, ended)
                else:
                    if starts[rank] < 0:
                        starts[rank] = start
                    end = start + cost
                    for give in gives:
                        done[give] = end
                    head += 1
                    left -= 1
                    continue
                break
            heads[rank], ends[rank] = head, end
        assert left < before, "deadlock"
    return Times(starts, ends, [sum(cost for _, _, cost in order) for order in orders])


def _pass(
    action: Action, stages: int, microbatches: int, costs: dict[Kind, int]
) -> tuple[list[int], list[int], int]:
    """The inputs, outputs and cost of an action; results are numbers."""
    needs, gives, cost = [], [], 0
    for stage, kind, m, replica, _ in action.halves:
        cost += costs[kind]
        forward = 2 * ((replica * stages + stage) * microbatches + m)
        if kind is Kind.FORWARD:
            gives.append(forward)
            if stage:
                needs.append(forward - 2 * microbatches)
        elif kind is not Kind.BACKWARD_WEIGHT:
            gives.append(forward + 1)
            last = stage == stages - 1
            needs.append(forward if last else forward + 1 + 2 * microbatches)
    return needs, gives, cost
