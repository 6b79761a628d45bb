"""What a range of time holds, against counting every nanosecond."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.explain import statistics
from core.explain.lanes import LaneTime
from core.explain.percentiles import CODES, OrderStatistics, code_bounds, histogram, size_codes
from core.explain.statistics import (
    RangeCount,
    counted_lanes,
    longest_span,
    union_ns,
)
from core.plan.plan import Lane, Role
from core.plan.task import Kind
from tests.core.explain.ranges import (
    KINDS,
    Drawn,
    Piece,
    busy,
    drawn,
    range_statistics,
    trace_of_spans,
)

LENGTHS = st.integers(0, 2**62)


def counted(pieces: list[list[Piece]], start: int, end: int) -> LaneTime:
    """The time of some lanes taken together, nanosecond by nanosecond."""
    every = [piece for lane in pieces for piece in lane]
    works, anything = busy(every, False)[start:end], busy(every)[start:end]
    inside = sum(e > start and s < end for s, e, _ in every)
    busy_ns = int(works.sum())
    moving = int((anything & ~works).sum())
    return LaneTime(busy_ns, moving, end - start - busy_ns - moving, inside)


@settings(max_examples=40)
@given(drawn())
def test_times_of_a_range_are_those_of_counting_every_nanosecond(case: Drawn) -> None:
    found = range_statistics(case.trace, case.start, case.end)
    for lane, pieces in enumerate(case.lanes):
        assert found.lanes[lane] == counted([pieces], case.start, case.end)
    assert found.any_lane == counted(case.lanes, case.start, case.end)


@settings(max_examples=40)
@given(drawn(), st.integers(1, 7))
def test_a_range_that_is_counted_in_parts_gives_the_same(case: Drawn, part: int) -> None:
    whole = range_statistics(case.trace, case.start, case.end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statistics, "PART", part)
        patch.setattr(statistics, "SAMPLES", 1)
        parts = range_statistics(case.trace, case.start, case.end)
    assert (parts.lanes, parts.any_lane, parts.cut) == (whole.lanes, whole.any_lane, whole.cut)
    assert parts.kinds == whole.kinds
    assert np.array_equal(parts.sizes, whole.sizes)


@settings(max_examples=40)
@given(drawn())
def test_durations_of_a_range_count_whole_spans_and_totals_their_parts_inside(case: Drawn) -> None:
    found = {own.kind: own for own in range_statistics(case.trace, case.start, case.end).kinds}
    inside = [
        piece for lane in case.lanes for piece in lane
        if piece[1] > case.start and piece[0] < case.end
    ]  # fmt: skip
    assert set(found) == {kind for *_, kind in inside}
    for kind, own in found.items():
        mine = [(s, e) for s, e, of in inside if of is kind]
        lengths = sorted(e - s for s, e in mine)
        count = len(lengths)
        assert own.count == count
        assert own.inside == sum(min(e, case.end) - max(s, case.start) for s, e in mine)
        assert own.mean == pytest.approx(sum(lengths) / count)
        assert own.p50 == lengths[math.ceil(0.5 * count) - 1]
        assert own.p99 == lengths[math.ceil(0.99 * count) - 1]
        assert own.longest == lengths[-1]
    cut = sum(s < case.start or e > case.end for s, e, _ in inside)
    assert range_statistics(case.trace, case.start, case.end).cut == cut


@settings(max_examples=40)
@given(drawn(), st.sets(st.integers(0, 3)))
def test_only_the_chosen_lanes_count(case: Drawn, lanes: set[int]) -> None:
    chosen = [lane for lane in sorted(lanes) if lane < len(case.lanes)]
    found = range_statistics(case.trace, case.start, case.end, chosen)
    assert list(found.lanes) == chosen
    own = [case.lanes[lane] for lane in chosen]
    assert found.any_lane == counted(own, case.start, case.end)


def test_lanes_that_only_tell_more_of_another_lane_are_not_counted_beside_it() -> None:
    lanes = [Lane(0, "cpu:0", "cpu"), Lane(1, "blocks", "cpu", Role.NESTED, serves=0)]
    assert counted_lanes(lanes) == [0]
    assert counted_lanes(lanes, [1]) == []


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 40), st.sampled_from(KINDS)), min_size=1),
    st.integers(0, 90), st.integers(0, 90),
)  # fmt: skip
def test_a_lane_whose_spans_overlap_has_no_time_twice(
    drawn_pieces: list[Piece], start: int, length: int
) -> None:
    starts, lengths, kinds = zip(*sorted(drawn_pieces, key=lambda p: p[0]), strict=True)
    ends = np.maximum.accumulate(np.add(starts, lengths)).tolist()
    pieces = list(zip(starts, ends, kinds, strict=True))
    end = start + length
    found = range_statistics(trace_of_spans([pieces]), start, end)
    assert found.lanes[0] == found.any_lane == counted([pieces], start, end)


def test_the_union_of_intervals_needs_no_order() -> None:
    starts, ends = np.array([0, 5, 30, 2]), np.array([10, 8, 40, 12])
    assert union_ns(starts, ends) == 12 + 10
    assert union_ns(starts[:0], ends[:0]) == 0


def test_the_figures_are_not_there_before_all_parts_are_counted() -> None:
    count = RangeCount(trace_of_spans([[(0, 10, Kind.FORWARD)]]), 0, 10)
    with pytest.raises(RuntimeError, match="2 parts of the range are not counted yet"):
        count.result()
    while count.left:
        count.advance()
    assert count.result().lanes[0].busy_ns == 10


@given(st.lists(LENGTHS, min_size=1, max_size=40), st.integers(0, 39))
def test_a_duration_is_found_by_its_rank_without_sorting_them_all(
    lengths: list[int], rank: int
) -> None:
    rank %= len(lengths)
    durations = np.array(lengths, np.int64)
    codes = size_codes(durations)
    sizes = np.bincount(codes, minlength=CODES)[None, :]
    ranked = OrderStatistics(sizes, np.array([[rank]]))
    for part in np.array_split(np.arange(len(lengths)), 3):
        ranked.look(codes[part], durations[part])
    assert ranked.values().tolist() == [[sorted(lengths)[rank]]]


@given(st.lists(LENGTHS, min_size=2, max_size=40))
def test_longer_durations_have_no_smaller_size_code(lengths: list[int]) -> None:
    codes = size_codes(np.array(sorted(lengths), np.int64))
    assert (np.diff(codes) >= 0).all()
    assert codes.min() >= 0 and codes.max() < CODES
    bounds = code_bounds(np.append(codes, codes + 1).astype(np.int64)).reshape(2, -1)
    real = np.maximum(np.array(sorted(lengths), np.float64), 1.0)
    assert ((bounds[0] <= real) & (real < bounds[1])).all()


@given(st.lists(LENGTHS, max_size=60))
def test_a_histogram_holds_every_duration_in_the_bin_of_its_edges(lengths: list[int]) -> None:
    durations = np.array(lengths, np.int64)
    bins = histogram(np.bincount(size_codes(durations), minlength=CODES))
    assert len(bins) <= 40
    assert bins.counts.sum() == len(lengths)
    real = durations.astype(np.float64)
    for first, last, count in zip(bins.edges[:-1], bins.edges[1:], bins.counts, strict=True):
        assert ((real >= first) & (real < last)).sum() == count


@settings(max_examples=40)
@given(drawn())
def test_the_longest_span_of_a_bin_is_one_of_its_spans_and_none_there_is_longer(
    case: Drawn,
) -> None:
    found = range_statistics(case.trace, case.start, case.end)
    bins = histogram(found.sizes.sum(axis=0))
    inside = [
        (e - s, lane) for lane, pieces in enumerate(case.lanes) for s, e, _ in pieces
        if e > case.start and s < case.end
    ]  # fmt: skip
    for i in np.flatnonzero(bins.counts).tolist():
        codes = int(bins.codes[i]), int(bins.codes[i + 1])
        place = longest_span(case.trace, found, codes)
        assert place is not None
        span = case.trace.span(*place)
        assert span.end is not None
        own = [length for length, _ in inside if bins.edges[i] <= length < bins.edges[i + 1]]
        assert span.end - span.start == max(own)
    assert longest_span(case.trace, found, (0, CODES), Kind.GATHER) is None
