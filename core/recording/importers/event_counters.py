"""Counters of a file in the Trace Event Format."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from core.recording.importers.event_numbers import (
    LATEST_US,
    scalar_or_none,
    to_float,
    to_nanoseconds,
)
from core.recording.importers.event_threads import process_names
from core.recording.importers.imported_events import ImportedCounter
from core.recording.importers.trace_events import TraceEvents
from core.trace.import_issue import ImportIssue


def counters_of_events(events: TraceEvents, place: str = "") -> tuple[ImportedCounter, ...]:
    """Return the counters of a file, one for each process, name, id and argument.

    They belong to `place`, the name of a rank, if it is given, else to the process of their events.
    """
    if not events.counted:
        return ()
    pairs_by_counter: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    processes = {} if place else process_names(events)
    for event in events.counted:
        time = to_float(scalar_or_none(event.ts))
        pid = scalar_or_none(event.pid)
        own_place = place or processes.get(pid) or f"process {pid}"
        own_id = scalar_or_none(event.id)
        title = f"{event.name}"
        if own_id is not None:
            title = f"{title}[{own_id}]"
        has_time = abs(time) < LATEST_US
        for argument, raw in event.args.items():
            value = to_float(scalar_or_none(raw))
            if has_time and np.isfinite(value):
                key = (f"{title} {argument}", own_place)
                pairs_by_counter[key].append((time, value))
            else:
                events.issues[ImportIssue.NO_TIME] += 1
    counters = []
    for (name, own_place), pairs in pairs_by_counter.items():
        times, values = np.array(pairs).T
        times_ns = to_nanoseconds(times)
        counters.append(
            ImportedCounter(
                name=name,
                place=own_place,
                times=times_ns,
                values=values,
            )
        )
    return tuple(counters)
