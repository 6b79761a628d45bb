"""The seam between devices: clocks, the lanes of accelerators, and which of them a device has.

An accelerator's lane launches from its thread onto a stream of its own (where work is timed with
events), or launches and waits until the device is idle (where it is not).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache
from itertools import pairwise

import torch

from core.engine.lanes.lane import LaneThread, Timestamp, ask_nothing_while_captured
from core.plan.devices import HOST, device_kind
from core.plan.plan import Lane

ANCHORS = 8  # round trips tried for each anchor; the shortest is kept


class StreamLane(LaneThread):
    """Launches onto a stream of its own. `devices` are all devices of the run.

    torch runs a copy between devices on the source's current stream and makes the destination's
    wait, so a lane has a stream on every device and sets all of them current.
    """

    sleeps = False  # its thread runs ahead of the device

    def __init__(self, lane: Lane, devices: list[str]) -> None:
        super().__init__(lane)
        others = [torch.device(name) for name in devices if name != lane.device]
        self._streams = [torch.Stream(device) for device in others]
        self.stream = torch.Stream(self.device)
        self._devices = [*others, self.device]
        # Made beforehand, as making one takes time between two tasks; more
        # are made if a step needs more.
        self._pool = [_event(self.device) for _ in range(256)]
        self.timestamp = self._record

    @contextmanager
    def settings(self) -> Iterator[None]:
        """The lane's streams on all devices; autograd in the calling thread."""
        with ExitStack() as stack:
            # The lane's own last: the current device is then the lane's as well.
            for stream in [*self._streams, self.stream]:
                stack.enter_context(stream)
            # Autograd has one thread per device: two lanes on it would take turns in it.
            stack.enter_context(torch.autograd.set_multithreading_enabled(False))
            yield

    def _record(self) -> torch.Event:
        event = self._pool.pop() if self._pool else _event(self.device)
        event.record(self.stream)
        return event

    def wait(self, timestamp: Timestamp) -> None:
        """Make the calling thread's streams wait, not the thread."""
        assert isinstance(timestamp, torch.Event)
        # On every device: a copy between devices runs on the source's current stream. Only CUDA's
        # copies between peers make that one wait for the destination's by themselves.
        for device in self._devices:
            torch.accelerator.current_stream(device).wait_event(timestamp)

    def completion(self) -> Timestamp:
        """An event on the calling thread's stream, which need not be the lane's."""
        event = _event(self.device)
        event.record(torch.accelerator.current_stream(self.device))
        return event

    def recycle(self, timestamps: Iterable[Timestamp]) -> None:
        """Return events to the pool; they must not be read afterwards."""
        self._pool += [event for event in timestamps if isinstance(event, torch.Event)]


class WaitingLane(LaneThread):
    """Of a device that cannot time its work: a timestamp is the host's, made when it is idle.

    So work runs alone on it: its lanes take turns, and share the lock `turn`.
    """

    def __init__(self, lane: Lane, turn: AbstractContextManager[object]) -> None:
        super().__init__(lane)
        self.turn = turn
        self.timestamp = self._when_idle
        self.note = f"{lane.device} has no timed events: spans are the host's times, of work alone"

    @contextmanager
    def settings(self) -> Iterator[None]:
        """Autograd in the calling thread."""
        with torch.autograd.set_multithreading_enabled(False):
            yield

    def _when_idle(self) -> int:
        torch.accelerator.synchronize(self.device)
        return time.perf_counter_ns()


def _event(device: torch.device) -> torch.Event:
    return torch.Event(device, enable_timing=True)


