"""The cause of every idle nanosecond of a compute lane.

The rule. A gap of a lane ends when a task starts, or when the step ends. From there a walk goes
back: from a task to its last wait (of its dependencies and the previous task on its lane, the one
with the latest end), and so on. A moment of the gap belongs to the task on this walk that ran at
that moment, its **blocking task**. If no task ran, the next task of the walk had all that it needed
and started late: that task is the blocking task, and the cause is the host. For a gap at the end of
the step the walk starts from the step's last task. So every moment of a gap has exactly one
blocking task, and the pieces of a gap add up to the gap.

A collective of ranks starts on each rank when that rank arrives. Until the slowest rank has
arrived, the walk follows what delayed it. Only after that is the collective the blocking task. The
same holds for a send and its receive, if another program recorded both.

Streams recorded by another program have no dependencies. Their gaps are explained by the state of
the device (core.explain.devices).

The cause follows from the kind and place of the blocking task; see core.explain.cause_rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints, Positions
from core.costs.waits import Waits, waits_of
from core.explain.blocking import blocking_pieces, idle_gaps
from core.explain.cause_rules import causes_of
from core.explain.causes import CAUSES, Cause
from core.explain.devices import cut_by_device
from core.message import Text
from core.plan.plan import Lane, Role
from core.trace.step import StepColumns


@dataclass(frozen=True, slots=True)
class Explanation:
    """The idle time of a step's compute lanes in k pieces, by lane and then by time.

    In the piece from `start` to `end` (ns) a `lane` is idle for one `cause` (index into CAUSES) and
    because of one `blocking` task (position in `columns`). Pieces of the same `gap` are parts of
    one idle interval. `lane_first[l] : lane_first[l + 1]` are lane l's pieces. The step lasts from
    `begin` to `finish`, and on each lane from `begins` to `finishes`. A step with a `fault` is not
    explained: all its idle time is INCOMPLETE. `follows` is true for the steps of a job.
    """

    columns: StepColumns
    lanes: tuple[Lane, ...]
    waits: Waits
    begin: int
    finish: int
    lane: NDArray[np.int32]
    start: Ints
    end: Ints
    cause: NDArray[np.int8]
    blocking: Positions
    gap: Ints
    lane_first: Ints
    begins: Ints
    finishes: Ints
    fault: Text = ""
    follows: bool = False

    @property
    def makespan(self) -> int:
        """Length of the step in ns: from `begin` to `finish`."""
        return self.finish - self.begin

    @property
    def lengths(self) -> Ints:
        """Length of the step on each lane, in ns."""
        return self.finishes - self.begins

    def find(self, lane: int, time_ns: int) -> int | None:
        """Return the idle piece of a lane at a time, None if it is busy or outside the step."""
        first = int(self.lane_first[lane])
        last = int(self.lane_first[lane + 1])
        starts = self.start[first:last]
        begun = int(np.searchsorted(starts, time_ns, "right"))
        if not begun:
            return None
        piece = first + begun - 1
        return piece if time_ns < self.end[piece] else None

    def pieces(self, gap: int) -> range:
        """Return the pieces of a gap in order of time."""
        first, last = np.searchsorted(self.gap, [gap, gap + 1]).tolist()
        return range(first, last)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Begin and finish of a step, overall and on each lane, in ns.

    `follow` is true for steps of a job, which follow each other without a pause
    (core.trace.step_bounds).
    """

    begin: int
    finish: int
    begins: Ints
    finishes: Ints
    follow: bool = False

    @classmethod
    def of_tasks(cls, columns: StepColumns, lanes: int) -> Bounds:
        """Return bounds from the first start to the last end, the same on all lanes."""
        begin = 0
        finish = 0
        if len(columns):
            begin = int(columns.start.min())
            finish = int(columns.end.max())
        return cls(
            begin=begin,
            finish=finish,
            begins=np.full(lanes, begin),
            finishes=np.full(lanes, finish),
        )


def explain_step(
    columns: StepColumns, lanes: Sequence[Lane], bounds: Bounds | None = None
) -> Explanation:
    """Explain the idle time of the compute lanes in a step, run or predicted.

    Without `bounds` the step lasts from the first start to the last end.
    """
    waits = waits_of(columns, lanes)
    bounds = bounds or Bounds.of_tasks(columns, len(lanes))
    whole_gaps = idle_gaps(
        columns=columns,
        waits=waits,
        lanes=lanes,
        begins=bounds.begins,
        finishes=bounds.finishes,
    )
    gaps = cut_by_device(
        columns=columns,
        waits=waits,
        lanes=lanes,
        gaps=whole_gaps,
    )
    pieces = blocking_pieces(columns, waits, gaps)
    lane = gaps.lane[pieces.gap]
    lane_first = np.searchsorted(lane, np.arange(len(lanes) + 1))
    return Explanation(
        columns=columns,
        lanes=tuple(lanes),
        waits=waits,
        begin=bounds.begin,
        finish=bounds.finish,
        lane=lane,
        start=pieces.start,
        end=pieces.end,
        cause=causes_of(columns, lanes, gaps, pieces),
        blocking=pieces.blocking,
        gap=gaps.whole[pieces.gap],
        lane_first=lane_first,
        begins=bounds.begins,
        finishes=bounds.finishes,
        follows=bounds.follow,
    )


def cause_totals(explanation: Explanation) -> Ints:
    """Return idle ns by lane and cause, (lanes, CAUSES). A row adds up to the lane's idle time.

    The cause on copy and communication lanes is always NOTHING_TO_MOVE.
    """
    columns = explanation.columns
    lanes = explanation.lanes
    totals = np.zeros((len(lanes), len(CAUSES)), np.int64)
    length = explanation.end - explanation.start
    cause = explanation.cause.astype(np.int64)
    np.add.at(totals, (explanation.lane, cause), length)
    worked = np.zeros(len(lanes), np.int64)
    np.add.at(worked, columns.lane, columns.duration)
    for lane in lanes:
        if lane.role is not Role.COMPUTE:
            idle = explanation.lengths[lane.index] - worked[lane.index]
            totals[lane.index, CAUSES.index(Cause.NOTHING_TO_MOVE)] = idle
    return totals
