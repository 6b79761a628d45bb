"""Runs steps on virtual lanes, in virtual time, with the algorithm that also predicts steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from core.costs.costs import STAGED, CostModel
from core.costs.durations import durations
from core.costs.meetings import meeting
from core.costs.simulate import in_time_order
from core.engine.failures import RunStopped
from core.engine.lanes.devices import allocator_bytes
from core.engine.lanes.isolated import IsolatedLane
from core.engine.lanes.lane import Stamps
from core.engine.models.modules import Batch
from core.engine.prepare import Prepared
from core.engine.tasks.operations import Operations
from core.engine.tasks.values import StepState
from core.engine.virtual.rehearsal import Rehearsal
from core.gc_paused import gc_paused
from core.plan.faults import Faults
from core.plan.link import DEFAULT_LINK, Link, read_link
from core.plan.nested import Nested
from core.plan.plan import Lane, Plan, Role, lane_indices
from core.plan.specification import Specification
from core.plan.task import ABSENT, IS_COMMUNICATION, Kind, Task
from core.recording.schema import Timings, TraceWriter, note_batch, span_batch
from core.trace.step import StepColumns

# At most 20 batches a second, because the sending thread checks for batches equally often.
SEND_SECONDS = 0.05
# Costs of zero for compute tasks: `durations` needs a curve of (rows, ns) for each kind, but only
# the times of the link are used.
_NO_COSTS = {kind: (((1.0, 0.0),),) for kind in (*STAGED, Kind.LOSS)}


class _TaskTimes(NamedTuple):
    """Times of a task in the current step; `ready` is the start of a collective's member, in ns."""

    task: int
    start: int
    end: int
    ready: int | None = None


@dataclass(frozen=True, slots=True)
class VirtualPlan:
    """A plan as the virtual executor uses it, with values for each of its tasks.

    `collectives` has the number of the collective to which a task belongs, or ABSENT. `modelled`
    has the duration in ns that the link defines, or ABSENT if the duration is measured.
    """

    columns: StepColumns
    collectives: list[int]
    modelled: list[int]

    @classmethod
    def of(cls, plan: Plan, link: Link | None) -> VirtualPlan:
        """Convert a plan. Without a link, communication is measured too."""
        columns = StepColumns.of_plan(plan)
        modelled = np.full(len(columns), ABSENT, np.int64)
        if link is not None:
            is_communication = IS_COMMUNICATION[columns.kind]
            taken = durations(columns, CostModel(_NO_COSTS, link=link), plan.stages)
            modelled[is_communication] = taken[is_communication]
        return cls(columns, meeting(columns, plan.lanes).tolist(), modelled.tolist())


def link_of(specification: Specification) -> Link | None:
    """Return the link between the lanes of a run; None if transfers are measured."""
    return read_link(specification.link or DEFAULT_LINK)


