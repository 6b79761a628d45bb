"""Runs steps on virtual lanes: in virtual time, by the same rule by which steps are predicted."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from core.costs.costs import STAGED, CostModel, durations
from core.costs.simulate import in_time_order
from core.costs.waits import meeting
from core.engine.failures import Stopped
from core.engine.lanes.alone import Alone
from core.engine.lanes.devices import allocator_bytes
from core.engine.lanes.lane import Stamps
from core.engine.models.modules import Batch
from core.engine.prepare import Prepared
from core.engine.tasks.operations import Operations
from core.engine.tasks.values import Step
from core.engine.virtual.rehearsal import Rehearsal
from core.gc_paused import gc_paused
from core.plan.faults import Faults
from core.plan.link import DEFAULT_LINK, Link, read_link
from core.plan.nested import Nested
from core.plan.plan import Plan
from core.plan.specification import Specification
from core.plan.task import ABSENT, IS_COMMUNICATION, Kind, Task
from core.recording.schema import Timings, TraceWriter, note_batch, span_batch
from core.trace.step import StepColumns

# At most 20 batches a second, which is as often as the thread that sends looks for some.
TELL_SECONDS = 0.05
# Costs where computing takes no time: only the link's part of `durations` is used, but that
# function wants a curve of (rows, ns) for each kind.
_FREE = {kind: (((1.0, 0.0),),) for kind in (*STAGED, Kind.LOSS)}


class _TaskTimes(NamedTuple):
    """A task of the step under way, and when it ran; of a collective when it began."""

    task: int
    start: int
    end: int
    ready: int | None = None


@dataclass(frozen=True, slots=True)
class Course:
    """What is known of a plan's n tasks before they run.

    `meets` has for each the number of the collective of ranks that it is a member of, or -1;
    `modelled` the time in ns that the link takes for it, or -1 where the time is measured.
    """

    columns: StepColumns
    meets: list[int]
    modelled: list[int]

    @classmethod
    def of(cls, plan: Plan, link: Link | None) -> Course:
        """Of a plan whose communication goes over a link, or is measured too."""
        columns = StepColumns.of_plan(plan)
        modelled = np.full(len(columns), ABSENT, np.int64)
        if link is not None:
            moves = IS_COMMUNICATION[columns.kind]
            taken = durations(columns, CostModel(_FREE, link=link), plan.stages)
            modelled[moves] = taken[moves]
        return cls(columns, meeting(columns, plan.lanes).tolist(), modelled.tolist())


def link_of(specification: Specification) -> Link | None:
    """What lies between the lanes of a run; None where moving data is measured."""
    return read_link(specification.link or DEFAULT_LINK)


class VirtualExecutor:
    """Runs steps one task at a time. A step begins when the one before has ended on all lanes.

    **Every span is sent exactly once**: the thread that runs the tasks notes each when its end is
    known, in the order of virtual time and so of every lane, and between two tasks makes a batch of
    those that it has noted. So the thread that sends has hardly any Python to do: what it did would
    be waited for, and measured, inside a task.

    `now` is the virtual time in ns, on the clock of the header's origin. Once `stop` is set, by any
    thread, the next task is not begun.
    """

    def __init__(
        self,
        operations: Operations,
        alone: Alone,
        writer: TraceWriter,
        prepared: Prepared,
        stop: threading.Event,
        rehearsal: Rehearsal,
    ) -> None:
        self._operations, self._alone, self._rehearsal = operations, alone, rehearsal
        self._writer, self._stop = writer, stop
        specification = prepared.specification
        self._link, self._speed = link_of(specification), specification.speed
        self._faults = Faults.of(specification)
        self.now = self._origin = prepared.header.origin_ns
        self._courses: dict[int, Course] = {}
        self._told: list[_TaskTimes] = []
        self._told_at = time.monotonic()
        writer.now = lambda: self.now

    @gc_paused()  # garbage is collected between steps: of a task's time it would be a part
    def run(
        self, index: int, plan: Plan, number: int, batch: Batch, nested: Nested | None = None
    ) -> Step:
        """Run one step; the writer knows the plan's tasks, and `nested` behind them, by `number`.

        Raises Stopped, or what a task raised.
        """
        course = self._course(plan, number)
        # Lists of Python numbers, one for each task: an element of an array costs more to read, and
        # it would be read between two tasks that are timed.
        effects = self._faults.effects(course.columns, plan.lanes, index)
        factors, extra = (each.tolist() for each in effects)
        step = self._operations.begin(index, plan, batch)
        self._rehearsal.begin(plan, batch)
        self._alone.begin()
        # Times of in_time_order (`start`, `begun`, in ns) count from 0 at the step's begin; what is
        # recorded is `began` later. `clock` is real time, for the pace only.
        began, clock = self.now, time.perf_counter()
        ends, held = [0] * len(plan.tasks), [0] * len(plan.tasks)
        measured: list[int] = []

        def lasts(place: int, start: int, begun: int) -> int:
            # Before the task's first stamp, so that making a batch is in nobody's time.
            self._tell(index, number, TELL_SECONDS)
            self._keep_pace(clock, begun)
            task = plan.tasks[place]
            blocks = () if nested is None else nested.inside(place)
            # After the wait, in which caches grow cold.
            self._rehearsal.run(task)
            stamps = self._alone.run(partial(self._operations.run, task), bool(blocks))
            taken = self._alone.elapsed(stamps.start, stamps.end)
            measured.append(taken)
            # Data was moved in any case: the values are needed, and the gradients are verified.
            # Only how long it is said to have taken comes from the link's model.
            if course.modelled[place] != ABSENT:
                taken = course.modelled[place]
            taken = int(round(taken * factors[place]) + extra[place])
            ends[place] = began + begun + taken
            # Kept as numbers and not as rows: these are made when no task is waiting to be timed.
            held[place] = step.values.activations(task.lane)
            # A member of a collective is on its lane from `start`, and moves data from `begun`,
            # when the last rank has come: the time between is that rank's waiting, and is explained
            # as such.
            ready = began + start if course.meets[place] != ABSENT else None
            self._told.append(_TaskTimes(place, began + start, ends[place], ready))
            if blocks:
                self._note_blocks(blocks, stamps, began + begun, taken)
            self._alone.recycle(stamps)
            return taken

        try:
            in_time_order(course.columns, course.meets, lasts, _turns(len(plan.lanes), index))
        # Stopped or failed: the tasks that did run are part of the recording.
        finally:
            self._tell(index, number)
        self._rehearsal.end(measured)
        self._end(step, began, ends, held)
        return step

    def _end(self, step: Step, began: int, ends: list[int], held: list[int]) -> None:
        """Go on to the next step, and tell what is known of this one beside its spans."""
        # The next step begins here on every lane, also on one that was done long before, as it does
        # on real lanes: otherwise steps would overlap, and a step's idle time would depend on its
        # neighbours.
        self.now = max(ends, default=began)
        self._note_hardware(step.index)
        notes = list(self._operations.closed_rows(step, began, ends, held))
        self._writer.forward(note_batch(notes, self._origin))
        self._writer.flush_soon()

    def _note_blocks(self, blocks: Sequence[Task], stamps: Stamps, start: int, taken: int) -> None:
        """Note the blocks of a task that began at `start` and is said to have taken so many ns."""
        since = partial(self._alone.elapsed, stamps.start)
        # A fault lengthens them in proportion.
        longer = taken / max(1, since(stamps.end))
        for block in blocks:
            if (bounds := stamps.bounds(block)) is not None:
                # Rounded up a block could end behind the task that it is a part of.
                first, last = (start + min(round(since(bound) * longer), taken) for bound in bounds)
                self._told.append(_TaskTimes(block.index, first, last))

    def _course(self, plan: Plan, number: int) -> Course:
        if number not in self._courses:
            self._courses[number] = Course.of(plan, self._link)
        return self._courses[number]

    def _keep_pace(self, clock: float, virtual: int) -> None:
        """Wait until a step that began at `clock` (s) may be at `virtual` ns. Raises Stopped."""
        if self._speed is not None:
            # Not a sleep: a request to stop ends this wait too, however slow the pace.
            self._stop.wait(max(0.0, clock + virtual / 1e9 / self._speed - time.perf_counter()))
        if self._stop.is_set():
            raise Stopped

    def _note_hardware(self, step: int) -> None:
        device = self._alone.device
        self._writer.clock(device, step, self._alone.end())
        if (allocated := allocator_bytes(device)) is not None:
            self._writer.counter(f"allocator {device}", allocated, step=step)

    def _tell(self, step: int, plan: int, seldom: float = 0.0) -> None:
        """Hand in what was not yet of the step under way, if not done for `seldom` seconds."""
        if time.monotonic() - self._told_at < seldom:
            return
        if self._told:
            timings = Timings(plan, step, *zip(*self._told, strict=True))
            self._writer.forward(span_batch(timings, origin=self._origin))
        self._told, self._told_at = [], time.monotonic()


def _turns(lanes: int, step: int) -> list[int]:
    """In which order lanes take turns where several could begin a task: another one each step.

    The first task of a kind finds colder caches than the others, even after its rehearsal. What
    that costs is so small that it must not fall on the same lane in each step.
    """
    return [(lane - step) % lanes for lane in range(lanes)]
