"""Reduction of a lane's spans to exact bars, or to one colour per pixel. NumPy only.

Thanks to sums over blocks of spans, and over blocks of blocks, the cost of a view depends on its
pixels, not on the number of spans.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats, Ints
from core.trace.blocks import BLOCK, Blocks
from core.trace.columns import GrowingArray
from core.trace.spans import Spans
from gui.look.families import FAMILIES, FAMILY_CODES
from gui.timeline.layout.frame import Viewport
from gui.timeline.reduce.pyramid import FACTOR, Pyramid, first_of, level_for

# With more than two spans a pixel, adjacent rectangles cannot be distinguished, and thousands of
# them in a lane cost more than the pixels that they cover.
SPANS_PER_PIXEL = 2.0  # up to here every span has a rectangle
OWN_BLOCK = 8  # spans per block if the trace has no sums; the blocks of a trace have BLOCK spans
LONG = 3.0  # pixels; longer blocks are resolved more finely
FEW = 2  # least number of coarser blocks in a pixel
_COUNT = len(FAMILIES)


@dataclass(frozen=True, slots=True)
class Bars:
    """Rectangles of the spans from number `first` on: edges in pixels, and codes of families."""

    first: int
    left: NDArray[np.floating]
    right: NDArray[np.floating]
    family: NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class PixelColumns:
    """The `family` with the most time in each pixel, and the share of each pixel that is `busy`.

    Shares are 0 to 1. `count` is the number of spans in view, `per_pixel` their mean number in a
    pixel.
    """

    family: NDArray[np.int8]
    busy: Floats
    count: int
    per_pixel: float

    def stretched(self, by: int, pixels: int) -> PixelColumns:
        """Return the columns stretched to `by` pixels each, and cut to `pixels` pixels in total."""
        return replace(
            self,
            family=np.repeat(self.family, by)[:pixels],
            busy=np.repeat(self.busy, by)[:pixels],
            per_pixel=self.per_pixel / by,
        )


class LaneColumns:
    """A lane's spans with sums, so that the cost of a view depends on its pixels, not its spans.

    `starts` and `ends` (ns, increasing) and `rows` (of the task table) are the spans' arrays, not
    copies. `block_starts` has the start of each complete block of `block` spans. `block_sums`, with
    shape (blocks + 1, columns), has the total time (ns) before each block; the last row includes
    the last block. `summed` is the family of each column; several columns may have one family.
    `codes` holds the families of the table's rows, and may be shared by all lanes of the table.
    """

    def __init__(self, codes: GrowingArray | None = None) -> None:
        self._codes = GrowingArray(np.int8) if codes is None else codes
        self._families = np.empty(0, np.int8)
        self.starts = self.ends = np.empty(0, np.int64)
        self.rows = np.empty(0, np.int32)
        self.block_starts = Pyramid(GrowingArray(np.int64), first_of)
        self.block_sums = _sums_over(np.zeros((1, 0), np.int64))
        self.summed = np.empty(0, np.int8)
        self.block = OWN_BLOCK
        self._place = np.zeros(_COUNT, np.intp)

    @classmethod
    def over(cls, spans: Spans, blocks: Blocks, codes: GrowingArray | None = None) -> LaneColumns:
        """Return a lane with the sums of `blocks`, which are not copied until the lane grows."""
        made = cls(codes)
        made.block = BLOCK
        made._take(spans)
        made.block_starts = Pyramid(GrowingArray.of(blocks.starts), first_of)
        made.block_sums = _sums_over(blocks.sums)
        made._name_sums(FAMILY_CODES[blocks.kinds])
        made._know(slice(len(blocks.starts) * BLOCK, None))
        return made

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def nbytes(self) -> int:
        """Size of the lane's sums in bytes, without the spans, which are shared."""
        return self.block_starts.nbytes + self.block_sums.nbytes

    def families(self, chosen: slice | Ints) -> NDArray[np.int8]:
        """Return the families of the chosen spans, as indices in FAMILIES."""
        codes: NDArray[np.int8] = self._families[self.rows[chosen]]
        return codes

    def sums_of(self, rows: NDArray[np.int32]) -> NDArray[np.intp]:
        """Return the column of `block_sums` for the family of each of some rows of the table."""
        return self._place.take(self._families.take(rows))

    def update(self, spans: Spans) -> None:
        """Add the spans that are new; `spans` are all spans of the lane."""
        known = len(self)
        if len(spans) > known:
            self._take(spans)
            self._know(slice(known, None))
            self._sum_blocks()

    def _take(self, spans: Spans) -> None:
        self.starts = spans.start
        self.ends = spans.end
        self.rows = spans.row
        known = len(self._codes)
        if len(spans.table) > known:
            kinds = spans.table.rows["kind"]
            self._codes.extend(FAMILY_CODES[kinds[known:]])
        self._families = self._codes.view

    def _sum_blocks(self) -> None:
        known = len(self.block_starts)
        whole = len(self) // self.block
        fresh = whole - known
        if not fresh:
            return
        part = slice(known * self.block, whole * self.block)
        codes = self.families(part)
        count = len(self.summed)
        # One histogram for all new blocks: key = block * families + family, weight = duration.
        first_keys = np.arange(fresh) * count
        keys = np.repeat(first_keys, self.block)
        keys += self._place[codes]
        starts = self.starts[part]
        durations = self.ends[part] - starts
        each = np.bincount(keys, durations, fresh * count)
        by_block = each.reshape(-1, count)
        sums = np.cumsum(by_block, axis=0, dtype=np.int64)
        # Sums are cumulative, so that the time between two blocks is one subtraction.
        sums_so_far = self.block_sums[0][-1]
        self.block_sums.extend(sums_so_far + sums)
        self.block_starts.extend(starts[:: self.block])

    def _know(self, spans: slice) -> None:
        """Add a column to the sums for each family of some spans that is new to the lane."""
        counts = np.bincount(self.families(spans))
        seen = np.flatnonzero(counts).astype(np.int8)
        fresh = np.setdiff1d(seen, self.summed)
        if not len(fresh):
            return
        rows = len(self.block_starts) + 1
        count = len(self.summed)
        columns = count + len(fresh)
        # A family that appears late has a column of zeros for all earlier blocks. Copying the sums
        # is acceptable, because new families are rare in a run.
        grown = np.zeros((rows, columns), np.int64)
        if count:
            grown[:, :count] = self.block_sums[0]
        self.block_sums = _sums_over(grown)
        self._name_sums(np.append(self.summed, fresh))

    def _name_sums(self, families: NDArray[np.int8]) -> None:
        self.summed = families
        self._place[families] = np.arange(len(families))


