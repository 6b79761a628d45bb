"""Intervals of time as sorted columns: what they cover, share and leave out. All times are ns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.order import stable_argsort

Ints = NDArray[np.int64]
_FIRST, _LAST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def apart(start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Return n intervals without their overlaps, in order: the place of each, and its times.

    Of two that overlap the one that starts first keeps the time; what it covers whole is left out.
    """
    place = stable_argsort(start)
    reach = np.maximum.accumulate(end[place])
    begins = start[place].copy()
    begins[1:] = np.maximum(begins[1:], reach[:-1])
    some = begins < end[place]
    return place[some], begins[some], end[place][some]


def inside_of(
    start: Ints, end: Ints, other_from: Ints, other_to: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return what n intervals share with m others: the interval, the other, and the times.

    All are sorted, and neither the n nor the m overlap among themselves.
    """
    low = np.searchsorted(other_to, start, "right")
    counts = np.maximum(0, np.searchsorted(other_from, end, "left") - low)
    own = np.repeat(np.arange(len(start)), counts)
    # Each part's own count of others, from the first that its interval meets (`low`) on.
    other = np.arange(len(own)) - np.repeat(np.cumsum(counts) - counts, counts) + low[own]
    begins, ends = np.maximum(start[own], other_from[other]), np.minimum(end[own], other_to[other])
    some = begins < ends
    return own[some], other[some], begins[some], ends[some]


def outside_of(start: Ints, end: Ints, busy_from: Ints, busy_to: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the parts of n intervals outside of m others, all sorted: their interval and times.

    The n do not overlap; the m may.
    """
    # The m + 1 stretches that are free: before, between and behind the others. Between two that
    # overlap there is none: it would end before it begins, and falls out below.
    reach = np.maximum.accumulate(busy_to)
    free_from = np.concatenate([[_FIRST], reach])
    free_to = np.concatenate([busy_from, [_LAST]])
    low = np.searchsorted(free_to, start, "right")
    counts = np.maximum(0, np.searchsorted(free_from, end, "left") - low)
    piece = np.repeat(np.arange(len(start)), counts)
    # Each piece's own count of free stretches, from its first one (`low`) on.
    free = np.arange(len(piece)) - np.repeat(np.cumsum(counts) - counts, counts) + low[piece]
    begins, ends = np.maximum(start[piece], free_from[free]), np.minimum(end[piece], free_to[free])
    some = begins < ends
    return piece[some], begins[some], ends[some]
