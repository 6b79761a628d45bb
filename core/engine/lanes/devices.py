"""Everything that differs between devices: clocks, lanes of accelerators, and their selection.

A lane of an accelerator with timed events launches work from its thread onto a separate stream. A
lane of an accelerator without them launches work and waits until the device is idle.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from itertools import pairwise

import torch

from core.engine.lanes.lane import LaneThread, Timestamp, block_queries_during_capture
from core.plan.devices import HOST, device_kind
from core.plan.plan import Lane

ANCHORS = 8  # round trips tried for each anchor; the shortest is kept


class StreamLane(LaneThread):
    """A lane with a separate stream. `devices` are all devices of the run.

    torch runs a copy between devices on the source's current stream and makes the destination's
    stream wait. So a lane has a stream on every device and makes all of them current.
    """

    sleeps = False  # the thread runs ahead of the device

    def __init__(self, lane: Lane, devices: list[str]) -> None:
        super().__init__(lane)
        others = [torch.device(name) for name in devices if name != lane.device]
        self._streams = [torch.Stream(device) for device in others]
        self.stream = torch.Stream(self.device)
        self._devices = [*others, self.device]
        # Created in advance, because that would take time between two tasks. `_record` creates
        # more if a step needs them.
        self._pool = [_event(self.device) for _ in range(256)]
        self.timestamp = self._record

    @contextmanager
    def settings(self) -> Iterator[None]:
        """Context with the lane's streams on all devices, and autograd in the calling thread."""
        with ExitStack() as stack:
            # The lane's own stream is last, so that its device becomes the current one.
            for stream in [*self._streams, self.stream]:
                stack.enter_context(stream)
            # Autograd has one thread per device, in which two lanes of a device would take turns.
            stack.enter_context(torch.autograd.set_multithreading_enabled(False))
            yield

    def _record(self) -> torch.Event:
        event = self._pool.pop() if self._pool else _event(self.device)
        event.record(self.stream)
        return event

    def wait(self, timestamp: Timestamp) -> None:
        """Make the calling thread's streams wait for a timestamp, but not the thread itself."""
        assert isinstance(timestamp, torch.Event)
        # On every device, because a copy between devices runs on the source's current stream. Only
        # CUDA's peer-to-peer copies make that stream wait for the destination's stream.
        for device in self._devices:
            torch.accelerator.current_stream(device).wait_event(timestamp)

    def completion(self) -> Timestamp:
        """Return an event on the calling thread's current stream, even if it is not the lane's."""
        event = _event(self.device)
        event.record(torch.accelerator.current_stream(self.device))
        return event

    def recycle(self, timestamps: Iterable[Timestamp]) -> None:
        """Return events to the pool; they must not be read afterwards."""
        self._pool += [event for event in timestamps if isinstance(event, torch.Event)]


class WaitingLane(LaneThread):
    """A lane of a device without timed events: timestamps are host times, taken when it is idle.

    Only one lane of the device works at a time: its lanes share the lock `turn`.
    """

    def __init__(self, lane: Lane, turn: AbstractContextManager[object]) -> None:
        super().__init__(lane)
        self.turn = turn
        self.timestamp = self._when_idle
        self.note = (
            f"{lane.device} has no timed events: its spans have host times, and its lanes take "
            "turns"
        )

    @contextmanager
    def settings(self) -> Iterator[None]:
        """Context in which autograd runs in the calling thread."""
        with torch.autograd.set_multithreading_enabled(False):
            yield

    def _when_idle(self) -> int:
        torch.accelerator.synchronize(self.device)
        return time.perf_counter_ns()


def _event(device: torch.device) -> torch.Event:
    return torch.Event(device, enable_timing=True)


class Clock:
    """Converts a device's timestamps to host time, with anchors at the start and end of a step.

    This class is for timestamps that are host times already. Their uncertainty is half of the
    shortest time between two consecutive readings of the clock.
    """

    def __init__(self) -> None:
        readings = [time.perf_counter_ns() for _ in range(ANCHORS + 1)]
        shortest = min(later - earlier for earlier, later in pairwise(readings))
        self._uncertainty = _half(shortest)

    def begin(self) -> None:
        """Set the anchor at the start of a step; the device must be idle."""

    def end(self) -> int:
        """Set the anchor at the end of a step; returns the half-width of the wider anchor in ns."""
        return self._uncertainty

    def time(self, timestamp: Timestamp) -> int:
        """Return the host time of a timestamp in ns, provisional until the step's end."""
        assert isinstance(timestamp, int)
        return timestamp


