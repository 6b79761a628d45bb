"""A trace in Perfetto's protobuf: a track for each lane and each counter, and one of the steps.

The numbers of fields are those of Perfetto's protos: trace_packet, track_descriptor, track_event.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from struct import pack, unpack

import numpy as np
from numpy.typing import NDArray

from core.recording.exporters.chrome import opened
from core.recording.exporters.events import Events, counter_name, pieces
from core.recording.exporters.wire import fixed, message, number, text
from core.recording.role_words import role_words
from core.trace.event_rows import Counter
from core.trace.trace import Trace

_BEGIN, _END, _COUNTER = 1, 2, 4
_STEPS = 1  # the track of the steps; that of a lane has 2 and more
# All tracks share one space of ids: so far apart, none is another's.
_DEVICES, _COUNTERS = 1 << 32, 1 << 33  # from here on


def write_perfetto(trace: Trace, path: Path | str) -> Generator[float, None, None]:
    """Write a trace; yields the share that is written.

    A generator that is closed before its end leaves no file. Raises OSError in one line.
    """
    made = _Slices.of(trace)
    with opened(path) as file:
        file.writelines(_tracks(trace))
        for first, last in pieces(len(made.order)):
            file.write(b"".join(map(made.packet, made.order[first:last].tolist())))
            yield last / len(made.order)
        for place, counter in enumerate(trace.counters.values()):
            file.writelines(_values(counter, _COUNTERS + place))


def _packet(time: int, kind: int, track: int, *fields: bytes) -> bytes:
    event = message(11, number(9, kind), number(11, track), *fields)
    # Field 10 is the sequence that a packet is of, which those of tracks have to name.
    return message(1, number(8, time), number(10, 1), event)


@dataclass(frozen=True)
class _Slices:
    """Steps and spans as slices: the times of n beginnings and ends, in whose `order` they stand.

    Beginning and end of a slice stand at `2 * place` and the next one: first the steps, then the
    spans. A slice takes part in the flows of what waited for it, or what it waited for.
    """

    events: Events
    steps: list[int]
    times: NDArray[np.int64]
    order: NDArray[np.int64]
    leaving: dict[int, list[int]]
    entering: dict[int, list[int]]

    @classmethod
    def of(cls, trace: Trace) -> _Slices:
        events = Events.of(trace)
        bounds = [trace.step_bounds(step) for step in trace.steps]
        # On their one track a step ends where the next one begins, if not before.
        ends = [min(one[1], then[0]) for one, then in pairwise(bounds)] + [
            end for _, end in bounds[-1:]
        ]
        starts = np.array([start for start, _ in bounds], np.int64)
        times = np.stack(
            [
                np.concatenate([starts, events.spans.start]),
                np.concatenate([np.array(ends, np.int64), events.spans.end]),
            ],
            axis=1,
        ).ravel()
        leaving, entering = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
        for flow, (before, behind) in enumerate(events.links.tolist(), 1):
            leaving[before].append(flow)
            entering[behind].append(flow)
        # Slices of a track never overlap: a stable order keeps each track's own.
        order = np.argsort(times, kind="stable")
        return cls(events, list(trace.steps), times, order, leaving, entering)

    def packet(self, turn: int) -> bytes:
        """A beginning or an end."""
        time, (place, is_end) = int(self.times[turn]), divmod(turn, 2)
        if place < len(self.steps):
            fields = [] if is_end else [text(23, f"step {self.steps[place] + 1}")]
            return _packet(time, _END if is_end else _BEGIN, _STEPS, *fields)
        place -= len(self.steps)
        track = _STEPS + 1 + int(self.events.lane[place])
        if is_end:
            return _packet(time, _END, track)
        return _packet(time, _BEGIN, track, *self._fields(place))

    def _fields(self, place: int) -> Iterator[bytes]:
        events = self.events
        yield text(23, events.labels[place])
        yield text(22, events.kinds[place])
        for name, value in events.arguments(place, place + 1)[0].items():
            yield message(4, text(10, name), number(4, value))
        yield from (fixed(47, flow) for flow in self.leaving.get(place, ()))
        yield from (fixed(48, flow) for flow in self.entering.get(place, ()))


def _tracks(trace: Trace) -> Iterator[bytes]:
    """What the tracks are called, and which device each lane's belongs to."""
    places = list(dict.fromkeys(lane.device for lane in trace.header.lanes))
    for pid, place in enumerate(places, 1):
        yield _track(_DEVICES + pid, message(3, number(1, pid), text(6, place)))
    for lane in trace.header.lanes:
        device = number(5, _DEVICES + 1 + places.index(lane.device))
        role = text(14, role_words(lane, _STEPS + 1 + lane.serves))  # a description, shown as one
        yield _track(_STEPS + 1 + lane.index, text(2, lane.name), device, role)
    if trace.steps:
        yield _track(_STEPS, text(2, "steps"))
    for number_, counter in enumerate(trace.counters.values()):
        # That message is empty, but its being there makes the track one of a counter.
        yield _track(_COUNTERS + number_, text(2, counter_name(trace, counter)), message(8))


def _track(uuid: int, *fields: bytes) -> bytes:
    """A packet that describes a track; as all are of one sequence, nothing was lost before it."""
    return message(1, number(10, 1), number(13, 1), message(60, number(1, uuid), *fields))


def _values(counter: Counter, track: int) -> Iterator[bytes]:
    for time, value in zip(counter.times.tolist(), counter.values.tolist(), strict=True):
        # A double has the wire form of a fixed 64-bit number: its bits go in as one.
        yield _packet(time, _COUNTER, track, fixed(44, unpack("<Q", pack("<d", value))[0]))
