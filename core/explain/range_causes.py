"""Causes of idle time in a range of time: the explanations of its steps, cut to the range.

A moment belongs to the last step that began before it, as in `Trace.step_at`. A lane that still
works for an earlier step at that moment is not idle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import Explanation
from core.explain.lanes import LaneTime
from core.explain.run_step import without_earlier_work
from core.explain.statistics import spans_in_range
from core.plan.plan import Role
from core.trace.columns import sorted_positions
from core.trace.spans import Spans
from core.trace.trace import Trace

_BETWEEN = CAUSES.index(Cause.BETWEEN_STEPS)
_NOTHING = CAUSES.index(Cause.NOTHING_TO_MOVE)


@dataclass(frozen=True, slots=True)
class IdleCauses:
    """Idle ns of some lanes by cause.

    The range has `steps` steps, of which `explained` were explained.
    `rest` is the idle time in steps that were not explained. The causes and `rest` add up to the
    lane's idle time in the range.
    """

    by_lane: dict[int, dict[Cause, int]]
    rest: dict[int, int]
    explained: int
    steps: int

    @property
    def present(self) -> list[Cause]:
        """Causes that occur on any lane, in the order of CAUSES."""
        found: set[Cause] = set().union(*self.by_lane.values())
        return [cause for cause in CAUSES if cause in found]


def steps_within(trace: Trace, start: int, end: int) -> NDArray[np.int32]:
    """Return the steps that overlap a range.

    Includes the next step of a job: ranks that are ahead begin it before the last rank's update.
    """
    table = trace.step_table
    starts = table.starts
    if table.follow:
        starts = np.append(starts[:1], starts[:-1])
    overlaps = (table.ends > start) & (starts < end)
    return table.numbers[overlaps]


def step_causes(trace: Trace, explanation: Explanation, step: int, start: int, end: int) -> Ints:
    """Return idle ns by lane and cause, (lanes, CAUSES), in a step's part of a range."""
    table = trace.step_table
    place = int(sorted_positions(table.numbers, step))
    until = end
    if not table.follow:
        if place + 1 < len(table):
            next_start = int(table.starts[place + 1])
            until = min(end, next_start)
        earlier_ends = table.ends[:place]
        if place and earlier_ends.max() > explanation.begin:
            explanation = without_earlier_work(explanation, trace, step)
    begin = np.clip(explanation.start, start, until)
    finish = np.clip(explanation.end, start, until)
    length = np.maximum(finish - begin, 0)
    cause = explanation.cause.astype(np.int64)
    shape = (len(explanation.lanes), len(CAUSES))
    totals = np.zeros(shape, np.int64)
    np.add.at(totals, (explanation.lane, cause), length)
    return totals


def idle_causes(
    trace: Trace,
    start: int,
    end: int,
    lanes: Mapping[int, LaneTime],
    explained: Sequence[Ints],
) -> IdleCauses:
    """Add up the causes of steps, from `step_causes`, for `lanes` with their times.

    Idle time outside all steps is BETWEEN_STEPS, if the trace has steps. On lanes that only move
    data the rest of the idle time is NOTHING_TO_MOVE, even in steps that are not explained.
    """
    table = trace.step_table
    starts = table.starts
    inside = (table.ends > start) & (starts < end)
    # As in `step_causes`, a step is over when the next one begins. After a short step within a long
    # one, no step is under way, although lanes may still work for the long one.
    next_starts = np.append(starts[1:], end)
    over = np.minimum(table.ends, next_starts)
    begins = np.maximum(starts[inside], start)
    ends = np.clip(over[inside], begins, end)
    outside = 0
    if len(table):
        in_steps = int((ends - begins).sum())
        outside = end - start - in_steps
    # All tasks of a plan are in steps.
    has_plan = trace.header.source.has_plan
    steps_overlap = (np.diff(table.ends) < 0).any()
    works_outside = not has_plan or steps_overlap
    by_lane: dict[int, dict[Cause, int]] = {}
    rest: dict[int, int] = {}
    for lane, time in lanes.items():
        totals = np.zeros(len(CAUSES), np.int64)
        for of_step in explained:
            totals += of_step[lane]
        between = outside
        if outside and works_outside:
            between -= _busy_outside(
                spans=trace.spans(lane),
                start=start,
                end=end,
                begins=begins,
                ends=ends,
            )
        totals[_BETWEEN] += between
        if trace.header.lanes[lane].role is not Role.COMPUTE:
            totals[_NOTHING] = time.idle_ns - totals[_BETWEEN]
        causes: dict[Cause, int] = {}
        for code in np.flatnonzero(totals):
            causes[CAUSES[code]] = int(totals[code])
        by_lane[lane] = causes
        rest[lane] = time.idle_ns - int(totals.sum())
    steps = int(inside.sum())
    return IdleCauses(
        by_lane=by_lane,
        rest=rest,
        explained=len(explained),
        steps=steps,
    )


def _busy_outside(spans: Spans, start: int, end: int, begins: Ints, ends: Ints) -> int:
    """Return the ns of a range in which a lane works outside steps; steps must not overlap."""
    mine, _ = spans_in_range(spans, start, end)
    span_start = np.maximum(mine.start, start)
    span_end = np.minimum(mine.end, end)
    first, last = _without_overlaps(span_start, span_end)
    lengths = ends - begins
    total = np.append(0, np.cumsum(lengths))

    def step_time_before(times: Ints) -> Ints:
        begun = np.searchsorted(begins, times, "right")
        # Before the first step no step is under way.
        end_of_step = np.append(times.min(initial=0), ends)
        rest = np.maximum(end_of_step[begun] - times, 0)
        result: Ints = total[begun] - rest
        return result

    busy = last - first
    in_steps = step_time_before(last) - step_time_before(first)
    return int((busy - in_steps).sum())


def _without_overlaps(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Cut from each interval, sorted by start, the time that earlier ones cover."""
    last = np.maximum.accumulate(ends)
    previous = np.append(starts[:1], last[:-1])
    first = np.maximum(starts, previous)
    return np.minimum(first, last), last
