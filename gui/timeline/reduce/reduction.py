"""What to draw of a lane's spans: exact bars, or one colour for each pixel column. NumPy only.

Sums over blocks of spans, and over blocks of blocks, let far more spans than pixels cost what the
pixels cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.blocks import BLOCK, Blocks
from core.trace.columns import GrowingArray
from core.trace.spans import Spans
from gui.look.families import FAMILIES, FAMILY_CODES
from gui.timeline.layout.frame import Viewport
from gui.timeline.reduce.pyramid import FACTOR, LEVELS, Pyramid, first_of

# Beyond two spans a pixel neighbouring rectangles cannot be told apart any more, and thousands of
# them in a lane cost more than the pixels that they cover.
SPANS_PER_PIXEL = 2.0  # up to here every span has a rectangle of its own
OWN_BLOCK = 8  # spans that share a sum where it was not made before; those have BLOCK
LONG = 3.0  # pixels of a block that is counted more finely
FEW = 2  # of coarser blocks a pixel has at least so many
_COUNT = len(FAMILIES)


@dataclass(frozen=True, slots=True)
class Bars:
    """Spans from `first` on, a rectangle each: `left` and `right` in pixels, `family` codes."""

    first: int
    left: NDArray[np.floating]
    right: NDArray[np.floating]
    family: NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class PixelColumns:
    """One entry for each pixel: the family with the most time in it, and how much of it is busy.

    `busy` is 0 to 1; `count` spans are in view, `per_pixel` of them in a pixel on average.
    """

    family: NDArray[np.int8]
    busy: NDArray[np.float64]
    count: int
    per_pixel: float

    def stretched(self, by: int, pixels: int) -> PixelColumns:
        """The same in `pixels`, each column being `by` of them wide."""
        return replace(
            self,
            family=np.repeat(self.family, by)[:pixels],
            busy=np.repeat(self.busy, by)[:pixels],
            per_pixel=self.per_pixel / by,
        )


class LaneColumns:
    """A lane's spans with sums that let a view over millions of them cost what its pixels cost.

    `starts`, `ends` (ns, growing) and `rows` (of the table of tasks) are the spans' own arrays.
    `block_starts` has the start of each whole block of `block` spans, `block_sums` the time before
    each of them and after the last, shape (blocks + 1, columns). `summed` is the family of each of
    these columns, of which several may be of one.
    `codes` holds the families of the table's rows, and may be shared by its lanes.
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
        """A lane whose sums were made before; they are not copied until the lane grows."""
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
        """Bytes that are the lane's own: without the spans, which it shares."""
        return self.block_starts.nbytes + self.block_sums.nbytes

    def families(self, chosen: slice | NDArray[np.int64]) -> NDArray[np.int8]:
        """Index in FAMILIES of some spans."""
        codes: NDArray[np.int8] = self._families[self.rows[chosen]]
        return codes

    def sums_of(self, rows: NDArray[np.int32]) -> NDArray[np.intp]:
        """A column of `block_sums` for the family of each of some rows of the table."""
        return self._place.take(self._families.take(rows))

    def update(self, spans: Spans) -> None:
        """Take those of `spans` (the whole lane) that are new."""
        known = len(self)
        if len(spans) > known:
            self._take(spans)
            self._know(slice(known, None))
            self._sum_blocks()

    def _take(self, spans: Spans) -> None:
        self.starts, self.ends, self.rows = spans.start, spans.end, spans.row
        known = len(self._codes)
        if len(spans.table) > known:
            self._codes.extend(FAMILY_CODES[spans.table.rows["kind"][known:]])
        self._families = self._codes.view

    def _sum_blocks(self) -> None:
        known, whole = len(self.block_starts), len(self) // self.block
        if whole == known:
            return
        part = slice(known * self.block, whole * self.block)
        codes, count = self.families(part), len(self.summed)
        # One histogram for all new blocks: key = block * families + family, weight = duration.
        keys = np.repeat(np.arange(whole - known) * count, self.block) + self._place[codes]
        each = np.bincount(keys, self.ends[part] - self.starts[part], (whole - known) * count)
        sums = np.cumsum(each.reshape(-1, count), axis=0, dtype=np.int64)
        # Running sums over the whole lane: the time between any two blocks is then one subtraction.
        self.block_sums.extend(self.block_sums[0][-1] + sums)
        self.block_starts.extend(self.starts[part][:: self.block])

    def _know(self, spans: slice) -> None:
        """Make room in the sums for those families of some spans that the lane had none of."""
        seen = np.flatnonzero(np.bincount(self.families(spans))).astype(np.int8)
        fresh = np.setdiff1d(seen, self.summed)
        if not len(fresh):
            return
        rows, count = len(self.block_starts) + 1, len(self.summed)
        # A family that appears late has a column of zeros for all blocks before; a kind is new only
        # a few times in a run, so copying the sums then costs little.
        grown = np.zeros((rows, count + len(fresh)), np.int64)
        if count:
            grown[:, :count] = self.block_sums[0]
        self.block_sums = _sums_over(grown)
        self._name_sums(np.append(self.summed, fresh))

    def _name_sums(self, families: NDArray[np.int8]) -> None:
        self.summed = families
        self._place[families] = np.arange(len(families))


