"""Times of the lanes in a range of time, and durations of spans by kind.

Times are unions of intervals, so that no time counts twice if spans of a lane or of several lanes
overlap. If the range cuts a span, times include only the part inside. Counts and durations are of
whole spans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.explain.lanes import LaneTime
from core.explain.percentiles import CODES, OrderStatistics, size_codes
from core.plan.plan import Lane, Role
from core.plan.task import IS_COMMUNICATION, KINDS, Kind
from core.trace.spans import Spans
from core.trace.trace import Trace

PART = 250_000  # spans that are counted at a time
SAMPLES = 100  # span starts sampled per part, to choose where the range is cut
COUNTED = (Role.COMPUTE, Role.COPY, Role.COMMUNICATION)
"""Roles of lanes whose time is counted."""
_COMPUTES = ~IS_COMMUNICATION


@dataclass(frozen=True, slots=True)
class SpanFigures:
    """Figures in ns of at least one span that is in a range, whole or in part.

    `inside` is the sum of the parts in the range. The other figures are of whole spans: `mean`,
    percentiles by nearest rank (`p50`, `p99`) and `longest`.
    """

    count: int
    inside: int
    mean: float
    p50: int
    p99: int
    longest: int


@dataclass(frozen=True, slots=True)
class KindFigures(SpanFigures):
    """Figures of the spans of one kind."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class RangeStatistics:
    """Statistics of a range from `start` to `end` (ns) on some lanes.

    `lanes` has each lane's time by its index. `any_lane` is the time in which at least one lane
    computes, or else communicates. `cut` is the number of spans that cross an end of the range.
    `sizes` (KINDS, CODES) is the number of spans by kind and size code (core.explain.percentiles).
    """

    start: int
    end: int
    lanes: dict[int, LaneTime]
    any_lane: LaneTime
    kinds: tuple[KindFigures, ...]
    cut: int
    sizes: Ints

    @property
    def wall_ns(self) -> int:
        """The length of the range."""
        return self.end - self.start


def counted_lanes(lanes: Sequence[Lane], chosen: Sequence[int] | None = None) -> list[int]:
    """Return the indices of the lanes whose time is counted; with `chosen`, only of these."""
    found: list[int] = []
    for lane in lanes:
        is_chosen = chosen is None or lane.index in chosen
        if is_chosen and lane.role in COUNTED:
            found.append(lane.index)
    return found


def union_ns(starts: Ints, ends: Ints) -> int:
    """Return the time in ns that n intervals cover; overlapping ones are sorted first.

    Starts and ends are sorted separately, so the i-th start and the i-th end may belong to
    different intervals. The gaps are still right: if the next start is later than the i-th end,
    nothing is under way between them.
    """
    are_disordered = starts[1:] < ends[:-1]
    if are_disordered.any():
        starts = np.sort(starts)
        ends = np.sort(ends)
    return _union_of_sorted(starts, ends)


def longest_span(
    trace: Trace,
    counted: RangeStatistics,
    codes: tuple[int, int],
    kind: Kind | None = None,
) -> tuple[int, int] | None:
    """Return lane and index of the longest span in a range with a size code in [low, high).

    With `kind`, only spans of this kind count. None if there is no such span.
    """
    low, high = codes
    longest = -1
    found: tuple[int, int] | None = None
    for lane in counted.lanes:
        spans = trace.spans(lane)
        inside, first = spans_in_range(spans, counted.start, counted.end)
        if not len(inside):
            continue
        durations = inside.end - inside.start
        sizes = size_codes(durations)
        fits = (sizes >= low) & (sizes < high)
        if kind is not None:
            code = KINDS.index(kind)
            fits &= inside["kind"] == code
        durations[~fits] = -1
        at = int(np.argmax(durations))
        duration = int(durations[at])
        if duration > longest:
            longest = duration
            found = (lane, first + at)
    return found


class _CountedLane:
    """Counters of one lane: the spans in the range, and the times that were added up so far."""

    def __init__(self, lane: int, spans: Spans) -> None:
        self.lane = lane
        self.spans = spans
        self.taken = 0  # spans whose whole length was counted
        self.busy = 0
        self.worked = 0


class _LanePart(NamedTuple):
    """The n spans of a lane in a part of the range.

    `sizes` has one number for each span that begins in the part: its kind and size code.
    """

    start: Ints
    end: Ints
    computes: Bools
    sizes: NDArray[np.int32]


