"""The arguments of events of a JSON file, read from it anew when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from core.errors import RecordingError
from core.reading import one_line, open_regular
from core.recording.importers.in_order import check_same, identity_of
from core.recording.importers.json_events import Asked, Events, asked
from core.recording.importers.json_pieces import Piece, pieces, reader
from core.trace.event_arguments import EventArguments, Reading, bounded


def arguments_of(events: Events, path: Path) -> EventArguments:
    """Where the arguments of a file's events stand, which have been made whole."""
    source = JsonArguments(path, tuple(events.firsts), events.is_careful, identity_of(path))
    return EventArguments(np.concatenate(events.columns["place"]), ((0, source),))


@dataclass(frozen=True, slots=True)
class JsonArguments:
    """A file that was read in pieces, each from an event's number in `firsts` on, or carefully.

    A file that has changed since its `identity` was taken is not read.
    """

    path: Path
    firsts: tuple[int, ...]
    is_careful: bool
    identity: tuple[int, int]

    def read(self, place: int) -> Reading:
        """The arguments of an event, as JSON. Raises RecordingError."""
        # Pieces cannot be found but by reading those before, as the file may be packed.
        wanted = [first <= place for first in self.firsts].count(True) - 1
        for number, piece in enumerate(self._pieces()):
            if number == wanted:
                return _text(self._decoded(piece)[place - self.firsts[wanted]])
            yield number / len(self.firsts)
        return ""

    def every(self) -> Iterator[str]:
        """The arguments of every event in order. Raises RecordingError."""
        for piece in self._pieces():
            yield from map(_text, self._decoded(piece))

    def _pieces(self) -> Iterator[Piece]:
        """The file in the pieces in which it was read."""
        check_same(self.path, self.identity)
        words = f"{self.path} has arguments that cannot be read"
        with one_line(words, RecordingError), open_regular(self.path) as file:
            yield from pieces(reader(file), self.is_careful)

    def _decoded(self, piece: Piece) -> list[Asked]:
        with one_line(f"{self.path} has arguments that cannot be read", RecordingError):
            # The first that can be decoded is what was shown: the file was read in this way, too.
            for tried in piece.tries():
                with suppress(msgspec.DecodeError, RecursionError):
                    return asked(tried, piece.is_last)
        raise RecordingError(f"{self.path} has changed since it was opened")


def _text(event: Asked) -> str:
    return bounded(bytes(event.args).decode("utf-8", "replace"))
