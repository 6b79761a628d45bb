"""Reads the packets of a Perfetto trace, one by one, into lists."""

from __future__ import annotations

import sys
from collections import Counter as Counts
from collections import defaultdict
from dataclasses import dataclass, field
from struct import unpack_from

from core.message import N_
from core.recording.importers.perfetto_clocks import PacketClocks
from core.recording.importers.perfetto_fields import (
    Fields,
    fixed_of,
    inner_of,
    message_of,
    number_of,
    signed,
    text_of,
)
from core.recording.limits import MOST_EVENTS, check_count
from core.recording.role_text import TrackRole, parse_role
from core.trace.import_issue import ImportIssue
from core.trace.spans import LATEST

# Types of track events.
_BEGIN = 1
_END = 2
_INSTANT = 3
_COUNTER = 4
# Fields of TracePacket.
_CLOCK_SNAPSHOT = 6
_SEQUENCE_ID = 10
_TRACK_EVENT = 11
_INTERNED_DATA = 12
_PACKETS_LOST = 42
_DEFAULTS = 59
_TRACK_DESCRIPTOR = 60
# Fields of TrackEvent. Flows that continue have two fields, and so have flows that end.
_TYPE = 9
_NAME_ID = 10
_TRACK = 11
_CATEGORY = 22
_NAME = 23
_COUNTER_VALUE = 30
_DOUBLE_VALUE = 44
_FLOWS = (36, 42, 47, 48)
# Fields of TrackDescriptor, and of the process and thread in it.
_UUID = 1
_TRACK_NAME = 2
_PROCESS = 3
_THREAD = 4
_PARENT = 5
_STATIC_NAME = 10
_DESCRIPTION = 14
_PID = 1
_THREAD_NAME = 5
_PROCESS_NAME = 6
# Fields of InternedData, and of the names in it.
_EVENT_NAMES = 2
_INTERNED_ID = 1
_INTERNED_TEXT = 2
_DEFAULT_EVENT = 11  # field of the defaults of a sequence
_MOST_PARENTS = 16


