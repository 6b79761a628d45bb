"""Perfetto's protobuf traces: slices, moments, counters and flows of its track events.

The wire format is read by hand, a few fields of a few messages, so that no package is needed.
"""

from __future__ import annotations

import sys
from collections import Counter as Counts
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from struct import unpack_from

import numpy as np
from numpy.typing import NDArray

from core.gc_paused import gc_paused
from core.plan.task import ABSENT, KIND_CODES, Role
from core.reading import one_line
from core.recording.importers.found import MOST_EVENTS, Found, Track, trace_of
from core.recording.importers.json_events import reader
from core.recording.importers.words import kinds_of, ranges, steps_of
from core.recording.index import Progress, tell
from core.recording.schema import RecordingError
from core.recording.stream import Opened
from core.trace.odd import Odd, told

MOST_BYTES = 1 << 30
"""Of a trace, unpacked: it is held in memory while it is read."""
LATEST = 1 << 61  # ns
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
_PIECE = 1 << 22
_OWN = {str(kind): code for kind, code in KIND_CODES.items()}
Fields = dict[int, list[int | bytes]]


def read_perfetto(path: Path | str, progress: Progress | None = None) -> Opened:
    """Read a trace; a lane is a track of slices. Raises RecordingError, naming the file."""
    words = f"{path} cannot be read as a trace of Perfetto"
    with gc_paused(), one_line(words, RecordingError):
        found = _found(_bytes(Path(path), progress))
        if found is None:
            raise RecordingError(f"{words}: it has no track event that says when it ran")
        trace = trace_of(found, Path(path).name)
    lost = told(trace.odd)
    return Opened(trace, lost and f"{path}: {lost}")


def _bytes(path: Path, progress: Progress | None) -> bytes:
    parts, size = [], 0
    with path.open("rb") as file:
        read, whole = reader(file), path.stat().st_size
        while part := read(_PIECE):
            parts.append(part)
            size += len(part)
            tell(progress, file.tell(), whole)
            if size > MOST_BYTES:
                raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
    return b"".join(parts)


