"""When work ran on a device that times it: events on the job's own streams, asked about later.

An event is put on the current stream where something begins or ends, as a kernel is; nothing waits
for the device. At the end of a later step it is asked whether it is past, on the thread that trains
and never while a graph is captured, which a question of another thread would spoil.

The device's clock is put on the host's by anchors: events on a stream where nothing else is, each
between two readings of the host's clock, of a few the one that was past the soonest. Between two
anchors the map is linear; half of what an anchor took is how far it may be off.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from .kinds import kind_of
from .rank_step import COMPUTE, DATA, FIRST_TRACK, Op

TRIES = 8
PATIENCE_NS = 200_000
"""For an event on an idle stream to be past, while the job trains."""
FIRST_PATIENCE_NS = 1_000_000_000
REST_NS = 500_000_000
"""Between two anchors: so long a device's clock hardly drifts, and float32 ms still tell 30 ns."""
MANY, MOST_WAITING = 64, 4096
"""Steps that wait for the device: so many are looked at before their time, and given up."""


class Event(Protocol):
    """What a timed event of torch can do."""

    def record(self, stream: Any) -> None:
        """Put it on a stream, also where it was put before."""

    def query(self) -> bool:
        """Whether it is past; waits for nothing."""

    def elapsed_time(self, other: Any) -> float:
        """Milliseconds from this one to another, as a float32; both are past."""


class Moment(int):
    """The host's time in ns at which something was asked for, and an event for when it was done.

    An event goes back to its pool with the last who knows the moment: nobody can ask for it then.
    """

    event: Event
    pool: list[Event]

    def __del__(self) -> None:
        self.pool.append(self.event)


@dataclass(frozen=True, slots=True)
class Source:
    """Of a device: how an event is made, the job's current stream, and `own`, an idle one."""

    make: Callable[[], Event]
    current: Callable[[], Any]
    own: object
    is_capturing: Callable[[], bool] = lambda: False
    now: Callable[[], int] = time.perf_counter_ns


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """An event that was past at `host` ns of the host's clock, give or take `half_width`."""

    event: Event
    host: int
    half_width: int


@dataclass(frozen=True, slots=True)
class Step:
    """What happened in a step, all on the host's clock once it is `ready`.

    `since` is the last anchor before it (None where the host timed the step), `half_width` how far
    a device's times may be off in ns.
    """

    number: int
    ops: list[Op]
    replica: int | None
    since: Anchor | None = None
    half_width: int = 0

    def moments(self) -> Iterator[Moment]:
        """Its moments on the device, the last ones first."""
        # The last is the likeliest not to be past yet: then one question is enough.
        for op in reversed(self.ops):
            for moment in (op.end, op.start):
                if isinstance(moment, Moment):
                    yield moment


