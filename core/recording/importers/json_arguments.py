"""Arguments of events in a JSON file, read again from the file on demand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from core.errors import RecordingError
from core.message import message
from core.reading import one_line, open_regular
from core.recording.importers.json_pieces import Piece, split_events, unpacking_reader
from core.recording.importers.sequential_arguments import check_unchanged, file_identity
from core.recording.importers.trace_event_file import RawArguments, decode_arguments
from core.recording.importers.trace_events import TraceEvents
from core.trace.event_arguments import EventArguments, Reading, bounded


def json_arguments(events: TraceEvents, path: Path) -> EventArguments:
    """Return the places of the arguments of a file's complete events."""
    file = JsonArguments.of(events, path)
    return EventArguments(np.concatenate(events.columns["place"]), ((0, file),))


@dataclass(frozen=True, slots=True)
class JsonArguments:
    """A file to be read in the same pieces again; `firsts` has the number of each first event.

    `is_careful` is as in `split_events`. A file whose `identity` has changed is not read.
    """

    path: Path
    firsts: tuple[int, ...]
    is_careful: bool
    identity: tuple[int, int]

    @classmethod
    def of(cls, events: TraceEvents, path: Path) -> JsonArguments:
        """Return the arguments of the events that were read from a file."""
        return cls(
            path=path,
            firsts=tuple(events.firsts),
            is_careful=events.is_careful,
            identity=file_identity(path),
        )

    def read(self, place: int) -> Reading:
        """Read the arguments of an event, as JSON. Raises RecordingError."""
        # Earlier pieces have to be read to find a piece, because the file may be packed.
        wanted = [first <= place for first in self.firsts].count(True) - 1
        for number, piece in enumerate(self._pieces()):
            if number == wanted:
                events = self._decoded(piece)
                return _text(events[place - self.firsts[wanted]])
            yield number / len(self.firsts)
        return ""

    def every(self) -> Iterator[str]:
        """Yield the arguments of every event in order. Raises RecordingError."""
        for piece in self._pieces():
            yield from map(_text, self._decoded(piece))

    def _pieces(self) -> Iterator[Piece]:
        """Yield the file in the same pieces as when it was opened. Raises RecordingError."""
        check_unchanged(self.path, self.identity)
        words = message("{path} has arguments that cannot be read", path=self.path)
        with one_line(words, RecordingError), open_regular(self.path) as file:
            yield from split_events(unpacking_reader(file), self.is_careful)

    def _decoded(self, piece: Piece) -> list[RawArguments]:
        """Decode the arguments of a piece's events. Raises RecordingError."""
        with one_line(
            message("{path} has arguments that cannot be read", path=self.path), RecordingError
        ):
            # This stops at the same candidate as when the file was opened.
            for text in piece.candidates():
                with suppress(msgspec.DecodeError, RecursionError):
                    return decode_arguments(text, piece.is_last)
        raise RecordingError(message("{path} has changed since it was opened", path=self.path))


def _text(event: RawArguments) -> str:
    return bounded(bytes(event.args).decode("utf-8", "replace"))
