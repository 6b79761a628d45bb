"""What a range of time holds: every lane's time, and the durations of every kind of span.

Times are unions of intervals, so that nothing counts twice: not on a lane, and not where any of
several lanes is busy. A span that the range cuts counts with its part inside in times, and whole in
counts and durations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.explain.durations import CODES, RankedDurations, size_codes
from core.explain.lanes import LaneTime
from core.plan.plan import Lane, Role
from core.plan.task import IS_COMMUNICATION, KINDS, Kind
from core.trace.spans import Spans
from core.trace.trace import Trace

PART = 250_000  # spans that are counted at a time
SAMPLES = 100  # of each part's starts, to cut the time so that parts are alike
COUNTED = (Role.COMPUTE, Role.COPY, Role.COMMUNICATION)
"""Roles of lanes that have time of their own."""


@dataclass(frozen=True, slots=True)
class SpanFigures:
    """Spans that a range holds at least a part of, at least one; all in ns.

    `inside` is the sum of their parts in the range. The rest counts whole spans: `mean`, `p50`
    and `p99` (the shortest duration that so many per cent do not exceed) and `longest`.
    """

    count: int
    inside: int
    mean: float
    p50: int
    p99: int
    longest: int


@dataclass(frozen=True, slots=True)
class KindFigures(SpanFigures):
    """The spans of one kind."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class RangeStatistics:
    """A range from `start` to `end` (ns) of some lanes.

    `lanes` has each lane's time by its index, `any_lane` the time in which at least one of them
    computes, or else communicates. `cut` spans reach over an end of the range. `sizes` (KINDS,
    CODES) counts whole durations by kind and size code (core.explain.durations).
    """

    start: int
    end: int
    lanes: dict[int, LaneTime]
    any_lane: LaneTime
    kinds: tuple[KindFigures, ...]
    cut: int
    sizes: NDArray[np.int64]

    @property
    def wall_ns(self) -> int:
        """The length of the range."""
        return self.end - self.start


def counted_lanes(lanes: Sequence[Lane], chosen: Sequence[int] | None = None) -> list[int]:
    """Those of the `chosen` lanes (default: of all) that have time of their own, by index."""
    return [
        lane.index
        for lane in lanes
        if lane.role in COUNTED and (chosen is None or lane.index in chosen)
    ]


