"""The walk back from every gap of a compute lane, through what was waited for.

The rule stands at core.explain.causes: each moment of a gap belongs to one task on this walk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.costs.waits import Positions, Waits
from core.order import stable_argsort
from core.plan.plan import Lane, Role
from core.plan.task import ABSENT, IS_COLLECTIVE
from core.trace.step import StepColumns


@dataclass(frozen=True, slots=True)
class IdleGaps:
    """Idle intervals by lane and time, or parts of such; `whole` numbers the interval of each.

    It ends with the start of the task `ended_by`, or with the end of `running`, a task at work
    until then; both are -1 at the end of the step, from where one walks back from the task `last`.
    """

    lane: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    ended_by: Positions
    running: Positions
    last: Positions
    whole: NDArray[np.int64]


class IdlePieces(NamedTuple):
    """Parts of gaps with their blocking tasks.

    `late` where no task ran and the blocking task should have; `met` where the walk came through a
    collective.
    """

    gap: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    blocking: Positions
    late: NDArray[np.bool_]
    met: NDArray[np.bool_]


def gaps_of(
    columns: StepColumns,
    waits: Waits,
    lanes: Sequence[Lane],
    begins: NDArray[np.int64],
    finishes: NDArray[np.int64],
) -> IdleGaps:
    """Find where the compute lanes have no task: before each task, and after the last one.

    The step begins and finishes on each of `lanes` at the moment given for it, in ns.
    """
    compute = np.array([lane.role is Role.COMPUTE for lane in lanes], np.bool_)
    order = waits.order[compute[columns.lane[waits.order]]]
    own = np.flatnonzero(compute).astype(np.int32)
    # One entry more for each lane: the end of the step, as a task that ends every lane.
    lane = np.concatenate([columns.lane[order], own])
    start = np.concatenate([columns.start[order], finishes[own]])
    end = np.concatenate([columns.end[order], finishes[own]])
    task = np.concatenate([order, np.full(len(own), ABSENT)])
    by_lane = stable_argsort(lane)
    lane, start, end, task = lane[by_lane], start[by_lane], end[by_lane], task[by_lane]
    first = np.flatnonzero(np.diff(lane, prepend=ABSENT))
    for mine in np.split(end, first[1:]):  # where tasks of a lane overlap, the last to end counts
        np.maximum.accumulate(mine, out=mine)
    since = np.concatenate([end[:1], end[:-1]])
    since[first] = begins[own]
    idle = start > since
    count = int(idle.sum())
    final = int(np.argmax(columns.end)) if len(columns) else ABSENT
    running, last = np.full(count, ABSENT, np.int64), np.full(count, final, np.int64)
    return IdleGaps(
        lane[idle], since[idle], start[idle], task[idle], running, last, np.arange(count)
    )


def walk(columns: StepColumns, waits: Waits, gaps: IdleGaps) -> IdlePieces:
    """Walk back from the end of all gaps at once, a task further in each turn.

    As many turns as the longest walk has tasks, and as much work as there are pieces.
    """
    gap = np.arange(len(gaps.start))
    until = gaps.end
    named = np.where(gaps.running >= 0, gaps.running, gaps.ended_by)
    waiter = np.where(named >= 0, named, gaps.last)
    # A task that starts waited for the one before it; one that runs is itself what is waited for.
    starts = (gaps.ended_by >= 0) & (gaps.running < 0)
    task = np.where(starts, waits.before[waiter], waiter)
    met = IS_COLLECTIVE[columns.kind[waiter]] & (named >= 0)
    none = np.zeros(0, np.bool_)
    # For a step without any gap: concatenate wants a part.
    found = [IdlePieces(gap[:0], until[:0], until[:0], task[:0], none, none)]
    while len(gap):
        since = gaps.start[gap]
        # One turn of one gap. Time runs to the right, the walk goes left, from the task that the
        # lane waits for to the one that this one itself had waited for:
        #   gap      [since .......................................... until)
        #            |<- next turn ->|  `task` at work  |  done; what ended the gap was late  |
        #                           begun              ended
        # Both are clipped to the gap: what the task did before the gap began held nobody up in it.
        ended = np.where(task >= 0, np.clip(columns.end[task], since, until), since)
        begun = np.where(task >= 0, np.clip(waits.begun[task], since, ended), since)
        parts = (ended, until, waiter, True), (begun, ended, task, False)
        for start, end, blocking, late in parts:
            lasts = end > start
            lates = np.full(int(lasts.sum()), late)
            some = gap[lasts], start[lasts], end[lasts], blocking[lasts], lates, met[lasts]
            found.append(IdlePieces(*some))
        # A walk ends where a task was at work when its gap began: nothing is left to explain.
        on = begun > since
        gap, until, task = gap[on], begun[on], task[on]
        met = met[on] | IS_COLLECTIVE[columns.kind[task]]
        waiter = waits.slowest[task]
        task = waits.before[waiter]
    # By gap, in a gap by time: the walk found the latest first.
    every = [*map(np.concatenate, zip(*reversed(found), strict=True))]
    order = stable_argsort(every[0])
    return IdlePieces(*(column[order] for column in every))
