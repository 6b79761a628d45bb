"""Perfetto's protobuf traces: slices, moments, counters and flows of its track events.

The wire format is read by hand, a few fields of a few messages, so that no package is needed.
"""

from __future__ import annotations

import sys
from collections import Counter as Counts
from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from struct import unpack_from

import numpy as np
from numpy.typing import NDArray

from core.errors import RecordingError
from core.gc_paused import gc_paused
from core.plan.plan import Role
from core.plan.task import ABSENT
from core.reading import one_line
from core.recording.importers.found import CountedValues, Found, Track
from core.recording.importers.in_order import arguments_in_order
from core.recording.importers.perfetto_arguments import tell_annotations
from core.recording.importers.perfetto_fields import (
    MOST_PACKET,
    Fields,
    bytes_of,
    fields_of,
    fixed_of,
    inner_of,
    message_of,
    number_of,
    text_of,
)
from core.recording.importers.roles import with_roles
from core.recording.importers.to_trace import opened
from core.recording.importers.words import RANGE, coded, kinds_of, matching, own_kinds, steps_of
from core.recording.index import Progress, report_progress
from core.recording.limits import MOST_EVENTS, TooMuch, check_count, most_events
from core.recording.role_text import TrackRole, parse_role
from core.recording.stream import Opened
from core.trace.import_issue import ImportIssue
from core.trace.spans import LATEST

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
PACKETS = 1 << 16
"""Packets that are read between two reports of progress."""


def read_perfetto(path: Path | str, progress: Progress | None = None) -> Opened:
    """Read a trace; a lane is a track of slices. Raises RecordingError, naming the file."""
    words = f"{path} cannot be read as a trace of Perfetto"
    with gc_paused(), one_line(words, RecordingError):
        found = _found(bytes_of(Path(path), progress), most_events(Path(path)), progress)
        if found is None:
            raise RecordingError(f"{words}: it has no track event that says when it ran")
        slices, columns = found
        places = np.array(slices.packet_of, np.int32)[np.array(slices.end, np.int64) >= 0]
        told_of = arguments_in_order(Path(path), places, tell_annotations)
        return opened(replace(columns, arguments=told_of), Path(path), progress)


