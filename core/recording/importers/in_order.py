"""Arguments of a file's events that are read one after another, in the order of the events."""

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
from core.reading import one_line
from core.trace.event_arguments import EventArguments, Reading, bounded

SHARE = 1000
"""Events that are passed over at a time."""
ReadTexts = Callable[[Path], Iterator[str]]
"""Each event's arguments as JSON, or what they stand in."""


def arguments_in_order(
    path: Path, places: NDArray[np.int32], read_texts: ReadTexts
) -> EventArguments:
    """The arguments of the events with these numbers in a file."""
    return EventArguments(places, ((0, InOrder(path, read_texts, identity_of(path))),))


@dataclass(frozen=True, slots=True)
class InOrder:
    """A file that `read_texts` goes through; one that has changed since is not read."""

    path: Path
    read_texts: ReadTexts
    identity: tuple[int, int]

    def read(self, place: int) -> Reading:
        """The arguments of an event, as JSON. Raises RecordingError."""
        for number, text in enumerate(self.every()):
            if number == place:
                return text
            if number % SHARE == 0:
                yield number / place
        return ""

    def every(self) -> Iterator[str]:
        """The arguments of every event in order. Raises RecordingError."""
        check_same(self.path, self.identity)
        words = f"{self.path} has arguments that cannot be read"
        with one_line(words, RecordingError, sqlite3.Error, msgspec.MsgspecError):
            yield from map(bounded, self.read_texts(self.path))


def identity_of(path: Path) -> tuple[int, int]:
    """By what a file is known to be unchanged: size and mtime."""
    known = os.stat(path)
    return known.st_size, known.st_mtime_ns


def check_same(path: Path, identity: tuple[int, int]) -> None:
    """Raise RecordingError if a file has changed, or is gone."""
    if not path.exists() or identity_of(path) != identity:
        raise RecordingError(f"{path} has changed since it was opened")
