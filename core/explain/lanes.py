"""Busy, communication and idle time of a lane in a time window, and its idle gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Ints
from core.plan.task import ABSENT, ENTERS, known
from core.trace.columns import sorted_positions
from core.trace.job_steps import lane_bounds, step_at
from core.trace.spans import Spans
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class LaneTime:
    """A lane's time in a window, in ns; `busy + communication + idle` is the window."""

    busy_ns: int
    communication_ns: int
    idle_ns: int
    spans: int

    @property
    def idle_fraction(self) -> float:
        """Idle time over the window, 0 to 1; 0 for an empty window."""
        window = self.busy_ns + self.communication_ns + self.idle_ns
        return self.idle_ns / window if window else 0.0


@dataclass(frozen=True, slots=True)
class Gap:
    """An idle interval of a lane in a step, in ns since the run's start.

    `before` is the index of the lane's span that ended the gap, None for the gap after the last
    span of a step.
    """

    lane: int
    step: int
    start: int
    end: int
    before: int | None


def gap_at(trace: Trace, lane: int, time_ns: int) -> Gap | None:
    """Return the idle interval of a lane at a time, None if it is busy or outside all steps."""
    step = step_at(trace, lane, time_ns)
    if step is None:
        return None
    gaps = gaps_within(trace, lane, step, step)
    begun = int(np.searchsorted(gaps.start, time_ns, "right"))
    if not begun:
        return None
    place = begun - 1
    if time_ns >= gaps.end[place]:
        return None
    return gaps.gap(place)


class LaneGaps(NamedTuple):
    """The n gaps of a lane as columns, times in ns; `before` is as in Gap, ABSENT for None."""

    lane: int
    step: NDArray[np.int32]
    start: Ints
    end: Ints
    before: Ints

    def gap(self, place: int) -> Gap:
        """Return the gap at an index."""
        return Gap(
            lane=self.lane,
            step=int(self.step[place]),
            start=int(self.start[place]),
            end=int(self.end[place]),
            before=known(int(self.before[place])),
        )


def gaps_within(trace: Trace, lane: int, first: int, last: int) -> LaneGaps:
    """Return a lane's gaps in the steps `first` to `last`: those before spans, then those at ends.

    Gaps before spans are in order of time, and so are gaps at the ends of steps.
    """
    spans = trace.spans(lane)
    bounds = [first, last + 1]
    every_step = trace.step_table.numbers
    low, high = sorted_positions(every_step, bounds)
    numbers = every_step[low:high]
    begins, finishes = lane_bounds(trace, lane, numbers.astype(np.int64))
    left, right = sorted_positions(spans.step, bounds).tolist()
    mine = spans[left:right]
    # The range of each step among the lane's spans; it is empty for an idle step.
    heads = sorted_positions(mine.step, numbers)
    tails = np.append(heads[1:], len(mine))
    worked = tails > heads
    before_each = np.empty(len(mine), np.int64)
    before_each[1:] = mine.end[:-1]
    # The first span of a step follows the start of the step, not the end of the previous step.
    before_each[heads[worked]] = begins[worked]
    after_last = begins.copy()
    lasts = tails[worked] - 1
    after_last[worked] = mine.end[lasts]
    no_span = np.full(len(numbers), ABSENT)
    step = np.concatenate([mine.step, numbers])
    start = np.concatenate([before_each, after_last])
    end = np.concatenate([mine.start, finishes])
    before = np.concatenate([np.arange(left, right), no_span])
    idle = end > start
    return LaneGaps(
        lane=lane,
        step=step[idle],
        start=start[idle],
        end=end[idle],
        before=before[idle],
    )


def longest_gaps(
    trace: Trace, first: int, last: int, most: int, lanes: Sequence[int] | None = None
) -> list[Gap]:
    """Return at most `most` of the longest gaps of compute lanes in the steps `first` to `last`.

    Only the gaps of `lanes`, if given. The longest is first; gaps of equal length are sorted by
    time and lane.
    """
    found: list[Gap] = []
    for lane in trace.header.compute_lanes:
        if lanes is not None and lane.index not in lanes:
            continue
        gaps = gaps_within(trace, lane.index, first, last)
        # Negative lengths, so that the longest is first; the last key of lexsort is primary.
        negative_length = gaps.start - gaps.end
        longest_first = np.lexsort((gaps.start, negative_length))
        for place in longest_first[:most].tolist():
            found.append(gaps.gap(place))

    def by_length(gap: Gap) -> tuple[int, int, int]:
        return gap.start - gap.end, gap.start, gap.lane

    found.sort(key=by_length)
    return found[:most]


def spans_within(trace: Trace, first: ArrayLike, last: ArrayLike) -> int:
    """Return the number of spans of all lanes in the steps `first` to `last`.

    With arrays, `first` and `last` give several ranges of steps, whose spans are added up.
    """
    count = 0
    for lane in range(len(trace.header.lanes)):
        steps = trace.spans(lane).step
        begins = sorted_positions(steps, first)
        ends = sorted_positions(steps, last, "right")
        counts = ends - begins
        count += int(counts.sum())
    return count


def entering_rows(spans: Spans) -> list[tuple[int, int, int]]:
    """Return (replica, micro-batch, rows) of each span that passes rows forward."""
    enter = spans[ENTERS[spans["kind"]]]
    # Without replicas or micro-batches (-1), there is one, with the number 0.
    replicas = np.maximum(enter["replica"], 0).tolist()
    microbatches = np.maximum(enter["microbatch"], 0).tolist()
    rows = enter["rows"].tolist()
    return list(zip(replicas, microbatches, rows, strict=True))
