"""Reduction of many spans to bars, or to the busiest family of each pixel."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.plan.task import KINDS, Kind
from core.trace.blocks import block_sums
from core.trace.spans import Spans, TaskTable, blank_rows
from gui.look.families import FAMILIES, Family, family_of
from gui.timeline.layout.frame import Viewport
from gui.timeline.reduce.pyramid import FACTOR
from gui.timeline.reduce.reduction import (
    FEW,
    Bars,
    LaneColumns,
    PixelColumns,
    count_before,
    count_until,
    reduce_lane,
    times_of,
    visible,
)

FORWARD, BACKWARD = FAMILIES.index(Family.FORWARD), FAMILIES.index(Family.BACKWARD)


def spans(times: list[tuple[int, int, Kind]]) -> Spans:
    table, rows = TaskTable(), blank_rows(len(times))
    rows["kind"] = [KINDS.index(kind) for *_, kind in times]
    starts, ends = np.array([time[:2] for time in times], np.int64).reshape(-1, 2).T
    table.add(rows, np.empty(0, np.int32))
    places = np.arange(len(times), dtype=np.int32)
    return Spans(table, starts, ends, np.zeros(len(times), np.int32), places)


def columns(times: list[tuple[int, int, Kind]]) -> LaneColumns:
    made = LaneColumns()
    made.update(spans(times))
    return made


def alternating(count: int, length: int = 10, gap: int = 0) -> LaneColumns:
    kinds = (Kind.FORWARD, Kind.BACKWARD)
    step = length + gap
    return columns([(i * step, i * step + length, kinds[i % 2]) for i in range(count)])


THREE = [(0, 10, Kind.FORWARD), (20, 30, Kind.BACKWARD), (40, 50, Kind.COPY)]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 50, (0, 3)), (5, 45, (0, 3)), (10, 20, (1, 1)), (11, 21, (1, 2)),
        (-9, 0, (0, 0)), (50, 99, (3, 3)), (29, 41, (1, 3)),
    ],
)  # fmt: skip
def test_visible_spans_are_those_with_some_part_in_view(
    start: float, end: float, expected: tuple[int, int]
) -> None:
    seen = visible(columns(THREE), start, end)
    assert (seen.start, seen.stop) == expected


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(10, 20, (0, 3)), (10, 15, (0, 2)), (15, 20, (2, 3)), (0, 10, (0, 2)), (20, 30, (2, 4))],
)
def test_moments_at_the_edges_of_a_view_are_visible(
    start: float, end: float, expected: tuple[int, int]
) -> None:
    moments = [(time, time, Kind.OTHER) for time in (10, 10, 20)]
    seen = visible(columns([*moments, (20, 30, Kind.OTHER)]), start, end)
    assert (seen.start, seen.stop) == expected


def test_few_spans_keep_their_exact_edges() -> None:
    reduced = reduce_lane(columns(THREE), Viewport(0, 50, 100))
    assert isinstance(reduced, Bars)
    assert reduced.left.tolist() == [0, 40, 80]
    assert reduced.right.tolist() == [20, 60, 100]
    assert [FAMILIES[code] for code in reduced.family] == [
        Family.FORWARD, Family.BACKWARD, Family.COMMUNICATION,
    ]  # fmt: skip


@pytest.mark.parametrize(("count", "exact"), [(200, True), (201, False)])
def test_two_spans_a_pixel_are_the_limit_of_exact_bars(count: int, exact: bool) -> None:
    reduced = reduce_lane(alternating(count), Viewport(0, count * 10, 100))
    assert isinstance(reduced, Bars) is exact


def test_a_reduced_picture_says_how_many_spans_share_a_pixel() -> None:
    reduced = reduce_lane(alternating(1000), Viewport(0, 10_000, 100))
    assert isinstance(reduced, PixelColumns)
    assert reduced.per_pixel == 10


def test_each_pixel_takes_the_family_with_the_most_time_in_it() -> None:
    lane = columns(
        [(i * 10, i * 10 + (9 if i % 2 == 0 else 3), Kind.FORWARD if i % 2 == 0 else Kind.BACKWARD)
         for i in range(300)] + [(3000, 4000, Kind.BACKWARD)]
    )  # fmt: skip
    reduced = reduce_lane(lane, Viewport(0, 4000, 40))
    assert isinstance(reduced, PixelColumns)
    assert set(reduced.family[:30]) == {FORWARD}
    assert set(reduced.family[30:]) == {BACKWARD}
    assert reduced.busy[:30] == pytest.approx(0.6)
    assert reduced.busy[30:] == pytest.approx(1.0)


@pytest.mark.parametrize("count", [500, 1024, 1030, 5000])
@pytest.mark.parametrize("gap", [0, 10])
def test_every_reduction_preserves_the_busy_time(count: int, gap: int) -> None:
    lane = alternating(count, 10, gap)
    end = count * (10 + gap)
    for width in (20, 100):
        reduced = reduce_lane(lane, Viewport(0, end, width))
        if isinstance(reduced, PixelColumns):
            total = reduced.busy.sum() * end / width
            assert total == pytest.approx(count * 10, rel=0.03)


def test_columns_that_grow_equal_columns_made_at_once() -> None:
    whole = alternating(777, 10, 3)
    kinds = (Kind.FORWARD, Kind.BACKWARD)
    grown, rows = LaneColumns(), spans([(i * 13, i * 13 + 10, kinds[i % 2]) for i in range(777)])
    for last in (1, 15, 16, 17, 300, 777):
        grown.update(rows[:last])
    assert np.array_equal(grown.starts, whole.starts)
    assert np.array_equal(grown.block_starts[0], whole.block_starts[0])
    order, expected = np.argsort(grown.summed), np.argsort(whole.summed)
    assert np.array_equal(grown.block_sums[0][:, order], whole.block_sums[0][:, expected])


def test_a_family_that_appears_late_has_no_time_before() -> None:
    times = [(i * 10, i * 10 + 10, Kind.FORWARD) for i in range(40)]
    rows = spans([*times, *((400 + i, 401 + i, Kind.COPY) for i in range(40))])
    made = LaneColumns()
    for last in (40, 80):
        made.update(rows[:last])
    assert made.block_sums[0].tolist()[:3] == [[0, 0], [80, 0], [160, 0]]
    assert made.block_sums[0][-1].tolist() == [400, 40]


def test_columns_keep_the_exact_times_of_the_spans() -> None:
    three = spans(THREE)
    made = LaneColumns()
    made.update(three)
    assert made.starts is three.start
    assert made.ends is three.end


def test_sums_from_an_earlier_reduction_give_the_same_picture() -> None:
    random = np.random.default_rng(5)
    whole = spans(random_times(random, 5000))
    blocks = block_sums(whole)
    assert len(blocks.kinds) == 4
    grown = LaneColumns()
    grown.update(whole)
    view = Viewport(0, float(whole.end[-1]), 12)
    read, own = (reduce_lane(c, view) for c in (LaneColumns.over(whole, blocks), grown))
    assert np.array_equal(read.family, own.family)
    assert read.busy == pytest.approx(own.busy, abs=0.02)


KINDS_USED = (Kind.FORWARD, Kind.BACKWARD, Kind.COPY, Kind.STEP)


def random_times(random: np.random.Generator, count: int) -> list[tuple[int, int, Kind]]:
    """Return spans of very different lengths with very different gaps, some of them empty."""
    long, gap = (random.geometric(1 / mean, count) - 1 for mean in (20, 12))
    gap[random.integers(0, count, 3)] = 40 * count
    start = np.cumsum(long + gap) - long
    kinds = random.integers(0, len(KINDS_USED), count)
    return [(int(s), int(s + n), KINDS_USED[k]) for s, n, k in zip(start, long, kinds, strict=True)]


def times_by_count(times: list[tuple[int, int, Kind]], view: Viewport) -> np.ndarray:
    """Return the time of each family in each pixel, computed span by span and pixel by pixel."""
    pixels, wide = int(view.width), view.ns_per_pixel
    found = np.zeros((len(FAMILIES), pixels))
    for start, end, kind in times:
        first, last = (start - view.start) // wide, (end - view.start) // wide
        for pixel in range(max(0, int(first)), min(pixels - 1, int(last)) + 1):
            begin = view.start + pixel * wide
            spent = max(0.0, min(end, begin + wide) - max(start, begin))
            found[FAMILIES.index(family_of(kind)), pixel] += spent
    return found


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000), count=st.integers(50, 5000), width=st.integers(3, 60),
    part=st.tuples(st.floats(0, 0.8), st.floats(0.1, 1.0)),
)  # fmt: skip
def test_a_pixel_shows_the_family_that_a_count_of_its_time_finds(
    seed: int, count: int, width: int, part: tuple[float, float]
) -> None:
    times = random_times(np.random.default_rng(seed), count)
    end = times[-1][1]
    view = Viewport(part[0] * end, max(1.0, part[1] * end), width)
    made = columns(times)
    reduced = reduce_lane(made, view)
    assume(isinstance(reduced, PixelColumns))
    expected = times_by_count(times, view)
    seen = visible(made, view.start, view.end)
    slack = 1e-6
    block = made.block
    while reduced.count > FEW * FACTOR * block * view.width:
        block *= FACTOR
    if reduced.count > block * view.width:  # at most the two blocks at its edges are spread evenly
        edges = np.searchsorted(made.starts, view.start + np.arange(width + 1) * view.ns_per_pixel)
        blocks = [slice(max(0, e // block * block - block), e // block * block + block)
                  for e in edges]  # fmt: skip
        longest = max((int((made.ends[b] - made.starts[b]).sum()) for b in blocks), default=0)
        slack = 2 * longest / view.ns_per_pixel
    assert reduced.count == seen.stop - seen.start
    busy = expected.sum(axis=0) / view.ns_per_pixel
    assert np.abs(reduced.busy - busy).max() <= slack
    shown = expected[reduced.family, np.arange(width)] / view.ns_per_pixel
    assert (expected.max(axis=0) / view.ns_per_pixel - shown).max() <= 2 * slack


def test_a_long_pause_in_a_block_stays_a_pause() -> None:
    made = columns([(i, i + 1, Kind.FORWARD) for i in range(1000)]
                   + [(9000 + i, 9001 + i, Kind.BACKWARD) for i in range(1000)])  # fmt: skip
    reduced = reduce_lane(made, Viewport(0, 10_000, 100))
    assert isinstance(reduced, PixelColumns)
    assert reduced.busy.tolist() == pytest.approx([1.0] * 10 + [0.0] * 80 + [1.0] * 10)
    assert set(reduced.family[:10]) == {FORWARD}
    assert set(reduced.family[90:]) == {BACKWARD}


@pytest.mark.parametrize("moment", [9.0, 9.5, 10.0, 10.5, -3.0, 99.0])
def test_integer_times_are_counted_up_to_a_fractional_time(moment: float) -> None:
    times = np.array([0, 9, 10, 10, 11, 50])
    assert count_until(times, moment) == sum(t <= moment for t in times)
    assert count_before(times, moment) == sum(t < moment for t in times)


@pytest.mark.parametrize("view", [(-5000, 20_000), (-300, 1500), (500, 9000), (-9000, 9100)])
def test_pixels_before_and_after_a_lanes_spans_are_idle(view: tuple[int, int]) -> None:
    start, length = view
    lane = alternating(4000, 1)
    shown = Viewport(start, length, 20)
    reduced = reduce_lane(lane, shown)
    assert isinstance(reduced, PixelColumns)
    edges = start + np.arange(21) * shown.ns_per_pixel
    busy = np.diff(np.clip(edges, 0, 4000)) / shown.ns_per_pixel
    assert reduced.busy == pytest.approx(busy, abs=1e-6)


def test_a_family_only_after_the_last_complete_block_counts_too() -> None:
    before = [(10 * i, 10 * i + 10, Kind.FORWARD) for i in range(40)]
    lane = columns([*before, (400, 430, Kind.COPY), (430, 440, Kind.FORWARD)])
    families, times = times_of(lane, Viewport(0, 440, 2))
    spent = dict(zip(families, times.sum(axis=1).tolist(), strict=True))
    assert spent == {FORWARD: 410, FAMILIES.index(Family.COMMUNICATION): 30}


@pytest.mark.parametrize("pixels", [7, 8])
def test_columns_are_stretched_to_the_given_number_of_pixels(pixels: int) -> None:
    family, busy = np.array([1, 2, 3, 4], np.int8), np.array([0.1, 0.2, 0.3, 0.4])
    wide = PixelColumns(family, busy, 100, 25.0).stretched(2, pixels)
    assert wide.family.tolist() == [1, 1, 2, 2, 3, 3, 4, 4][:pixels]
    assert wide.busy.tolist() == [0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.4][:pixels]
    assert (wide.count, wide.per_pixel) == (100, 12.5)
