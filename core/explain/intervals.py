"""Set operations on intervals of time, as sorted columns of starts and ends in ns."""

from __future__ import annotations

import numpy as np

from core.arrays import Ints
from core.order import stable_argsort

_FIRST = np.iinfo(np.int64).min
_LAST = np.iinfo(np.int64).max


def disjoint(start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Remove the overlaps of n intervals; return the index, start and end of each, in order.

    If two intervals overlap, the first one to start keeps the time. An interval is dropped if
    others cover it completely.
    """
    place = stable_argsort(start)
    ends = end[place]
    reach = np.maximum.accumulate(ends)
    begins = start[place]
    begins[1:] = np.maximum(begins[1:], reach[:-1])
    some = begins < ends
    return place[some], begins[some], ends[some]


def intersect(
    start: Ints, end: Ints, other_from: Ints, other_to: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Intersect n intervals with m others; return the indices of both, start and end of each part.

    Both sets must be sorted and without overlaps.
    """
    own, other = _pairs(start, end, other_from, other_to)
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
    free_from = np.append(_FIRST, reach)
    free_to = np.append(busy_from, _LAST)
    piece, _, begins, ends = intersect(start, end, free_from, free_to)
    return piece, begins, ends


def _pairs(start: Ints, end: Ints, other_from: Ints, other_to: Ints) -> tuple[Ints, Ints]:
    """Return the indices of an interval and another one, for all pairs that may overlap."""
    first = np.searchsorted(other_to, start, "right")
    last = np.searchsorted(other_from, end, "left")
    counts = np.maximum(0, last - first)
    own = np.repeat(np.arange(len(start)), counts)
    # The others of an interval are numbered from its `first`, the pairs from `first_pair`.
    first_pair = np.cumsum(counts) - counts
    shift = first - first_pair
    other = np.arange(len(own)) + shift[own]
    return own, other
