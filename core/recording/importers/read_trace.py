"""Opens a file of another program with the reader of its format."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec

from core.errors import RecordingError
from core.gc_paused import gc_paused
from core.message import message
from core.reading import one_line
from core.recording.formats import CHROME, Format, load_function
from core.recording.importers.imported_events import ImportedEvents
from core.recording.importers.to_trace import trace_of_events
from core.recording.index import Progress
from core.recording.sniff import format_of
from core.recording.stream import Opened
from core.trace.imported import issue_text

LIBRARY_ERRORS: tuple[type[Exception], ...] = (msgspec.MsgspecError, sqlite3.Error)
"""Errors of libraries that readers of damaged files may raise."""


def read_trace(path: Path | str, progress: Progress | None = None) -> Opened:
    """Read a trace of another program.

    `progress` is called with the amount done and the total. Raises RecordingError, naming
    the file, if it cannot be read or has no events, and Cancelled if `progress` returns False.
    """
    path = Path(path)
    format_ = _format_or_default(path)
    words = message("{path} cannot be read as {noun}", path=path, noun=format_.noun)
    with gc_paused(), one_line(words, RecordingError, *LIBRARY_ERRORS):
        imported = _read(path, format_, progress)
        trace = trace_of_events(imported, path.name, progress)
    issues = issue_text(trace.imported)
    warning = message("{what}: {reason}", what=path, reason=issues) if issues else ""
    return Opened(trace, warning)


def read_imported_events(path: Path, progress: Progress | None = None) -> ImportedEvents:
    """Read the events of a file.

    Raises RecordingError if it has none, any of FORESEEN and LIBRARY_ERRORS if it cannot be read,
    and Cancelled if `progress` returns False.
    """
    return _read(path, _format_or_default(path), progress)


def _format_or_default(path: Path) -> Format:
    """Return the format of a file. For unknown files it is CHROME, whose reader names the fault."""
    return format_of(path) or CHROME


def _read(path: Path, format_: Format, progress: Progress | None) -> ImportedEvents:
    imported: ImportedEvents = load_function(format_.reader)(path, progress)
    if not len(imported):
        raise RecordingError(
            message(
                "{path} cannot be read as {noun}: {empty}",
                path=path,
                noun=format_.noun,
                empty=format_.empty,
            )
        )
    return imported
