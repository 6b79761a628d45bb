"""Columns with coarser levels, for drawing wide views of many entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.columns import GrowingArray

FACTOR = 8  # entries of a level that are combined into one entry of the next
LEVELS = 4
CROWDED = 8.0  # entries of a level per pixel; if there are more, the next coarser level is read

Summary = Callable[[NDArray[Any]], NDArray[Any]]
"""Function that returns one value for each FACTOR values; the last one may be for fewer."""


def level_for(count: float, most: float) -> int:
    """Return the finest level that has at most `most` entries for `count` of level 0, or the last.

    Levels are counted from 0, the finest.
    """
    for level in range(LEVELS - 1):
        covered = most * FACTOR**level
        if count <= covered:
            return level
    return LEVELS - 1


def first_of(values: NDArray[Any]) -> NDArray[Any]:
    """Return the first of each FACTOR values."""
    return values[::FACTOR]


def largest_of(values: NDArray[Any]) -> NDArray[Any]:
    """Return the largest of each FACTOR values."""
    begins = np.arange(0, len(values), FACTOR)
    return np.maximum.reduceat(values, begins)


def smallest_of(values: NDArray[Any]) -> NDArray[Any]:
    """Return the smallest of each FACTOR values."""
    begins = np.arange(0, len(values), FACTOR)
    return np.minimum.reduceat(values, begins)


class Pyramid:
    """A column in LEVELS resolutions. Level 0 is the finest.

    The last entry of a coarser level may be for fewer than FACTOR entries. An entry is a number or,
    if `width` is given, a row of `width` numbers.
    """

    def __init__(self, finest: GrowingArray, summary: Summary, width: int = 0) -> None:
        dtype = finest.view.dtype
        coarser = [GrowingArray(dtype, 0) for _ in range(1, LEVELS)]
        self._columns = [finest, *coarser]
        self._summary = summary
        self._width = width
        self._sum_up(0)

    def __getitem__(self, level: int) -> NDArray[Any]:
        view = self._columns[level].view
        if self._width:
            return view.reshape(-1, self._width)
        return view

    def __len__(self) -> int:
        return len(self[0])

    @property
    def nbytes(self) -> int:
        """Total size of all levels, in bytes."""
        return sum(column.view.nbytes for column in self._columns)

    def extend(self, values: NDArray[Any]) -> None:
        """Append entries."""
        self.replace(len(self), values)

    def replace(self, since: int, values: NDArray[Any]) -> None:
        """Replace all entries from `since` on with `values`."""
        finest = self._columns[0]
        finest.cut(since * max(1, self._width))
        finest.extend(values.reshape(-1))
        self._sum_up(since)

    def _sum_up(self, since: int) -> None:
        """Update the coarser levels from a changed entry on."""
        for level, column in enumerate(self._columns[1:], 1):
            # Recompute the entry with the first change, and all entries after it.
            since = min(since // FACTOR, len(self[level]))
            column.cut(since * max(1, self._width))
            finer = self[level - 1]
            fresh = finer[since * FACTOR :]
            if len(fresh):
                summed = self._summary(fresh)
                column.extend(summed.reshape(-1))