class RangeCount:
    """Counts a range part by part, so that the caller can draw, show progress or cancel.

    First all parts of the time are counted, for sums and sizes. Then all spans are read again, for
    the durations of percentiles. The starts and the ends of a lane must both be sorted.
    """

    def __init__(
        self, trace: Trace, start: int, end: int, lanes: Sequence[int] | None = None
    ) -> None:
        self._start = start
        self._end = max(start, end)
        self._lanes: list[_CountedLane] = []
        for lane in counted_lanes(trace.header.lanes, lanes):
            spans, _ = spans_in_range(trace.spans(lane), start, end)
            self._lanes.append(_CountedLane(lane, spans))
        every = [lane.spans for lane in self._lanes]
        self.spans = sum(map(len, every))
        self._kind_of = np.ascontiguousarray(trace.table.rows["kind"])
        self._windows = _windows(every, self._start, self._end)
        self._span_parts = _span_parts(every)
        self._parts = 0
        self._any_busy = 0
        self._any_worked = 0
        kinds = len(KINDS)
        self._inside = np.zeros(kinds, np.int64)
        self._whole = np.zeros(kinds, np.int64)
        self._sizes = np.zeros((kinds, CODES), np.int64)
        no_orders = np.zeros((kinds, 0), np.int64)
        self._order_statistics = OrderStatistics(self._sizes, no_orders)

    @property
    def parts(self) -> int:
        """Number of parts to count."""
        return len(self._windows) + len(self._span_parts)

    @property
    def left(self) -> int:
        """Number of parts that are not counted yet."""
        return self.parts - self._parts

    def advance(self) -> None:
        """Count the next part, if there is one."""
        if not self.left:
            return
        windows = len(self._windows)
        if self._parts < windows:
            begin, until = self._windows[self._parts]
            self._count(begin, until)
            if self._parts == windows - 1:
                orders = _percentile_orders(self._sizes.sum(axis=1))
                self._order_statistics = OrderStatistics(self._sizes, orders)
        else:
            part = self._span_parts[self._parts - windows]
            self._read_again(part)
        self._parts += 1

    def result(self) -> RangeStatistics:
        """Return the statistics. Raises RuntimeError if parts are left."""
        if self.left:
            raise RuntimeError(f"{self.left} parts of the range are not counted yet")
        wall = self._end - self._start
        times: dict[int, LaneTime] = {}
        cut = 0
        for lane in self._lanes:
            spans = lane.spans
            times[lane.lane] = _time(lane.busy, lane.worked, len(spans), wall)
            cut += self._cut(spans)
        any_lane = _time(self._any_busy, self._any_worked, self.spans, wall)
        return RangeStatistics(
            start=self._start,
            end=self._end,
            lanes=times,
            any_lane=any_lane,
            kinds=self._kinds(),
            cut=cut,
            sizes=self._sizes,
        )

    def _count(self, begin: int, until: int) -> None:
        """Add up a part of the time; a span's size counts in the part in which it starts."""
        parts = [self._count_lane(lane, begin, until) for lane in self._lanes]
        if not parts:
            return
        spans = _LanePart._make(map(np.concatenate, zip(*parts, strict=True)))
        start = np.maximum(spans.start, begin, out=spans.start)
        end = np.minimum(spans.end, until, out=spans.end)
        busy, worked = _busy_and_worked(start, end, spans.computes)
        self._any_busy += busy
        self._any_worked += worked
        counts = np.bincount(spans.sizes, minlength=self._sizes.size)
        self._sizes += counts.reshape(self._sizes.shape)

    def _count_lane(self, lane: _CountedLane, begin: int, until: int) -> _LanePart:
        """Add up a lane's times in a part of the range, and return its spans there."""
        spans = lane.spans
        last = int(np.searchsorted(spans.start, until, "left"))
        # Spans that began in an earlier part may continue in this one. The first `taken` spans have
        # been counted as a whole; their time inside is still to be added.
        first_under_way = int(np.searchsorted(spans.end, begin, "right"))
        first = min(lane.taken, first_under_way)
        start = spans.start[first:last]
        end = spans.end[first:last]
        rows = spans.row[first:last]
        kind = self._kind_of[rows]
        lengths = end - start
        computes = _COMPUTES[kind]
        known = lane.taken - first
        sums = _sums(kind, lengths)
        known_sums = _sums(kind[:known], lengths[:known])
        self._whole += sums - known_sums
        inside = sums - _outside_sums(
            kind=kind,
            start=start,
            end=end,
            begin=begin,
            until=until,
        )
        self._inside += inside
        overlaps = start[1:] < end[:-1]
        if overlaps.any():
            # Spans of the lane overlap, and a sum would count some time twice.
            start_inside = np.maximum(start, begin)
            end_inside = np.minimum(end, until)
            busy, worked = _busy_and_worked(start_inside, end_inside, computes)
        else:
            busy = int(inside[_COMPUTES].sum())
            worked = int(inside.sum())
        lane.busy += busy
        lane.worked += worked
        lane.taken = last
        sizes = _flat_codes(kind[known:], lengths[known:])
        return _LanePart(
            start=start,
            end=end,
            computes=computes,
            sizes=sizes,
        )

    def _read_again(self, parts: Sequence[Spans]) -> None:
        """Find the durations of percentiles among the spans of some parts."""
        durations_of_parts: list[Ints] = []
        kinds_of_parts: list[NDArray[np.int8]] = []
        for spans in parts:
            durations_of_parts.append(spans.end - spans.start)
            kinds_of_parts.append(self._kind_of[spans.row])
        durations = np.concatenate(durations_of_parts)
        kinds = np.concatenate(kinds_of_parts)
        codes = _flat_codes(kinds, durations)
        self._order_statistics.look(codes, durations)

    def _cut(self, spans: Spans) -> int:
        """Return the number of spans that cross an end of the range."""
        count = len(spans)
        at_start = int(np.searchsorted(spans.start, self._start, "left"))
        ended = int(np.searchsorted(spans.end, self._end, "right"))
        at_end = count - ended
        return min(count, at_start + at_end)  # a span that crosses both ends counts once

    def _kinds(self) -> tuple[KindFigures, ...]:
        """Return the figures of each kind that has spans."""
        counts = self._sizes.sum(axis=1)
        values = self._order_statistics.values()
        found: list[KindFigures] = []
        for code in np.flatnonzero(counts).tolist():
            count = int(counts[code])
            p50, p99, longest = values[code].tolist()
            figures = KindFigures(
                count=count,
                inside=int(self._inside[code]),
                mean=int(self._whole[code]) / count,
                p50=p50,
                p99=p99,
                longest=longest,
                kind=KINDS[code],
            )
            found.append(figures)
        return tuple(found)