@dataclass
class _Slices:
    """What has been read so far, packet by packet; a sequence of packets has names of its own.

    At most `most` slices, arrows, names and values of counters are taken.
    """

    most: int = MOST_EVENTS
    titles: dict[int, tuple[str, str, int]] = field(default_factory=dict)
    roles: dict[int, TrackRole] = field(default_factory=dict)
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
    packet_of: list[int] = field(default_factory=list)
    packets: int = 0
    counted: dict[int, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    values: int = 0
    issues: Counts[ImportIssue] = field(default_factory=Counts)

    def packet(self, data: bytes) -> None:
        """Take a packet."""
        self.packets += 1
        fields = message_of(data)
        sequence = number_of(fields, 10) or 0
        # Interned names, defaults of a sequence (its track), and the description of a track.
        for number in (12, 59, 60):
            if number in fields:
                self._describe(number, inner_of(fields, number), sequence)
        if 11 in fields:
            self._event(inner_of(fields, 11), number_of(fields, 8), sequence)

    def _describe(self, number: int, fields: Fields, sequence: int) -> None:
        if number == 12:
            for data in fields.get(2, ()):
                name = message_of(data) if isinstance(data, bytes) else {}
                self.names[sequence, number_of(name, 1) or 0] = text_of(name, 2)
                check_count(self.names, self.most, "name")
        elif number == 59:
            self.defaults[sequence] = number_of(inner_of(fields, 11), 11) or 0
        else:
            process, thread = inner_of(fields, 3), inner_of(fields, 4)
            title = (
                text_of(fields, 2)
                or text_of(fields, 10)
                or text_of(thread, 5)
                or text_of(process, 6)
            )
            pid, parent = number_of(process, 1) or number_of(thread, 1), number_of(fields, 5)
            place = text_of(process, 6)
            if not place and pid is not None and not parent:
                place = f"process {pid}"
            self.titles[number_of(fields, 1) or 0] = title, place, parent or 0
            role = parse_role(text_of(fields, 14))
            if role is not None:
                self.roles[number_of(fields, 1) or 0] = role

    def _event(self, event: Fields, time: int | None, sequence: int) -> None:
        track = number_of(event, 11)
        track = self.defaults.get(sequence, 0) if track is None else track
        kind = number_of(event, 9)
        if time is None or not 0 <= time < LATEST or kind not in (BEGIN, END, INSTANT, COUNTER):
            self.issues[ImportIssue.NO_TIME] += 1
        elif kind == END:
            self._finish(track, time)
        elif kind == COUNTER:
            self.counted[track].append((time, _value(event)))
            self.values += 1
            check_count(self.values, self.most, "value")
        else:
            name = text_of(event, 23) or self.names.get((sequence, number_of(event, 10) or 0), "")
            self._begin(event, track, time, name, kind == BEGIN)

    def _begin(self, event: Fields, track: int, time: int, name: str, lasts: bool) -> None:
        place = len(self.start)
        check_count(place + 1, self.most)
        self.packet_of.append(self.packets - 1)
        self.start.append(time)
        # -1 until the end comes; a slice that keeps it has none.
        self.end.append(-1 if lasts else time)
        self.track.append(track)
        self.name.append(name or "unnamed")
        # Millions of events have a few categories: one text for each.
        self.category.append(sys.intern(text_of(event, 22)))
        if lasts:
            self.opened[track].append(place)
        # Flows that go on and that end, each as older files have them and as newer ones.
        for number in (36, 42, 47, 48):
            for value in event.get(number, ()):
                flow = value if isinstance(value, int) else fixed_of(value)
                if flow in self.flows:
                    self.links.append((self.flows[flow], place))
                    check_count(self.links, self.most, "arrow")
                self.flows[flow] = place

    def _finish(self, track: int, time: int) -> None:
        if not self.opened[track]:
            self.issues[ImportIssue.NO_BEGIN] += 1
            return
        # Slices of a track nest like brackets: an end is that of the one begun last.
        place = self.opened[track].pop()
        self.end[place] = max(time, self.start[place])

    def place(self, track: int) -> tuple[str, str]:
        """A track's title and the process that it belongs to."""
        title, place, parent = self.titles.get(track, ("", "", 0))
        # A track has the process of its parents; a damaged file may have parents in a circle.
        for _ in range(16):
            if place or parent not in self.titles:
                break
            _, place, parent = self.titles[parent]
        return title or f"track {track}", place or "trace"


def _value(event: Fields) -> float:
    double = event.get(44)
    if double and isinstance(double[-1], bytes) and len(double[-1]) == 8:
        return float(unpack_from("<d", double[-1])[0])
    value = number_of(event, 30) or 0
    # An int64 is written as its two's complement.
    return float(value - (1 << 64) if value >> 63 else value)


def _found(data: bytes, most: int, progress: Progress | None) -> tuple[_Slices, Found] | None:
    """What was found in a trace that was read; None if it has no slice."""
    slices, size = _Slices(most), 0
    try:
        for count, (number, value) in enumerate(fields_of(data), 1):
            if number == 1 and isinstance(value, bytes):
                _take(slices, value)
                size += len(value)
            if count % PACKETS == 0:
                # A slice has two packets, of its begin and its end.
                check_count(count, 2 * most, "packet")
                report_progress(progress, size, len(data))
    except TooMuch:
        # This is no damage: what has been read so far is not all that there is.
        raise
    except (ValueError, IndexError):
        if not slices.start:
            raise
        slices.issues[ImportIssue.CUT] += 1
    start, end = np.array(slices.start, np.int64), np.array(slices.end, np.int64)
    whole = end >= 0
    slices.issues[ImportIssue.NO_END] += int((~whole).sum())
    return (slices, _columns(slices, start[whole], end[whole], whole)) if whole.any() else None


def _take(slices: _Slices, packet: bytes) -> None:
    if len(packet) > MOST_PACKET:
        slices.packets += 1
        slices.issues[ImportIssue.LOST] += 1
        return
    try:
        slices.packet(packet)
    except TooMuch:
        raise
    except (ValueError, IndexError):
        slices.issues[ImportIssue.LOST] += 1


def _columns(
    slices: _Slices, start: NDArray[np.int64], end: NDArray[np.int64], whole: NDArray[np.bool_]
) -> Found:
    # Ids of tracks are any 64 bits, often hashes: int64 would overflow.
    tracks, track = np.unique(np.array(slices.track, np.uint64)[whole], return_inverse=True)
    codes: dict[str, int] = {}
    name = coded(slices.name, codes)[whole]
    names = tuple(codes)
    links = np.array(slices.links, np.int64).reshape(-1, 2)
    # Slices that never end are left out: arrows to them go, and the others are renumbered.
    links = (np.cumsum(whole) - 1)[links[whole[links].all(axis=1)]]
    steps = steps_of(names, name, start, end)
    titles = [slices.place(int(one)) for one in tracks]
    # A track of steps alone does no work, unless there is nothing else to show.
    working = np.bincount(track, ~matching(names, RANGE)[name], len(tracks)) > 0
    rows = tuple(
        Track(*title, Role.COMPUTE if works or not working.any() else Role.NESTED)
        for title, works in zip(titles, working.tolist(), strict=True)
    )
    own = own_kinds(compress(slices.category, whole))
    kind = np.where(own == ABSENT, kinds_of(names)[name], own)
    counters = []
    for one, pairs in slices.counted.items():
        times, values = zip(*pairs, strict=True)
        counters.append(CountedValues(*slices.place(one), np.array(times), np.array(values)))
    return Found(
        with_roles(rows, tracks.tolist(), slices.roles), names, track.astype(np.int32), name,
        start, end, kind,
        step=steps.at(start) if len(steps.number) else None, links=links, steps=steps,
        counters=tuple(counters), issues=slices.issues,
    )  # fmt: skip
