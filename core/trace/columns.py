"""What grows at its end: an array, several of one length together, and distinct texts."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

OWN_MAPPING = 1 << 18
"""Bytes from which on a growing column has a mapping of its own."""
MOST_SPARE = 1 << 28
"""Bytes that such a column asks for beyond half as much again: a system may refuse too many."""


def sorted_positions(
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
        """An empty column backed by the array `room` until that is full."""
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
            # The old array stays as it is for whoever has a view of it.
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


Arrays = Mapping[str, NDArray[Any]]
NO_ARRAYS: Arrays = MappingProxyType({})


class Columns:
    """Columns of one length that grow together; a class of them may say which, in DTYPES."""

    DTYPES: ClassVar[Mapping[str, type[np.generic]]] = {}

    def __init__(self, arrays: Arrays = NO_ARRAYS) -> None:
        """Without entries, or with those of `arrays`, which are not copied until more come."""
        full = {name: Column.of(array) for name, array in arrays.items()}
        self._columns = full or {name: Column(dtype) for name, dtype in self.DTYPES.items()}

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    @classmethod
    def over(cls, room: Arrays) -> Columns:
        """Without entries, backed by arrays until these are full."""
        made = cls()
        made._columns = {name: Column.over(array) for name, array in room.items()}
        return made

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What has been filled of each column, by its name."""
        return {name: column.view for name, column in self._columns.items()}

    def extend(self, **arrays: NDArray[Any]) -> None:
        """Append entries: an array for each column."""
        for name, column in self._columns.items():
            column.extend(arrays[name])

    def put(self, name: str, array: NDArray[Any]) -> None:
        """Add a column that has a value for each entry."""
        self._columns[name] = Column.of(array)


class Texts(list[str]):
    """Distinct texts, numbered in the order in which they came."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        super().__init__(texts)
        self._places = {text: place for place, text in enumerate(self)}

    def place(self, text: str) -> int:
        """The number of a text, which is noted if it is new."""
        place = self._places.setdefault(text, len(self))
        if place == len(self):
            self.append(text)
        return place