def _sums_over(sums: NDArray[np.int64]) -> Pyramid:
    return Pyramid(GrowingArray.of(sums.reshape(-1)), first_of, max(1, sums.shape[1]))


def count_until(times: NDArray[np.int64], moments: float | NDArray[np.floating]) -> Any:
    """How many of the sorted `times` are not after each moment.

    NumPy would turn all of the times into floats to compare them with one.
    """
    return times.searchsorted(np.floor(moments).astype(np.int64), "right")


def count_before(times: NDArray[np.int64], moments: float | NDArray[np.floating]) -> Any:
    """How many of the sorted `times` are before each moment."""
    return times.searchsorted(np.ceil(moments).astype(np.int64), "left")


def visible(columns: LaneColumns, start: float, end: float) -> slice:
    """The spans of which some part lies between `start` and `end`."""
    return within(columns.starts, columns.ends, start, end)


def within(starts: NDArray[np.int64], ends: NDArray[np.int64], start: float, end: float) -> slice:
    """Of what is sorted and apart, that of which some part lies between `start` and `end`."""
    first, last = int(count_until(ends, start)), int(count_before(starts, end))
    return slice(first, max(first, last))


def is_reduced(count: int, view: Viewport) -> bool:
    """Whether so many spans of a lane are too many for a rectangle each."""
    return count > SPANS_PER_PIXEL * view.width


def reduce_lane(columns: LaneColumns, view: Viewport) -> Bars | PixelColumns:
    """What to draw of a lane: bars up to about two spans a pixel, pixel columns beyond."""
    seen = visible(columns, view.start, view.end)
    count = seen.stop - seen.start
    if not is_reduced(count, view):
        left, right = view.xs(columns.starts[seen]), view.xs(columns.ends[seen])
        return Bars(seen.start, left, right, columns.families(seen))
    # The family with the most time in a pixel gives it its colour, kept as a running maximum: one
    # pass for each family, and no array of shape (families, pixels) is sorted.
    codes, times = times_of(columns, view)
    family, most = np.full(times.shape[1], codes[0], np.int8), times[0].copy()
    for code, mine in zip(codes[1:], times[1:], strict=True):
        np.copyto(family, code, where=mine > most)
        np.maximum(most, mine, out=most)
    busy = np.minimum(times.sum(axis=0) * (1 / view.ns_per_pixel), 1.0)
    return PixelColumns(family, busy, count, count / view.width)


def times_of(columns: LaneColumns, view: Viewport) -> tuple[list[int], NDArray[np.float64]]:
    """Some families, and the ns of each in each pixel, shape (families, pixels).

    All that the lane has are among them.
    """
    seen = visible(columns, view.start, view.end)
    count = seen.stop - seen.start
    if count > columns.block * view.width:
        return _times_by_block(columns, view, count)
    return _times_within(columns, view)


