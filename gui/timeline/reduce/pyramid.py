"""Columns with coarser ones above them, from which wide views of many entries are drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.columns import GrowingArray

FACTOR = 8  # entries of a level that one of the next coarser level stands for


LEVELS = 4


Summary = Callable[[NDArray[Any]], NDArray[Any]]
"""One for each FACTOR of some values, or for what is left of them at the end."""


def first_of(values: NDArray[Any]) -> NDArray[Any]:
    """The first of each FACTOR values."""
    return values[::FACTOR]


def largest_of(values: NDArray[Any]) -> NDArray[Any]:
    """The largest of each FACTOR values."""
    return np.maximum.reduceat(values, np.arange(0, len(values), FACTOR))


def smallest_of(values: NDArray[Any]) -> NDArray[Any]:
    """The smallest of each FACTOR values."""
    return np.minimum.reduceat(values, np.arange(0, len(values), FACTOR))


class Pyramid:
    """LEVELS columns, 0 being the finest; the last entry of a coarser one may still be filling.

    An entry is a number or, where `width` is given, a row of so many.
    """

    def __init__(self, finest: GrowingArray, summary: Summary, width: int = 0) -> None:
        dtype = finest.view.dtype
        self._columns = [finest, *(GrowingArray(dtype, 0) for _ in range(1, LEVELS))]
        self._summary, self._width = summary, width
        self._sum_up(0)

    def __getitem__(self, level: int) -> NDArray[Any]:
        view = self._columns[level].view
        return view.reshape(-1, self._width) if self._width else view

    def __len__(self) -> int:
        return len(self[0])

    @property
    def nbytes(self) -> int:
        """Bytes of all levels."""
        return sum(column.view.nbytes for column in self._columns)

    def extend(self, values: NDArray[Any]) -> None:
        """Append entries."""
        self.replace(len(self), values)

    def replace(self, since: int, values: NDArray[Any]) -> None:
        """Put `values` where the entry at `since` stood, instead of all from there on."""
        self._columns[0].cut(since * max(1, self._width))
        self._columns[0].extend(values.reshape(-1))
        self._sum_up(since)

    def _sum_up(self, since: int) -> None:
        """Bring the coarser levels up to date with what changed from an entry on."""
        for level, column in enumerate(self._columns[1:], 1):
            # An entry that was still filling when it was summed up last is made again, and all
            # behind it.
            since = min(since // FACTOR, len(self[level]))
            column.cut(since * max(1, self._width))
            fresh = self[level - 1][since * FACTOR :]
            if len(fresh):
                column.extend(self._summary(fresh).reshape(-1))
