"""Gaps of compute lanes, and the blocking task of each moment in them.

The blocking tasks are found by a walk back from the end of each gap, along the last waits of tasks.
The rule is in core.explain.explanation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints, Positions
from core.costs.waits import Waits
from core.order import stable_argsort
from core.plan.plan import Lane, Role
from core.plan.task import ABSENT, IS_COLLECTIVE
from core.trace.step import StepColumns


class IdleGaps(NamedTuple):
    """Idle intervals, or parts of them, by lane and time; `whole` is the number of the interval.

    An interval ends with the start of the task `ended_by`, or with the end of the task `running`.
    Both are -1 at the end of the step; there the walk begins with the task `last`.
    """

    lane: NDArray[np.int32]
    start: Ints
    end: Ints
    ended_by: Positions
    running: Positions
    last: Positions
    whole: Ints

    @classmethod
    def joined(cls, parts: Sequence[IdleGaps]) -> IdleGaps:
        """Return the gaps of all parts, one part after the other."""
        return cls._make(map(np.concatenate, zip(*parts, strict=True)))

    def picked(self, places: Ints | Bools) -> IdleGaps:
        """Return some of the gaps, in the order of `places`."""
        return IdleGaps._make(column[places] for column in self)


class IdlePieces(NamedTuple):
    """Parts of gaps with their blocking tasks.

    `late`: no task ran, although the blocking task could have. `met`: the walk has passed through a
    collective.
    """

    gap: Ints
    start: Ints
    end: Ints
    blocking: Positions
    late: Bools
    met: Bools

    @classmethod
    def joined(cls, parts: Sequence[IdlePieces]) -> IdlePieces:
        """Return the pieces of all parts, one part after the other."""
        return cls._make(map(np.concatenate, zip(*parts, strict=True)))

    def picked(self, places: Ints) -> IdlePieces:
        """Return some of the pieces, in the order of `places`."""
        return IdlePieces._make(column[places] for column in self)


def idle_gaps(
    columns: StepColumns,
    waits: Waits,
    lanes: Sequence[Lane],
    begins: Ints,
    finishes: Ints,
) -> IdleGaps:
    """Return the gaps of the compute lanes: before each task, and after the last one.

    `begins` and `finishes` are the bounds of the step on each lane, in ns.
    """
    computes = np.array([lane.role is Role.COMPUTE for lane in lanes], np.bool_)
    lane_of_task = columns.lane[waits.order]
    order = waits.order[computes[lane_of_task]]
    compute_lanes = np.flatnonzero(computes).astype(np.int32)
    # One more entry for each lane: the end of the step.
    ends_of_step = finishes[compute_lanes]
    no_task = np.full(len(compute_lanes), ABSENT)
    lane = np.concatenate([columns.lane[order], compute_lanes])
    start = np.concatenate([columns.start[order], ends_of_step])
    end = np.concatenate([columns.end[order], ends_of_step])
    task = np.concatenate([order, no_task])
    by_lane = stable_argsort(lane)
    lane = lane[by_lane]
    start = start[by_lane]
    end = end[by_lane]
    task = task[by_lane]
    first_of_lane = np.flatnonzero(np.diff(lane, prepend=ABSENT))
    # If tasks of a lane overlap, the latest end counts.
    for ends_of_lane in np.split(end, first_of_lane[1:]):
        np.maximum.accumulate(ends_of_lane, out=ends_of_lane)
    since = np.concatenate([end[:1], end[:-1]])
    since[first_of_lane] = begins[compute_lanes]
    idle = start > since
    count = int(idle.sum())
    final = int(np.argmax(columns.end)) if len(columns) else ABSENT
    return IdleGaps(
        lane=lane[idle],
        start=since[idle],
        end=start[idle],
        ended_by=task[idle],
        running=np.full(count, ABSENT, np.int64),
        last=np.full(count, final, np.int64),
        whole=np.arange(count),
    )


def blocking_pieces(columns: StepColumns, waits: Waits, gaps: IdleGaps) -> IdlePieces:
    """Return the pieces of all gaps, by gap and then by time, with the blocking task of each.

    Walks back from the end of all gaps at once, by one task in each turn. There are as many turns
    as the longest walk has tasks. The work is proportional to the number of pieces.
    """
    gap = np.arange(len(gaps.start))
    until = gaps.end
    known = np.where(gaps.running >= 0, gaps.running, gaps.ended_by)
    has_task = known >= 0
    waiter = np.where(has_task, known, gaps.last)
    # A task that starts waited for the task before it; a running task is itself the blocking task.
    starts = (gaps.ended_by >= 0) & (gaps.running < 0)
    task = np.where(starts, waits.before[waiter], waiter)
    is_collective = IS_COLLECTIVE[columns.kind]
    met = is_collective[waiter] & has_task
    # `concatenate` needs at least one part, even in a step without gaps.
    nothing = IdlePieces(
        gap=gap[:0],
        start=until[:0],
        end=until[:0],
        blocking=task[:0],
        late=met[:0],
        met=met[:0],
    )
    found = [nothing]
    while len(gap):
        since = gaps.start[gap]
        # One turn of one gap. Time runs to the right. The walk goes left, from the task that the
        # lane waits for to the last wait of that task:
        #   gap      [since .......................................... until)
        #            |<- next turn ->|   `task` runs    |  over; what ended the gap was late  |
        #                           begun              ended
        # Both are clipped to the gap: work of the task before the gap did not block the lane.
        is_task = task >= 0
        end_in_gap = np.clip(columns.end[task], since, until)
        ended = np.where(is_task, end_in_gap, since)
        begin_in_gap = np.clip(waits.begun[task], since, ended)
        begun = np.where(is_task, begin_in_gap, since)
        found.append(
            _pieces(
                gap=gap,
                start=ended,
                end=until,
                blocking=waiter,
                met=met,
                late=True,
            )
        )
        found.append(
            _pieces(
                gap=gap,
                start=begun,
                end=ended,
                blocking=task,
                met=met,
                late=False,
            )
        )
        # A walk ends when its task was running at the start of the gap.
        goes_on = begun > since
        gap = gap[goes_on]
        until = begun[goes_on]
        task = task[goes_on]
        met = met[goes_on] | is_collective[task]
        waiter = waits.slowest[task]
        task = waits.before[waiter]
    # The walk found the latest pieces first.
    found.reverse()
    pieces = IdlePieces.joined(found)
    # Sorted by gap; the pieces of a gap stay in their order.
    return pieces.picked(stable_argsort(pieces.gap))


def _pieces(
    gap: Ints,
    start: Ints,
    end: Ints,
    blocking: Positions,
    met: Bools,
    late: bool,
) -> IdlePieces:
    """Return the pieces from `start` to `end`, without pieces of length 0."""
    some = end > start
    count = int(np.count_nonzero(some))
    return IdlePieces(
        gap=gap[some],
        start=start[some],
        end=end[some],
        blocking=blocking[some],
        late=np.full(count, late),
        met=met[some],
    )
