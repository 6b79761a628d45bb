"""Converts the times of a Perfetto trace's packets to one clock.

Each packet has its time from a clock: its own, the default clock of its sequence, or the default
clock of the trace. Clocks with small numbers are the system's. Clocks 64 to 127 belong to one
sequence, and may be incremental: their times are differences to the previous packet, as in traces
of Perfetto's SDK and of Chrome. A snapshot contains the times of several clocks at one moment.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from core.recording.importers.perfetto_fields import Fields, message_of, number_of

# Fields of TracePacket; packets and the defaults of a sequence have the same one for the clock.
_TIMESTAMP = 8
_CLOCK = 58
# Fields of ClockSnapshot, and of a clock in it.
_CLOCKS = 1
_TRACE_CLOCK = 2
_CLOCK_ID = 1
_CLOCK_TIME = 2
_IS_INCREMENTAL = 3
_UNIT_NS = 4
_BOOT_TIME = 6
_OF_SEQUENCES = range(64, 128)
_ANY_SEQUENCE = -1
_MOST_CLOCKS = 1 << 16
"""Number of clocks from which on snapshots are not read; a trace has a few for each thread."""

_Clock = tuple[int, int]
"""A clock: its sequence, or _ANY_SEQUENCE, and its number."""


@dataclass
class PacketClocks:
    """The clocks of a trace, as known from the packets that have been read.

    `reference` is the clock to which all times are converted: a clock of the first snapshot or,
    without snapshots, the first event's clock. `offset_ns` is the difference of each clock to the
    reference. `unit_ns` is the length of a clock's unit, if that is not 1 ns. `latest_ns` has the
    latest time of each incremental clock. `defaults` has the number of each sequence's default
    clock, and `trace_clock` is the number of the clock of all other packets.
    """

    reference: _Clock | None = None
    trace_clock: int = _BOOT_TIME
    offset_ns: dict[_Clock, int] = field(default_factory=dict)
    unit_ns: dict[_Clock, int] = field(default_factory=dict)
    latest_ns: dict[_Clock, int] = field(default_factory=dict)
    defaults: dict[int, int] = field(default_factory=dict)

    def set_default(self, defaults: Fields, sequence: int) -> None:
        """Keep the clock in the defaults of a sequence, which replace its earlier ones."""
        self.defaults.pop(sequence, None)
        number = number_of(defaults, _CLOCK)
        if number is not None:
            self.defaults[sequence] = number

    def forget(self, sequence: int) -> None:
        """Forget the incremental clocks of a sequence that has lost packets, until a snapshot."""
        for number in _OF_SEQUENCES:
            clock = sequence, number
            if self.latest_ns.pop(clock, None) is not None:
                self.offset_ns.pop(clock, None)

    def add_snapshot(self, snapshot: Fields, sequence: int) -> None:
        """Relate the clocks of a snapshot to each other. Raises as `message_of` does."""
        if len(self.offset_ns) >= _MOST_CLOCKS:
            return
        self.trace_clock = number_of(snapshot, _TRACE_CLOCK) or self.trace_clock
        times: dict[_Clock, int] = {}
        for data in snapshot.get(_CLOCKS, ()):
            fields = message_of(data) if isinstance(data, bytes) else {}
            clock = _clock(number_of(fields, _CLOCK_ID) or 0, sequence)
            self.unit_ns[clock] = number_of(fields, _UNIT_NS) or 1
            times[clock] = (number_of(fields, _CLOCK_TIME) or 0) * self.unit_ns[clock]
            if number_of(fields, _IS_INCREMENTAL):
                self.latest_ns[clock] = times[clock]
        known = self._known_clock(times)
        if known is not None:
            moment = times[known] + self.offset_ns[known]
            for clock, time in times.items():
                self.offset_ns[clock] = moment - time

    def _known_clock(self, times: Collection[_Clock]) -> _Clock | None:
        """Return one of the clocks whose offset is known; None if there is none."""
        if self.reference is None and times:
            preferred = _ANY_SEQUENCE, self.trace_clock
            self._refer_to(preferred if preferred in times else min(times))
        if self.reference in times:
            return self.reference
        # Those of the system are first.
        return min((clock for clock in times if clock in self.offset_ns), default=None)

    def _refer_to(self, clock: _Clock) -> None:
        self.reference = clock
        self.offset_ns[clock] = 0

    def advance(self, packet: Fields, sequence: int) -> tuple[_Clock, int] | None:
        """Return the clock and the time in ns of a packet; None without a time.

        Must be called once for each packet, in the order of the file: it moves the clock of a
        sequence on if that is incremental.
        """
        time = number_of(packet, _TIMESTAMP)
        if time is None:
            return None
        number = number_of(packet, _CLOCK)
        if number is None:
            number = self.defaults.get(sequence, self.trace_clock)
        clock = _clock(number, sequence)
        time *= self.unit_ns.get(clock, 1)
        if clock in self.latest_ns:
            time += self.latest_ns[clock]
            self.latest_ns[clock] = time
        return clock, time

    def converted(self, clock: _Clock, time: int) -> int | None:
        """Return a time in ns on the reference clock; None if the clock is not related to it."""
        if self.reference is None and clock[0] == _ANY_SEQUENCE:
            self._refer_to(clock)
        offset = self.offset_ns.get(clock)
        return None if offset is None else time + offset


def _clock(number: int, sequence: int) -> _Clock:
    return (sequence if number in _OF_SEQUENCES else _ANY_SEQUENCE), number