def fields_of(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message, by number. Raises ValueError, IndexError where it is damaged."""
    at, size = 0, len(data)
    while at < size:
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield number, value
        elif wire == 2:
            length, at = _varint(data, at)
            if at + length > size:
                raise ValueError("it was cut")
            yield number, data[at : at + length]
            at += length
        elif wire in (1, 5):
            width = 8 if wire == 1 else 4
            if at + width > size:
                raise ValueError("it was cut")
            yield number, data[at : at + width]
            at += width
        else:
            raise ValueError(f"wire type {wire} is none of a trace")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, at
        shift += 7
        if shift > 63:
            raise ValueError("a number has more than 64 bits")


def _message(data: bytes) -> Fields:
    found: Fields = defaultdict(list)
    for number, value in fields_of(data):
        found[number].append(value)
    return found


def _number(fields: Fields, number: int) -> int | None:
    """The last value of a number; fixed ones have 64 bits."""
    if not fields.get(number):
        return None
    value = fields[number][-1]
    return value if isinstance(value, int) else _fixed(value)


def _fixed(value: bytes) -> int:
    return int.from_bytes(value[:8], "little")


def _text(fields: Fields, number: int) -> str:
    value = fields[number][-1] if fields.get(number) else b""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def _inner(fields: Fields, number: int) -> Fields:
    value = fields[number][-1] if fields.get(number) else b""
    return _message(value) if isinstance(value, bytes) else {}


@dataclass
class _Slices:
    """What has been read so far, packet by packet; a sequence of packets has names of its own."""

    titles: dict[int, tuple[str, str, int]] = field(default_factory=dict)
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    defaults: dict[int, int] = field(default_factory=dict)
    opened: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    track: list[int] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    category: list[str] = field(default_factory=list)
    flows: dict[int, int] = field(default_factory=dict)
    links: list[tuple[int, int]] = field(default_factory=list)
    counted: dict[int, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    odd: Counts[Odd] = field(default_factory=Counts)

    def packet(self, data: bytes) -> None:
        """Take a packet."""
        fields = _message(data)
        sequence = _number(fields, 10) or 0
        for number in (12, 59, 60):
            if number in fields:
                self._describe(number, _inner(fields, number), sequence)
        if 11 in fields:
            self._event(_inner(fields, 11), _number(fields, 8), sequence)

    def _describe(self, number: int, told: Fields, sequence: int) -> None:
        if number == 12:
            for data in told.get(2, ()):
                name = _message(data) if isinstance(data, bytes) else {}
                self.names[sequence, _number(name, 1) or 0] = _text(name, 2)
        elif number == 59:
            self.defaults[sequence] = _number(_inner(told, 11), 11) or 0
        else:
            process, thread = _inner(told, 3), _inner(told, 4)
            title = _text(told, 2) or _text(told, 10) or _text(thread, 5) or _text(process, 6)
            pid, parent = _number(process, 1) or _number(thread, 1), _number(told, 5)
            place = _text(process, 6)
            if not place and pid is not None and not parent:
                place = f"process {pid}"
            self.titles[_number(told, 1) or 0] = title, place, parent or 0

    def _event(self, event: Fields, time: int | None, sequence: int) -> None:
        track = _number(event, 11)
        track = self.defaults.get(sequence, 0) if track is None else track
        kind = _number(event, 9)
        if time is None or not 0 <= time < LATEST or kind not in (BEGIN, END, INSTANT, COUNTER):
            self.odd[Odd.NO_TIME] += 1
        elif kind == END:
            self._finish(track, time)
        elif kind == COUNTER:
            self.counted[track].append((time, _value(event)))
        else:
            name = _text(event, 23) or self.names.get((sequence, _number(event, 10) or 0), "")
            self._begin(event, track, time, name, kind == BEGIN)

    def _begin(self, event: Fields, track: int, time: int, name: str, lasts: bool) -> None:
        place = len(self.start)
        if place >= MOST_EVENTS:
            raise ValueError(f"it has more than {MOST_EVENTS:,} events")
        self.start.append(time)
        self.end.append(-1 if lasts else time)
        self.track.append(track)
        self.name.append(name or "unnamed")
        self.category.append(sys.intern(_text(event, 22)))
        if lasts:
            self.opened[track].append(place)
        for number in (36, 42, 47, 48):
            for value in event.get(number, ()):
                flow = value if isinstance(value, int) else _fixed(value)
                if flow in self.flows:
                    self.links.append((self.flows[flow], place))
                self.flows[flow] = place

    def _finish(self, track: int, time: int) -> None:
        if not self.opened[track]:
            self.odd[Odd.NO_BEGIN] += 1
            return
        place = self.opened[track].pop()
        self.end[place] = max(time, self.start[place])

    def place(self, track: int) -> tuple[str, str]:
        """A track's title and the process that it belongs to."""
        title, place, parent = self.titles.get(track, ("", "", 0))
        for _ in range(16):
            if place or parent not in self.titles:
                break
            _, place, parent = self.titles[parent]
        return title or f"track {track}", place or "trace"


def _value(event: Fields) -> float:
    double = event.get(44)
    if double and isinstance(double[-1], bytes) and len(double[-1]) == 8:
        return float(unpack_from("<d", double[-1])[0])
    value = _number(event, 30) or 0
    return float(value - (1 << 64) if value >> 63 else value)


def _found(data: bytes) -> Found | None:
    """What a trace tells; None if it has no slice."""
    slices = _Slices()
    try:
        for number, value in fields_of(data):
            if number == 1 and isinstance(value, bytes):
                _take(slices, value)
    except (ValueError, IndexError) as error:
        if not slices.start or "more than" in str(error):
            raise
        slices.odd[Odd.CUT] += 1
    start, end = np.array(slices.start, np.int64), np.array(slices.end, np.int64)
    whole = end >= 0
    slices.odd[Odd.NO_END] += int((~whole).sum())
    return _columns(slices, start[whole], end[whole], whole) if whole.any() else None


def _take(slices: _Slices, packet: bytes) -> None:
    try:
        slices.packet(packet)
    except (ValueError, IndexError) as error:
        if "more than" in str(error) and "events" in str(error):
            raise
        slices.odd[Odd.LOST] += 1


def _columns(
    slices: _Slices, start: NDArray[np.int64], end: NDArray[np.int64], whole: NDArray[np.bool_]
) -> Found:
    tracks, track = np.unique(np.array(slices.track, np.uint64)[whole], return_inverse=True)
    places = {text: code for code, text in enumerate(dict.fromkeys(slices.name))}
    name = np.array([places[text] for text in slices.name], np.int32)[whole]
    names = tuple(places)
    links = np.array(slices.links, np.int64).reshape(-1, 2)
    links = (np.cumsum(whole) - 1)[links[whole[links].all(axis=1)]]
    steps = steps_of(names, name, start, end)
    titles = [slices.place(int(one)) for one in tracks]
    working = np.bincount(track, ~ranges(names)[name], len(tracks)) > 0
    rows = tuple(
        Track(*title, Role.COMPUTE if works or not working.any() else Role.NESTED)
        for title, works in zip(titles, working.tolist(), strict=True)
    )
    # The categories of Bubblescope's own export are the kinds of its tasks.
    own = np.array([_OWN.get(one, ABSENT) for one in compress(slices.category, whole)], np.int8)
    kind = np.where(own == ABSENT, kinds_of(names)[name], own).astype(np.int8)
    counters = {
        slices.place(one)[0]: (np.array([t for t, _ in told]), np.array([v for _, v in told]))
        for one, told in slices.counted.items()
    }
    return Found(
        rows, names, track.astype(np.int32), name, start, end, kind,
        step=steps.at(start) if len(steps.number) else None, links=links, steps=steps,
        counters=counters, odd=slices.odd,
    )  # fmt: skip
