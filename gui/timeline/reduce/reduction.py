"""What to draw of a lane's spans: exact bars, or one colour for each pixel column. NumPy only."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.blocks import BLOCK, Blocks
from core.trace.columns import Column
from core.trace.spans import Spans, TaskTable
from gui.look.families import FAMILIES, FAMILY_CODES
from gui.timeline.layout.viewport import Viewport
from gui.timeline.reduce.pyramid import FACTOR, LEVELS, Pyramid, first_of

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

    per_pixel = 0.0


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


class RowFamilies:
    """The family of each row of a task table, kept up as the table grows."""

    def __init__(self) -> None:
        self._codes = Column(np.int8)

    def of(self, table: TaskTable) -> NDArray[np.int8]:
        """Index in FAMILIES of each row; to be asked for one and the same table only."""
        known = len(self._codes)
        if len(table) > known:
            self._codes.extend(FAMILY_CODES[table.rows["kind"][known:]])
        return self._codes.view


class LaneColumns:
    """A lane's spans with sums that let a view over millions of them cost what its pixels cost.

    The times are the spans' own arrays. For each whole block of some spans, the time of every
    family before it is kept; `families` may be shared by the lanes of one table.
    """

    def __init__(self, families: RowFamilies | None = None) -> None:
        self._families = families or RowFamilies()
        self._codes = np.empty(0, np.int8)
        self._starts = self._ends = np.empty(0, np.int64)
        self._rows = np.empty(0, np.int32)
        self._block_starts = Pyramid(Column(np.int64), first_of)
        self._sums = _sums_over(np.zeros((1, 0), np.int64))
        self._summed = np.empty(0, np.int8)
        self._place = np.zeros(_COUNT, np.intp)
        self._present: list[int] = []
        self.block = OWN_BLOCK

    @classmethod
    def over(cls, spans: Spans, blocks: Blocks, families: RowFamilies | None = None) -> LaneColumns:
        """A lane whose sums were made before; they are not copied until the lane grows."""
        made = cls(families)
        made.block = BLOCK
        made._take(spans)
        made._block_starts = Pyramid(Column.of(blocks.starts), first_of)
        made._sums = _sums_over(blocks.sums)
        made._name_sums(FAMILY_CODES[blocks.kinds])
        made._see(slice(len(blocks.starts) * BLOCK, None), made._summed)
        return made

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Start of each span in ns, growing."""
        return self._starts

    @property
    def ends(self) -> NDArray[np.int64]:
        """End of each span in ns, growing."""
        return self._ends

    @property
    def rows(self) -> NDArray[np.int32]:
        """Where each span stands in the table of tasks."""
        return self._rows

    @property
    def block_starts(self) -> Pyramid:
        """Start of each whole block of `block` spans, and of blocks of blocks."""
        return self._block_starts

    @property
    def block_sums(self) -> Pyramid:
        """Time before each whole block, and after the last; shape (blocks + 1, columns)."""
        return self._sums

    @property
    def summed(self) -> NDArray[np.int8]:
        """The family of each column of `block_sums`; several may be of one."""
        return self._summed

    @property
    def present(self) -> list[int]:
        """The families of which the lane has a span."""
        return self._present

    @property
    def nbytes(self) -> int:
        """Bytes that are the lane's own: without the spans, which it shares."""
        return self._block_starts.nbytes + self._sums.nbytes

    def families(self, chosen: slice | NDArray[np.int64]) -> NDArray[np.int8]:
        """Index in FAMILIES of some spans."""
        codes: NDArray[np.int8] = self._codes[self._rows[chosen]]
        return codes

    def sums_of(self, rows: NDArray[np.int32]) -> NDArray[np.intp]:
        """A column of `block_sums` for the family of each of some rows of the table."""
        return self._place.take(self._codes.take(rows))

    def update(self, spans: Spans) -> None:
        """Take those of `spans` (the whole lane) that are new."""
        known = len(self)
        if len(spans) > known:
            self._take(spans)
            self._see(slice(known, None), np.array(self._present, np.int8))
            self._sum_blocks()

    def _take(self, spans: Spans) -> None:
        self._starts, self._ends, self._rows = spans.start, spans.end, spans.row
        self._codes = self._families.of(spans.table)

    def _see(self, fresh: slice, known: NDArray[np.int8]) -> None:
        """Note the families of new spans, beside those that are `known`."""
        seen = np.bincount(self.families(fresh), minlength=_COUNT)
        seen[known] = 1
        present = np.flatnonzero(seen)
        self._present = present.tolist()
        self._know(present.astype(np.int8))

    def _sum_blocks(self) -> None:
        known, whole = len(self._block_starts), len(self) // self.block
        if whole == known:
            return
        part = slice(known * self.block, whole * self.block)
        codes, count = self.families(part), len(self._summed)
        keys = np.repeat(np.arange(whole - known) * count, self.block) + self._place[codes]
        each = np.bincount(keys, self.ends[part] - self.starts[part], (whole - known) * count)
        sums = np.cumsum(each.reshape(-1, count), axis=0, dtype=np.int64)
        self._sums.extend(self._sums[0][-1] + sums)
        self._block_starts.extend(self.starts[part][:: self.block])

    def _know(self, families: NDArray[np.int8]) -> None:
        """Make room in the sums for families that the lane had none of."""
        known = set(self._summed.tolist())
        fresh = [family for family in families.tolist() if family not in known]
        if not fresh:
            return
        rows, count = len(self._block_starts) + 1, len(self._summed)
        grown = np.zeros((rows, count + len(fresh)), np.int64)
        if count:
            grown[:, :count] = self._sums[0]
        self._sums = _sums_over(grown)
        self._name_sums(np.append(self._summed, np.array(fresh, np.int8)))

    def _name_sums(self, families: NDArray[np.int8]) -> None:
        self._summed = families
        self._place[families] = np.arange(len(families))


