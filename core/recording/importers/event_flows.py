"""Arrows of a file in the Trace Event Format: from one event to another that waited for it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.recording.importers.event_numbers import LATEST_US, Scalar, to_float, to_nanoseconds
from core.recording.importers.trace_events import TraceEvent, TraceEvents
from core.recording.index import Progress, watched
from core.trace.import_issue import ImportIssue

MOST_CANDIDATES = 64
"""Largest number of calls that are tried to find the one at the end of an arrow."""
_PHASES = "stf"  # begin, step, end


@dataclass(frozen=True, slots=True)
class _EventsByThread:
    """The n events of a file in the order of threads and starts; times are ns, shape (n,).

    `order` has the position of each event in the file. The events of thread t are those from
    `firsts[t]` up to `firsts[t + 1]`.
    """

    order: Ints
    start: Ints
    end: Ints
    firsts: list[int]

    @classmethod
    def of(
        cls, events: TraceEvents, thread: NDArray[np.int32], start: Ints, end: Ints
    ) -> _EventsByThread:
        """Sort the events of a file."""
        # Of two events that start together, the longer is first, so that the inner one follows it.
        order = np.lexsort((-end, start, thread))
        sorted_thread = thread[order]
        threads = np.arange(len(events.threads) + 1)
        firsts = np.searchsorted(sorted_thread, threads)
        return cls(
            order=order,
            start=start[order],
            end=end[order],
            firsts=firsts.tolist(),
        )

    def innermost(self, thread: int | None, micros: float) -> int | None:
        """Return the place of a thread's innermost event at a time in microseconds, or None."""
        if thread is None or not abs(micros) < LATEST_US:
            return None
        first = self.firsts[thread]
        stop = self.firsts[thread + 1]
        [nanoseconds] = to_nanoseconds(np.array([micros]))
        moment = int(nanoseconds)
        starts = self.start[first:stop]
        begun = int(np.searchsorted(starts, moment, "right"))
        last = first + begun - 1
        # The call that encloses the moment may be followed by any number of calls that have ended.
        before_first = max(first - 1, last - MOST_CANDIDATES)
        for place in range(last, before_first, -1):
            if self.end[place] >= moment:
                return place
        return None


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
    by_thread = _EventsByThread.of(events, thread, start, end)
    open_flows: dict[tuple[Scalar, ...], int] = {}
    links: list[tuple[int, int]] = []
    flows = sorted(flows, key=_flow_order)
    for event in watched(flows, progress):
        key = (event.cat, event.name, event.id)
        own_thread = events.threads.get((event.pid, event.tid))
        time = to_float(event.ts)
        place = by_thread.innermost(own_thread, time)
        is_begin = event.ph == "s"
        before = None
        if not is_begin:
            before = open_flows.pop(key, None)
        is_orphan = before is None and not is_begin
        if place is None or is_orphan:
            events.issues[ImportIssue.ORPHAN_FLOW] += 1
            continue
        # An arrow from a call to itself is not a dependency.
        if before is not None and before != place:
            links.append((before, place))
        if event.ph != "f":
            open_flows[key] = place
    events.issues[ImportIssue.ORPHAN_FLOW] += len(open_flows)
    # Without links, the array would have one dimension.
    sorted_places = np.array(links, np.int64).reshape(-1, 2)
    return by_thread.order[sorted_places]


def _flow_order(event: TraceEvent) -> tuple[float, int]:
    """Return the sort key of an arrow's end: at one time, begins precede ends."""
    return to_float(event.ts), _PHASES.index(event.ph)


def count_incomplete_flows(events: TraceEvents) -> int:
    """Return the number of arrows without a begin or without an end."""
    begun = {(event.cat, event.id) for event in events.flows if event.ph == "s"}
    ended = {(event.cat, event.id) for event in events.flows if event.ph != "s"}
    incomplete = begun ^ ended
    return len(incomplete)
