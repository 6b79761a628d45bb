"""Helpers for order: fast stable argsort, keys of rows, groups, occurrence numbers, samples."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_Item = TypeVar("_Item")


def evenly(items: Sequence[_Item], most: int) -> list[_Item]:
    """Return at most `most` of the items, evenly spaced from the first to the last."""
    count = min(len(items), most)
    places = np.linspace(0, len(items) - 1, count).astype(int)
    return [items[place] for place in places.tolist()]


def stable_argsort(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return the same as `np.argsort(keys, kind="stable")` for n integers, often ten times faster.

    NumPy sorts 16-bit numbers by radix and wider ones by merging. Lanes, kinds and most groups
    have few enough values to fit into 16 bits.
    """
    if len(keys):
        least = keys.min()
        if int(keys.max()) - int(least) <= np.iinfo(np.uint16).max:
            keys = (keys - least).astype(np.uint16)
    return np.argsort(keys, kind="stable")


def row_keys(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """Return a key for each of n rows of integers; rows that are equal in all columns share one.

    Keys have the lexicographic order of the rows. The values of a column must span at most 32
    bits. If the columns together exceed 63 bits, the keys so far are compressed.
    """
    keys = np.zeros(len(columns[0]), np.int64)
    room = 1
    if not len(keys):
        return keys
    for column in columns:
        least = int(column.min())
        width = int(column.max()) - least + 1
        if room * width > np.iinfo(np.int64).max:
            # There are no more different keys than rows, so consecutive numbers have room.
            keys = np.unique(keys, return_inverse=True)[1]
            room = len(keys)
        keys = keys * width + (column.astype(np.int64) - least)
        room *= width
    return keys


def groups(keys: NDArray[Any], within: NDArray[np.int64] | None = None) -> list[NDArray[np.int64]]:
    """Return the positions of each distinct value of n integers, smallest value first.

    With `within`, only these positions are grouped. The positions of a value keep their order.
    """
    mine = keys if within is None else keys[within]
    order = stable_argsort(mine)
    arranged = mine[order]
    places = order if within is None else within[order]
    firsts = np.flatnonzero(arranged[1:] != arranged[:-1]) + 1
    ends = [0, *firsts.tolist(), len(mine)] if len(mine) else []
    return [places[first:last] for first, last in pairwise(ends)]


def turns(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return the occurrence number, from 0, of each of n integers among equal ones.

    pandas calls this cumcount.
    """
    order = stable_argsort(keys)
    arranged = keys[order]
    is_first = np.r_[True, arranged[1:] != arranged[:-1]]
    # The slice makes this empty if there are no keys.
    begins = np.flatnonzero(is_first[: len(keys)])
    lengths = np.diff(begins, append=len(keys))
    turn = np.empty(len(keys), np.int64)
    turn[order] = np.arange(len(keys)) - np.repeat(begins, lengths)
    return turn
