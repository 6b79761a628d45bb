"""Set operations on intervals of time, as sorted columns of starts and ends in ns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.order import stable_argsort

Ints = NDArray[np.int64]
_FIRST, _LAST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def disjoint(start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Remove the overlaps of n intervals; return the index, start and end of each, in order.

    If two intervals overlap, the one that starts first keeps the time. An interval that others
    cover completely is dropped.
    """
    place = stable_argsort(start)
    reach = np.maximum.accumulate(end[place])
    begins = start[place].copy()
    begins[1:] = np.maximum(begins[1:], reach[:-1])
    some = begins < end[place]
    return place[some], begins[some], end[place][some]


def intersect(
    start: Ints, end: Ints, other_from: Ints, other_to: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Intersect n intervals with m others; return the indices of both, start and end of each part.

    Both sets must be sorted and without overlaps.
    """
    low = np.searchsorted(other_to, start, "right")
    counts = np.maximum(0, np.searchsorted(other_from, end, "left") - low)
    own = np.repeat(np.arange(len(start)), counts)
    # The others of each interval are numbered from `low`, the first one that it meets.
    first_part = np.repeat(np.cumsum(counts) - counts, counts)
    other = np.arange(len(own)) - first_part + low[own]
    begins = np.maximum(start[own], other_from[other])
    ends = np.minimum(end[own], other_to[other])
    some = begins < ends
    return own[some], other[some], begins[some], ends[some]


def subtract(start: Ints, end: Ints, busy_from: Ints, busy_to: Ints) -> tuple[Ints, Ints, Ints]:
    """Subtract m intervals from n others; return the index, start and end of each remaining part.

    Both sets must be sorted. The n intervals must not overlap; the m may.
    """
    # The m + 1 free intervals before, between and after the m. Between two that overlap, the free
    # interval would end before it begins; it is dropped at the end.
    reach = np.maximum.accumulate(busy_to)
    free_from = np.concatenate([[_FIRST], reach])
    free_to = np.concatenate([busy_from, [_LAST]])
    low = np.searchsorted(free_to, start, "right")
    counts = np.maximum(0, np.searchsorted(free_from, end, "left") - low)
    piece = np.repeat(np.arange(len(start)), counts)
    # The free intervals of each of the n are numbered from `low`, the first one that it meets.
    first_part = np.repeat(np.cumsum(counts) - counts, counts)
    free = np.arange(len(piece)) - first_part + low[piece]
    begins = np.maximum(start[piece], free_from[free])
    ends = np.minimum(end[piece], free_to[free])
    some = begins < ends
    return piece[some], begins[some], ends[some]
