"""Busy, communication and idle time of a lane within a span of time, and its idle gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.plan.plan import Role
from core.plan.task import ABSENT, ENTERS, known
from core.trace.columns import sorted_positions
from core.trace.job_steps import lane_bounds, step_at
from core.trace.spans import Spans
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class LaneTime:
    """A lane's time within a window, in ns; `busy + communication + idle` is the window."""

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
    """An idle interval of a lane inside a step, in ns since the run's start.

    `before` is the index among the lane's spans of the one that ended the gap, or None if it
    had nothing more to do in the step.
    """

    lane: int
    step: int
    start: int
    end: int
    before: int | None


def gap_at(trace: Trace, lane: int, time_ns: int) -> Gap | None:
    """The idle interval of a lane at a moment, or None if it is busy or outside every step."""
    step = step_at(trace, lane, time_ns)
    if step is None:
        return None
    gaps = gaps_within(trace, lane, step, step)
    hit = int(np.searchsorted(gaps.start, time_ns, "right")) - 1
    return gaps.gap(hit) if hit >= 0 and time_ns < gaps.end[hit] else None


class Gaps(NamedTuple):
    """The n gaps of a lane as columns, times in ns; `before` as Gap's, ABSENT for none."""

    lane: int
    step: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    before: NDArray[np.int64]

    def gap(self, place: int) -> Gap:
        """One of them."""
        step, start, end, before = (int(column[place]) for column in self[1:])
        return Gap(self.lane, step, start, end, known(before))


def gaps_within(trace: Trace, lane: int, first: int, last: int) -> Gaps:
    """A lane's gaps in the steps `first` to `last`: all before spans, then the tails of steps."""
    table, spans = trace.step_table, trace.spans(lane)
    low, high = sorted_positions(table.numbers, [first, last + 1])
    numbers = table.numbers[low:high]
    begins, finishes = lane_bounds(trace, lane, numbers.astype(np.int64))
    left, right = sorted_positions(spans.step, [first, last + 1]).tolist()
    mine = spans[left:right]
    # Where each step's spans begin and end among the lane's; an idle step has an empty range.
    heads = sorted_positions(mine.step, numbers)
    tails = np.append(heads[1:], len(mine))
    worked = tails > heads
    before_each = np.empty(len(mine), np.int64)
    before_each[1:] = mine.end[:-1]
    # Before a step's first span lies the step's own begin, not the end of the step before.
    before_each[heads[worked]] = begins[worked]
    after_last = begins.copy()
    after_last[worked] = mine.end[tails[worked] - 1]
    steps = np.concatenate([mine.step, numbers])
    starts = np.concatenate([before_each, after_last])
    ends = np.concatenate([mine.start, finishes])
    before = np.concatenate([np.arange(left, right), np.full(len(numbers), ABSENT)])
    idle = ends > starts
    return Gaps(lane, steps[idle], starts[idle], ends[idle], before[idle])


def longest_gaps(
    trace: Trace, first: int, last: int, most: int, lanes: Sequence[int] | None = None
) -> list[Gap]:
    """The longest idle gaps of the compute lanes in the steps `first` to `last`, at most `most`.

    With `lanes`, only those of these. They come longest first, equally long ones by time and lane,
    as `gap_at` gives them.
    """
    found: list[Gap] = []
    for lane in trace.header.lanes:
        if lane.role is Role.COMPUTE and (lanes is None or lane.index in lanes):
            gaps = gaps_within(trace, lane.index, first, last)
            # Start less end, so that the longest come first; lexsort takes its last key first.
            longest = np.lexsort((gaps.start, gaps.start - gaps.end))[:most]
            found += map(gaps.gap, longest.tolist())
    return sorted(found, key=lambda gap: (gap.start - gap.end, gap.start, gap.lane))[:most]


def spans_within(trace: Trace, first: ArrayLike, last: ArrayLike) -> int:
    """How many spans all lanes have in the steps `first` to `last`, or in several such runs."""
    count = 0
    for lane in range(len(trace.header.lanes)):
        steps = trace.spans(lane).step
        places = sorted_positions(steps, last, "right") - sorted_positions(steps, first)
        count += int(places.sum())
    return count


def entering(spans: Spans) -> list[tuple[int, int, int]]:
    """Replica, micro-batch and rows of each of the spans that passes rows forward."""
    enter = spans[ENTERS[spans["kind"]]]
    # Without replicas or micro-batches (-1) there is one, number 0.
    numbers = (np.maximum(enter[name], 0).tolist() for name in ("replica", "microbatch"))
    return list(zip(*numbers, enter["rows"].tolist(), strict=True))
