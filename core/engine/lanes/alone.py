"""The real lane on which the tasks of all virtual lanes take turns, each timed by itself."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import NamedTuple

from core.engine.lanes.devices import open_clock, open_lanes
from core.engine.lanes.host_memory import freed_memory_kept
from core.engine.lanes.lane import Stamps, Timestamp, reached
from core.plan.plan import Lane

RUN_DELAY = "/proc/thread-self/schedstat"
"""The kernel's account of the thread that opens it: its second number is the time in ns for which
the thread could have run, but something else had the core (Linux, Documentation/scheduler)."""

STOLEN_NS = 500_000
"""A thread that could run and does nothing for so long has no core: interrupts take less."""
OTHERS = (
    "virtual lanes of {cores} cores: time that other programs take of a core counts as the tasks'; "
    "lanes of one core leave it out"
)
"""The kernel's account is of one thread, and torch computes on several cores with several."""


class Alone:
    """Times work on the hardware of virtual lanes, with nothing else of the run on it.

    A context manager: within it the calling thread is a lane of that hardware's, with the cores
    that a virtual lane has.
    """

    def __init__(self, virtual: Lane) -> None:
        self.device = virtual.runs_on
        (self._lane,) = open_lanes((replace(virtual, index=0, serves=0, device=self.device),))
        self.note = self._lane.note
        if self._lane.lane.cores > 1:
            self.note = OTHERS.format(cores=self._lane.lane.cores)
        self._clock = open_clock(self.device)
        self._stack = ExitStack()

    def __enter__(self) -> Alone:
        self._stack.enter_context(self._lane.settings())
        if self._lane.lane.cores:  # it computes in the calling thread
            self._stack.enter_context(freed_memory_kept())
            with suppress(OSError):  # where there is no such account, there is the clock alone
                stat = os.open(RUN_DELAY, os.O_RDONLY)
                self._stack.callback(os.close, stat)
                self._lane.timestamp = undisturbed(stat)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def begin(self) -> None:
        """Anchor the clock at the start of a step; the hardware is idle."""
        self._clock.begin()

    def end(self) -> int:
        """Anchor it again at the step's end; returns the half-width of the wider anchor in ns."""
        return self._clock.end()

    def run(self, work: Callable[[Stamps], object], blocks: bool = False) -> Stamps:
        """Do work that sets stamps, on idle hardware; returns these when it has ended there."""
        stamps = Stamps(self._lane.timestamp, blocks)
        held = work(stamps)
        assert stamps.end is not None
        while not reached(stamps.end):
            pass  # to sleep would cost more than most tasks take
        del held  # only now
        return stamps

    def time(self, work: Callable[[Stamps], object]) -> int:
        """How long work that sets stamps takes on idle hardware, in ns."""
        stamps = self.run(work)
        taken = self.elapsed(stamps.start, stamps.end)
        self.recycle(stamps)
        return taken

    def elapsed(self, first: Timestamp | None, second: Timestamp | None) -> int:
        """From one timestamp to a later one of work that has ended, in ns."""
        assert first is not None and second is not None
        return max(0, self._clock.time(second) - self._clock.time(first))

    def recycle(self, stamps: Stamps) -> None:
        """Return timestamps to the lane's pool; they must not be read afterwards."""
        self._lane.recycle(stamps.all)


def undisturbed(stat: int) -> Callable[[], int]:
    """Return a clock in ns that stands still while something else has the calling thread's core.

    Another program of this machine has it for as long as the kernel's account says; `stat` is
    RUN_DELAY, opened by the calling thread. Another machine has it (the hypervisor's steal time)
    if more than STOLEN_NS pass in which the thread neither computed nor gave its core away.
    """
    # Imported here: Windows has no such module, and no such account either.
    from resource import RUSAGE_THREAD, getrusage

    def lost() -> int:
        return int(os.pread(stat, 64, 0).split()[1])

    def look() -> _Look:
        waits = getrusage(RUSAGE_THREAD).ru_nvcsw
        before = lost()
        while True:
            # The core may be taken between a look at the clock and one at the account. Then both
            # are taken again, or what was lost would count as time, or twice.
            time_ns, computed, after = time.perf_counter_ns(), time.thread_time_ns(), lost()
            if after == before:
                return _Look(time_ns - after, computed, waits)
            before = after

    last, stolen = look(), 0

    def now() -> int:
        nonlocal last, stolen
        current = look()
        gone = (current.time - last.time) - (current.computed - last.computed)
        if gone > STOLEN_NS and current.waits == last.waits:
            stolen += gone
        last = current
        return current.time - stolen

    return now


class _Look(NamedTuple):
    """A look at a thread's clocks, in ns: `time` leaves out other programs, `computed` is CPU time.

    `waits` counts how often the thread has given its core away by itself.
    """

    time: int
    computed: int
    waits: int
