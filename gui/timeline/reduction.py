"""What to draw of a lane's spans: exact bars, or one colour for each pixel column. NumPy only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.trace.columns import Column
from core.trace.spans import Spans
from gui.families import FAMILIES, FAMILY_CODES
from gui.timeline.viewport import Viewport

SPANS_PER_PIXEL = 2.0  # up to here every span has a rectangle of its own
BLOCK = 16  # spans that share a prefix sum


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

    `busy` is 0 to 1; `per_pixel` is the mean number of spans in a pixel.
    """

    family: NDArray[np.int8]
    busy: NDArray[np.float64]
    per_pixel: float


class LaneColumns:
    """A lane's starts, ends and families side by side, kept up as spans arrive.

    For each block of 16 spans, the time of every family before it is kept, so that a view over
    millions of spans costs what its pixels cost.
    """

    def __init__(self) -> None:
        self._starts = self._ends = np.empty(0, np.int64)
        self._families = Column(np.int8)
        self._block_starts = Column(np.int64)
        self._sums = np.zeros((1, len(FAMILIES)), np.int64)

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
    def families(self) -> NDArray[np.int8]:
        """Index in FAMILIES of each span."""
        return self._families.view

    @property
    def block_starts(self) -> NDArray[np.int64]:
        """Start of each whole block."""
        return self._block_starts.view

    @property
    def block_sums(self) -> NDArray[np.int64]:
        """Time of each family before each block, shape (blocks + 1, families)."""
        return self._sums

    def update(self, spans: Spans) -> None:
        """Take those of `spans` (the whole lane) that are new."""
        fresh = spans[len(self) :]
        if not len(fresh):
            return
        self._starts, self._ends = spans.start, spans.end
        self._families.extend(FAMILY_CODES[fresh["kind"]])
        self._sum_blocks()

    def _sum_blocks(self) -> None:
        known, whole = len(self._block_starts), len(self) // BLOCK
        if whole == known:
            return
        part = slice(known * BLOCK, whole * BLOCK)
        lengths = self.ends[part] - self.starts[part]
        each = (
            _by_family(lengths, self.families[part]).reshape(-1, BLOCK, len(FAMILIES)).sum(axis=1)
        )
        sums = self._sums[-1] + np.cumsum(each, axis=0)
        self._sums = np.concatenate([self._sums, sums])
        self._block_starts.extend(self.starts[part][::BLOCK])


def visible(columns: LaneColumns, start: float, end: float) -> slice:
    """The spans of which some part lies between `start` and `end`."""
    first = int(np.searchsorted(columns.ends, start, "right"))
    last = int(np.searchsorted(columns.starts, end, "left"))
    return slice(first, max(first, last))


def reduce_lane(columns: LaneColumns, view: Viewport) -> Bars | PixelColumns:
    """What to draw of a lane: bars up to about two spans a pixel, pixel columns beyond."""
    seen = visible(columns, view.start, view.end)
    count = seen.stop - seen.start
    if count <= SPANS_PER_PIXEL * view.width:
        scale = view.width / view.span
        left = (columns.starts[seen] - view.start) * scale
        right = (columns.ends[seen] - view.start) * scale
        return Bars(seen.start, left, right, columns.families[seen])
    edges = view.start + np.arange(int(view.width) + 1) * view.ns_per_pixel
    if count > BLOCK * view.width:
        before = _sums_by_block(columns, edges)
    else:
        before = _sums_by_span(columns, seen, edges)
    times = np.diff(before, axis=0)
    busy = np.clip(times.sum(axis=1) / view.ns_per_pixel, 0, 1)
    return PixelColumns(times.argmax(axis=1).astype(np.int8), busy, count / view.width)


def runs(family: NDArray, height: NDArray) -> tuple[NDArray, NDArray]:
    """First and last (exclusive) index of each run of columns that look the same."""
    changes = np.flatnonzero((np.diff(family) != 0) | (np.diff(height) != 0)) + 1
    bounds = np.concatenate([[0], changes, [len(family)]])
    return bounds[:-1], bounds[1:]


def _by_family(lengths: NDArray, families: NDArray) -> NDArray:
    """`lengths` in the column of their family, zeros elsewhere."""
    spread = np.zeros((len(lengths), len(FAMILIES)), np.int64)
    spread[np.arange(len(lengths)), families] = lengths
    return spread


def _sums_by_span(columns: LaneColumns, seen: slice, edges: NDArray) -> NDArray:
    """Time of each family before each edge, exactly."""
    starts, ends, families = columns.starts[seen], columns.ends[seen], columns.families[seen]
    sums = np.zeros((len(starts) + 1, len(FAMILIES)))
    np.cumsum(_by_family(ends - starts, families), axis=0, out=sums[1:])
    begun = np.searchsorted(starts, edges, "right")
    before = sums[begun]
    last = np.maximum(begun - 1, 0)
    beyond = np.where(begun > 0, np.maximum(ends[last] - edges, 0), 0)
    before[np.arange(len(edges)), families[last]] -= beyond
    return before


def _sums_by_block(columns: LaneColumns, edges: NDArray) -> NDArray:
    """Time of each family before each edge, as if it were spread evenly within its block."""
    times = np.append(columns.block_starts, columns.ends[len(columns) // BLOCK * BLOCK - 1])
    sums = columns.block_sums
    return np.stack([np.interp(edges, times, sums[:, f]) for f in range(len(FAMILIES))], axis=1)