class VirtualExecutor:
    """Runs steps one task at a time. A step starts when the previous one has ended on all lanes.

    **Every span is sent exactly once**. The thread that runs the tasks stores the times of each
    task when its end is known, in the order of virtual time, which is the order on every lane.
    Between two tasks it makes a batch of the stored times. So the sending thread runs hardly any
    Python, which would delay the task that is being timed.

    `now` is the virtual time in ns, on the clock of the header's origin. Any thread may set `stop`:
    no further task starts then.
    """

    def __init__(
        self,
        operations: Operations,
        isolated: IsolatedLane,
        writer: TraceWriter,
        prepared: Prepared,
        stop: threading.Event,
        rehearsal: Rehearsal,
    ) -> None:
        self._operations = operations
        self._isolated = isolated
        self._rehearsal = rehearsal
        self._writer = writer
        self._stop = stop
        specification = prepared.specification
        self._link = link_of(specification)
        self._faults = Faults.of(specification)
        self.now = prepared.header.origin_ns
        self._origin = prepared.header.origin_ns
        self._virtual_plans: dict[int, VirtualPlan] = {}
        self._unsent: list[_TaskTimes] = []
        self._sent_at = time.monotonic()
        writer.now = lambda: self.now

    @gc_paused()  # garbage is collected between steps, because it would add to a task's time
    def run(
        self, index: int, plan: Plan, number: int, batch: Batch, nested: Nested | None = None
    ) -> StepState:
        """Run one step. `number` is the writer's plan number for the plan's and the nested tasks.

        Raises RunStopped, or the exception of a task.
        """
        virtual_plan = self._virtual_plan(plan, number)
        modelled = virtual_plan.modelled
        collectives = virtual_plan.collectives
        # Lists of Python numbers: reading an element of an array takes longer, and happens between
        # two timed tasks.
        effects = self._faults.effects(virtual_plan.columns, plan.lanes, index)
        factors, extra = (values.tolist() for values in effects)
        step = self._operations.begin(index, plan, batch)
        self._rehearsal.begin(plan, batch)
        self._isolated.begin()
        # The times of in_time_order (`start` and `begun`, in ns) count from the start of the step;
        # `began` is added for the recording.
        began = self.now
        ends = [0] * len(plan.tasks)
        held = [0] * len(plan.tasks)
        measured: list[int] = []

        def duration(place: int, start: int, begun: int) -> int:
            # Before the task's first timestamp, so that the time for a batch is not measured.
            self._send(index, number, SEND_SECONDS)
            if self._stop.is_set():
                raise RunStopped
            task = plan.tasks[place]
            blocks = () if nested is None else nested.inside(place)
            self._rehearsal.run(task)
            stamps = self._isolated.run(partial(self._operations.run, task), bool(blocks))
            taken = self._isolated.elapsed(stamps.start, stamps.end)
            measured.append(taken)
            # Data is always moved, because later tasks and the verification need it. But with a
            # link, the recorded duration is the link's.
            if modelled[place] != ABSENT:
                taken = modelled[place]
            slowed = round(taken * factors[place])
            taken = int(slowed + extra[place])
            ends[place] = began + begun + taken
            # Stored as a number; the row is made after the last task, when nothing is timed.
            held[place] = step.values.activations(task.lane)
            # A member of a collective is on its lane from `start`, but moves data only from
            # `begun`, when the last rank has arrived. The time between is explained as waiting for
            # that rank.
            ready = began + start if collectives[place] != ABSENT else None
            self._unsent.append(_TaskTimes(place, began + start, ends[place], ready))
            if blocks:
                self._record_blocks(blocks, stamps, began + begun, taken)
            self._isolated.recycle(stamps)
            return taken

        turns = turns_of(plan.lanes, index)
        try:
            in_time_order(virtual_plan.columns, collectives, duration, turns)
        finally:
            # Even if the step was stopped or failed, the tasks that have run are recorded.
            self._send(index, number)
        self._rehearsal.end(measured)
        self._end(step, began, ends, held)
        return step

    def _end(self, step: StepState, began: int, ends: list[int], held: list[int]) -> None:
        """Set the start of the next step, and send the counters and lines of this one."""
        # The next step starts at this time on every lane, as on real lanes, even if a lane was idle
        # long before. Otherwise steps would overlap, and the idle time of a step would depend on
        # the steps next to it.
        self.now = max(ends, default=began)
        self._record_hardware(step.index)
        notes = list(self._operations.counter_rows(step, began, ends, held))
        self._writer.forward(note_batch(notes, self._origin))
        self._writer.flush_soon()

    def _record_blocks(
        self, blocks: Sequence[Task], stamps: Stamps, start: int, taken: int
    ) -> None:
        """Store the times of the blocks of a task with this start and duration (ns)."""
        since = partial(self._isolated.elapsed, stamps.start)
        # A fault lengthens the blocks in proportion.
        longer = taken / max(1, since(stamps.end))
        for block in blocks:
            bounds = stamps.bounds(block)
            if bounds is not None:
                began, ended = (round(since(bound) * longer) for bound in bounds)
                # Limited to `taken`: rounded up, a block could end later than its task.
                first = start + min(began, taken)
                last = start + min(ended, taken)
                self._unsent.append(_TaskTimes(block.index, first, last))

    def _virtual_plan(self, plan: Plan, number: int) -> VirtualPlan:
        if number not in self._virtual_plans:
            self._virtual_plans[number] = VirtualPlan.of(plan, self._link)
        return self._virtual_plans[number]

    def _record_hardware(self, step: int) -> None:
        device = self._isolated.device
        self._writer.clock(device, step, self._isolated.end())
        allocated = allocator_bytes(device)
        if allocated is not None:
            self._writer.counter(f"allocator {device}", allocated, step=step)

    def _send(self, step: int, plan: int, interval: float = 0.0) -> None:
        """Send the unsent times of a step, at most once in `interval` seconds."""
        if time.monotonic() - self._sent_at < interval:
            return
        if self._unsent:
            timings = Timings(plan, step, *zip(*self._unsent, strict=True))
            self._writer.forward(span_batch(timings, origin=self._origin))
        self._unsent = []
        self._sent_at = time.monotonic()


def turns_of(lanes: Sequence[Lane], step: int) -> list[int]:
    """Return each lane's turn among lanes that could start a task at the same time.

    The first task of a kind has colder caches than the others, even after its rehearsal. To keep
    this small additional time from always being on the same lane, another compute lane has the
    first turn in each step. Other lanes have the turn of the lane that they serve.
    """
    computing = lane_indices(lanes, Role.COMPUTE)
    count = len(computing)
    turn: dict[int, int] = {}
    for place, lane in enumerate(computing):
        turn[lane] = (place - step) % count
    return [turn.get(lane.serves, count) for lane in lanes]