def _sums_over(sums: Ints) -> Pyramid:
    finest = GrowingArray.of(sums.reshape(-1))
    width = max(1, sums.shape[1])
    return Pyramid(finest, first_of, width)


def count_until(times: Ints, moments: float | NDArray[np.floating]) -> Any:
    """Return the number of sorted `times` that are not after each moment.

    Moments are rounded to integers: for floats, NumPy would convert all times to floats.
    """
    whole = np.floor(moments).astype(np.int64)
    return times.searchsorted(whole, "right")


def count_before(times: Ints, moments: float | NDArray[np.floating]) -> Any:
    """Return the number of sorted `times` that are before each moment."""
    whole = np.ceil(moments).astype(np.int64)
    return times.searchsorted(whole, "left")


def visible(columns: LaneColumns, start: float, end: float) -> slice:
    """Return the slice of spans that are at least partly between `start` and `end`."""
    return within(columns.starts, columns.ends, start, end)


def within(starts: Ints, ends: Ints, start: float, end: float) -> slice:
    """Return the slice of sorted, disjoint intervals that overlap with `start` to `end`.

    Intervals of length 0 at `start` or `end` are included, those that only end or begin there are
    not.
    """
    first = min(int(count_until(ends, start)), int(count_before(starts, start)))
    last = max(int(count_before(starts, end)), int(count_until(ends, end)))
    return slice(first, max(first, last))


def is_reduced(count: int, view: Viewport) -> bool:
    """Return whether a lane's visible spans are too many for a rectangle each."""
    return count > SPANS_PER_PIXEL * view.width