@lru_cache(maxsize=8)
def pixel_edges(view: Viewport) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Where pixels begin and the last one ends, in ns, and the last whole ns until then."""
    edges = view.times(np.arange(int(view.width) + 1).astype(np.float64))
    return edges, np.floor(edges).astype(np.int64)


def _times_within(columns: LaneColumns, view: Viewport) -> tuple[list[int], NDArray[np.float64]]:
    """Time of each family in each pixel, span by span: see `times_of`.

    A span counts for the pixel that it begins in; at each edge between pixels, what the span that
    began last before it has behind it moves on.
    """
    pixels, columns_known = int(view.width), len(columns.summed)
    edges, _ = pixel_edges(view)
    begun = count_before(columns.starts, edges)
    seen = slice(int(begun[0]), int(begun[-1]))
    keys = columns.sums_of(columns.rows[seen])
    # In place, here and below: these arrays have an entry for each span on screen.
    keys *= pixels
    keys += np.repeat(np.arange(pixels), begun[1:] - begun[:-1])
    spent = columns.ends[seen] - columns.starts[seen]
    times = np.bincount(keys, spent, columns_known * pixels).astype(np.float64)
    # A span is counted whole in the pixel where it begins. What of it lies behind an edge between
    # two pixels moves from the left one to the right one; a span over many pixels moves on at each
    # of their edges, so that every pixel keeps its own part.
    #   pixel      0       1       2
    #   span    [------------------)
    #   counted   18       0       0
    #   moved     -12  +12 -4  +4
    last = np.maximum(begun - 1, 0)
    over = np.maximum(columns.ends.take(last) - edges, 0.0)
    over[begun == 0] = 0.0
    place = columns.sums_of(columns.rows.take(last))
    place *= pixels
    times[place[:-1] + np.arange(pixels)] += over[:-1]
    times[place[1:] + np.arange(pixels)] -= over[1:]
    return _by_family(columns, times.reshape(-1, pixels), slice(0, pixels), pixels)


def _times_by_block(
    columns: LaneColumns, view: Viewport, count: int
) -> tuple[list[int], NDArray[np.float64]]:
    """Time of each family in each pixel, from the sums: see `times_of`."""
    edges, moments = pixel_edges(view)
    pixels = len(edges) - 1
    # Looking up only the pixels between the first span and the last one: a run that is zoomed far
    # out covers few.
    begin, end = (view.x(float(moment)) for moment in (columns.starts[0], columns.ends[-1]))
    used = slice(max(0, int(begin)), max(0, int(end)) + 1)  # pixels: there is nothing in others
    edges, moments = edges[used.start : used.stop + 1], moments[used.start : used.stop + 1]
    level, block = 0, columns.block
    # The coarsest level that still has FEW blocks in a pixel: what is spread evenly within one is
    # then at most half a pixel wide.
    while level + 1 < LEVELS and count > FEW * FACTOR * block * view.width:
        level, block = level + 1, FACTOR * block
    before = _times_before(columns, level, edges, moments, LONG * view.ns_per_pixel)
    each = before[:, 1:] - before[:, :-1]
    return _by_family(columns, each, used, pixels)


def _by_family(
    columns: LaneColumns, times: NDArray[np.float64], used: slice, pixels: int
) -> tuple[list[int], NDArray[np.float64]]:
    """The times of all `summed` columns in some pixels, as times of families in all of them."""
    families = columns.summed.tolist()
    codes = list(dict.fromkeys(families))
    if times.shape[1] == pixels and len(codes) == len(families):
        return codes, times
    found = np.zeros((len(codes), pixels))
    for family, mine in zip(families, times, strict=True):
        found[codes.index(family), used] += mine
    return codes, found


def _times_before(
    columns: LaneColumns, level: int, edges: NDArray[np.float64], moments: NDArray[np.int64],
    long: float,
) -> NDArray[np.float64]:  # fmt: skip
    """Time in each of the `summed` columns before each edge, from the blocks of a level.

    As if it were spread evenly over the block that an edge is in; but in blocks longer than `long`
    ns, so that a pause stays one, and in the last one, from those of the next finer level, and at
    the finest span by span. `moments` are the last whole ns until the edges. Shape (columns,
    edges).
    """
    # A pixel shows the time before its right edge less that before its left one, so all that is
    # needed is the time before a moment. Blocks give it up to the one that the moment is in:
    #   blocks |---0---|---1---|---2---|
    #   moment             ^  all of block 0 (its sum), and 4/8 of block 1 (`share`)
    starts, sums = columns.block_starts[level], columns.block_sums[level]
    last = len(starts) - 1
    block = np.maximum(starts.searchsorted(moments, "right") - 1, 0)
    if level == 0 and len(columns) > (last + 1) * columns.block:  # spans behind the last block
        block[moments >= columns.starts[(last + 1) * columns.block]] = last + 1
    # Those behind the last block or sum are taken for it: "clip".
    begun, following = starts.take(block, mode="clip"), block + 1
    length = starts.take(following, mode="clip") - begun
    # A block that holds a pause is much longer than its spans: spread evenly, they would fill the
    # pause. So it is looked up more finely.
    exact = (length > long) | (block >= last)
    share = np.maximum(edges - begun, 0.0) / np.maximum(length, 1)
    share[exact] = 0.0
    before = sums.take(block, axis=0).T.astype(np.float64, order="C")
    behind = sums.take(following, axis=0, mode="clip").T.astype(np.float64, order="C")
    behind -= before
    behind *= share
    before += behind
    finer = np.flatnonzero(exact)
    if len(finer) and level:
        before[:, finer] = _times_before(columns, level - 1, edges[finer], moments[finer], long)
    elif len(finer):
        before[:, finer] += _times_inside(columns, block[finer], moments[finer])
    return before


def _times_inside(
    columns: LaneColumns, block: NDArray[np.int64], moments: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Time in each of the `summed` columns from the start of each `block` to a moment, by spans.

    Shape (columns, moments).
    """
    at = (block * columns.block)[:, None] + np.arange(columns.block)
    count, width = len(columns), len(columns.summed)
    starts = columns.starts.take(at, mode="clip")
    # A span that begins behind the moment comes out negative: it has spent nothing yet.
    spent = np.minimum(columns.ends.take(at, mode="clip"), moments[:, None])
    spent -= starts
    np.maximum(spent, 0, out=spent)
    # The last block may be shorter than the others; "clip" has repeated the last span in its place.
    if at[-1, -1] >= count:
        spent[at >= count] = 0
    keys = columns.sums_of(columns.rows.take(at, mode="clip"))
    keys += np.arange(0, len(block) * width, width)[:, None]
    times = np.bincount(keys.ravel(), spent.ravel(), len(block) * width)
    return times.astype(np.float64).reshape(-1, width).T
