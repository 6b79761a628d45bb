"""Arguments of events in files that can only be read from the beginning."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.errors import RecordingError
from core.message import message
from core.reading import one_line
from core.trace.event_arguments import EventArguments, Reading, bounded

PROGRESS_INTERVAL = 1000
"""Number of events that are skipped between two reports of progress."""
ReadTexts = Callable[[Path], Iterator[str]]
"""Yields the arguments of each event of a file as JSON."""


def sequential_arguments(
    path: Path, places: NDArray[np.int32], read_texts: ReadTexts
) -> EventArguments:
    """Return the arguments of tasks; `places` are the numbers of their events in the file."""
    file = SequentialArguments(path, read_texts, file_identity(path))
    return EventArguments(places, ((0, file),))


@dataclass(frozen=True, slots=True)
class SequentialArguments:
    """A file whose arguments `read_texts` yields, unless its `identity` has changed."""

    path: Path
    read_texts: ReadTexts
    identity: tuple[int, int]

    def read(self, place: int) -> Reading:
        """Read the arguments of an event, as JSON. Raises RecordingError."""
        for number, text in enumerate(self.every()):
            if number == place:
                return text
            if number % PROGRESS_INTERVAL == 0:
                yield number / place
        return ""

    def every(self) -> Iterator[str]:
        """Yield the arguments of every event in order. Raises RecordingError."""
        check_unchanged(self.path, self.identity)
        words = message("{path} has arguments that cannot be read", path=self.path)
        with one_line(words, RecordingError, sqlite3.Error, msgspec.MsgspecError):
            yield from map(bounded, self.read_texts(self.path))


def file_identity(path: Path) -> tuple[int, int]:
    """Return size and mtime of a file, which show later whether it has changed."""
    known = os.stat(path)
    return known.st_size, known.st_mtime_ns


def check_unchanged(path: Path, identity: tuple[int, int]) -> None:
    """Raise RecordingError if a file has changed or is missing."""
    if not path.exists() or file_identity(path) != identity:
        raise RecordingError(message("{path} has changed since it was opened", path=path))
