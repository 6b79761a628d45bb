"""Counters of an imported trace over time, reduced to pixels. NumPy only."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Floats, Ints
from core.trace.columns import GrowingArray
from core.trace.event_rows import Counter
from gui.timeline.layout.frame import Viewport
from gui.timeline.reduce.pyramid import (
    CROWDED,
    Pyramid,
    first_of,
    largest_of,
    level_for,
    smallest_of,
)
from gui.timeline.reduce.reduction import constant_pixels, pixel_edges


class CounterLine:
    """A counter's values, each valid from its time (ns) on, and coarser levels for wide views.

    Values that are not finite are left out: the value before them stays valid.
    """

    def __init__(self, counter: Counter, place: str) -> None:
        known = np.isfinite(counter.values)
        self.name = counter.name
        self.place = place
        self.times = counter.times[known]
        self.values = counter.values[known]
        self._starts = Pyramid(GrowingArray.of(self.times), first_of)
        self._lowest = Pyramid(GrowingArray.of(self.values), smallest_of)
        self._highest = Pyramid(GrowingArray.of(self.values), largest_of)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest value, extended to include 0."""
        least = self.values.min(initial=0.0)
        most = self.values.max(initial=0.0)
        return float(least), float(most)

    def between(self, start: float, end: float) -> tuple[float, float, float] | None:
        """Return the value at `start` ns, and the least and the largest value until `end` ns.

        Returns None if `start` is before the first value.
        """
        first = int(self.times.searchsorted(math.floor(start), "right"))
        last = int(self.times.searchsorted(math.floor(end), "right"))
        if not first:
            return None
        values = self.values[first - 1 : max(first, last)]
        at_start = float(values[0])
        least = float(values.min())
        most = float(values.max())
        return at_start, least, most

    def reduced(self, view: Viewport, end: float) -> Floats:
        """Return the least and the largest value in each pixel until `end` ns; NaN without values.

        The result has shape (2, pixels). Short peaks remain visible.
        """
        nothing = np.full((2, int(view.width)), np.nan)
        if not len(self):
            return nothing
        bounds = np.floor([view.start, view.end]).astype(np.int64)
        first_seen, last_seen = self.times.searchsorted(bounds)
        seen = last_seen - first_seen
        level = level_for(seen, CROWDED * view.width)
        edges, moments = pixel_edges(view)
        # The entry that is valid at each edge between pixels.
        entry = self._starts[level].searchsorted(moments, "right") - 1
        first = np.maximum(entry[:-1], 0)
        last = np.maximum(entry[1:], 0)
        lowest = _extremes(np.minimum, self._lowest[level], first, last)
        highest = _extremes(np.maximum, self._highest[level], first, last)
        if level:
            # A block of values may contain a pause, through which its extremes are not valid.
            in_one_block = np.flatnonzero(first == last)
            pixels, entries = constant_pixels(self.times, moments, in_one_block)
            lowest[pixels] = highest[pixels] = self.values[entries]
        is_before_first = entry[1:] < 0
        is_after_end = edges[:-1] >= end
        empty = is_before_first | is_after_end
        return np.where(empty, nothing, np.stack([lowest, highest]))


def _extremes(
    extreme: np.ufunc,
    values: Floats,
    first: Ints,
    last: Ints,
) -> Floats:
    """Return the extreme of values[first[i]] to values[last[i]], both included, for each i."""
    # reduceat takes the values between consecutive elements of `first`; the last range is open.
    end = last[-1] + 1
    inside = extreme.reduceat(values[:end], first)
    found: Floats = extreme(inside, values[last])
    return found