class Clock:
    """Turns a device's timestamps into host time, between anchors at a step's start and end.

    Those of the host's clock are that already; two in a row bound how finely they are taken.
    """

    def __init__(self) -> None:
        stamps = [time.perf_counter_ns() for _ in range(ANCHORS + 1)]
        self._uncertainty = -(-min(b - a for a, b in pairwise(stamps)) // 2)

    def begin(self) -> None:
        """Anchor at the start of a step; the device must be idle."""

    def end(self) -> int:
        """Anchor at the end of a step; returns the half-width of the wider anchor in ns."""
        return self._uncertainty

    def time(self, timestamp: Timestamp) -> int:
        """Host time of a timestamp in ns, provisional until the step's end."""
        assert isinstance(timestamp, int)
        return timestamp


class EventClock(Clock):
    """A linear map between two anchors: events recorded and synchronised between host stamps."""

    def __init__(self, device: str) -> None:
        self._device = torch.device(device)
        self._stream = torch.Stream(self._device)
        self._first = self._last = (_event(self._device), 0, 0)
        self._scale = 1.0

    def begin(self) -> None:
        """Anchor; until `end`, a device ns counts as a host ns."""
        self._first = self._anchor()
        self._scale = 1.0

    def end(self) -> int:
        """Anchor again and fit the line through both anchors."""
        self._last = self._anchor()
        device_ns = self._first[0].elapsed_time(self._last[0]) * 1e6
        if device_ns > 0:
            self._scale = (self._last[1] - self._first[1]) / device_ns
        return max(self._first[2], self._last[2])

    def time(self, timestamp: Timestamp) -> int:
        """Host time of a completed event; what is host time already stays as it is."""
        if isinstance(timestamp, int):
            return timestamp
        # From the step's own anchor: elapsed_time is in ms of float32, which
        # after 8 s is coarser than a µs.
        elapsed = self._first[0].elapsed_time(timestamp) * 1e6
        return int(self._first[1] + elapsed * self._scale)

    def _anchor(self) -> tuple[torch.Event, int, int]:
        """(event, host time at the middle of its bracket, half-width), the narrowest of a few."""
        torch.accelerator.synchronize(self._device)
        tries = []
        # The event happened somewhere within its bracket of host times: the
        # narrowest bracket says most.
        for _ in range(ANCHORS):
            event = _event(self._device)
            before = time.perf_counter_ns()
            event.record(self._stream)
            event.synchronize()
            after = time.perf_counter_ns()
            tries.append((event, (before + after) // 2, -(-(after - before) // 2)))
        return min(tries, key=lambda anchor: anchor[2])


def open_lanes(lanes: tuple[Lane, ...]) -> list[LaneThread]:
    """A lane of the right sort for each planned one; not yet started."""
    devices = list(dict.fromkeys(lane.device for lane in lanes))
    turns = {device: threading.Lock() for device in devices}

    def opened(lane: Lane) -> LaneThread:
        if device_kind(lane.device) is HOST:
            return LaneThread(lane)
        if has_timed_events(lane.device):
            return StreamLane(lane, devices)
        return WaitingLane(lane, turns[lane.device])

    made = [opened(lane) for lane in lanes]
    on_streams = [lane for lane in made if isinstance(lane, StreamLane)]
    for device in dict.fromkeys(lane.lane.device for lane in on_streams):
        kind = device_kind(device)
        graph = getattr(getattr(torch, kind.name, None), kind.graph or " ", None)
        if graph is not None:
            ask_nothing_while_captured(graph)
        _note_shared_streams([lane for lane in on_streams if lane.lane.device == device])
    return made


def _note_shared_streams(lanes: Sequence[StreamLane]) -> None:
    """Set the note of lanes of a device if several have one stream: torch hands out a few in turn.

    The tasks of such lanes wait for each other, which no dependency tells.
    """
    streams = {lane.stream.stream_id for lane in lanes}
    if len(streams) < len(lanes):
        lanes[0].note = (
            f"{lanes[0].lane.device} has {len(streams)} streams for {len(lanes)} lanes: lanes that "
            "share one take turns"
        )


def open_clock(device: str) -> Clock:
    """A clock for a device."""
    return EventClock(device) if has_timed_events(device) else Clock()


@cache
def has_timed_events(device: str) -> bool:
    """Whether a device times its work: its kind can, and it does not refuse to."""
    if not device_kind(device).events:
        return False
    # Tried out, since a backend may have the classes of events and refuse elapsed_time.
    place = torch.device(device)
    first, last = _event(place), _event(place)
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
    """Bytes that torch's allocator holds on an accelerator for tensors; None if it does not say."""
    if device_kind(device) is HOST:
        return None
    try:
        return torch.accelerator.memory_allocated(torch.device(device))
    except RuntimeError:
        return None


@contextmanager
def kept_random_state(devices: Iterable[str]) -> Iterator[None]:
    """Puts the random state back, of the host and of devices of one kind."""
    accelerators = sorted({device for device in devices if device_kind(device) is not HOST})
    kind = device_kind(accelerators[0]) if accelerators else HOST
    with torch.random.fork_rng(accelerators, device_type=kind.name):
        yield