class DeviceTimes:
    """Makes the moments of a job on a device, and gives its steps out once the device is there."""

    def __init__(self, source: Source) -> None:
        """Raises RuntimeError if the device times nothing."""
        self._source = source
        self._pool: list[Event] = []
        self._waiting: deque[Step] = deque()
        first = self._anchor(FIRST_PATIENCE_NS)
        if first is None:
            raise RuntimeError("an event on an idle stream is not past within a second")
        # For the error that it raises where events are not timed.
        first.event.elapsed_time(first.event)
        self._anchors = [first]
        self._busy_until = {COMPUTE: 0, FIRST_TRACK: 0}
        self.left_out = 0
        """Steps that were given up: too many waited, or the device has failed."""

    def now(self) -> int:
        """A moment on the current stream; the host's time while a graph is captured."""
        source = self._source
        if source.is_capturing():
            return source.now()
        try:
            event = self._pool.pop()
        except IndexError:
            event = source.make()
        moment = Moment(source.now())  # before it is asked for, so never later than the device
        moment.event, moment.pool = event, self._pool
        event.record(source.current())
        return moment

    def host_time(self, time: int) -> int | None:
        """Return a time on the host's clock, as far as it is known by now; None if it is to come.

        Safe from another thread.
        """
        if not isinstance(time, Moment):
            return time
        anchor = self._anchors[-1]
        if not time.event.query():
            return None
        return max(int(time), anchor.host + int(1e6 * anchor.event.elapsed_time(time.event)))

    def hand_in(self, number: int, ops: list[Op], replica: int | None) -> None:
        """A step is over for the host."""
        self._waiting.append(Step(number, ops, replica, self._anchors[-1]))
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popleft()
            self.left_out += 1

    def ready(self, at_once: bool = False) -> Iterator[Step]:
        """Steps that the device has done too, in their order; without waiting for any."""
        rested = self._source.now() - self._anchors[-1].host >= REST_NS
        if not (rested or at_once or len(self._waiting) >= MANY) or self._source.is_capturing():
            return
        try:
            yield from self._resolved()
        except RuntimeError:  # of the device, which the job will hear of
            self.left_out += len(self._waiting)
            self._waiting.clear()

    def finish(self, seconds: float) -> Iterator[Step]:
        """All steps, as far as the device is done with them within so long."""
        end = self._source.now() + seconds * 1e9
        while self._waiting and self._source.now() < end:
            yield from self.ready(at_once=True)
            time.sleep(0.001)
        self.left_out += len(self._waiting)

    def _resolved(self) -> Iterator[Step]:
        done = 0
        for step in self._waiting:
            if not all(moment.event.query() for moment in step.moments()):
                break
            done += 1
        anchor = self._anchor(PATIENCE_NS) if done else None
        if anchor is None:
            return
        self._anchors.append(anchor)
        for _ in range(done):
            yield self._timed(self._waiting[0])
            self._waiting.popleft()
        # Anchors before the begin of the oldest step that waits are needed no more.
        oldest = self._waiting[0].since if self._waiting else anchor
        assert oldest is not None
        self._anchors = self._anchors[self._anchors.index(oldest) :]

    def _timed(self, step: Step) -> Step:
        """The step with the host's times in place of moments.

        What the job waited for while the device still did the step before held up nothing; what
        computes and what moves keeps its turn from step to step.
        """
        assert step.since is not None
        host_time, half_width = line_through(self._anchors[self._anchors.index(step.since) :])
        begin = dict(self._busy_until)
        for op in step.ops:
            op.asked = int(op.start)
            if isinstance(op.start, Moment):
                # Never before it was asked for, whatever the anchors' uncertainty makes of it.
                op.start = max(op.asked, host_time(op.start.event))
            if isinstance(op.end, Moment):
                op.end = max(op.start, host_time(op.end.event))
            if op.end is not None:
                work = FIRST_TRACK if op.lane >= FIRST_TRACK else COMPUTE
                op.start, op.end = max(begin[work], op.start), max(begin[work], op.end)
                # Waiting for data keeps nothing busy, so it shifts nothing behind it.
                until = op.end if op.lane != DATA else 0
                self._busy_until[work] = max(self._busy_until[work], until)
        return Step(step.number, step.ops, step.replica, step.since, half_width)

    def _anchor(self, patience: int) -> Anchor | None:
        """The best of a few tries; None if the device takes longer than there is patience."""
        now, own = self._source.now, self._source.own
        tries: list[Anchor] = []
        for _ in range(TRIES):
            event = self._source.make()
            before = now()
            event.record(own)
            while not event.query():
                if now() - before > patience:
                    return min(tries, key=_half_width, default=None)
            after = now()
            tries.append(Anchor(event, (before + after) // 2, -(-(after - before) // 2)))
        return min(tries, key=_half_width)


def _half_width(anchor: Anchor) -> int:
    return anchor.half_width


def line_through(anchors: Sequence[Anchor]) -> tuple[Callable[[Event], int], int]:
    """What turns an event into host time, linear between anchors, and how far that may be off.

    `elapsed_time` rounds to a float32, so the longer the time the anchors span the coarser it is.
    """
    first = anchors[0]
    since = [0.0, *(1e6 * first.event.elapsed_time(anchor.event) for anchor in anchors[1:])]
    host = [float(anchor.host - first.host) for anchor in anchors]
    # A float32 has 24 bits: of a long time the last ns are rounded away.
    rounded = int(since[-1]) >> 24

    def host_time(event: Event) -> int:
        return first.host + round(
            float(np.interp(first.event.elapsed_time(event) * 1e6, since, host))
        )

    return host_time, max(anchor.half_width for anchor in anchors) + rounded


def device_times(model: nn.Module) -> DeviceTimes | None:
    """Of the one device where a model is; None if it does not time its work: the host's hold."""
    devices = {parameter.device for parameter in model.parameters()}
    found = torch.accelerator.current_accelerator()
    if len(devices) != 1 or found is None:
        return None
    (device,) = devices
    if device.type != found.type or not kind_of(device.type).events:
        return None
    module = torch.get_device_module(device.type)
    source = Source(
        lambda: torch.Event(device, enable_timing=True),
        lambda: torch.accelerator.current_stream(device),
        torch.Stream(device),
        getattr(module, "is_current_stream_capturing", lambda: False),
    )
    try:
        return DeviceTimes(source)
    except RuntimeError:
        return None
