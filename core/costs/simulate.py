"""When every task of a step would run if it took the time that it is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from core.errors import PlanError
from core.plan.task import ABSENT, TaskColumns
from core.trace.step import StepColumns


def simulate(
    columns: StepColumns, duration_ns: NDArray[np.int64], meets: NDArray[np.int64] | None = None
) -> StepColumns:
    """The same tasks with starts and ends in ns, the first start at 0, `launched` absent.

    Every task starts when the tasks before it on its lane and all that it waits for have ended.
    `duration_ns` has an entry for each of the n tasks.

    `meets` has for each task the number of the collective of ranks that it is a member of, or -1
    (core.costs.waits.meeting): each member begins when its own rank is ready, and ends its
    duration after the last of them has begun. Raises PlanError if lanes come to their collectives
    in orders that never meet.
    """
    durations = duration_ns.tolist()
    # Where no tasks meet, the plan's own order is one in which every start is known when its turn
    # comes. A collective starts when its last member comes, and that may stand far behind in the
    # columns: then tasks are taken by time.
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


def lasts(columns: StepColumns, duration_ns: NDArray[np.int64], meets: NDArray[np.int64]) -> int:
    """What a step lasts in ns if its tasks take so long; see `simulate`.

    Members of collectives to which lanes came in orders that never meet go each by itself.
    """
    try:
        step = simulate(columns, duration_ns, meets)
    except PlanError:
        step = simulate(columns, duration_ns)
    return int(step.end.max(initial=0))


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


def in_time_order(
    columns: TaskColumns,
    meets: Sequence[int],
    lasts: Callable[[int, int, int], int],
    turn: Sequence[int] | None = None,
) -> None:
    """Go through n tasks in the order in which they begin, asking each how long it lasts.

    A task starts when the ones before it on its lane and all that it waits for have ended. Of tasks
    that start at once the one whose lane has the smallest number in `turn` is first (one number a
    lane, all alike by default), then the first in the columns. `lasts(task, start, begun)` is asked
    of each once; it has started, and begins what takes the time: for a member of a collective of
    ranks (`meets`, as in `simulate`) that is when the last of them has started. Times and answers
    are in ns. Raises PlanError if lanes come to their collectives in orders that never meet.
    """
    followers, missing = _followers(columns)
    # Tasks of no collective (ABSENT) are counted too; they are let through one by one below.
    members = Counter(meets)
    arrived: dict[int, list[tuple[int, int]]] = {}
    ready = [0] * len(columns)
    turns = [0] * len(columns) if turn is None else [turn[lane] for lane in columns.lane.tolist()]
    queue = [(0, turns[task], task) for task, count in enumerate(missing) if not count]
    heapify(queue)
    ended = [False] * len(columns)
    while queue:
        begun, _, task = heappop(queue)
        came = arrived.setdefault(meets[task], [])
        came.append((begun, task))
        if meets[task] != ABSENT and len(came) < members[meets[task]]:
            continue
        # Tasks come out of the queue by time, so `begun` is the start of the member that came last.
        for start, member in arrived.pop(meets[task]):
            end = begun + lasts(member, start, begun)
            ended[member] = True
            for other in followers[member]:
                ready[other] = max(ready[other], end)
                missing[other] -= 1
                if not missing[other]:
                    heappush(queue, (ready[other], turns[other], other))
    if not all(ended):
        raise PlanError(f"the collectives deadlock: task {ended.index(False)} never ends")


def _followers(columns: TaskColumns) -> tuple[list[list[int]], list[int]]:
    """For each task those that wait for it, and for how many it waits itself."""
    followers: list[list[int]] = [[] for _ in range(len(columns))]
    missing = np.diff(columns.after_first).tolist()
    waiters = np.repeat(np.arange(len(columns)), missing).tolist()
    last: dict[int, int] = {}
    for task, lane in enumerate(columns.lane.tolist()):
        # The task before it on its lane is one more that it waits for.
        if lane in last:
            followers[last[lane]].append(task)
            missing[task] += 1
        last[lane] = task
    for task, other in zip(waiters, columns.after.tolist(), strict=True):
        followers[other].append(task)
    return followers, missing


def _with_collectives(
    columns: StepColumns, durations: list[int], meets: list[int]
) -> tuple[list[int], list[int]]:
    """Starts and ends where lanes go on by themselves until a collective makes them wait."""
    starts, ends = [0] * len(durations), [0] * len(durations)

    def lasts(task: int, start: int, begun: int) -> int:
        starts[task], ends[task] = start, begun + durations[task]
        return durations[task]

    in_time_order(columns, meets, lasts)
    return starts, ends