def reduce_lane(columns: LaneColumns, view: Viewport) -> Bars | PixelColumns:
    """Return a lane's bars, or its pixel columns if it has over SPANS_PER_PIXEL spans per pixel."""
    seen = visible(columns, view.start, view.end)
    count = seen.stop - seen.start
    if not is_reduced(count, view):
        left = view.xs(columns.starts[seen])
        right = view.xs(columns.ends[seen])
        return Bars(seen.start, left, right, columns.families(seen))
    # The family with the most time in a pixel colours it. A running maximum takes one pass per
    # family, and no array of shape (families, pixels) is sorted.
    codes, times = times_of(columns, view)
    family = np.full(times.shape[1], codes[0], np.int8)
    most = times[0].copy()
    for code, mine in zip(codes[1:], times[1:], strict=True):
        np.copyto(family, code, where=mine > most)
        np.maximum(most, mine, out=most)
    busy_ns = times.sum(axis=0)
    busy = np.minimum(busy_ns * (1 / view.ns_per_pixel), 1.0)
    return PixelColumns(family, busy, count, count / view.width)


def times_of(columns: LaneColumns, view: Viewport) -> tuple[list[int], Floats]:
    """Return family codes, and the time in ns of each in each pixel, shape (families, pixels).

    They are all families of the lane, including those outside the view.
    """
    seen = visible(columns, view.start, view.end)
    count = seen.stop - seen.start
    if count > columns.block * view.width:
        return _times_by_block(columns, view, count)
    return _times_within(columns, view)


@lru_cache(maxsize=8)
def pixel_edges(view: Viewport) -> tuple[Floats, Ints]:
    """Return the edges of pixels in ns, and the same edges rounded down to whole ns."""
    pixels = int(view.width)
    xs = np.arange(pixels + 1).astype(np.float64)
    edges = view.times(xs)
    return edges, np.floor(edges).astype(np.int64)


def constant_pixels(times: Ints, moments: Ints, pixels: Ints) -> tuple[Ints, Ints]:
    """Return those of some pixels in which nothing changes, and the entry that is valid in each.

    `times` are those of all changes, `moments` the edges of all pixels, rounded down, all in ns.
    """
    before = times.searchsorted(moments[pixels], "right") - 1
    after = times.searchsorted(moments[pixels + 1], "right") - 1
    is_constant = (before == after) & (before >= 0)
    return pixels[is_constant], before[is_constant]


def _times_within(columns: LaneColumns, view: Viewport) -> tuple[list[int], Floats]:
    """Return the time of each family in each pixel, computed from the spans: see `times_of`."""
    pixels = int(view.width)
    columns_known = len(columns.summed)
    edges, _ = pixel_edges(view)
    begun = count_before(columns.starts, edges)
    seen = slice(int(begun[0]), int(begun[-1]))
    keys = columns.sums_of(columns.rows[seen])
    # Computed in place, here and below, because these arrays have an entry for each visible span.
    keys *= pixels
    every_pixel = np.arange(pixels)
    begun_in_pixel = np.diff(begun)
    keys += np.repeat(every_pixel, begun_in_pixel)
    spent = columns.ends[seen] - columns.starts[seen]
    size = columns_known * pixels
    times = np.bincount(keys, spent, size).astype(np.float64)
    # So far, a span is counted in the pixel where it begins. Now the part after an edge between two
    # pixels is moved from the left pixel to the right one. A span over many pixels is moved at each
    # of their edges, so that every pixel keeps its part.
    #   pixel      0       1       2
    #   span    [------------------)
    #   counted   18       0       0
    #   moved     -12  +12 -4  +4
    last = np.maximum(begun - 1, 0)
    over = np.maximum(columns.ends.take(last) - edges, 0.0)
    over[begun == 0] = 0.0
    place = columns.sums_of(columns.rows.take(last))
    place *= pixels
    left = place[:-1] + every_pixel
    right = place[1:] + every_pixel
    times[left] += over[:-1]
    times[right] -= over[1:]
    by_column = times.reshape(-1, pixels)
    return _by_family(columns, by_column, slice(0, pixels), pixels)


def _times_by_block(columns: LaneColumns, view: Viewport, count: int) -> tuple[list[int], Floats]:
    """Return the time of each family in each pixel, computed from the sums: see `times_of`."""
    edges, moments = pixel_edges(view)
    pixels = len(edges) - 1
    # Only the pixels between the first span and the last one are computed: zoomed far out, a run
    # covers few pixels.
    begin = view.x(float(columns.starts[0]))
    end = view.x(float(columns.ends[-1]))
    first = max(0, int(begin))
    last = max(0, int(end))
    used = slice(first, last + 1)  # pixels; others are empty
    used_edges = slice(first, last + 2)
    edges = edges[used_edges]
    moments = moments[used_edges]
    # The coarsest level with at least FEW blocks in a pixel: spreading the time of a block evenly
    # then moves it by at most half a pixel.
    blocks = count / columns.block
    level = level_for(blocks, FEW * FACTOR * view.width)
    long = LONG * view.ns_per_pixel
    before = _times_before(columns, level, edges, moments, long)
    each = np.diff(before, axis=1)
    return _by_family(columns, each, used, pixels)