def _sums_over(sums: NDArray[np.int64]) -> Pyramid:
    return Pyramid(Column.of(sums.reshape(-1)), first_of, max(1, sums.shape[1]))


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
    first = int(columns.ends.searchsorted(math.floor(start), "right"))
    last = int(columns.starts.searchsorted(math.ceil(end), "left"))
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
    codes, times = times_of(columns, view, count)
    family, most = np.full(times.shape[1], codes[0], np.int8), times[0].copy()
    for code, mine in zip(codes[1:], times[1:], strict=True):
        np.copyto(family, code, where=mine > most)
        np.maximum(most, mine, out=most)
    busy = np.minimum(times.sum(axis=0) * (1 / view.ns_per_pixel), 1.0)
    return PixelColumns(family, busy, count, count / view.width)


def times_of(
    columns: LaneColumns, view: Viewport, count: int | None = None
) -> tuple[list[int], NDArray[np.float64]]:
    """Some families, and the ns of each in each pixel, shape (families, pixels).

    All that the lane has are among them. `count` is how many spans are in view, if that is known.
    """
    if count is None:
        seen = visible(columns, view.start, view.end)
        count = seen.stop - seen.start
    if count > columns.block * view.width:
        return _times_by_block(columns, view, count)
    return _times_within(columns, view)


def runs(
    family: NDArray[np.generic], height: NDArray[np.generic]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First and last (exclusive) index of each run of columns that look the same."""
    changes = np.flatnonzero((np.diff(family) != 0) | (np.diff(height) != 0)) + 1
    bounds = np.concatenate([[0], changes, [len(family)]])
    return bounds[:-1], bounds[1:]


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
    keys *= pixels
    keys += np.repeat(np.arange(pixels), begun[1:] - begun[:-1])
    spent = columns.ends[seen] - columns.starts[seen]
    times = np.bincount(keys, spent, columns_known * pixels).astype(np.float64)
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
    begin, end = (view.x(float(moment)) for moment in (columns.starts[0], columns.ends[-1]))
    used = slice(max(0, int(begin)), max(0, int(end)) + 1)  # pixels: there is nothing in others
    edges, moments = edges[used.start : used.stop + 1], moments[used.start : used.stop + 1]
    level, block = 0, columns.block
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
    starts, sums = columns.block_starts[level], columns.block_sums[level]
    last = len(starts) - 1
    block = np.maximum(starts.searchsorted(moments, "right") - 1, 0)
    if level == 0 and len(columns) > (last + 1) * columns.block:  # spans behind the last block
        block[moments >= columns.starts[(last + 1) * columns.block]] = last + 1
    # Those behind the last block or sum are taken for it: "clip".
    begun, following = starts.take(block, mode="clip"), block + 1
    length = starts.take(following, mode="clip") - begun
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
    spent = np.minimum(columns.ends.take(at, mode="clip"), moments[:, None])
    spent -= starts
    np.maximum(spent, 0, out=spent)
    if at[-1, -1] >= count:
        spent[at >= count] = 0
    keys = columns.sums_of(columns.rows.take(at, mode="clip"))
    keys += np.arange(0, len(block) * width, width)[:, None]
    times = np.bincount(keys.ravel(), spent.ravel(), len(block) * width)
    return times.astype(np.float64).reshape(-1, width).T
