"""Simulation of a step: the start and end of each task, given its duration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush

import numpy as np

from core.arrays import Ints
from core.errors import PlanError
from core.message import message
from core.plan.task import ABSENT, TaskColumns
from core.trace.step import StepColumns


def simulate(
    columns: StepColumns,
    duration_ns: Ints,
    meets: Ints | None = None,
    gap_ns: Ints | None = None,
) -> StepColumns:
    """Return the tasks with starts and ends in ns, the first start at 0, and `launched` absent.

    Every task starts when the tasks before it on its lane and all that it waits for have ended.
    `duration_ns`, `meets` and `gap_ns` have shape (n,). After a task its lane is free only when
    `gap_ns` have passed too (0 by default); tasks of other lanes do not wait for that.

    `meets` is the number of the collective of ranks that a task is a member of, or -1 (see
    core.costs.waits.meeting). Each member starts when its rank is ready, and ends its duration
    after the last member has started. Raises PlanError if lanes reach their collectives in orders
    that deadlock.
    """
    durations = duration_ns.tolist()
    gaps = [0] * len(columns)
    if gap_ns is not None:
        gaps = gap_ns.tolist()
    # Without collectives one pass in the plan's order suffices. The last member of a collective may
    # be much later in the columns, so with collectives tasks are processed by time.
    if meets is None or meets.max(initial=ABSENT) == ABSENT:
        starts, ends = _in_order(columns, durations, gaps)
    else:
        starts, ends = _with_collectives(columns, durations, meets.tolist(), gaps)
    return replace(
        columns,
        start=np.array(starts, np.int64),
        end=np.array(ends, np.int64),
        launched=np.full(len(columns), ABSENT, np.int64),
    )


def makespan_ns(columns: StepColumns, duration_ns: Ints, meets: Ints) -> int:
    """Return the makespan in ns of a step whose tasks have these durations; see `simulate`.

    If collectives deadlock, the members of collectives do not wait for each other.
    """
    try:
        step = simulate(columns, duration_ns, meets)
    except PlanError:
        step = simulate(columns, duration_ns)
    return int(step.end.max(initial=0))


def _in_order(
    columns: StepColumns, durations: list[int], gaps: list[int]
) -> tuple[list[int], list[int]]:
    """Return starts and ends, in one pass: tasks only wait for earlier ones."""
    lanes = columns.lane.tolist()
    bounds = columns.after_first.tolist()
    after = columns.after.tolist()
    lane_count = int(columns.lane.max(initial=-1)) + 1
    free = [0] * lane_count  # when each lane can start its next task
    starts: list[int] = []
    ends: list[int] = []
    rows = zip(lanes, durations, gaps, bounds, bounds[1:], strict=False)
    for lane, duration, gap, first, last in rows:
        start = free[lane]
        for other in after[first:last]:
            if ends[other] > start:
                start = ends[other]
        starts.append(start)
        end = start + duration
        free[lane] = end + gap
        ends.append(end)
    return starts, ends


def in_time_order(
    columns: TaskColumns,
    meets: Sequence[int],
    duration_of: Callable[[int, int, int], int],
    turn: Sequence[int] | None = None,
    gaps: Sequence[int] | None = None,
) -> None:
    """Process n tasks in order of their starts, calling `duration_of` for the duration of each.

    A task starts when the tasks before it on its lane and all that it waits for have ended. Ties
    are broken by the lane's number in `turn` (equal by default) and then by the position in the
    columns. `duration_of(task, start, begun)` is called once for each task and returns its duration
    from `begun` on: the start, or for a member of a collective of ranks (`meets`, as in `simulate`)
    the start of the last member. `gaps` has the time after each task in which its lane is not free
    (0 by default). All times are in ns. Raises PlanError if lanes reach their collectives in orders
    that deadlock.
    """
    count = len(columns)
    followers, missing, following = _followers(columns)
    # Also counts tasks without a collective (ABSENT), which do not wait for each other below.
    members = Counter(meets)
    arrived: dict[int, list[tuple[int, int]]] = {}
    ready = [0] * count
    turns = [0] * count
    if turn is not None:
        turns = [turn[lane] for lane in columns.lane.tolist()]
    queue = [(0, turns[task], task) for task in range(count) if not missing[task]]
    heapify(queue)
    ended = [False] * count

    def release(task: int, since: int) -> None:
        """Note that one of the tasks before a task ended at the time `since`."""
        ready[task] = max(ready[task], since)
        missing[task] -= 1
        if not missing[task]:
            heappush(queue, (ready[task], turns[task], task))

    while queue:
        begun, _, task = heappop(queue)
        collective = meets[task]
        present = arrived.setdefault(collective, [])
        present.append((begun, task))
        if collective != ABSENT and len(present) < members[collective]:
            continue
        # The queue is sorted by time, so `begun` is the start of the last member.
        for start, member in arrived.pop(collective):
            end = begun + duration_of(member, start, begun)
            ended[member] = True
            for other in followers[member]:
                release(other, end)
            if following[member] != ABSENT:
                gap = 0 if gaps is None else gaps[member]
                release(following[member], end + gap)
    if not all(ended):
        stuck = ended.index(False)
        raise PlanError(message("the collectives deadlock: task {task} never ends", task=stuck))


def _followers(columns: TaskColumns) -> tuple[list[list[int]], list[int], list[int]]:
    """Return for each task its waiters, the number of tasks before it, and its lane's next task.

    The number includes the previous task on its lane. The next task is ABSENT after the last one.
    """
    following = [ABSENT] * len(columns)
    followers: list[list[int]] = [[] for _ in range(len(columns))]
    missing = np.diff(columns.after_first).tolist()
    waiters = np.repeat(np.arange(len(columns)), missing).tolist()
    last: dict[int, int] = {}
    for task, lane in enumerate(columns.lane.tolist()):
        # A task also waits for the previous task on its lane.
        previous = last.get(lane)
        if previous is not None:
            following[previous] = task
            missing[task] += 1
        last[lane] = task
    for task, other in zip(waiters, columns.after.tolist(), strict=True):
        followers[other].append(task)
    return followers, missing, following


def _with_collectives(
    columns: StepColumns, durations: list[int], meets: list[int], gaps: list[int]
) -> tuple[list[int], list[int]]:
    """Return starts and ends if lanes are independent until a collective makes them wait."""
    starts = [0] * len(durations)
    ends = [0] * len(durations)

    def duration_of(task: int, start: int, begun: int) -> int:
        duration = durations[task]
        starts[task] = start
        ends[task] = begun + duration
        return duration

    in_time_order(columns, meets, duration_of, gaps=gaps)
    return starts, ends
