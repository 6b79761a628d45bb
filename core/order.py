"""Integer helpers: fast stable argsort, composite keys of rows, running count per key."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


def stable_argsort(keys: NDArray[Any]) -> NDArray[np.int64]:
    """What `np.argsort(keys, kind="stable")` gives for n integers.

    Numbers of 16 bits NumPy sorts digit by digit, others by merging, which takes ten times as long.
    Lanes, kinds and most groups are so few that their numbers fit.
    """
    if len(keys):
        least = keys.min()
        if int(keys.max()) - int(least) <= np.iinfo(np.uint16).max:
            keys = (keys - least).astype(np.uint16)
    return np.argsort(keys, kind="stable")


def row_keys(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """A number for each of n rows of integers: the same for those that are alike in all columns.

    Rows of a larger number come later in the columns' own order. No column may reach over more than
    32 bits; where several together leave no room in 63, the numbers so far are made smaller.
    """
    keys, room = np.zeros(len(columns[0]), np.int64), 1
    for column in columns if len(keys) else ():
        least = int(column.min())
        width = int(column.max()) - least + 1
        # As many numbers are enough as there are different rows so far.
        if room * width > np.iinfo(np.int64).max:
            keys = np.unique(keys, return_inverse=True)[1]
            room = len(keys)
        keys, room = keys * width + (column.astype(np.int64) - least), room * width
    return keys


def groups(keys: NDArray[Any], within: NDArray[np.int64] | None = None) -> list[NDArray[np.int64]]:
    """Where each of n integers stands, smallest first; of the places `within` alone, if given.

    The places of a number keep their order.
    """
    mine = keys if within is None else keys[within]
    order = stable_argsort(mine)
    arranged = mine[order]
    places = order if within is None else within[order]
    firsts = np.flatnonzero(arranged[1:] != arranged[:-1]) + 1
    ends = [0, *firsts.tolist(), len(mine)] if len(mine) else []
    return [places[first:last] for first, last in pairwise(ends)]


def turns(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Occurrence number of each of n integers among equal ones, from 0 (cumcount in pandas)."""
    order = stable_argsort(keys)
    arranged = keys[order]
    # The slice is for no keys at all, which begin nowhere.
    begins = np.flatnonzero(np.r_[True, arranged[1:] != arranged[:-1]][: len(keys)])
    turn = np.empty(len(keys), np.int64)
    turn[order] = np.arange(len(keys)) - np.repeat(begins, np.diff(begins, append=len(keys)))
    return turn