def _by_family(
    columns: LaneColumns,
    times: Floats,
    used: slice,
    pixels: int,
) -> tuple[list[int], Floats]:
    """Return times of `summed` columns in the `used` pixels as times of families in all pixels."""
    families = columns.summed.tolist()
    codes = list(dict.fromkeys(families))
    covers_all = times.shape[1] == pixels
    is_one_each = len(codes) == len(families)
    if covers_all and is_one_each:
        return codes, times
    found = np.zeros((len(codes), pixels))
    for family, mine in zip(families, times, strict=True):
        found[codes.index(family), used] += mine
    return codes, found


def _times_before(
    columns: LaneColumns,
    level: int,
    edges: Floats,
    moments: Ints,
    long: float,
) -> Floats:
    """Return the time in each of the `summed` columns before each edge, from a level's blocks.

    Time is spread evenly over the block that contains an edge. But in blocks longer than `long` ns,
    which may contain a pause, and in the last block, the next finer level is used, and at the
    finest level the spans. `moments` are the edges rounded down to whole ns. The result is in ns,
    with shape (columns, edges).
    """
    # The time in a pixel is the time before its right edge minus the time before its left edge, so
    # the time before each moment suffices. The sums give it up to the block with the moment:
    #   blocks |---0---|---1---|---2---|
    #   moment             ^  all of block 0 (its sum), and 4/8 of block 1 (`share`)
    starts = columns.block_starts[level]
    sums = columns.block_sums[level]
    last = len(starts) - 1
    begun_blocks = starts.searchsorted(moments, "right")
    block = np.maximum(begun_blocks - 1, 0)
    in_blocks = len(starts) * columns.block
    if level == 0 and len(columns) > in_blocks:  # spans after the last block
        block[moments >= columns.starts[in_blocks]] = last + 1
    # Indices after the last block or sum are clipped to the last one.
    begun = starts.take(block, mode="clip")
    following = block + 1
    length = starts.take(following, mode="clip") - begun
    # Blocks with a pause are much longer than the others. They are resolved more finely, because
    # their spans, spread evenly, would fill the pause.
    exact = (length > long) | (block >= last)
    into_block = np.maximum(edges - begun, 0.0)
    share = into_block / np.maximum(length, 1)
    share[exact] = 0.0
    sums_before = sums.take(block, axis=0)
    sums_after = sums.take(following, axis=0, mode="clip")
    before = sums_before.T.astype(np.float64, order="C")
    within_block = sums_after.T.astype(np.float64, order="C")
    within_block -= before
    within_block *= share
    before += within_block
    finer = np.flatnonzero(exact)
    if not len(finer):
        return before
    finer_edges = edges[finer]
    finer_moments = moments[finer]
    if level:
        resolved = _times_before(columns, level - 1, finer_edges, finer_moments, long)
        before[:, finer] = resolved
    else:
        inside = _times_inside(columns, block[finer], finer_moments)
        before[:, finer] += inside
    return before


def _times_inside(columns: LaneColumns, block: Ints, moments: Ints) -> Floats:
    """Return the ns in each `summed` column from the start of each `block` to its moment.

    They are computed from the spans; shape (columns, moments).
    """
    first = block * columns.block
    at = first[:, None] + np.arange(columns.block)
    count = len(columns)
    width = len(columns.summed)
    starts = columns.starts.take(at, mode="clip")
    ends = columns.ends.take(at, mode="clip")
    # Spans that begin after the moment get a negative time, which is set to 0 below.
    spent = np.minimum(ends, moments[:, None])
    spent -= starts
    np.maximum(spent, 0, out=spent)
    # The last block may be shorter than the others; "clip" repeats the last span for the rest.
    if at[-1, -1] >= count:
        spent[at >= count] = 0
    rows = columns.rows.take(at, mode="clip")
    keys = columns.sums_of(rows)
    size = len(block) * width
    first_keys = np.arange(0, size, width)
    keys += first_keys[:, None]
    times = np.bincount(keys.ravel(), spent.ravel(), size).astype(np.float64)
    return times.reshape(-1, width).T
