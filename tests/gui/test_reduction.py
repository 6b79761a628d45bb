"""What is drawn of many spans: bars, or the busiest family of each pixel."""

import numpy as np
import pytest

from core.plan.task import KINDS, Kind
from core.trace.spans import Spans
from core.trace.table import TASK_DTYPE, TaskTable
from gui.families import FAMILIES, Family
from gui.timeline.reduction import Bars, LaneColumns, PixelColumns, reduce_lane, runs, visible
from gui.timeline.viewport import Viewport

FORWARD, BACKWARD = FAMILIES.index(Family.FORWARD), FAMILIES.index(Family.BACKWARD)


def spans(times: list[tuple[int, int, Kind]]) -> Spans:
    table, rows = TaskTable(), np.zeros(len(times), TASK_DTYPE)
    rows["kind"] = [KINDS.index(kind) for *_, kind in times]
    starts, ends = np.array([time[:2] for time in times], np.int64).reshape(-1, 2).T
    places = table.places(rows, np.empty(0, np.int32))
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
def test_busy_time_is_kept_by_every_way_of_reducing(count: int, gap: int) -> None:
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
    assert np.array_equal(grown.families, whole.families)
    assert np.array_equal(grown.block_sums, whole.block_sums)


def test_runs_join_neighbouring_columns_that_look_the_same() -> None:
    first, last = runs(np.array([1, 1, 2, 2, 2]), np.array([3, 3, 3, 3, 4]))
    assert list(zip(first.tolist(), last.tolist(), strict=True)) == [(0, 2), (2, 4), (4, 5)]
