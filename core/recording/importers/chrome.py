"""Traces in Chrome's format: a row for each thread, calls below the call that they are part of.

Complete events, begins with their ends, asynchronous ones, instants and counters are shown, and
arrows become what a task waits for. What PyTorch's profiler and MegaScan wrote is read by what its
events mean.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from core.errors import RecordingError
from core.gc_paused import gc_paused
from core.reading import one_line
from core.recording.importers.calls import (
    arrows,
    counters_of,
    finish_calls,
    names_of,
    thread_tracks,
    times_of,
    with_file_roles,
)
from core.recording.importers.found import Found
from core.recording.importers.json_arguments import arguments_of
from core.recording.importers.json_events import Events, read_events
from core.recording.importers.kineto import found_of_kineto, is_kineto
from core.recording.importers.megascan import found_of_megascan, is_megascan
from core.recording.importers.to_trace import OTHER, opened
from core.recording.index import Progress
from core.recording.stream import Opened


def read_chrome_trace(path: Path | str, progress: Progress | None = None) -> Opened:
    """Read a trace; a lane is a thread, and below it lies a nested lane for each depth of calls.

    `progress` is called with how much is done, of how much. Raises RecordingError, naming the file,
    if it cannot be read or has no complete event, and Cancelled if `progress` returns False.
    """
    words = f"{path} cannot be read as a trace in Chrome's format"
    with gc_paused(), one_line(words, RecordingError, msgspec.MsgspecError):
        return opened(read_found(Path(path), progress), Path(path), progress)


def read_found(path: Path, progress: Progress | None = None) -> Found:
    """What was found in a file, whichever program wrote it. Raises as `read_chrome_trace` does."""
    events = read_events(path, progress)
    finish_calls(events, progress)
    if not events.columns or not any(map(len, events.columns["begin"])):
        raise RecordingError(f"{path} has no complete event (ph X) that says when it ran")
    arguments = arguments_of(events, path)
    if is_kineto(events):
        found = found_of_kineto(events, path)
    else:
        read = found_of_megascan if is_megascan(events) else found_of_chrome
        found = read(events, progress)
    return replace(found, arguments=arguments, colours=events.colours)


def found_of_chrome(events: Events, progress: Progress | None = None) -> Found:
    """Rows and tasks of a trace of which no more is known than that it is one."""
    columns = events.whole()
    start, end = times_of(columns["begin"], columns["length"])
    names = names_of(events)
    return Found(
        with_file_roles(events, thread_tracks(events)),
        names,
        columns["thread"],
        columns["name"],
        start,
        end,
        np.full(len(start), OTHER, np.int8),
        counters=counters_of(events),
        links=arrows(events, columns["thread"], start, end, progress),
        issues=events.issues,
    )
