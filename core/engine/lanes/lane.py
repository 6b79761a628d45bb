"""The seam between CPU and CUDA: lanes that run jobs in order, and the clocks that time them.

A lane is a thread with a FIFO queue. A CPU lane computes in that thread; a CUDA lane launches from
it onto a stream. Everything else of the engine is the same for both: nowhere else is there an
`if cuda`.

A timestamp is a moment on a lane: the host's clock in ns on a CPU lane, a recorded event on a CUDA
lane.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise
from typing import TypeVar

import torch

from core.plan import task as plan

Timestamp = int | torch.cuda.Event
ANCHORS = 8  # round trips tried for each anchor; the shortest is kept

T = TypeVar("T")


def reached(timestamp: Timestamp) -> bool:
    """Whether a moment is past. One of the host's is made when the work is done."""
    return isinstance(timestamp, int) or timestamp.query()


class Lane:
    """One thread that runs what it is given in order. A context manager: leaving joins it.

    A lane of a CPU computes in that thread, with its own number of cores. `timestamp` makes a
    timestamp; on the CPU it is nothing of Python's, which would be timed with the work.
    """

    sleeps = True
    """Whether a lane that waits must be woken up, which takes time: its work is its thread's."""

    def __init__(self, lane: plan.Lane) -> None:
        self.lane = lane
        self.device = torch.device(lane.device)
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True, name=lane.name)
        self.timestamp: Callable[[], Timestamp] = time.perf_counter_ns

    def __enter__(self) -> Lane:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._queue.put(None)
        self._thread.join()

    def submit(self, job: Callable[[], None]) -> None:
        """Queue a job, which must not raise."""
        self._queue.put(job)

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Queue work that may raise: whoever asks the future for its result is told."""
        future: Future[T] = Future()
        self.submit(partial(_fulfil, future, work))
        return future

    def _work(self) -> None:
        with self.settings():
            while (job := self._queue.get()) is not None:
                job()

    @contextmanager
    def settings(self) -> Iterator[None]:
        """A context that makes the calling thread the lane's, for as long as it lasts."""
        torch.set_num_threads(self.lane.cores)
        yield

    def wait(self, timestamp: Timestamp) -> None:
        """Let the lane's later work wait for a timestamp of another lane."""

    def recycle(self, timestamps: Iterable[Timestamp]) -> None:
        """Take back timestamps that nobody will ask about again."""


def _fulfil(future: Future[T], work: Callable[[], T]) -> None:
    try:
        result = work()
    except BaseException as error:  # it is raised again where the result is asked for
        future.set_exception(error)
    else:
        future.set_result(result)


class CudaLane(Lane):
    """Launches onto a stream of its own. `devices` are all CUDA devices of the run.

    torch runs a copy between devices on the source's current stream and makes the destination's
    wait, so a lane has a stream on every device and sets all of them current.
    """

    sleeps = False  # its thread runs ahead of the device

    def __init__(self, lane: plan.Lane, devices: list[str]) -> None:
        super().__init__(lane)
        self._streams = [
            torch.cuda.Stream(torch.device(name)) for name in devices if name != lane.device
        ]
        self.stream = torch.cuda.Stream(self.device)
        self._pool = [torch.cuda.Event(enable_timing=True) for _ in range(256)]
        self.timestamp = self._record

    @contextmanager
    def settings(self) -> Iterator[None]:
        """The lane's streams on all devices; autograd in the calling thread."""
        with ExitStack() as stack:
            for stream in [*self._streams, self.stream]:
                stack.enter_context(torch.cuda.stream(stream))
            # Autograd has one thread per GPU: two lanes on it would take turns in it.
            stack.enter_context(torch.autograd.set_multithreading_enabled(False))
            yield

    def _record(self) -> torch.cuda.Event:
        event = self._pool.pop() if self._pool else torch.cuda.Event(enable_timing=True)
        event.record(self.stream)
        return event

    def wait(self, timestamp: Timestamp) -> None:
        """Make the stream wait, not the thread."""
        assert isinstance(timestamp, torch.cuda.Event)
        self.stream.wait_event(timestamp)

    def recycle(self, timestamps: Iterable[Timestamp]) -> None:
        """Return events to the pool."""
        self._pool += [event for event in timestamps if isinstance(event, torch.cuda.Event)]


class Clock:
    """Turns a device's timestamps into host time, between anchors at a step's start and end.

    On the CPU they are that already; two in a row bound how finely they are taken.
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


class CudaClock(Clock):
    """A linear map between two anchors: events recorded and synchronised between host stamps."""

    def __init__(self, device: str) -> None:
        self._device = torch.device(device)
        self._stream = torch.cuda.Stream(self._device)
        self._first = self._last = (torch.cuda.Event(enable_timing=True), 0, 0)
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
        elapsed = self._first[0].elapsed_time(timestamp) * 1e6
        return int(self._first[1] + elapsed * self._scale)

    def _anchor(self) -> tuple[torch.cuda.Event, int, int]:
        """(event, host time at the middle of its bracket, half-width), the narrowest of a few."""
        torch.cuda.synchronize(self._device)
        tries = []
        for _ in range(ANCHORS):
            event = torch.cuda.Event(enable_timing=True)
            before = time.perf_counter_ns()
            event.record(self._stream)
            event.synchronize()
            after = time.perf_counter_ns()
            tries.append((event, (before + after) // 2, -(-(after - before) // 2)))
        return min(tries, key=lambda anchor: anchor[2])


def open_lanes(lanes: tuple[plan.Lane, ...]) -> list[Lane]:
    """A lane of the right sort for each planned one; not yet started."""
    devices = list(dict.fromkeys(lane.device for lane in lanes))
    return [Lane(lane) if lane.device == "cpu" else CudaLane(lane, devices) for lane in lanes]


def open_clock(device: str) -> Clock:
    """A clock for a device."""
    return Clock() if device == "cpu" else CudaClock(device)


def allocator_bytes(device: str) -> int | None:
    """Bytes that torch's allocator holds on a CUDA device for tensors; None on the CPU."""
    return None if device == "cpu" else int(torch.cuda.memory_allocated(torch.device(device)))
