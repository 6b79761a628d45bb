"""Columns that grow as a run goes on: plain ones, and the bounds of its steps."""

from __future__ import annotations

import mmap
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.plan.task import ABSENT as ABSENT  # in every column, also in those of a plan

OWN_MAPPING = 1 << 18
"""Bytes from which on a growing column has a mapping of its own."""
MOST_SPARE = 1 << 28
"""Bytes that such a column asks for beyond half as much again: a system may refuse too many."""


def places(
    column: NDArray[Any], values: ArrayLike, side: Literal["left", "right"] = "left"
) -> NDArray[np.intp]:
    """Where `values` belong in a sorted column.

    np.searchsorted would convert the whole column, however long, if the values had another type.
    """
    found: NDArray[np.intp] = column.searchsorted(np.asarray(values, column.dtype), side)
    return found


class Column:
    """A NumPy array that grows at its end; `view` is what has been filled."""

    def __init__(self, dtype: np.dtype[Any] | type, capacity: int = 64) -> None:
        self._data = np.empty(capacity, dtype)
        self._size = 0

    @classmethod
    def of(cls, values: NDArray[Any]) -> Column:
        """A column that is full of `values`, which are not copied until it grows."""
        column = cls(values.dtype, 0)
        column._data, column._size = values, len(values)
        return column

    @classmethod
    def over(cls, room: NDArray[Any]) -> Column:
        """An empty column that fills `room` before it takes memory of its own."""
        column = cls(room.dtype, 0)
        column._data = room
        return column

    def __len__(self) -> int:
        return self._size

    @property
    def view(self) -> NDArray[Any]:
        """The filled part; a later `extend` may leave this view behind."""
        return self._data[: self._size]

    def extend(self, values: NDArray[Any]) -> None:
        """Append `values`, growing when full: by half as much again, large ones eightfold."""
        if not len(values):
            return  # there may be no room to write nothing to: a mapped file is read only
        needed = self._size + len(values)
        if needed > len(self._data):
            grown = _room(needed, len(self._data), self._data.dtype)
            grown[: self._size] = self.view
            self._data = grown
        self._data[self._size : needed] = values
        self._size = needed

    def cut(self, size: int) -> None:
        """Keep only the first `size` values."""
        self._size = min(size, self._size)


def _room(needed: int, known: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array with room for `needed` values or more, in place of one that has room for `known`.

    A large one is a mapping of its own. What is not filled of it costs nothing, so that it seldom
    has to grow; and what it leaves then goes back to the system, where malloc would keep a hole.
    """
    size = max(needed, known * 3 // 2)
    if size * dtype.itemsize < OWN_MAPPING:
        return np.empty(size, dtype)
    size = max(size, min(known * 8, known + MOST_SPARE // dtype.itemsize))
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return np.frombuffer(mmap.mmap(-1, size * dtype.itemsize, flags), dtype)


class StepBounds:
    """First start and last end of every step, by its number, in ns."""

    def __init__(self) -> None:
        self._columns = (Column(np.int32), Column(np.int64), Column(np.int64))
        self._bounds = (0, 0)

    @classmethod
    def of(
        cls, numbers: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64],
        *, bounds: tuple[int, int] = (0, 0),
    ) -> StepBounds:  # fmt: skip
        """The bounds of steps in order of their numbers, not copied until more are added.

        `bounds` are those of spans that belong to no step, where there are no others.
        """
        table = cls()
        table._bounds = bounds
        table._columns = (Column.of(numbers), Column.of(starts), Column.of(ends))
        if len(numbers):
            table._bounds = (int(starts.min()), int(ends.max()))
        return table

    def __len__(self) -> int:
        return len(self._columns[0])

    @property
    def numbers(self) -> NDArray[np.int32]:
        """Steps of which there is a span, in order."""
        return self._columns[0].view

    @property
    def starts(self) -> NDArray[np.int64]:
        """First start of each step."""
        return self._columns[1].view

    @property
    def ends(self) -> NDArray[np.int64]:
        """Last end of each step."""
        return self._columns[2].view

    @property
    def bounds(self) -> tuple[int, int]:
        """First start and last end of all; (0, 0) if there is nothing."""
        return self._bounds

    def find(self, step: int) -> tuple[int, int]:
        """Bounds of one step. Raises KeyError if it has no span."""
        at = int(places(self.numbers, step))
        if at == len(self) or self.numbers[at] != step:
            raise KeyError(step)
        return int(self.starts[at]), int(self.ends[at])

    def widen(
        self, steps: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> None:
        """Take in n spans, given by their step and times."""
        if not len(steps):
            return
        first, last = int(starts.min()), int(ends.max())
        known = self._bounds if len(self) else (first, last)
        self._bounds = (min(known[0], first), max(known[1], last))
        numbers, which = np.unique(steps, return_inverse=True)
        self._make_room(numbers)
        at = places(self.numbers, numbers)[which]
        np.minimum.at(self.starts, at, starts)
        np.maximum.at(self.ends, at, ends)

    def _make_room(self, numbers: NDArray[np.int32]) -> None:
        fresh = numbers
        if len(self):
            near = np.minimum(places(self.numbers, numbers), len(self) - 1)
            fresh = numbers[self.numbers[near] != numbers]
        if not len(fresh):
            return
        limits = np.iinfo(np.int64)
        empty = (fresh, np.full(len(fresh), limits.max), np.full(len(fresh), limits.min))
        if not len(self) or fresh[0] > self.numbers[-1]:
            for column, values in zip(self._columns, empty, strict=True):
                column.extend(values)
            return
        at = places(self.numbers, fresh)
        self._columns = (
            Column.of(np.insert(self.numbers, at, empty[0])),
            Column.of(np.insert(self.starts, at, empty[1])),
            Column.of(np.insert(self.ends, at, empty[2])),
        )
