"""Traces in Chrome's Trace Event Format: a row for each thread, with calls below their callers.

Complete events, begins with their ends, asynchronous events, instants and counters are shown, and
arrows become dependencies. The reader of a dialect reads its files, such as files of PyTorch's
profiler.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from core.recording.formats import CHROME, load_function
from core.recording.importers.complete_events import complete_events
from core.recording.importers.event_counters import counters_of_events
from core.recording.importers.event_flows import links_of_flows
from core.recording.importers.event_numbers import event_times
from core.recording.importers.event_threads import thread_tracks, with_exported_roles
from core.recording.importers.imported_events import ImportedEvents
from core.recording.importers.json_arguments import json_arguments
from core.recording.importers.to_trace import OTHER
from core.recording.importers.trace_event_file import read_events
from core.recording.importers.trace_events import TraceEvents
from core.recording.index import Progress


def read_chrome(path: Path, progress: Progress | None = None) -> ImportedEvents:
    """Read a file in the Trace Event Format, in any dialect. Raises ValueError, MsgspecError.

    Raises Cancelled if `progress` returns False.
    """
    events = read_events(path, progress)
    complete_events(events, progress)
    if not events.has_complete:
        return ImportedEvents.empty()
    arguments = json_arguments(events, path)
    imported = _read_dialect(events, path, progress)
    return replace(imported, arguments=arguments, colours=events.colours)


def _read_dialect(events: TraceEvents, path: Path, progress: Progress | None) -> ImportedEvents:
    """Read events in the dialect that recognises them, or else as calls of threads."""
    for dialect in CHROME.dialects:
        if load_function(dialect.recogniser)(events):
            imported: ImportedEvents = load_function(dialect.reader)(events, path, progress)
            return imported
    return _read_calls(events, progress)


def _read_calls(events: TraceEvents, progress: Progress | None) -> ImportedEvents:
    """Read events as calls of threads."""
    columns = events.whole_columns()
    start, end = event_times(columns["begin"], columns["length"])
    return ImportedEvents(
        tracks=with_exported_roles(events, thread_tracks(events)),
        names=events.labels,
        track=columns["thread"],
        name=columns["name"],
        start=start,
        end=end,
        kind=np.full(len(start), OTHER, np.int8),
        links=links_of_flows(
            events=events,
            thread=columns["thread"],
            start=start,
            end=end,
            progress=progress,
        ),
        counters=counters_of_events(events),
        issues=events.issues,
    )
