"""Why lanes are idle within a range of time: the steps' explanations, cut to the range.

A moment belongs to the step that began last before it, as `Trace.step_at` has it. A lane that then
still works for an earlier step is not idle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.explain.causes import CAUSES, Cause, Explanation
from core.explain.lanes import LaneTime
from core.explain.run_step import without_earlier_work
from core.explain.statistics import within
from core.plan.plan import Role
from core.trace.columns import sorted_positions
from core.trace.spans import Spans
from core.trace.trace import Trace

_BETWEEN, _NOTHING = CAUSES.index(Cause.BETWEEN_STEPS), CAUSES.index(Cause.NOTHING_TO_MOVE)


@dataclass(frozen=True, slots=True)
class IdleCauses:
    """Idle ns of some lanes by cause, from `explained` of the `steps` that a range touches.

    Causes and `rest`, the idle time of the steps that were not explained, add up to the lane's
    idle time in the range.
    """

    by_lane: dict[int, dict[Cause, int]]
    rest: dict[int, int]
    explained: int
    steps: int

    @property
    def present(self) -> list[Cause]:
        """The causes that any lane has, in the order of CAUSES."""
        return [cause for cause in CAUSES if any(cause in own for own in self.by_lane.values())]


def steps_within(trace: Trace, start: int, end: int) -> NDArray[np.int32]:
    """Return the steps of which some part lies in a range.

    With the next step of a job: ranks that are ahead begin it before the last rank has updated.
    """
    table = trace.step_table
    starts = table.starts
    if table.follow:
        starts = np.append(starts[:1], starts[:-1])
    return table.numbers[(table.ends > start) & (starts < end)]


def step_causes(
    trace: Trace, explanation: Explanation, step: int, start: int, end: int
) -> NDArray[np.int64]:
    """Idle ns of the compute lanes by cause, (lanes, CAUSES), in a step's part of a range."""
    table = trace.step_table
    place = int(sorted_positions(table.numbers, step))
    until = end if table.follow else min([end, *table.starts[place + 1 : place + 2].tolist()])
    if place and not table.follow and table.ends[:place].max() > explanation.begin:
        explanation = without_earlier_work(explanation, trace, step)
    begin, finish = (np.clip(times, start, until) for times in (explanation.start, explanation.end))
    length = np.maximum(finish - begin, 0)
    totals = np.zeros((len(explanation.lanes), len(CAUSES)), np.int64)
    np.add.at(totals, (explanation.lane, explanation.cause.astype(np.int64)), length)
    return totals


def idle_causes(
    trace: Trace,
    start: int,
    end: int,
    lanes: Mapping[int, LaneTime],
    explained: Sequence[NDArray[np.int64]],
) -> IdleCauses:
    """Put together what steps came to (`step_causes`) for lanes whose times are known.

    What lies outside of every step is BETWEEN_STEPS, unless there is none. Lanes that only move
    data have the rest of their idle time as NOTHING_TO_MOVE, whether or not their steps are
    explained.
    """
    table = trace.step_table
    inside = (table.ends > start) & (table.starts < end)
    # As `step_causes` has it, a step is over where the next one begins. After a short step during a
    # long one no step goes on, though lanes may still work for the long one.
    over = np.minimum(table.ends, np.append(table.starts[1:], end))
    begins = np.maximum(table.starts[inside], start)
    ends = np.clip(over[inside], begins, end)
    outside = end - start - int((ends - begins).sum()) if len(table) else 0
    works_outside = trace.header.foreign or (np.diff(table.ends) < 0).any()
    by_lane, rest = {}, {}
    for lane, time in lanes.items():
        totals = sum((step[lane] for step in explained), np.zeros(len(CAUSES), np.int64))
        totals[_BETWEEN] += outside
        if outside and works_outside:
            totals[_BETWEEN] -= _busy_outside(trace.spans(lane), start, end, begins, ends)
        if trace.header.lanes[lane].role is not Role.COMPUTE:
            totals[_NOTHING] = time.idle_ns - totals[_BETWEEN]
        by_lane[lane] = {CAUSES[i]: int(totals[i]) for i in np.flatnonzero(totals)}
        rest[lane] = time.idle_ns - int(totals.sum())
    return IdleCauses(by_lane, rest, len(explained), int(inside.sum()))


def _busy_outside(
    spans: Spans, start: int, end: int, begins: NDArray[np.int64], ends: NDArray[np.int64]
) -> int:
    """For how long of a range a lane works outside of its steps, which follow one another."""
    mine = within(spans, start, end)[0]
    first, last = _apart(np.maximum(mine.start, start), np.minimum(mine.end, end))
    before = np.concatenate([[0], np.cumsum(ends - begins)])

    # How much of the steps' time lies before each moment.
    def covered(times: NDArray[np.int64]) -> NDArray[np.int64]:
        place = np.searchsorted(begins, times, "right")
        # What is left of the step that goes on; before the first one (place 0) there is none.
        still = np.maximum(np.append(times.min(initial=0), ends)[place] - times, 0)
        result: NDArray[np.int64] = before[place] - still
        return result

    return int((last - first).sum() - (covered(last) - covered(first)).sum())


def _apart(
    starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Intervals by their starts, each without what those before it cover."""
    last = np.maximum.accumulate(ends)
    return np.minimum(np.maximum(starts, np.append(starts[:1], last[:-1])), last), last