class EventClock(Clock):
    """Maps events to host time by a line through two anchors.

    An anchor is an event that is recorded and synchronised between two readings of the host clock.
    """

    def __init__(self, device: str) -> None:
        self._device = torch.device(device)
        self._stream = torch.Stream(self._device)
        self._first = (_event(self._device), 0, 0)
        self._last = self._first
        self._scale = 1.0

    def begin(self) -> None:
        """Set the first anchor; until `end`, the clocks are assumed to have the same speed."""
        self._first = self._anchor()
        self._scale = 1.0

    def end(self) -> int:
        """Set the last anchor and fit the line through both anchors."""
        self._last = self._anchor()
        device_ns = self._first[0].elapsed_time(self._last[0]) * 1e6
        if device_ns > 0:
            self._scale = (self._last[1] - self._first[1]) / device_ns
        return max(self._first[2], self._last[2])

    def time(self, timestamp: Timestamp) -> int:
        """Return the host time of a completed event; a host time is returned unchanged."""
        if isinstance(timestamp, int):
            return timestamp
        # Measured from an anchor of the same step: elapsed_time is a float32 in ms, which after
        # 8 s is coarser than 1 µs.
        elapsed = self._first[0].elapsed_time(timestamp) * 1e6
        return int(self._first[1] + elapsed * self._scale)

    def _anchor(self) -> tuple[torch.Event, int, int]:
        """Return (event, host time, half-width of its uncertainty), the best of several tries."""
        torch.accelerator.synchronize(self._device)
        tries = []
        # The event happened between `before` and `after`, so the shortest interval is the best.
        for _ in range(ANCHORS):
            event = _event(self._device)
            before = time.perf_counter_ns()
            event.record(self._stream)
            event.synchronize()
            after = time.perf_counter_ns()
            tries.append((event, (before + after) // 2, _half(after - before)))
        return min(tries, key=lambda anchor: anchor[2])


def _half(ns: int) -> int:
    """Return half of a duration, rounded up."""
    return -(-ns // 2)


def open_lanes(lanes: tuple[Lane, ...]) -> list[LaneThread]:
    """Return a lane of the right class for each planned lane, not yet started."""
    devices = list(dict.fromkeys(lane.device for lane in lanes))
    turns = {device: threading.Lock() for device in devices}

    def open_lane(lane: Lane) -> LaneThread:
        if device_kind(lane.device) is HOST:
            return LaneThread(lane)
        if has_timed_events(lane.device):
            return StreamLane(lane, devices)
        return WaitingLane(lane, turns[lane.device])

    opened = [open_lane(lane) for lane in lanes]
    on_streams = [lane for lane in opened if isinstance(lane, StreamLane)]
    lanes_of: dict[str, list[StreamLane]] = {}
    for stream_lane in on_streams:
        lanes_of.setdefault(stream_lane.lane.device, []).append(stream_lane)
    for device, of_device in lanes_of.items():
        kind = device_kind(device)
        backend = getattr(torch, kind.name, None)
        graph = getattr(backend, kind.graph, None) if kind.graph else None
        if graph is not None:
            block_queries_during_capture(graph)
        _note_shared_streams(of_device)
    return opened


def _note_shared_streams(lanes: Sequence[StreamLane]) -> None:
    """Note if lanes of a device share a stream: torch has only a few streams, and reuses them.

    The tasks of such lanes wait for each other without a dependency in the plan.
    """
    streams = len({lane.stream.stream_id for lane in lanes})
    if streams < len(lanes):
        first = lanes[0]
        first.note = (
            f"{first.lane.device} has {streams} streams for {len(lanes)} lanes: lanes that share "
            "one take turns"
        )


def open_clock(device: str) -> Clock:
    """Return a clock for a device's timestamps."""
    if not has_timed_events(device):
        return Clock()
    return EventClock(device)


@cache
def has_timed_events(device: str) -> bool:
    """Return True if a device supports timed events."""
    if not device_kind(device).events:
        return False
    # Try it: a backend may have the event classes but not implement elapsed_time.
    place = torch.device(device)
    first = _event(place)
    last = _event(place)
    try:
        stream = torch.Stream(place)
        first.record(stream)
        last.record(stream)
        last.synchronize()
        first.elapsed_time(last)
    except RuntimeError:
        return False
    return True


def allocator_bytes(device: str) -> int | None:
    """Return the bytes of tensors in torch's allocator on an accelerator, or None if unknown."""
    if device_kind(device) is HOST:
        return None
    try:
        return torch.accelerator.memory_allocated(torch.device(device))
    except RuntimeError:
        return None


@contextmanager
def kept_random_state(devices: Iterable[str]) -> Iterator[None]:
    """Context that finally restores the random state of the host and of devices of one kind."""
    accelerators = sorted({device for device in devices if device_kind(device) is not HOST})
    kind = device_kind(accelerators[0]) if accelerators else HOST
    with torch.random.fork_rng(accelerators, device_type=kind.name):
        yield