def spans_in_range(spans: Spans, start: int, end: int) -> tuple[Spans, int]:
    """Return the spans that are in a range, whole or in part, and the index of the first one."""
    first = int(np.searchsorted(spans.end, start, "right"))
    last = int(np.searchsorted(spans.start, end, "left"))
    return spans[first : max(first, last)], first


def _windows(lanes: Sequence[Spans], start: int, end: int) -> list[tuple[int, int]]:
    """Divide the range into parts, in each of which about PART spans start."""
    spans = sum(map(len, lanes))
    count = -(-spans // PART)  # rounded up
    if count <= 1:
        return [(start, end)]
    # A few starts of each lane suffice to find times between which about as many spans start.
    samples_of_lanes = [spans.start[:: PART // SAMPLES] for spans in lanes]
    samples = np.sort(np.concatenate(samples_of_lanes))
    places = np.arange(1, count) * len(samples) // count
    cuts = np.unique(samples[places])
    # Drop cuts at the ends of the range, which occur if many spans start at one moment.
    is_inner = (cuts > start) & (cuts < end)
    inner = cuts[is_inner].tolist()
    edges = [start, *inner, end]
    return list(pairwise(edges))


def _span_parts(lanes: Sequence[Spans]) -> list[list[Spans]]:
    """Return all spans in parts of at most PART spans, each of one or several lanes."""
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


def _percentile_orders(counts: Ints) -> Ints:
    """Return which durations are p50, p99 and the longest, for each count: (kinds, 3)."""
    p50 = (counts + 1) // 2
    p99 = (99 * counts + 99) // 100
    orders = np.stack([p50, p99, counts], axis=1) - 1
    result: Ints = np.maximum(orders, 0)
    return result


def _union_of_sorted(starts: Ints, ends: Ints) -> int:
    if not len(starts):
        return 0
    to_next = starts[1:] - ends[:-1]
    pauses = np.maximum(to_next, 0)
    whole = ends[-1] - starts[0]
    return int(whole - pauses.sum())


def _busy_and_worked(start: Ints, end: Ints, computes: Bools) -> tuple[int, int]:
    """Return the ns in which any of n spans computes, and in which any computes or communicates.

    Overwrites `start` and `end`. They are sorted only once, with `computes` in the last bit.
    """
    # There is room for a bit: no time is beyond 2**61 (core.trace.spans.LATEST).
    for times in (start, end):
        times <<= 1
        times |= computes
        times.sort()
    worked = _union_of_sorted(start >> 1, end >> 1)
    if computes.all():
        return worked, worked
    # Only the spans that compute: their last bit is set.
    computing_starts = start[start & 1 == 1]
    computing_ends = end[end & 1 == 1]
    busy = _union_of_sorted(computing_starts >> 1, computing_ends >> 1)
    return busy, worked


def _flat_codes(kinds: NDArray[np.int8], durations: Ints) -> NDArray[np.int32]:
    """Return kind and size code of each duration in one number."""
    first_codes = kinds.astype(np.int32) * CODES
    return first_codes + size_codes(durations)


def _sums(kind: NDArray[np.int8], lengths: Ints) -> Ints:
    """Return the ns of each kind, as sums of doubles, which are exact up to 104 days."""
    sums = np.bincount(kind, lengths, len(KINDS))
    return sums.astype(np.int64)


def _outside_sums(kind: NDArray[np.int8], start: Ints, end: Ints, begin: int, until: int) -> Ints:
    """Return the ns of each kind that spans, sorted by start, have outside `begin` to `until`."""
    early = int(np.searchsorted(start, begin, "left"))
    late = int(np.searchsorted(end, until, "right"))
    time_before = begin - start[:early]
    time_after = end[late:] - until
    return _sums(kind[:early], time_before) + _sums(kind[late:], time_after)


def _time(busy: int, worked: int, spans: int, wall: int) -> LaneTime:
    return LaneTime(
        busy_ns=busy,
        communication_ns=worked - busy,
        idle_ns=wall - worked,
        spans=spans,
    )