@dataclass
class PacketReader:
    """Slices, flows and counters of the packets that have been read, and names of tracks.

    `end` of a slice is -1 until it has ended. `packet_of` is the number of its packet. `links` are
    pairs of slices. `titles` has name, process and parent of each track. Interned names and the
    default track belong to a sequence of packets. All times are converted by `clocks`. At most
    `most` slices, flows, names and counter values are accepted.
    """

    most: int = MOST_EVENTS
    titles: dict[int, tuple[str, str, int]] = field(default_factory=dict)
    roles: dict[int, TrackRole] = field(default_factory=dict)
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    default_tracks: dict[int, int] = field(default_factory=dict)
    clocks: PacketClocks = field(default_factory=PacketClocks)
    open_slices: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    track: list[int] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    category: list[str] = field(default_factory=list)
    flows: dict[int, int] = field(default_factory=dict)
    links: list[tuple[int, int]] = field(default_factory=list)
    packet_of: list[int] = field(default_factory=list)
    packets: int = 0
    counter_values: dict[int, list[tuple[int, float]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    values: int = 0
    issues: Counts[ImportIssue] = field(default_factory=Counts)

    def skip(self) -> None:
        """Count a packet that is not read."""
        self.packets += 1

    def read(self, packet: bytes) -> None:
        """Read a packet. Raises TooMuch, and ValueError or IndexError if it is damaged."""
        self.packets += 1
        fields = message_of(packet)
        sequence = number_of(fields, _SEQUENCE_ID) or 0
        if number_of(fields, _PACKETS_LOST):
            self.clocks.forget(sequence)
        if _INTERNED_DATA in fields:
            self._read_names(inner_of(fields, _INTERNED_DATA), sequence)
        if _DEFAULTS in fields:
            defaults = inner_of(fields, _DEFAULTS)
            default_event = inner_of(defaults, _DEFAULT_EVENT)
            self.default_tracks[sequence] = number_of(default_event, _TRACK) or 0
            self.clocks.set_default(defaults, sequence)
        if _CLOCK_SNAPSHOT in fields:
            # A snapshot is not an event, so its time does not advance an incremental clock.
            self.clocks.add_snapshot(inner_of(fields, _CLOCK_SNAPSHOT), sequence)
            moment = None
        else:
            moment = self.clocks.advance(fields, sequence)
        if _TRACK_DESCRIPTOR in fields:
            descriptor = inner_of(fields, _TRACK_DESCRIPTOR)
            self._read_descriptor(descriptor)
        if _TRACK_EVENT in fields:
            event = inner_of(fields, _TRACK_EVENT)
            time = None if moment is None else self.clocks.converted(*moment)
            if moment is not None and time is None:
                self.issues[ImportIssue.UNKNOWN_CLOCK] += 1
            else:
                self._read_event(event, time, sequence)

    def _read_names(self, interned: Fields, sequence: int) -> None:
        """Add the names of events that later packets of the sequence refer to."""
        for data in interned.get(_EVENT_NAMES, ()):
            name = message_of(data) if isinstance(data, bytes) else {}
            number = number_of(name, _INTERNED_ID) or 0
            self.names[sequence, number] = text_of(name, _INTERNED_TEXT)
            check_count(self.names, self.most, N_("it has more than {most:,} names"))

    def _read_descriptor(self, descriptor: Fields) -> None:
        """Add name, process, parent and role of a track."""
        process = inner_of(descriptor, _PROCESS)
        thread = inner_of(descriptor, _THREAD)
        process_name = text_of(process, _PROCESS_NAME)
        name = (
            text_of(descriptor, _TRACK_NAME)
            or text_of(descriptor, _STATIC_NAME)
            or text_of(thread, _THREAD_NAME)
            or process_name
        )
        pid = number_of(process, _PID) or number_of(thread, _PID)
        parent = number_of(descriptor, _PARENT) or 0
        if not process_name and pid is not None and not parent:
            process_name = f"process {pid}"
        track = number_of(descriptor, _UUID) or 0
        self.titles[track] = name, process_name, parent
        role = parse_role(text_of(descriptor, _DESCRIPTION))
        if role is not None:
            self.roles[track] = role

    def _read_event(self, event: Fields, time: int | None, sequence: int) -> None:
        track = number_of(event, _TRACK)
        if track is None:
            track = self.default_tracks.get(sequence, 0)
        event_type = number_of(event, _TYPE)
        has_type = event_type in (_BEGIN, _END, _INSTANT, _COUNTER)
        if time is None or not 0 <= time < LATEST or not has_type:
            self.issues[ImportIssue.NO_TIME] += 1
        elif event_type == _END:
            self._end_slice(track, time)
        elif event_type == _COUNTER:
            value = _counter_value(event)
            self.counter_values[track].append((time, value))
            self.values += 1
            check_count(self.values, self.most, N_("it has more than {most:,} values"))
        else:
            name = text_of(event, _NAME)
            if not name:
                name_id = number_of(event, _NAME_ID) or 0
                name = self.names.get((sequence, name_id), "")
            self._begin_slice(event, track, time, name, event_type == _BEGIN)

    def _begin_slice(
        self, event: Fields, track: int, time: int, name: str, has_length: bool
    ) -> None:
        """Add a slice, or an instant if it has no length."""
        place = len(self.start)
        check_count(place + 1, self.most)
        self.packet_of.append(self.packets - 1)
        self.start.append(time)
        self.end.append(-1 if has_length else time)
        self.track.append(track)
        self.name.append(name or "unnamed")
        # Millions of events have a few categories: keep one text for each.
        self.category.append(sys.intern(text_of(event, _CATEGORY)))
        if has_length:
            self.open_slices[track].append(place)
        for number in _FLOWS:
            for value in event.get(number, ()):
                flow = value if isinstance(value, int) else fixed_of(value)
                if flow in self.flows:
                    former = self.flows[flow]
                    self.links.append((former, place))
                    check_count(self.links, self.most, N_("it has more than {most:,} arrows"))
                self.flows[flow] = place

    def _end_slice(self, track: int, time: int) -> None:
        """End the last slice that has begun on a track: its slices nest."""
        if not self.open_slices[track]:
            self.issues[ImportIssue.NO_BEGIN] += 1
            return
        place = self.open_slices[track].pop()
        self.end[place] = max(time, self.start[place])

    def name_and_place(self, track: int) -> tuple[str, str]:
        """Return the name of a track, and the name of its process or of a parent's process."""
        name, place, parent = self.titles.get(track, ("", "", 0))
        # Limited, because the parents in a damaged file may form a cycle.
        for _ in range(_MOST_PARENTS):
            if place or parent not in self.titles:
                break
            _, place, parent = self.titles[parent]
        return name or f"track {track}", place or "trace"


def _counter_value(event: Fields) -> float:
    doubles = event.get(_DOUBLE_VALUE)
    if doubles:
        last = doubles[-1]
        if isinstance(last, bytes) and len(last) == 8:
            (value,) = unpack_from("<d", last)
            return float(value)
    number = number_of(event, _COUNTER_VALUE) or 0
    return float(signed(number))
