"""Times work on a device that supports timed events.

An event is put on the job's current stream where an operation begins or ends, just like a kernel.
Nothing waits for the device. At the end of a later step the recorder queries whether the event has
happened, on the training thread and never while a graph is captured: a query from another thread
would break the capture.

Anchors map the device's clock to the host's. An anchor is an event on an idle stream, recorded and
observed between two readings of the host's clock; of several tries the fastest is kept. Between
two anchors the map is linear, and half of the time that an anchor took is its uncertainty.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from .kinds import device_kind
from .rank_step import COMPUTE, DATA, FIRST_TRACK, Op

TRIES = 8
"""Events from which the best anchor is chosen."""
TIMEOUT_NS = 200_000
"""Limit on the wait for an event on the idle stream during training."""
LONG_TIMEOUT_NS = 20_000_000
"""The same limit when training is over, and while very many steps wait for an anchor. A loaded
host, or streams that share one hardware queue, keep the idle stream waiting."""
FIRST_TIMEOUT_NS = 1_000_000_000
"""Limit on the wait for the first event."""
REST_NS = 500_000_000
"""Time between two anchors. Within it a device's clock hardly drifts, and a float32 in ms still
resolves 30 ns."""
MANY = 64
"""If this many more steps wait for the device, it is queried before REST_NS have passed."""
MOST_WAITING = 4096
"""If more steps wait for the device, the oldest is dropped and counted."""
VERY_MANY = MOST_WAITING // 2
"""If more steps wait for the device, its anchor gets LONG_TIMEOUT_NS."""
NOT_ENDED = "the device did not end them"
NOT_TIMED = "the device ended them, but its clock could not be read"
TOO_MANY = "too many waited for the device"
HAS_FAILED = "the device has failed"


class TimedEvent(Protocol):
    """Protocol: the methods of torch's timed events that are used here."""

    def record(self, stream: Any) -> None:
        """Record the event on a stream; an earlier recording of it is lost."""

    def query(self) -> bool:
        """Return True if the event has happened, without waiting."""

    def elapsed_time(self, other: Any) -> float:
        """Return the ms from this event to another, a float32. Both must have happened."""


IsPast = Callable[[Any], bool]
"""Returns True if a timed event has happened, without waiting."""


class Moment(int):
    """The host's time in ns of a request, and the event that marks when the device reached it.

    When nothing refers to the moment any more, its event returns to the pool.
    """

    event: TimedEvent
    pool: list[TimedEvent]

    def __del__(self) -> None:
        self.pool.append(self.event)


@dataclass(frozen=True, slots=True)
class EventSource:
    """Access to a device's events and streams.

    `make` creates an event, `current` returns the job's current stream, `own` is an idle stream.
    """

    make: Callable[[], TimedEvent]
    current: Callable[[], Any]
    own: object
    is_capturing: Callable[[], bool] = lambda: False
    now: Callable[[], int] = time.perf_counter_ns


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """An event that happened at `host` ± `half_width`, in ns on the host's clock."""

    event: TimedEvent
    host: int
    half_width: int


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """The operations of a step; once `ready` yields it, their times are on the host's clock.

    `anchor` is the last one before the step (None if the host timed the step). `half_width` is the
    uncertainty of the device's times in ns.
    """

    number: int
    ops: list[Op]
    replica: int | None
    anchor: Anchor | None = None
    half_width: int = 0

    def moments(self) -> Iterator[Moment]:
        """Yield the moments on the device, the last one first."""
        # If a moment has not happened yet, it is most likely the last one, so that one is queried
        # first.
        for op in reversed(self.ops):
            for moment in (op.end, op.start):
                if isinstance(moment, Moment):
                    yield moment


