"""A real lane on which the tasks of all virtual lanes run in turn, each timed separately."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import NamedTuple

from core.engine.lanes.devices import open_clock, open_lanes
from core.engine.lanes.host_memory import freed_memory_kept
from core.engine.lanes.lane import Stamps, Timestamp, has_passed
from core.plan.plan import Lane

RUN_DELAY = "/proc/thread-self/schedstat"
"""The kernel's statistics of the thread that opens the file. The second number is the time in ns
for which the thread was ready to run but had no core (Linux, Documentation/scheduler)."""

STOLEN_NS = 500_000
"""A thread that is ready but makes no progress for longer than this has lost its core: interrupts
take less time."""

SEVERAL_CORES_NOTE = (
    "virtual lanes of {cores} cores: time in which other programs use a core counts as time of "
    "tasks; lanes of one core exclude it"
)
"""Warning for lanes of several cores: torch then computes in several threads, and the kernel's
statistics cover only one of them."""


class IsolatedLane:
    """Times work on the hardware of virtual lanes while no other work of the run uses it.

    A context manager: inside it the calling thread acts as a lane of that hardware, with the number
    of cores of a virtual lane. `note` is a warning about its times, or "".
    """

    def __init__(self, virtual: Lane) -> None:
        self.device = virtual.runs_on
        real = replace(virtual, index=0, serves=0, device=self.device)
        (self._lane,) = open_lanes((real,))
        self.note = self._lane.note
        if real.cores > 1:
            self.note = SEVERAL_CORES_NOTE.format(cores=real.cores)
        self._clock = open_clock(self.device)
        self._stack = ExitStack()

    def __enter__(self) -> IsolatedLane:
        self._stack.enter_context(self._lane.settings())
        if self._lane.lane.cores:  # a CPU lane, which computes in the calling thread
            self._stack.enter_context(freed_memory_kept())
            # Systems without these statistics keep the plain clock.
            with suppress(OSError):
                stat = os.open(RUN_DELAY, os.O_RDONLY)
                self._stack.callback(os.close, stat)
                self._lane.timestamp = undisturbed_clock(stat)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self) -> None:
        """Anchor the clock at the start of a step, when the hardware is idle."""
        self._clock.begin()

    def end(self) -> int:
        """Anchor the clock at the end of a step; returns the half-width of the wider anchor, ns."""
        return self._clock.end()

    def run(self, work: Callable[[Stamps], object], blocks: bool = False) -> Stamps:
        """Run work on idle hardware, wait for its end, and return its timestamps.

        `work` is called with the stamps and sets them. With `blocks` they also record the borders
        of blocks.
        """
        stamps = Stamps(self._lane.timestamp, blocks)
        held = work(stamps)
        assert stamps.end is not None
        while not has_passed(stamps.end):
            pass  # a sleep would take longer than most tasks
        del held  # the device may read these tensors until the end
        return stamps

    def time(self, work: Callable[[Stamps], object]) -> int:
        """Run work on idle hardware and return its duration in ns."""
        stamps = self.run(work)
        taken = self.elapsed(stamps.start, stamps.end)
        self.recycle(stamps)
        return taken

    def elapsed(self, first: Timestamp | None, second: Timestamp | None) -> int:
        """Return the ns between two timestamps, in this order, of work that has ended."""
        assert first is not None and second is not None
        return max(0, self._clock.time(second) - self._clock.time(first))

    def recycle(self, stamps: Stamps) -> None:
        """Return timestamps to the lane's pool; they must not be read afterwards."""
        self._lane.recycle(stamps.all)


def undisturbed_clock(stat: int) -> Callable[[], int]:
    """Return a clock in ns that stops while something else uses the calling thread's core.

    It excludes the time in which another program of this machine used the core, as given by the
    kernel's statistics. `stat` is the descriptor of RUN_DELAY, opened by the calling thread. It
    also excludes the time in which another virtual machine used the core (steal time): more than
    STOLEN_NS passed in which the thread neither computed nor gave up its core.
    """
    # Imported here, because Windows has neither this module nor these statistics.
    from resource import RUSAGE_THREAD, getrusage

    def run_delay() -> int:
        return int(os.pread(stat, 64, 0).split()[1])

    def read() -> _ThreadTimes:
        waits = getrusage(RUSAGE_THREAD).ru_nvcsw
        before = run_delay()
        while True:
            # The core may be lost between reading the clock and reading the statistics. Then read
            # both again: otherwise the lost time would count as the thread's, or be subtracted
            # twice.
            time_ns = time.perf_counter_ns()
            computed = time.thread_time_ns()
            after = run_delay()
            if after == before:
                return _ThreadTimes(time_ns - after, computed, waits)
            before = after

    last = read()
    stolen = 0

    def now() -> int:
        nonlocal last, stolen
        current = read()
        idle = (current.time - last.time) - (current.computed - last.computed)
        if idle > STOLEN_NS and current.waits == last.waits:
            stolen += idle
        last = current
        return current.time - stolen

    return now


class _ThreadTimes(NamedTuple):
    """A reading of a thread's clocks in ns: `time` excludes other programs, `computed` is CPU time.

    `waits` counts how often the thread has given up its core voluntarily.
    """

    time: int
    computed: int
    waits: int
