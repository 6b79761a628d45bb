"""Arrays, groups of columns and lists of distinct texts that grow at their ends."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

OWN_MAPPING = 1 << 18
"""Size in bytes from which a growing column has a separate memory mapping."""
MOST_SPARE = 1 << 28
"""The most spare bytes of such a mapping; a system may refuse more."""


def sorted_positions(
    column: NDArray[Any], values: ArrayLike, side: Literal["left", "right"] = "left"
) -> NDArray[np.intp]:
    """Return the positions at which `values` would be inserted in a sorted column.

    Unlike np.searchsorted, converts the values to the column's type, never the whole column.
    """
    found: NDArray[np.intp] = column.searchsorted(np.asarray(values, column.dtype), side)
    return found


class GrowingArray:
    """A NumPy array that grows at its end; `view` is the filled part."""

    def __init__(self, dtype: np.dtype[Any] | type, capacity: int = 64) -> None:
        self._data = np.empty(capacity, dtype)
        self._size = 0

    @classmethod
    def of(cls, values: NDArray[Any]) -> GrowingArray:
        """Return a full array of `values`, which are not copied until it grows."""
        column = cls(values.dtype, 0)
        column._data = values
        column._size = len(values)
        return column

    @classmethod
    def over(cls, room: NDArray[Any]) -> GrowingArray:
        """Return an empty array backed by the array `room` until that is full."""
        column = cls(room.dtype, 0)
        column._data = room
        return column

    def __len__(self) -> int:
        return self._size

    @property
    def view(self) -> NDArray[Any]:
        """The filled part; after an `extend` an earlier view may be of the old array."""
        return self._data[: self._size]

    def extend(self, values: NDArray[Any]) -> None:
        """Append `values`, growing when full: by half as much again, large ones eightfold."""
        if not len(values):
            return  # a read-only mapped file would refuse even an empty write
        needed = self._size + len(values)
        if needed > len(self._data):
            grown = _room(needed, len(self._data), self._data.dtype)
            # Views of the old array stay valid.
            grown[: self._size] = self.view
            self._data = grown
        self._data[self._size : needed] = values
        self._size = needed

    def cut(self, size: int) -> None:
        """Keep only the first `size` values."""
        self._size = min(size, self._size)


def _room(needed: int, known: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return an array for at least `needed` values, to replace one for `known` values.

    A large array is a separate memory mapping. Unused pages of a mapping cost nothing, so it can be
    large and seldom has to grow, and a replaced one is returned to the system at once.
    """
    size = max(needed, known * 3 // 2)
    if size * dtype.itemsize < OWN_MAPPING:
        return np.empty(size, dtype)
    most_spare = MOST_SPARE // dtype.itemsize
    eightfold = min(known * 8, known + most_spare)
    size = max(size, eightfold)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    mapping = mmap.mmap(-1, size * dtype.itemsize, flags)
    return np.frombuffer(mapping, dtype)


Arrays = Mapping[str, NDArray[Any]]
NO_ARRAYS: Arrays = MappingProxyType({})


class Columns:
    """Columns of equal length that grow together; subclasses name theirs in DTYPES."""

    DTYPES: ClassVar[Mapping[str, type[np.generic]]] = {}

    def __init__(self, arrays: Arrays = NO_ARRAYS) -> None:
        """Create columns, empty or with `arrays`, which are not copied until they grow."""
        if arrays:
            self._columns = {name: GrowingArray.of(array) for name, array in arrays.items()}
        else:
            self._columns = {name: GrowingArray(dtype) for name, dtype in self.DTYPES.items()}

    def __len__(self) -> int:
        first = next(iter(self._columns.values()))
        return len(first)

    @classmethod
    def over(cls, room: Arrays) -> Columns:
        """Return empty columns, backed by arrays until these are full."""
        made = cls()
        made._columns = {name: GrowingArray.over(array) for name, array in room.items()}
        return made

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The filled part of each column by name."""
        return {name: column.view for name, column in self._columns.items()}

    def extend(self, **arrays: NDArray[Any]) -> None:
        """Append entries: an array for each column."""
        for name, column in self._columns.items():
            column.extend(arrays[name])

    def put(self, name: str, array: NDArray[Any]) -> None:
        """Add a column that has a value for each entry."""
        self._columns[name] = GrowingArray.of(array)


class Texts(list[str]):
    """Distinct texts, numbered in the order in which they were added."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        super().__init__(texts)
        self._places = {text: place for place, text in enumerate(self)}

    def place(self, text: str) -> int:
        """Return the number of a text, adding it if it is new."""
        place = self._places.setdefault(text, len(self))
        if place == len(self):
            self.append(text)
        return place
