"""Cuts slight overlaps of events on one row, which are measurement errors.

Profilers take the end of an event and the start of the next one from different clocks or from a
coarse clock, so that the two may overlap slightly. A row shows only one event at a time: the other
would move to a row of nested calls, and its time would not count.
"""

from __future__ import annotations

import numpy as np

from core.arrays import Ints

SLIGHT_SHARE = 100
"""An overlap is slight if it is shorter than the shorter event divided by this."""


def cut_slight_overlaps(start: Ints, end: Ints) -> Ints:
    """Return the ends in ns of one row's n events, earlier where a slight overlap is cut.

    Events are sorted by start; of two with the same start, the longer is first. An event is cut at
    the start of an event that ends later, if their overlap is slight. Other overlaps are kept.
    """
    if len(start) < 2:
        return end
    latest = np.maximum.accumulate(end)
    latest_before = latest[:-1]
    is_partial = start[1:] < latest_before
    is_partial &= end[1:] > latest_before
    if not is_partial.any():
        return end
    # For each event, the last-ending of the events up to it.
    positions = np.arange(len(end))
    is_latest = end == latest
    latest_position = np.where(is_latest, positions, 0)
    last_to_end = np.maximum.accumulate(latest_position)
    later = np.flatnonzero(is_partial) + 1
    earlier = last_to_end[later - 1]
    length = end - start
    shorter = np.minimum(length[earlier], length[later])
    overlap = end[earlier] - start[later]
    is_slight = overlap < shorter / SLIGHT_SHARE
    cuts = later[is_slight]
    if not len(cuts):
        return end
    # The next cut limits each event before it. Calls inside a cut event lose the same time.
    following = np.searchsorted(cuts, positions, "right")
    never = np.iinfo(np.int64).max
    limits = np.append(start[cuts], never)
    limit = limits[following]
    excess = end - limit
    # An event that ends after the one at the cut encloses it, and is not cut.
    ends_at_cuts = np.append(end[cuts], 0)
    is_cut = excess > 0
    is_cut &= excess < length / SLIGHT_SHARE
    is_cut &= end < ends_at_cuts[following]
    result: Ints = np.where(is_cut, limit, end)
    return result
