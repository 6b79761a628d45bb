"""Writes a trace in Perfetto's protobuf: a track for each lane and counter, and one for the steps.

The numbers of fields are from Perfetto's protos: trace_packet, track_descriptor, track_event.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from struct import pack, unpack

import numpy as np

from core.arrays import Ints
from core.recording.exporters.chrome import open_output
from core.recording.exporters.exported_spans import ExportedSpans, chunks, counter_name
from core.recording.exporters.wire import fixed64_field, message_field, number_field, text_field
from core.recording.role_text import role_text
from core.trace.event_rows import Counter
from core.trace.trace import Trace

_BEGIN = 1
_END = 2
_COUNTER = 4
_STEPS = 1  # id of the track of the steps; lanes have 2 and more
# Ids from here on; all tracks share one space of ids, and these ranges do not meet.
_DEVICES = 1 << 32
_COUNTERS = 1 << 33


def write_perfetto(trace: Trace, path: Path | str) -> Generator[float, None, None]:
    """Write a trace; yields the share that is written.

    A generator that is closed before its end leaves no file. Raises OSError in one line.
    """
    slices = _Slices.of(trace)
    with open_output(path) as file:
        file.writelines(_tracks(trace))
        for first, last in chunks(len(slices.order)):
            packets = map(slices.packet, slices.order[first:last].tolist())
            file.write(b"".join(packets))
            yield last / len(slices.order)
        for place, counter in enumerate(trace.counters.values()):
            file.writelines(_values(counter, _COUNTERS + place))


def _packet(time: int, kind: int, track: int, *fields: bytes) -> bytes:
    """Return a packet with a track event."""
    event = message_field(11, number_field(9, kind), number_field(11, track), *fields)
    # Field 10 is the packet's sequence, which packets of tracks must have.
    return message_field(1, number_field(8, time), number_field(10, 1), event)


@dataclass(frozen=True)
class _Slices:
    """Steps and spans as slices: n begins and ends with their times.

    Slice k begins at position 2k and ends at 2k + 1; steps are first, then spans. `order` sorts the
    positions by time. `leaving` and `entering` are the flows that begin and end at each span.
    """

    exported: ExportedSpans
    steps: list[int]
    times: Ints
    order: Ints
    leaving: dict[int, list[int]]
    entering: dict[int, list[int]]

    @classmethod
    def of(cls, trace: Trace) -> _Slices:
        exported = ExportedSpans.of(trace)
        spans = exported.spans
        bounds = [trace.step_bounds(step) for step in trace.steps]
        # All steps share a track, so a step ends at the latest when the next one begins.
        step_ends = [min(end, next_start) for (_, end), (next_start, _) in pairwise(bounds)]
        if bounds:
            step_ends.append(bounds[-1][1])
        step_starts = np.array([start for start, _ in bounds], np.int64)
        starts = np.concatenate([step_starts, spans.start])
        ends = np.concatenate([np.array(step_ends, np.int64), spans.end])
        times = np.stack([starts, ends], axis=1).ravel()
        leaving = defaultdict[int, list[int]](list)
        entering = defaultdict[int, list[int]](list)
        for flow, (before, after) in enumerate(exported.links.tolist(), 1):
            leaving[before].append(flow)
            entering[after].append(flow)
        # Slices of a track do not overlap, so a stable sort keeps their order.
        order = np.argsort(times, kind="stable")
        return cls(exported, list(trace.steps), times, order, leaving, entering)

    def packet(self, position: int) -> bytes:
        """Return the packet of a begin or an end."""
        time = int(self.times[position])
        place, is_end = divmod(position, 2)
        if place < len(self.steps):
            if is_end:
                return _packet(time, _END, _STEPS)
            return _packet(time, _BEGIN, _STEPS, text_field(23, f"step {self.steps[place] + 1}"))
        place -= len(self.steps)
        track = _STEPS + 1 + int(self.exported.lane[place])
        if is_end:
            return _packet(time, _END, track)
        return _packet(time, _BEGIN, track, *self._fields(place))

    def _fields(self, place: int) -> Iterator[bytes]:
        """Yield name, category, arguments and flows of a span."""
        exported = self.exported
        yield text_field(23, exported.labels[place])
        yield text_field(22, exported.kinds[place])
        for name, value in exported.arguments(place, place + 1)[0].items():
            yield message_field(4, text_field(10, name), number_field(4, value))
        for flow in self.leaving.get(place, ()):
            yield fixed64_field(47, flow)
        for flow in self.entering.get(place, ()):
            yield fixed64_field(48, flow)


def _tracks(trace: Trace) -> Iterator[bytes]:
    """Yield the descriptions of all tracks."""
    devices = list(dict.fromkeys(lane.device for lane in trace.header.lanes))
    for pid, device in enumerate(devices, 1):
        process = message_field(3, number_field(1, pid), text_field(6, device))
        yield _track(_DEVICES + pid, process)
    for lane in trace.header.lanes:
        parent = number_field(5, _DEVICES + 1 + devices.index(lane.device))
        # The role is the track's description, which Perfetto shows.
        role = text_field(14, role_text(lane, _STEPS + 1 + lane.serves))
        yield _track(_STEPS + 1 + lane.index, text_field(2, lane.name), parent, role)
    if trace.steps:
        yield _track(_STEPS, text_field(2, "steps"))
    for number, counter in enumerate(trace.counters.values()):
        name = text_field(2, counter_name(trace, counter))
        # The last field is empty, but marks the track as a counter.
        yield _track(_COUNTERS + number, name, message_field(8))


def _track(uuid: int, *fields: bytes) -> bytes:
    """Return a packet that describes a track."""
    description = message_field(60, number_field(1, uuid), *fields)
    # Field 13 says that no packet of the sequence was lost before this one.
    return message_field(1, number_field(10, 1), number_field(13, 1), description)


def _values(counter: Counter, track: int) -> Iterator[bytes]:
    """Yield a packet for each value of a counter."""
    for time, value in zip(counter.times.tolist(), counter.values.tolist(), strict=True):
        # A double is encoded as a fixed 64-bit number with the same bits.
        (bits,) = unpack("<Q", pack("<d", value))
        yield _packet(time, _COUNTER, track, fixed64_field(44, bits))
