"""Arrows of a file in the Trace Event Format: from one event to another that waited for it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.recording.importers.event_numbers import LATEST_US, Scalar, to_float, to_nanoseconds
from core.recording.importers.trace_events import TraceEvent, TraceEvents
from core.recording.index import Progress, watched
from core.trace.import_issue import ImportIssue

MOST_CANDIDATES = 64
"""Largest number of calls that are tried for the end of an arrow."""
_PHASES = "stf"  # begin, step, end


def links_of_flows(
    events: TraceEvents,
    thread: NDArray[np.int32],
    start: Ints,
    end: Ints,
    progress: Progress | None = None,
    categories: Collection[str] | None = None,
) -> Ints:
    """Return pairs of events for arrows, shape (k, 2): the innermost events at both ends.

    If there are `categories`, other arrows are ignored. Raises Cancelled if `progress` returns
    False.
    """
    flows = events.flows
    if categories is not None:
        flows = [event for event in flows if event.cat in categories]
    if not flows:
        return np.empty((0, 2), np.int64)
    # Of two events that start together, the longer is first, so that the inner one follows it.
    order = np.lexsort((-end, start, thread))
    threads = np.arange(len(events.threads) + 1)
    sorted_thread = thread[order]
    firsts = np.searchsorted(sorted_thread, threads).tolist()
    start = start[order]
    end = end[order]
    open_flows: dict[tuple[Scalar, ...], int] = {}
    links: list[tuple[int, int]] = []
    for event in watched(sorted(flows, key=_flow_order), progress):
        key = (event.cat, event.name, event.id)
        code = events.threads.get((event.pid, event.tid))
        candidates = range(0)
        if code is not None:
            candidates = range(firsts[code], firsts[code + 1])
        time = to_float(event.ts)
        place = _innermost(start, end, candidates, time)
        is_begin = event.ph == "s"
        before = None
        if not is_begin:
            before = open_flows.pop(key, None)
        if place is None or (before is None and not is_begin):
            events.issues[ImportIssue.ORPHAN_FLOW] += 1
            continue
        # An arrow from a call to itself is no dependency.
        if before is not None and before != place:
            links.append((before, place))
        if event.ph != "f":
            open_flows[key] = place
    events.issues[ImportIssue.ORPHAN_FLOW] += len(open_flows)
    # Reshape, in case of no links.
    sorted_places = np.array(links, np.int64).reshape(-1, 2)
    return order[sorted_places]


def _flow_order(event: TraceEvent) -> tuple[float, int]:
    """Return the sort key of an arrow's end: at one time, begins precede ends."""
    return to_float(event.ts), _PHASES.index(event.ph)


def _innermost(start: Ints, end: Ints, events: range, micros: float) -> int | None:
    """Return the innermost event at a time in microseconds, or None.

    `events` are the positions of a thread's events, which are sorted by start.
    """
    if not abs(micros) < LATEST_US:
        return None
    [nanoseconds] = to_nanoseconds(np.array([micros]))
    moment = int(nanoseconds)
    starts = start[events.start : events.stop]
    begun = int(np.searchsorted(starts, moment, "right"))
    last = events.start + begun - 1
    # Any number of calls that have ended may be between it and the call that encloses the moment.
    stop = max(events.start - 1, last - MOST_CANDIDATES)
    for place in range(last, stop, -1):
        if end[place] >= moment:
            return place
    return None


def count_incomplete_flows(events: TraceEvents) -> int:
    """Return the number of arrows without a begin or without an end."""
    begun = {(event.cat, event.id) for event in events.flows if event.ph == "s"}
    ended = {(event.cat, event.id) for event in events.flows if event.ph != "s"}
    return len(begun ^ ended)
