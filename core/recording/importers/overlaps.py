"""Slight overlaps of events on one row, which clocks make: they are cut, or work would look nested.

Profilers stamp the end of an event and the start of the next one with different clocks or a coarse
one, so that the two overlap by a moment. As the row can show only one of them at a time, the other
would move to a row of nested calls, and its time would count for nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
SLIGHT = 100
"""An overlap is slight if it is less than the shorter event divided by this."""


def cut_slightly(start: Ints, end: Ints) -> Ints:
    """The ends in ns of one row's n events, earlier where the next event had begun a moment before.

    Events are sorted by start, of two that start together the longer first. An event is cut where
    one begins that outlasts it, if the overlap is slight. Others overlap as before.
    """
    if len(start) < 2:
        return end
    latest = np.maximum.accumulate(end)
    is_partial = (start[1:] < latest[:-1]) & (end[1:] > latest[:-1])
    if not is_partial.any():
        return end
    # Of the events so far the one that ends last, for each event.
    reaches = end == latest
    last_to_end = np.maximum.accumulate(np.where(reaches, np.arange(len(end)), 0))
    later = np.flatnonzero(is_partial) + 1
    earlier = last_to_end[later - 1]
    length = end - start
    shorter = np.minimum(length[earlier], length[later])
    is_slight = end[earlier] - start[later] < shorter / SLIGHT
    cuts = later[is_slight]
    if not len(cuts):
        return end
    # Each event is cut by the next of these; those with calls inside lose as much of these.
    following = np.searchsorted(cuts, np.arange(len(end)), "right")
    limit = np.append(start[cuts], np.iinfo(np.int64).max)[following]
    over = end - limit
    # An event that lasts longer than the one that begins is no earlier neighbour but encloses it.
    outlasted = np.append(end[cuts], 0)[following]
    is_cut = (over > 0) & (over < length / SLIGHT) & (end < outlasted)
    result: Ints = np.where(is_cut, limit, end)
    return result
