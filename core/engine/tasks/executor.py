"""Runs plans on lanes: every task is queued on its lane and waits there for its dependencies.

The main thread waits until each task is launched and complete, and releases the tensors that were
kept for it. Lanes only take timestamps. A single thread reads and sends them
(core.recording.schema): for each lane job after job, up to the first job that still runs. So
each job is sent once, in its lane's order, and never as ended and open at the same time.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from torch import Tensor

from core.engine.failures import RunStopped
from core.engine.lanes.devices import Clock, allocator_bytes, open_clock
from core.engine.lanes.lane import LaneThread, Stamps, has_passed, wait_until
from core.engine.models.modules import Batch
from core.engine.tasks.operations import Operations
from core.engine.tasks.values import StepState
from core.plan.nested import Nested
from core.plan.plan import Plan
from core.plan.task import Task
from core.recording.schema import NoteRow, Timings, TraceWriter

SHORT_NS = 5_000_000
"""A task is sent as open only after it has run for this long: most tasks have ended by then."""


@dataclass(slots=True, eq=False)
class _LaneJob:
    """A task of the current step, with its times and the tensors that it holds.

    The lane's thread begins with the task at the time `launched` (ns), and sets `issued` when it is
    done with it. Once the task's start and end (ns) are final, `span` has them, and `rows` has the
    rows of the task and of its blocks. `activations` are the bytes that the lane held at the task's
    end.
    """

    task: Task
    lane: LaneThread
    clock: Clock
    after: list[_LaneJob]
    blocks: tuple[Task, ...]
    stamps: Stamps
    issued: threading.Event = field(default_factory=threading.Event)
    launched: int = 0
    activations: int = 0
    held: list[Tensor] = field(default_factory=list)
    announced: bool = False
    span: tuple[int, int] | None = None
    rows: tuple[_Row, ...] = ()

    def settle(self, start: int, end: int) -> None:
        """Set the final times (ns), and the rows that are sent. Reads the timestamps of blocks.

        Rows are made here and not when they are sent: by then the lane may use the timestamps for
        another step.
        """
        self.span = start, end
        launched = None if isinstance(self.stamps.start, int) else self.launched
        own_row = (self.task.index, start, end, launched)
        self.rows = (own_row, *_block_rows(self, start, end))

    @property
    def has_ended(self) -> bool:
        """True if the task has ended on its device; False if it failed."""
        return self.stamps.end is not None and has_passed(self.stamps.end)

    @property
    def start_time(self) -> int | None:
        """The time at which the task started on its device (ns); None if it has not started."""
        start = self.stamps.start
        if start is None or not has_passed(start):
            return None
        return self.clock.time(start)


@dataclass(slots=True)
class RunningStep:
    """A step that runs or has run: the jobs of each lane in order, and how many of them were sent.

    `plan` is the writer's number of the plan. `over` is True once nothing changes any more. `notes`
    are the counters and lines to send then; they are empty if the step did not finish.
    """

    step: int
    plan: int
    lanes: Sequence[Sequence[_LaneJob]]
    sent: list[int]
    over: bool = False
    notes: Iterable[NoteRow] = ()

    def unsent_rows(self, lane: int) -> Iterator[_Row]:
        """Yield the unsent rows of a lane: its final spans, then the open task, if it is long."""
        jobs = self.lanes[lane]
        for job in jobs[self.sent[lane] :]:
            # No lock is needed: the lane's thread sets the start before the end.
            start = job.stamps.start
            end = job.stamps.end
            if isinstance(start, int) and isinstance(end, int):
                job.settle(start, end)  # host times are final at once
            if job.span is None:
                break
            self.sent[lane] += 1
            yield from job.rows
        opened = self._open_job(lane)
        if opened is not None and not opened.announced:
            begun = opened.start_time
            if begun is not None and begun <= time.perf_counter_ns() - SHORT_NS:
                opened.announced = True
                yield opened.task.index, begun, None, None

    def _open_job(self, lane: int) -> _LaneJob | None:
        """Return the first unsent job of a lane that has not ended, or None."""
        first = self.sent[lane]
        for job in self.lanes[lane][first:]:
            if not job.has_ended:
                return job
        return None


class Executor:
    """Runs steps on started lanes, one at a time. Records nothing if there is no writer.

    Any thread may set `stop`: tasks that have not started are then skipped. `unsent` contains the
    steps that are not completely sent yet.
    """

    def __init__(
        self,
        lanes: Sequence[LaneThread],
        operations: Operations,
        writer: TraceWriter | None,
        stop: threading.Event | None = None,
    ) -> None:
        self._lanes = lanes
        self._operations = operations
        self._writer = writer
        self._stop = stop or threading.Event()
        devices = dict.fromkeys(lane.lane.device for lane in lanes)
        self._clocks = {device: open_clock(device) for device in devices}
        self._error: BaseException | None = None
        self.unsent: deque[RunningStep] = deque()
        # Held by the sending thread, and at the end of a step, which makes all times final.
        self._stamps_lock = threading.Lock()
        if writer is not None:
            writer.running = self._unsent_records

    def run(
        self, index: int, plan: Plan, number: int, batch: Batch, nested: Nested | None = None
    ) -> StepState:
        """Run one step. `number` is the writer's plan number for the plan's and the nested tasks.

        Raises RunStopped, or the exception of the first task that failed.
        """
        step = self._operations.begin(index, plan, batch)
        for clock in self._clocks.values():
            clock.begin()
        began = time.perf_counter_ns()
        jobs: list[_LaneJob] = []
        lanes: list[list[_LaneJob]] = [[] for _ in self._lanes]
        for task in plan.tasks:
            blocks = () if nested is None else nested.inside(task.index)
            after = [jobs[other] for other in task.after]
            lane = self._lanes[task.lane]
            clock = self._clocks[lane.lane.device]
            stamps = Stamps(lane.timestamp, bool(blocks))
            job = _LaneJob(task, lane, clock, after, blocks, stamps)
            jobs.append(job)
            lanes[task.lane].append(job)
        # All jobs of the step exist before the first one is queued: a job must find the jobs of
        # other lanes that it waits for, and the sending thread needs complete lanes.
        running = RunningStep(
            step=index,
            plan=number,
            lanes=lanes,
            sent=[0] * len(lanes),
        )
        if self._writer is not None:
            self.unsent.append(running)
        for job in jobs:
            job.lane.submit(partial(self._do, job))
        self._collect(jobs)
        # From here on all devices are idle, so that clocks can be anchored.
        if self._writer is not None:
            self._close(step, began, running, jobs, self._writer)
        for job in jobs:
            job.lane.recycle(job.stamps.all)
        if self._error is not None:
            raise self._error
        if self._stop.is_set():
            raise RunStopped
        return step

    def _do(self, job: _LaneJob) -> None:
        """Run a job in its lane's thread."""
        try:
            # This blocks the lane, but it cannot deadlock: each lane's queue is in the plan's
            # order, in which a task is always after its dependencies, even on other lanes.
            for other in job.after:
                other.issued.wait()
            if self._error is None and not self._stop.is_set():
                self._launch(job)
        except BaseException as error:  # raised again by the main thread
            self._error = self._error or error
        finally:
            job.issued.set()

    def _launch(self, job: _LaneJob) -> None:
        for other in job.after:
            # Work of the same lane runs in order anyway, on a thread as on a stream.
            if other.lane is not job.lane and other.stamps.end is not None:
                job.lane.wait(other.stamps.end)
        job.launched = time.perf_counter_ns()
        with job.lane.turn:
            held = self._operations.run(job.task, job.stamps)
        # Tensors are kept only until the task has ended; _collect releases them.
        if not job.has_ended:
            job.held = held
        job.activations = self._operations.step.values.activations(job.task.lane)

    def _collect(self, jobs: list[_LaneJob]) -> None:
        """Wait until every job has ended, and release its tensors.

        On a lane that does its work in its thread, only the last job is waited for: waking up after
        each job would take time from lanes that compute.
        """
        last = {job.lane: job for job in jobs}
        for job in jobs:
            if job.lane.sleeps and job is not last[job.lane]:
                continue
            job.issued.wait()
            if job.stamps.end is not None:
                wait_until(job.stamps.end)
            job.held = []

    def _close(
        self,
        step: StepState,
        began: int,
        running: RunningStep,
        jobs: Sequence[_LaneJob],
        writer: TraceWriter,
    ) -> None:
        """Make the times of all jobs final, and save values that the next step would change.

        All jobs must have ended.
        """
        for device, clock in self._clocks.items():
            writer.clock(device, running.step, clock.end())
            allocated = allocator_bytes(device)
            if allocated is not None:
                writer.counter(f"allocator {device}", allocated, step=running.step)
        with self._stamps_lock:
            for lane_jobs in running.lanes:
                done = 0  # spans must not overlap, but events resolve only half a microsecond
                for job in lane_jobs:
                    if job.stamps.start is not None and job.stamps.end is not None:
                        start = max(done, job.clock.time(job.stamps.start))
                        done = max(start, job.clock.time(job.stamps.end))
                        job.settle(start, done)
            ends = [job.span[1] for job in jobs if job.span is not None]
            # In a step that was stopped or failed some ends are missing: it gets no counters.
            if len(ends) == len(jobs):
                held = [job.activations for job in jobs]
                running.notes = self._operations.counter_rows(step, began, ends, held)
            running.over = True
        writer.flush_soon()

    def _unsent_records(self) -> Iterator[Timings | NoteRow]:
        """Yield unsent records: final spans, and the tasks that are open now.

        Called only by the sending thread.
        """
        while self.unsent:
            rows: list[_Row] = []
            with self._stamps_lock:
                running = self.unsent[0]
                over = running.over  # read before the lanes: if it is True, their rows are complete
                for lane in range(len(running.lanes)):
                    rows.extend(running.unsent_rows(lane))
            if rows:
                task, start, end, launched = map(list, zip(*rows, strict=True))
                yield Timings(
                    plan=running.plan,
                    step=running.step,
                    task=task,
                    start=start,
                    end=end,
                    launched=launched,
                )
            if not over:
                return
            self.unsent.popleft()
            yield from running.notes


def _block_rows(job: _LaneJob, start: int, end: int) -> Iterator[_Row]:
    """Yield the recorded blocks of a job, limited to its span and without overlaps."""
    for task in job.blocks:
        bounds = job.stamps.bounds(task)
        if bounds is not None:
            first, last = bounds
            block_start = min(max(start, job.clock.time(first)), end)
            block_end = min(max(start, job.clock.time(last)), end)
            start = max(block_start, block_end)
            yield task.index, block_start, start, None


_Row = tuple[int, int, int | None, int | None]
"""The number, start, end and launch (ns) of a span, or of an open task, without an end."""
