"""A counter of an imported trace over time, reduced to pixels. NumPy only."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.trace.columns import GrowingArray
from core.trace.event_rows import Counter
from gui.timeline.layout.frame import Viewport
from gui.timeline.reduce.pyramid import (
    FACTOR,
    LEVELS,
    Pyramid,
    first_of,
    largest_of,
    smallest_of,
)
from gui.timeline.reduce.reduction import pixel_edges

CROWDED = 8.0  # entries of a level that a pixel may have: with more, the next coarser is read


class CounterLine:
    """The values of a counter, each from its time (ns) on, and coarser ones for wide views.

    Values that are no finite number are left out: the one before them holds on.
    """

    def __init__(self, counter: Counter, place: str) -> None:
        known = np.isfinite(counter.values)
        self.name, self.place = counter.name, place
        self.times, self.values = counter.times[known], counter.values[known]
        self._starts = Pyramid(GrowingArray.of(self.times), first_of)
        self._lowest = Pyramid(GrowingArray.of(self.values), smallest_of)
        self._highest = Pyramid(GrowingArray.of(self.values), largest_of)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest value, and 0 if it is below or above both."""
        least, most = self.values.min(initial=0.0), self.values.max(initial=0.0)
        return float(least), float(most)

    def between(self, start: float, end: float) -> tuple[float, float, float] | None:
        """The value at `start` ns, and the least and largest until `end`; None before the first."""
        first, last = (int(self.times.searchsorted(math.floor(at), "right")) for at in (start, end))
        if not first:
            return None
        some = self.values[first - 1 : max(first, last)]
        return float(some[0]), float(some.min()), float(some.max())

    def reduced(self, view: Viewport, end: float) -> NDArray[np.float64]:
        """The least and the largest value in each pixel until `end` ns; NaN where there is none.

        Shape (2, pixels). A peak shows however short it is.
        """
        nothing = np.full((2, int(view.width)), np.nan)
        if not len(self):
            return nothing
        seen = np.diff(self.times.searchsorted(np.floor([view.start, view.end]).astype(np.int64)))
        level = 0
        while level + 1 < LEVELS and seen[0] > CROWDED * view.width * FACTOR**level:
            level += 1
        edges, moments = pixel_edges(view)
        # The entry in force at each edge between pixels.
        entry = self._starts[level].searchsorted(moments, "right") - 1
        first, last = np.maximum(entry[:-1], 0), np.maximum(entry[1:], 0)
        found = [
            _extremes(extreme, values[level], first, last)
            for extreme, values in ((np.minimum, self._lowest), (np.maximum, self._highest))
        ]
        empty = (entry[1:] < 0) | (edges[:-1] >= end)
        return np.where(empty, nothing, np.stack(found))


def _extremes(
    extreme: np.ufunc,
    values: NDArray[np.float64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The extreme of values[first[i]] to values[last[i]], both included, for each i."""
    # reduceat takes the values from each first one to the next first one; the last is without end.
    inside = extreme.reduceat(values[: last[-1] + 1], first)
    found: NDArray[np.float64] = extreme(inside, values[last])
    return found
