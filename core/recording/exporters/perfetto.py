"""Writes a trace in Perfetto's protobuf: a track for each lane and counter, and one for the steps.

The numbers of fields are from Perfetto's protos: trace_packet, track_descriptor, track_event.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.arrays import Ints
from core.plan.plan import Lane
from core.recording.exporters.chrome import open_output
from core.recording.exporters.exported_spans import ExportedSpans, chunks, counter_name
from core.recording.exporters.wire import fixed64_field, message_field, number_field, text_field
from core.recording.role_text import role_text
from core.trace.event_rows import Counter
from core.trace.trace import Trace

_BEGIN = 1
_END = 2
_COUNTER = 4
_STEPS = 1  # id of the track of the steps
# First id of each kind of track; all tracks share one space of ids, so the ranges must not overlap.
_LANES = 2
_DEVICES = 1 << 32
_COUNTERS = 1 << 33
_FURTHER = 1 << 34


def write_perfetto(trace: Trace, path: Path | str) -> Generator[float, None, None]:
    """Write a trace; yield the share written so far.

    If the generator is closed before its end, no file is left. Raises OSError in one line.
    """
    slices = _Slices.of(trace)
    count = len(slices.order)
    with open_output(path) as file:
        file.writelines(_tracks(trace))
        file.writelines(_further_tracks(trace, slices.further))
        for first, last in chunks(count):
            positions = slices.order[first:last]
            packets = map(slices.packet, positions.tolist())
            file.write(b"".join(packets))
            yield last / count
        for place, counter in enumerate(trace.counters.values()):
            track = _COUNTERS + place
            file.writelines(_values(counter, track))


def _packet(time: int, kind: int, track: int, *fields: bytes) -> bytes:
    """Return a packet with a track event."""
    kind_field = number_field(9, kind)
    track_field = number_field(11, track)
    event = message_field(11, kind_field, track_field, *fields)
    time_field = number_field(8, time)
    # Packets of tracks must have a sequence.
    sequence = number_field(10, 1)
    return message_field(1, time_field, sequence, event)


@dataclass(frozen=True)
class _Slices:
    """Steps and spans as slices: n begins and ends with their times.

    Slice k begins at position 2k and ends at 2k + 1; steps are first, then spans. `order` sorts the
    positions by time. `track` is the id of each span's track; `further` are the lanes of the tracks
    from _FURTHER on. `leaving` and `entering` are the flows that begin and end at each span.
    """

    exported: ExportedSpans
    steps: list[int]
    times: Ints
    order: Ints
    track: Ints
    further: list[int]
    leaving: dict[int, list[int]]
    entering: dict[int, list[int]]

    @classmethod
    def of(cls, trace: Trace) -> _Slices:
        """Return the slices of a trace."""
        exported = ExportedSpans.of(trace)
        spans = exported.spans
        steps = list(trace.steps)
        bounds = [trace.step_bounds(step) for step in steps]
        step_times = np.array(bounds, np.int64).reshape(-1, 2)
        step_starts, step_ends = step_times.T
        # All steps share a track, so a step ends at the latest when the next one begins.
        next_starts = step_starts[1:]
        step_ends[:-1] = np.minimum(step_ends[:-1], next_starts)
        starts = np.concatenate([step_starts, spans.start])
        ends = np.concatenate([step_ends, spans.end])
        slice_times = np.stack([starts, ends], axis=1)
        times = slice_times.ravel()
        leaving: dict[int, list[int]] = defaultdict(list)
        entering: dict[int, list[int]] = defaultdict(list)
        for flow, (before, after) in enumerate(exported.links.tolist(), 1):
            leaving[before].append(flow)
            entering[after].append(flow)
        # Slices of a track do not overlap, so a stable sort keeps their order.
        order = np.argsort(times, kind="stable")
        track, further = _tracks_of_spans(exported)
        return cls(
            exported=exported,
            steps=steps,
            times=times,
            order=order,
            track=track,
            further=further,
            leaving=leaving,
            entering=entering,
        )

    def packet(self, position: int) -> bytes:
        """Return the packet of a begin or an end."""
        time = int(self.times[position])
        place, is_end = divmod(position, 2)
        if place < len(self.steps):
            if is_end:
                return _packet(time, _END, _STEPS)
            number = self.steps[place] + 1
            name = text_field(23, f"step {number}")
            return _packet(time, _BEGIN, _STEPS, name)
        place -= len(self.steps)
        track = int(self.track[place])
        if is_end:
            return _packet(time, _END, track)
        return _packet(time, _BEGIN, track, *self._fields(place))

    def _fields(self, place: int) -> Iterator[bytes]:
        """Yield name, category, arguments and flows of a span."""
        exported = self.exported
        yield text_field(23, exported.labels[place])
        yield text_field(22, exported.kinds[place])
        [arguments] = exported.arguments(place, place + 1)
        for name, value in arguments.items():
            name_field = text_field(10, name)
            value_field = number_field(4, value)
            yield message_field(4, name_field, value_field)
        for flow in self.leaving.get(place, ()):
            yield fixed64_field(47, flow)
        for flow in self.entering.get(place, ()):
            yield fixed64_field(48, flow)


def _tracks_of_spans(exported: ExportedSpans) -> tuple[Ints, list[int]]:
    """Return the id of each span's track, and the lanes of the tracks from _FURTHER on.

    An end belongs to the latest slice of its track that is open, so slices of a track must not
    overlap. In a recorded job a collective may outlast its step, and a collective of the next step
    begins on the same lane. Such spans are on further tracks of their lane.
    """
    spans = exported.spans
    track = _LANES + exported.lane
    further: list[int] = []
    for lane in np.unique(exported.lane).tolist():
        of_lane = np.flatnonzero(exported.lane == lane)
        row = _rows(spans.start[of_lane], spans.end[of_lane])
        is_further = row > 0
        track[of_lane[is_further]] = _FURTHER + len(further) + row[is_further] - 1
        further += [lane] * int(row.max())
    return track, further


def _rows(starts: Ints, ends: Ints) -> Ints:
    """Return the row of each of n slices, n > 0, in order of their starts, in ns.

    A slice is in the first row whose slices have ended.
    """
    latest_ends = np.maximum.accumulate(ends)
    if (starts[1:] >= latest_ends[:-1]).all():
        return np.zeros(len(starts), np.int64)
    rows: list[int] = []
    end_of_row: list[int] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        free = [row for row, last_end in enumerate(end_of_row) if last_end <= start]
        if free:
            row = free[0]
            end_of_row[row] = end
        else:
            row = len(end_of_row)
            end_of_row.append(end)
        rows.append(row)
    return np.array(rows, np.int64)


def _pids(trace: Trace) -> dict[str, int]:
    """Return the number of the process of each device."""
    pids: dict[str, int] = {}
    for lane in trace.header.lanes:
        next_pid = len(pids) + 1
        pids.setdefault(lane.device, next_pid)
    return pids


def _tracks(trace: Trace) -> Iterator[bytes]:
    """Yield the descriptions of all tracks."""
    lanes = trace.header.lanes
    pids = _pids(trace)
    for device, pid in pids.items():
        pid_field = number_field(1, pid)
        name = text_field(6, device)
        process = message_field(3, pid_field, name)
        yield _track(_DEVICES + pid, process)
    for lane in lanes:
        yield _track_of_lane(lane, _LANES + lane.index, pids)
    if trace.steps:
        yield _track(_STEPS, text_field(2, "steps"))
    for number, counter in enumerate(trace.counters.values()):
        name = text_field(2, counter_name(trace, counter))
        # The last field is empty, but marks the track as a counter.
        yield _track(_COUNTERS + number, name, message_field(8))


def _further_tracks(trace: Trace, further: Sequence[int]) -> Iterator[bytes]:
    """Yield the descriptions of the tracks from _FURTHER on, given their lanes."""
    pids = _pids(trace)
    for uuid, lane in enumerate(further, _FURTHER):
        yield _track_of_lane(trace.header.lanes[lane], uuid, pids)


def _track_of_lane(lane: Lane, uuid: int, pids: Mapping[str, int]) -> bytes:
    """Return a packet that describes a track of a lane."""
    name = text_field(2, lane.name)
    parent = number_field(5, _DEVICES + pids[lane.device])
    # The role is the track's description, which Perfetto shows.
    role = text_field(14, role_text(lane, _LANES + lane.serves))
    return _track(uuid, name, parent, role)


def _track(uuid: int, *fields: bytes) -> bytes:
    """Return a packet that describes a track."""
    uuid_field = number_field(1, uuid)
    description = message_field(60, uuid_field, *fields)
    sequence = number_field(10, 1)
    # This flag means that no packet of the sequence was lost before this one.
    sequence_flags = number_field(13, 1)
    return message_field(1, sequence, sequence_flags, description)


def _values(counter: Counter, track: int) -> Iterator[bytes]:
    """Yield a packet for each value of a counter."""
    times = counter.times.tolist()
    # A double is encoded as a fixed 64-bit number with the same bits.
    bits = counter.values.astype(np.float64).view(np.uint64).tolist()
    for time, bits_of_value in zip(times, bits, strict=True):
        value = fixed64_field(44, bits_of_value)
        yield _packet(time, _COUNTER, track, value)