def union_ns(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> int:
    """The time that n intervals cover, in ns. Those that follow one another are not sorted.

    Sorted starts and ends need not belong together: after the i-th end nothing goes on until the
    start behind it, if that comes later.
    """
    if (starts[1:] < ends[:-1]).any():
        starts, ends = np.sort(starts), np.sort(ends)
    return _union_of_sorted(starts, ends)


def longest_span(
    trace: Trace,
    counted: RangeStatistics,
    codes: tuple[int, int],
    kind: Kind | None = None,
) -> tuple[int, int] | None:
    """Lane and index of the longest span (of a `kind`) with a size code from one to below another.

    Of those that the counted range holds at least a part of; None if there is none.
    """
    best, found = -1, None
    for lane in counted.lanes:
        inside, first = spans_in_range(trace.spans(lane), counted.start, counted.end)
        lengths = inside.end - inside.start
        sizes = size_codes(lengths)
        fits = (sizes >= codes[0]) & (sizes < codes[1])
        if kind is not None:
            fits &= inside["kind"] == KINDS.index(kind)
        lengths[~fits] = -1
        at = int(np.argmax(lengths)) if len(lengths) else 0
        if len(lengths) and lengths[at] > best:
            best, found = int(lengths[at]), (lane, first + at)
    return found


class RangeCount:
    """Counts a range part by part, so that one can draw, show progress or give up in between.

    First all parts of the time for sums and sizes, then all spans again for the durations that
    percentiles ask for. A lane's starts and ends must both grow.
    """

    def __init__(
        self, trace: Trace, start: int, end: int, lanes: Sequence[int] | None = None
    ) -> None:
        self._start, self._end = start, max(start, end)
        self._lanes = counted_lanes(trace.header.lanes, lanes)
        self._spans = [spans_in_range(trace.spans(lane), start, end)[0] for lane in self._lanes]
        self._kind_of = np.ascontiguousarray(trace.table.rows["kind"])
        self.spans = sum(map(len, self._spans))
        self._windows = _windows(self._spans, self._start, self._end)
        self._looks = _looks(self._spans)
        self._parts = 0
        self._taken = [0] * len(self._lanes)
        self._busy, self._worked = [0] * len(self._lanes), [0] * len(self._lanes)
        self._any_busy = self._any_worked = 0
        self._inside, self._whole = (np.zeros(len(KINDS), np.int64) for _ in range(2))
        self._sizes = np.zeros((len(KINDS), CODES), np.int64)
        self._ranked = RankedDurations(self._sizes, np.zeros((len(KINDS), 0), np.int64))

    @property
    def parts(self) -> int:
        """How many parts there are to count."""
        return len(self._windows) + len(self._looks)

    @property
    def left(self) -> int:
        """How many of the parts are left."""
        return self.parts - self._parts

    def advance(self) -> None:
        """Count the next part, if there is one left."""
        if self._parts < len(self._windows):
            self._count(*self._windows[self._parts])
            if self._parts == len(self._windows) - 1:
                self._ranked = RankedDurations(self._sizes, _ranks(self._sizes.sum(axis=1)))
        elif self.left:
            parts = self._looks[self._parts - len(self._windows)]
            lengths = np.concatenate([spans.end - spans.start for spans in parts])
            kinds = np.concatenate([self._kind_of[spans.row] for spans in parts])
            self._ranked.look(self._flat(kinds, lengths), lengths)
        self._parts += self.left > 0

    def result(self) -> RangeStatistics:
        """The figures. Raises RuntimeError if there are parts left."""
        if self.left:
            raise RuntimeError(f"{self.left} parts of the range are not counted yet")
        wall = self._end - self._start
        times = zip(self._busy, self._worked, map(len, self._spans), strict=True)
        return RangeStatistics(
            self._start,
            self._end,
            dict(zip(self._lanes, (_time(*own, wall) for own in times), strict=True)),
            _time(self._any_busy, self._any_worked, self.spans, wall),
            self._kinds(),
            sum(self._cut(spans) for spans in self._spans),
            self._sizes,
        )

    def _count(self, begin: int, until: int) -> None:
        """Add up a part of the time; a span's size counts in the part in which it starts."""
        columns = [self._count_lane(lane, begin, until) for lane in range(len(self._lanes))]
        if columns:
            start, end, computes, flat = map(np.concatenate, zip(*columns, strict=True))
            np.maximum(start, begin, out=start)
            np.minimum(end, until, out=end)
            busy, worked = _busy_and_worked(start, end, computes)
            self._any_busy += busy
            self._any_worked += worked
            counts = np.bincount(flat, minlength=self._sizes.size)
            self._sizes += counts.reshape(self._sizes.shape)

    def _count_lane(self, lane: int, begin: int, until: int) -> tuple[NDArray[Any], ...]:
        """Start, end and whether it computes of each span there, and what sizes have begun."""
        spans, taken = self._spans[lane], self._taken[lane]
        last = int(np.searchsorted(spans.start, until, "left"))
        # Spans that began in an earlier part may reach into this one. Up to `taken` they have been
        # counted as a whole; their time inside is still to be added.
        first = min(taken, int(np.searchsorted(spans.end, begin, "right")))
        start, end = spans.start[first:last], spans.end[first:last]
        kind, lengths = self._kind_of[spans.row[first:last]], end - start
        computes = ~IS_COMMUNICATION[kind]
        # The first `known` spans began in an earlier part, which has counted their whole length.
        known, sums = taken - first, _sums(kind, lengths)
        self._whole += sums - _sums(kind[:known], lengths[:known])
        early = int(np.searchsorted(start, begin, "left"))
        late = int(np.searchsorted(end, until, "right"))
        # Of spans that reach over an end of the part only what lies in it.
        inside = sums - _sums(kind[:early], begin - start[:early])
        inside -= _sums(kind[late:], end[late:] - until)
        self._inside += inside
        busy, worked = int(inside[~IS_COMMUNICATION].sum()), int(inside.sum())
        # Where spans of a lane overlap a sum would count the same time twice.
        if (start[1:] < end[:-1]).any():
            within_window = np.maximum(start, begin), np.minimum(end, until)
            busy, worked = _busy_and_worked(*within_window, computes)
        self._busy[lane] += busy
        self._worked[lane] += worked
        self._taken[lane] = last
        return start, end, computes, self._flat(kind[known:], lengths[known:])

    def _flat(self, kinds: NDArray[np.int8], lengths: NDArray[np.int64]) -> NDArray[np.int32]:
        return kinds.astype(np.int32) * CODES + size_codes(lengths)

    def _cut(self, spans: Spans) -> int:
        before = int(np.searchsorted(spans.start, self._start, "left"))
        behind = len(spans) - int(np.searchsorted(spans.end, self._end, "right"))
        return min(len(spans), before + behind)  # a span that reaches over both ends counts once

    def _kinds(self) -> tuple[KindFigures, ...]:
        counts = self._sizes.sum(axis=1)
        p50, p99, longest = self._ranked.values().T.tolist()
        return tuple(
            KindFigures(
                int(counts[code]), int(self._inside[code]),
                int(self._whole[code]) / int(counts[code]), p50[code], p99[code], longest[code],
                KINDS[code],
            )
            for code in np.flatnonzero(counts)
        )  # fmt: skip


def spans_in_range(spans: Spans, start: int, end: int) -> tuple[Spans, int]:
    """The spans of which a part lies in a range, and the index of the first."""
    first = int(np.searchsorted(spans.end, start, "right"))
    last = int(np.searchsorted(spans.start, end, "left"))
    return spans[first : max(first, last)], first


def _windows(lanes: Sequence[Spans], start: int, end: int) -> list[tuple[int, int]]:
    """The range in parts of the time, in each of which about PART spans start."""
    count = -(-sum(map(len, lanes)) // PART)
    if count <= 1:
        return [(start, end)]
    # A few starts of each lane are enough to cut the time where about as many spans start.
    some = np.sort(np.concatenate([spans.start[:: PART // SAMPLES] for spans in lanes]))
    between = np.unique(some[np.arange(1, count) * len(some) // count])
    # Many spans may start at one moment: no part is empty.
    edges = [start, *between[(between > start) & (between < end)].tolist(), end]
    return list(pairwise(edges))


def _looks(lanes: Sequence[Spans]) -> list[list[Spans]]:
    """All spans in parts of at most PART, each of one or several lanes."""
    parts: list[list[Spans]] = []
    room = 0
    for spans in lanes:
        for first in range(0, len(spans), PART):
            some = spans[first : first + PART]
            if len(some) > room:
                parts.append([])
                room = PART
            parts[-1].append(some)
            room -= len(some)
    return parts


def _ranks(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ranks of p50, p99 and the longest among so many durations of each kind."""
    ranks = np.stack([(counts + 1) // 2, (99 * counts + 99) // 100, counts], axis=1) - 1
    asked: NDArray[np.int64] = np.maximum(ranks, 0)
    return asked


def _union_of_sorted(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> int:
    if not len(starts):
        return 0
    return int(ends[-1] - starts[0] - np.maximum(starts[1:] - ends[:-1], 0).sum())


def _busy_and_worked(
    start: NDArray[np.int64], end: NDArray[np.int64], computes: NDArray[np.bool_]
) -> tuple[int, int]:
    """The time in which any of n spans computes, and in which any computes or communicates.

    Uses up `start` and `end`, which are sorted only once: the last bit holds the kind.
    """
    # There is room for a bit: no time is beyond 2**61 (core.recording.decode.LATEST).
    for times in (start, end):
        times <<= 1
        times |= computes
        times.sort()
    worked = _union_of_sorted(start >> 1, end >> 1)
    if computes.all():
        return worked, worked
    chosen = (times[times & 1 == 1] >> 1 for times in (start, end))
    return _union_of_sorted(*chosen), worked


def _sums(kind: NDArray[np.int8], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The ns of each kind. Sums of doubles, which are exact up to 104 days."""
    sums: NDArray[np.int64] = np.bincount(kind, lengths, len(KINDS)).astype(np.int64)
    return sums


def _time(busy: int, worked: int, spans: int, wall: int) -> LaneTime:
    return LaneTime(busy, worked - busy, wall - worked, spans)
