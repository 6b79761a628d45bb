"""Lazy access to the arguments of imported events: their text is read from the file on demand.

Memory has only the number of each task's event in its file. So files open as fast as without, and
what is shown is what the file has.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.plain import plain
from core.plan.task import ABSENT

MOST_TEXT = 1 << 12
"""Characters of one event's arguments that are shown and kept."""
MOST_SHOWN = 400
"""Characters of one value that are shown."""
LEFT_OUT = "…"
"""The name under which stands how many arguments are left out."""

Reading = Generator[float, None, str]
"""Yields the share of a file that is read, 0 to 1; returns arguments as JSON, or nothing."""


class Source(Protocol):
    """A file whose events have arguments."""

    def read(self, place: int) -> Reading:
        """Those of an event by its number. Raises ValueError, OSError if that is impossible."""

    def every(self) -> Iterator[str]:
        """Those of every event, in order. Raises as `read` does."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """For each of n tasks the file, and the event's number in it, that holds its arguments.

    Task k is event `places[k]`, ABSENT for none; of the files in `sources` each has the numbers
    from its own first one on.
    """

    places: NDArray[np.int32]
    sources: tuple[tuple[int, Source], ...]

    def ordered(self, order: NDArray[np.int64]) -> Arguments:
        """The same of the tasks at some places."""
        return replace(self, places=self.places[order])

    def read(self, task: int) -> Reading:
        """A task's arguments. Raises ValueError, OSError where its file has changed or is gone."""
        place = int(self.places[task])
        if place == ABSENT:
            return ""
        # The last file that begins at or before the number.
        first, source = [one for one in self.sources if one[0] <= place][-1]
        return (yield from source.read(place - first))

    def every(self) -> Iterator[tuple[int, str]]:
        """Each task that has some, with them, in the order of the files."""
        task = np.full(int(self.places.max(initial=ABSENT)) + 1, ABSENT)
        known = np.flatnonzero(self.places != ABSENT)
        task[self.places[known]] = known
        ends = [first for first, _ in self.sources[1:]] + [len(task)]
        for (first, source), end in zip(self.sources, ends, strict=True):
            # Not strict: a file may have events behind the last one that became a task.
            for place, text in zip(range(first, end), source.every(), strict=False):
                if text and task[place] != ABSENT:
                    yield int(task[place]), text


def joined(parts: Sequence[tuple[int, Arguments | None]]) -> Arguments | None:
    """The arguments of several files' events behind one another: (events, arguments) of each."""
    if all(one is None for _, one in parts):
        return None
    places, sources, first = [], [], 0
    for count, one in parts:
        if one is None:
            places.append(np.full(count, ABSENT, np.int32))
            continue
        places.append(np.where(one.places == ABSENT, ABSENT, one.places + first).astype(np.int32))
        sources += [(first + begin, source) for begin, source in one.sources]
        # The next file's numbers go on behind the largest that is used of this one.
        first += int(one.places.max(initial=ABSENT)) + 1
    return Arguments(np.concatenate(places), tuple(sources))


def bounded(text: str) -> str:
    """Arguments of at most MOST_TEXT characters: of longer ones the last, and long, are left out.

    What is no JSON object has none.
    """
    if len(text) <= MOST_TEXT:
        return text if text.lstrip()[:1] == "{" and text.strip("{} \n\t\r") else ""
    values = _object(text)
    kept: dict[str, Any] = {}
    # What stands for the rest, and the braces, need room too.
    room = MOST_TEXT - 100
    for name, value in values.items():
        size = len(json.dumps([name, value]))
        if size <= room:
            kept[name] = value
            room -= size
    return json.dumps({**kept, LEFT_OUT: len(values) - len(kept)})


def pairs(text: str) -> list[tuple[str, str]]:
    """Names and values of arguments as people read them; a long value is cut, and says so."""
    return [(plain(name), _shown(value)) for name, value in _object(text).items()]


def _shown(value: object) -> str:
    words = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    words = words if len(words) <= MOST_SHOWN else f"{words[:MOST_SHOWN]}{LEFT_OUT}"
    return plain(words)


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):  # digits without end, depths
        return {}
    return found if isinstance(found, dict) else {}
