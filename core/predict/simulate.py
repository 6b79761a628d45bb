"""When every task of a step would run if it took the time that it is given."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.plan.task import PlanError
from core.trace.columns import ABSENT
from core.trace.step import StepColumns


def simulate(
    columns: StepColumns, duration_ns: NDArray[np.int64], meets: NDArray[np.int64] | None = None
) -> StepColumns:
    """The same tasks with starts and ends in ns, the first start at 0, `launched` absent.

    Every task starts when the tasks before it on its lane and all that it waits for have ended.
    `duration_ns` has an entry for each of the n tasks.

    `meets` has for each task the number of the collective of ranks that it is a member of, or -1
    (core.explain.waits.meeting): each member begins when its own rank is ready, and ends its
    duration after the last of them has begun. Raises PlanError if lanes come to their collectives
    in orders that never meet.
    """
    durations = duration_ns.tolist()
    if meets is None or meets.max(initial=ABSENT) == ABSENT:
        starts, ends = _in_order(columns, durations)
    else:
        starts, ends = _with_collectives(columns, durations, meets.tolist())
    return replace(
        columns,
        start=np.array(starts, np.int64),
        end=np.array(ends, np.int64),
        launched=np.full(len(columns), ABSENT, np.int64),
    )


def _in_order(columns: StepColumns, durations: list[int]) -> tuple[list[int], list[int]]:
    """Starts and ends in one pass: what a task waits for always comes before it."""
    first, after = columns.after_first.tolist(), columns.after.tolist()
    free = [0] * (int(columns.lane.max(initial=-1)) + 1)
    starts: list[int] = []
    ends: list[int] = []
    places = zip(columns.lane.tolist(), durations, first, first[1:], strict=False)
    for lane, duration, begin, stop in places:
        start = free[lane]
        for other in after[begin:stop]:
            if ends[other] > start:
                start = ends[other]
        starts.append(start)
        end = free[lane] = start + duration
        ends.append(end)
    return starts, ends


def _with_collectives(
    columns: StepColumns, durations: list[int], groups: list[int]
) -> tuple[list[int], list[int]]:
    """Starts and ends where lanes go on by themselves until a collective makes them wait."""
    first, after = columns.after_first.tolist(), columns.after.tolist()
    missing = Counter(groups)
    members: dict[int, list[int]] = {}
    lanes = columns.lane.tolist()
    queues: dict[int, list[int]] = {lane: [] for lane in lanes}
    for task in reversed(range(len(lanes))):
        queues[lanes[task]].append(task)
    free = dict.fromkeys(queues, 0)
    starts, ends = [0] * len(lanes), [ABSENT] * len(lanes)
    waiting: dict[int, list[int]] = {}
    awake = list(queues)

    def finish(task: int, end: int) -> None:
        ends[task] = free[lanes[task]] = end
        awake.extend(waiting.pop(task, ()))

    while awake:
        lane = awake.pop()
        while queue := queues[lane]:
            task = queue[-1]
            needs = after[first[task] : first[task + 1]]
            held_by = next((other for other in needs if ends[other] == ABSENT), None)
            if held_by is not None:
                waiting.setdefault(held_by, []).append(lane)
                break
            queue.pop()
            starts[task] = max([free[lane], *(ends[other] for other in needs)])
            group = groups[task]
            if group == ABSENT:
                finish(task, starts[task] + durations[task])
                continue
            members.setdefault(group, []).append(task)
            missing[group] -= 1
            if missing[group]:
                waiting.setdefault(task, []).append(lane)
                break
            begun = max(starts[member] for member in members[group])
            for member in members[group]:
                finish(member, begun + durations[member])
    if ABSENT in ends:
        raise PlanError(f"the collectives deadlock: task {ends.index(ABSENT)} never ends")
    return starts, ends
