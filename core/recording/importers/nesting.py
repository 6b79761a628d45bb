"""Depths of nested calls on one row, so that calls of one depth do not overlap."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from core.arrays import Ints
from core.message import N_, message
from core.order import stable_argsort
from core.recording.importers.imported_events import MOST_IMPORTED_LANES
from core.recording.index import Progress, watched

TOO_MANY_LANES = N_("its threads and nested calls need more than {most:,} lanes")


def depths(start: Ints, end: Ints, progress: Progress | None = None) -> tuple[Ints, int]:
    """Return the depth of each of a row's events, and the number of events that do not nest.

    Events are sorted by start; of two with the same start, the longer is first. If events nest,
    the depth is the number of events that enclose them. Events of one depth never overlap. Raises
    Cancelled if `progress` returns False, and ValueError for too many depths.
    """
    order = np.arange(len(start))
    ended = np.searchsorted(np.sort(end), start, "right")
    # An event is enclosed by all earlier events that have not ended. An event without a length has
    # ended at its own start, and must not count itself.
    depth = order - np.minimum(ended, order)
    overlapping = _count_overlapping(depth, start, end)
    # Events without a length end at their start, so the depths of those after them may be wrong.
    if (end == start).any() or not _is_apart(depth, start, end):
        return _first_free_depths(start, end, progress), overlapping
    return depth, overlapping


def _count_overlapping(depth: Ints, start: Ints, end: Ints) -> int:
    """Return the number of events that start within an earlier event and end after it."""
    if not depth.any():
        return 0
    # Each event is compared with the one that ends last of those before it. This is exact if all
    # others nest; otherwise, only events that end after all earlier ones are counted.
    latest = np.maximum.accumulate(end)
    latest_before = latest[:-1]
    starts_within = start[1:] < latest_before
    ends_after = end[1:] > latest_before
    return int((starts_within & ends_after).sum())


def _is_apart(depth: Ints, start: Ints, end: Ints) -> bool:
    """Return True if no two events of one depth overlap."""
    order = stable_argsort(depth)
    depth = depth[order]
    start = start[order]
    end = end[order]
    is_same_depth = depth[1:] == depth[:-1]
    overlaps = start[1:] < end[:-1]
    return not bool(overlaps[is_same_depth].any())


def _first_free_depths(start: Ints, end: Ints, progress: Progress | None) -> Ints:
    """Return for each event in turn the first depth at which all earlier events have ended.

    Raises ValueError when there are more depths than lanes.
    """
    found: list[int] = []
    free: list[int] = []  # heap of the depths without a running event
    busy: list[tuple[int, int]] = []  # heap of the ends and depths of running events
    times = zip(start.tolist(), end.tolist(), strict=True)
    for begin, last in watched(times, progress):
        # An event that ends now makes room: events that touch do not overlap.
        while busy and busy[0][0] <= begin:
            heappush(free, heappop(busy)[1])
        depth = heappop(free) if free else len(busy)
        if depth > MOST_IMPORTED_LANES:
            raise ValueError(message(TOO_MANY_LANES, most=MOST_IMPORTED_LANES))
        heappush(busy, (last, depth))
        found.append(depth)
    return np.array(found, np.int64)
