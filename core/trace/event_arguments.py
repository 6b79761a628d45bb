"""Lazy access to the arguments of imported events: their text is read from the file on demand.

Only the number of each task's event in its file is kept in memory, so that arguments do not slow
down opening.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.plain import plain
from core.plan.task import ABSENT

MOST_TEXT = 1 << 12
"""The most characters of one event's arguments that are shown and kept."""
MOST_SHOWN = 400
"""The most characters of one value that are shown."""
LEFT_OUT = "…"
"""The key for the number of omitted arguments."""

Reading = Generator[float, None, str]
"""Yields the share of a file that has been read, 0 to 1; returns arguments as JSON, or ""."""


class ArgumentFile(Protocol):
    """A file whose events have arguments."""

    def read(self, place: int) -> Reading:
        """Read the arguments of an event by its number. Raises ValueError or OSError."""

    def every(self) -> Iterator[str]:
        """Yield the arguments of every event, in order. Raises ValueError or OSError."""


@dataclass(frozen=True, slots=True)
class EventArguments:
    """Locates the arguments of n tasks: the number of each task's event in the files.

    The event of task k is `places[k]`, ABSENT for none. Events are numbered across all files;
    `files` has the number of each file's first event, and the file.
    """

    places: NDArray[np.int32]
    files: tuple[tuple[int, ArgumentFile], ...]

    def ordered(self, order: Ints) -> EventArguments:
        """Return the arguments of the tasks at these positions."""
        return replace(self, places=self.places[order])

    def extended(self, count: int) -> EventArguments:
        """Return the arguments followed by `count` tasks without any."""
        none = np.full(count, ABSENT, np.int32)
        places = np.concatenate([self.places, none])
        return replace(self, places=places)

    def read(self, task: int) -> Reading:
        """Read a task's arguments. Raises ValueError or OSError if the file changed or is gone."""
        place = int(self.places[task])
        if place == ABSENT:
            return ""
        # The last file that begins at or before the number.
        firsts = [first for first, _ in self.files]
        number = bisect_right(firsts, place) - 1
        first, file = self.files[number]
        return (yield from file.read(place - first))

    def every(self) -> Iterator[tuple[int, str]]:
        """Yield each task that has arguments, with its arguments, in the order of the files."""
        count = int(self.places.max(initial=ABSENT)) + 1
        tasks = np.full(count, ABSENT)
        has_place = self.places != ABSENT
        known = np.flatnonzero(has_place)
        tasks[self.places[known]] = known
        ends = [first for first, _ in self.files[1:]]
        ends.append(count)
        for (first, file), end in zip(self.files, ends, strict=True):
            # Not strict: a file may have further events, which did not become tasks.
            places = range(first, end)
            for place, text in zip(places, file.every(), strict=False):
                task = int(tasks[place])
                if text and task != ABSENT:
                    yield task, text


def concatenated(parts: Sequence[tuple[int, EventArguments | None]]) -> EventArguments | None:
    """Concatenate arguments of several files; parts are (number of events, arguments)."""
    if all(part is None for _, part in parts):
        return None
    places: list[NDArray[np.int32]] = []
    files: list[tuple[int, ArgumentFile]] = []
    first = 0
    for count, part in parts:
        if part is None:
            places.append(np.full(count, ABSENT, np.int32))
            continue
        has_no_place = part.places == ABSENT
        shifted = np.where(has_no_place, ABSENT, part.places + first)
        places.append(shifted.astype(np.int32))
        for begin, file in part.files:
            files.append((first + begin, file))
        # The next file's numbers continue after the largest number of this file.
        last_place = int(part.places.max(initial=ABSENT))
        first += last_place + 1
    return EventArguments(np.concatenate(places), tuple(files))


def bounded(text: str) -> str:
    """Return arguments, as JSON, in at most MOST_TEXT characters; the last ones may be omitted.

    Returns "" for text that is not a JSON object with entries.
    """
    if len(text) <= MOST_TEXT:
        is_object = text.lstrip().startswith("{")
        has_entries = bool(text.strip("{} \n\t\r"))
        if is_object and has_entries:
            return text
        return ""
    values = _object(text)
    kept: dict[str, Any] = {}
    # Reserve room for braces and the number of omitted arguments.
    room = MOST_TEXT - 100
    for name, value in values.items():
        size = len(json.dumps([name, value]))
        if size <= room:
            kept[name] = value
            room -= size
    kept[LEFT_OUT] = len(values) - len(kept)
    return json.dumps(kept)


def pairs(text: str) -> list[tuple[str, str]]:
    """Return names and values of arguments for display; long values are cut and end with "…"."""
    arguments = _object(text)
    return [(plain(name), _shown(value)) for name, value in arguments.items()]


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) > MOST_SHOWN:
        text = f"{text[:MOST_SHOWN]}{LEFT_OUT}"
    return plain(text)


def _object(text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # a very long number, or deep nesting
        return {}
    if not isinstance(found, dict):
        return {}
    return found