class DeviceTimes:
    """Makes moments on a device, and returns steps once the device has completed them."""

    def __init__(self, source: EventSource) -> None:
        """Raise RuntimeError if the device does not time its work."""
        self._source = source
        self._pool: list[TimedEvent] = []
        self._waiting: deque[RecordedStep] = deque()
        first = self._anchor(FIRST_TIMEOUT_NS)
        if first is None:
            raise RuntimeError("an event on an idle stream has not happened within a second")
        # Raises RuntimeError if the device does not time events.
        first.event.elapsed_time(first.event)
        self._anchors = [first]
        self._asked_at = first.host
        self._enough = MANY
        self._busy_until = {COMPUTE: 0, FIRST_TRACK: 0}
        self.reasons: Counter[str] = Counter()
        """Number of dropped steps for each reason."""

    @property
    def left_out(self) -> int:
        """Number of dropped steps."""
        return self.reasons.total()

    def now(self) -> int:
        """Return a moment on the current stream; the host's time while a graph is captured."""
        source = self._source
        if source.is_capturing():
            return source.now()
        try:
            event = self._pool.pop()
        except IndexError:
            event = source.make()
        moment = Moment(source.now())  # before the record, so never later than on the device
        moment.event = event
        moment.pool = self._pool
        event.record(source.current())
        return moment

    def host_time(self, time: int, is_past: IsPast) -> int | None:
        """Return a moment on the host's clock, in ns; None if it has not happened yet.

        Safe to call from another thread if `is_past`, which queries the event, makes no query while
        a graph is captured. The result is provisional: the next anchor is not known yet.
        """
        if not isinstance(time, Moment):
            return time
        anchor = self._anchors[-1]
        if not is_past(time.event):
            return None
        elapsed = int(1e6 * anchor.event.elapsed_time(time.event))
        return max(int(time), anchor.host + elapsed)

    def hand_in(self, number: int, ops: list[Op], replica: int | None) -> None:
        """Take a step that the host has completed."""
        self._waiting.append(RecordedStep(number, ops, replica, self._anchors[-1]))
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popleft()
            self.reasons[TOO_MANY] += 1

    def ready(self, at_once: bool = False) -> Iterator[RecordedStep]:
        """Yield the steps that the device has completed, in order, without waiting.

        Unless `at_once`, the device is queried only from time to time; in between, nothing is
        yielded.
        """
        waiting = len(self._waiting)
        has_rested = self._source.now() - self._asked_at >= REST_NS
        if at_once or has_rested or waiting >= self._enough:
            yield from self._ask(LONG_TIMEOUT_NS if waiting > VERY_MANY else TIMEOUT_NS)

    def finish(self, seconds: float) -> Iterator[RecordedStep]:
        """Yield the steps that the device completes within `seconds`; the others are dropped."""
        end = self._source.now() + seconds * 1e9
        while self._waiting and self._source.now() < end:
            # Training is over, so a slow answer delays nothing and only makes the times less
            # certain. With a short limit a loaded host would lose steps that the device has ended.
            yield from self._ask(LONG_TIMEOUT_NS)
            time.sleep(0.001)
        if self._waiting:
            self._leave_out_all(NOT_TIMED if self._has_ended(self._waiting[0]) else NOT_ENDED)

    def _ask(self, timeout: int) -> Iterator[RecordedStep]:
        """Yield the completed steps; wait at most `timeout` ns for each event of an anchor."""
        if self._source.is_capturing():
            return
        try:
            yield from self._resolved(timeout)
        except RuntimeError:  # the job gets the same error
            self._leave_out_all(HAS_FAILED)

    def _leave_out_all(self, reason: str) -> None:
        self.reasons[reason] += len(self._waiting)
        self._waiting.clear()

    def _has_ended(self, step: RecordedStep) -> bool:
        """Return True if the device has completed a step; False while a graph is captured."""
        if self._source.is_capturing():
            return False
        try:
            return all(moment.event.query() for moment in step.moments())
        except RuntimeError:
            return False

    def _resolved(self, timeout: int) -> Iterator[RecordedStep]:
        """Yield the completed steps, with times between their anchor and a new one."""
        done = 0
        for step in self._waiting:
            if not all(moment.event.query() for moment in step.moments()):
                break
            done += 1
        if not done:
            return
        anchor = self._anchor(timeout)
        if anchor is None:
            # Asked again after a rest: each failed attempt keeps the training thread waiting.
            self._asked_at = self._source.now()
            self._enough = len(self._waiting) + MANY
            return
        self._asked_at = anchor.host
        self._enough = MANY
        self._anchors.append(anchor)
        for _ in range(done):
            yield self._timed(self._waiting[0])
            self._waiting.popleft()
        # Anchors before the oldest waiting step are no longer needed.
        oldest = self._waiting[0].anchor if self._waiting else anchor
        assert oldest is not None
        self._anchors = self._anchors[self._anchors.index(oldest) :]

    def _timed(self, step: RecordedStep) -> RecordedStep:
        """Return the step with times on the host's clock in place of moments.

        Computing and communication are each sequential across steps: an operation that waited for
        the device's previous step begins when that step ended.
        """
        assert step.anchor is not None
        first = self._anchors.index(step.anchor)
        host_time, half_width = line_through(self._anchors[first:])
        begin = dict(self._busy_until)
        for op in step.ops:
            op.asked = int(op.start)
            if isinstance(op.start, Moment):
                # Within the anchors' uncertainty a start may seem to precede its request.
                op.start = max(op.asked, host_time(op.start.event))
            if isinstance(op.end, Moment):
                op.end = max(op.start, host_time(op.end.event))
            if op.end is not None:
                work = FIRST_TRACK if op.lane >= FIRST_TRACK else COMPUTE
                op.start = max(begin[work], op.start)
                op.end = max(begin[work], op.end)
                # A wait for data keeps the device free, so it delays nothing after it.
                if op.lane != DATA:
                    self._busy_until[work] = max(self._busy_until[work], op.end)
        return RecordedStep(step.number, step.ops, step.replica, step.anchor, half_width)

    def _anchor(self, timeout: int) -> Anchor | None:
        """Return the best of TRIES anchors; None if the device takes more than `timeout` ns."""
        now = self._source.now
        own = self._source.own
        tries: list[Anchor] = []
        for _ in range(TRIES):
            event = self._source.make()
            before = now()
            event.record(own)
            while not event.query():
                if now() - before > timeout:
                    return min(tries, key=_half_width, default=None)
            after = now()
            half_width = -(-(after - before) // 2)  # rounded up
            tries.append(Anchor(event, (before + after) // 2, half_width))
        return min(tries, key=_half_width)


def _half_width(anchor: Anchor) -> int:
    return anchor.half_width


def line_through(anchors: Sequence[Anchor]) -> tuple[Callable[[TimedEvent], int], int]:
    """Return a function from events to host time in ns, and its uncertainty in ns.

    The function is linear between anchors. `elapsed_time` rounds to a float32, so the resolution
    decreases with the time between the first and the last anchor.
    """
    first = anchors[0]
    device_ns = [0.0]
    for anchor in anchors[1:]:
        device_ns.append(1e6 * first.event.elapsed_time(anchor.event))
    host_ns = [float(anchor.host - first.host) for anchor in anchors]
    rounding = int(device_ns[-1]) >> 24  # a float32 has 24 bits

    def host_time(event: TimedEvent) -> int:
        elapsed = first.event.elapsed_time(event) * 1e6
        return first.host + round(float(np.interp(elapsed, device_ns, host_ns)))

    return host_time, max(anchor.half_width for anchor in anchors) + rounding


def device_times(model: nn.Module) -> DeviceTimes | None:
    """Return the timer of the device that holds the model.

    Return None if the model is on several devices or if the device does not time its work. Then the
    host's times are used.
    """
    devices = {parameter.device for parameter in model.parameters()}
    found = torch.accelerator.current_accelerator()
    if len(devices) != 1 or found is None:
        return None
    (device,) = devices
    if device.type != found.type or not device_kind(device.type).events:
        return None
    module = torch.get_device_module(device.type)
    source = EventSource(
        lambda: torch.Event(device, enable_timing=True),
        lambda: torch.accelerator.current_stream(device),
        torch.Stream(device),
        getattr(module, "is_current_stream_capturing", lambda: False),
    )
    try:
        return DeviceTimes(source)
    except RuntimeError:
        return None
