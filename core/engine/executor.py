"""Walks a plan over lanes: every task is queued on its lane, and waits there for what it needs.

The main thread collects: it waits for each task to be launched and to complete, lets go of the
tensors that the task needed, and turns marks into spans at the step's end (CPU: at once).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from core.engine.books import Books, ClosedStep
from core.engine.lanes import Clock, Lane, Mark, allocator_bytes, open_clock
from core.engine.modules import Batch
from core.engine.operations import Operations, Step
from core.engine.stamps import Stamps
from core.plan.nested import Nested
from core.plan.task import Plan, Task
from core.trace.writer import Opening, TaskColumns, Timings, TraceWriter

POLL_SECONDS = 0.0002
LONG_WAIT_FLUSH, WAIT_FLUSH = 0.05, 0.09
"""Seconds since the last flush, from when on a lane sends rows while it waits."""


SHORT_NS = 5_000_000
"""A task is announced as open only once it has run for so long."""


class Stopped(Exception):
    """The run was stopped on request."""


class _Job:
    """A task of the step that is being run: its marks, and whether it was launched."""

    __slots__ = (
        "activations", "after", "blocks", "held", "issued", "lane", "launched", "stamps", "task",
        "written",
    )  # fmt: skip

    def __init__(
        self, task: Task, lane: Lane, after: list[_Job], blocks: tuple[Task, ...], timed: bool
    ) -> None:
        self.task, self.lane, self.after, self.blocks = task, lane, after, blocks
        self.stamps = Stamps(lane.marker(timed), timed and bool(blocks))
        self.issued = threading.Event()
        self.launched = self.activations = 0
        self.held: list[Tensor] = []
        self.written = False

    @property
    def start(self) -> Mark:
        """The mark of its start, None before."""
        return self.stamps.start

    @property
    def end(self) -> Mark:
        """The mark of its end, None before and if it failed."""
        return self.stamps.end

    @property
    def is_open(self) -> bool:
        """Whether the task has started and not ended on its device."""
        if self.start is None or not self.lane.reached(self.start):
            return False
        return self.end is None or not self.lane.reached(self.end)


@dataclass(frozen=True, slots=True)
class _Running:
    """A step that runs or has run: what its spans are told from."""

    step: int
    columns: TaskColumns
    jobs: Sequence[_Job]


class Executor:
    """Runs steps on started lanes. One at a time; `stop` may come from any thread.

    Without a writer nothing is recorded: there are no stamps, timing events or rows.
    """

    def __init__(
        self, lanes: Sequence[Lane], operations: Operations, writer: TraceWriter | None
    ) -> None:
        self._lanes = lanes
        self._operations = operations
        self._writer = writer
        self._clocks: dict[str, Clock] = {
            name: open_clock(name) for name in dict.fromkeys(lane.lane.device for lane in lanes)
        }
        self._live = all(clock.live for clock in self._clocks.values())
        self._books: dict[TaskColumns, Books] = {}
        self._halt = threading.Event()
        self._error: BaseException | None = None
        self._running = _Running(0, TaskColumns(()), ())
        self._jobs_lock = threading.Lock()
        if writer is not None:
            writer.opened = self._openings
            writer.ended = self._endings

    def stop(self) -> None:
        """Let the tasks that have not started be skipped; `run` then raises Stopped."""
        self._halt.set()

    def run(
        self, index: int, plan: Plan, columns: TaskColumns, batch: Batch,
        nested: Nested | None = None,
    ) -> Step:  # fmt: skip
        """Run one step; `columns` are the plan's task columns, those `nested` inside behind them.

        Raises Stopped, or what the first failing task raised.
        """
        step = self._operations.begin(index, plan, batch)
        if self._writer is not None:
            for clock in self._clocks.values():
                clock.begin()
        began = time.perf_counter_ns()
        jobs: list[_Job] = []
        for task in plan.tasks:
            blocks = () if nested is None else nested.inside(task.index)
            after = [jobs[other] for other in task.after]
            lane, timed = self._lanes[task.lane], self._writer is not None
            jobs.append(_Job(task, lane, after, blocks, timed))
        running = self._running = _Running(index, columns, jobs)
        for job in jobs:
            job.lane.submit(partial(self._do, job))
        self._collect(jobs)
        if self._writer is not None:
            self._close_books(step, began, running, self._writer)
        with self._jobs_lock:  # nobody asks about marks that the lanes take back
            self._running = _Running(index, columns, ())
        for job in jobs:
            job.lane.recycle(job.stamps.marks)
        if self._error is not None:
            raise self._error
        if self._halt.is_set():
            raise Stopped
        return step

    def _do(self, job: _Job) -> None:
        """Run a job in its lane's thread."""
        for other in job.after:
            if not other.issued.is_set():
                if self._writer is not None:
                    # A lane that waits anyway encodes rows, so that no other thread has to take
                    # a core from a lane that computes; the more gladly if it waits for long.
                    whole_task = other.start is None
                    self._writer.flush_if_due(LONG_WAIT_FLUSH if whole_task else WAIT_FLUSH)
                other.issued.wait()
        if not self._halt.is_set():
            try:
                self._launch(job)
            except BaseException as error:  # it is raised again by the main thread
                self._error = self._error or error
                self._halt.set()
        job.issued.set()

    def _launch(self, job: _Job) -> None:
        lane, timed = job.lane, self._writer is not None
        for other in job.after:
            if other.lane is not lane:
                lane.wait(other.end)
        job.launched = time.perf_counter_ns() if timed else 0
        held = self._operations.run(job.task, job.stamps)
        if not lane.reached(job.end):
            job.held = held
        if timed:
            job.activations = self._operations.activations(job.task.lane)

    def _collect(self, jobs: list[_Job]) -> None:
        """Wait until every job is done, letting go of what each has held.

        A lane that sleeps has done what it has launched, in order: to be woken after each of its
        jobs would take time from lanes that compute.
        """
        last = {job.lane: job for job in jobs}
        for job in jobs:
            if job.lane.sleeps and job is not last[job.lane]:
                continue
            job.issued.wait()
            while job.end is not None and not job.lane.reached(job.end):
                time.sleep(POLL_SECONDS)
            job.held = []

    def _close_books(self, step: Step, began: int, running: _Running, writer: TraceWriter) -> None:
        for device, clock in self._clocks.items():
            writer.clock(device, running.step, clock.end())
            if (allocated := allocator_bytes(device)) is not None:
                writer.counter(f"allocator {device}", allocated, step=running.step)
        closed = None
        if all(job.end is not None for job in running.jobs):
            if running.columns not in self._books:
                self._books[running.columns] = Books(self._operations)
            closed = self._books[running.columns].close(step, began)
        hand_in = partial(self._hand_in, running, closed, writer)
        # The next step need not wait for rows, unless its events are those of this one.
        if self._live:
            writer.later(hand_in)
        else:
            hand_in()

    def _hand_in(self, running: _Running, closed: ClosedStep | None, writer: TraceWriter) -> None:
        """Give the writer what is left of a step that has ended."""
        for columns, timings in self._timings(running, running.jobs):
            writer.spans(columns, timings)
        if closed is not None:
            ends = self._times(running.jobs, [job.end for job in running.jobs])
            writer.step_notes(closed.notes(ends, [job.activations for job in running.jobs]))

    def _timings(
        self, running: _Running, jobs: Iterable[_Job]
    ) -> list[tuple[TaskColumns, Timings]]:
        """The spans of finished jobs that were not written yet, in the plan's order.

        That is each lane's order too.
        """
        with self._jobs_lock:
            fresh = [job for job in jobs if job.end is not None and not job.written]
            if not fresh:
                return []
            for job in fresh:
                job.written = True
            tasks, lanes, starts, ends = self._table(fresh)
            launched = None
            if not self._clock(fresh[0]).live:
                starts, ends = _one_by_one(lanes, starts, ends)
                launched = np.array([job.launched for job in fresh])
            told = [Timings(running.step, tasks, starts, ends, None, launched)]
            if any(job.blocks for job in fresh):
                told += self._inside(running.step, fresh, starts, ends)
            return [(running.columns, timings) for timings in told]

    def _inside(
        self, step: int, jobs: Sequence[_Job], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> list[Timings]:
        """The blocks that were noted in jobs, each within its job, without overlaps."""
        rows: list[tuple[int, int, int]] = []
        for job, start, end in zip(jobs, starts.tolist(), ends.tolist(), strict=True):
            for task in job.blocks:
                bounds = job.stamps.bounds(task)
                if bounds is not None:
                    begun, ended = (min(max(start, self._time(job, m)), end) for m in bounds)
                    start = max(begun, ended)
                    rows.append((task.index, begun, start))
        return [Timings(step, *map(list, zip(*rows, strict=True)))] if rows else []

    def _endings(self) -> list[tuple[TaskColumns, Timings]]:
        """The spans that are final and were not written yet, for the flusher's thread."""
        running = self._running
        return self._timings(running, (job for job in running.jobs if self._clock(job).live))

    def _openings(self) -> list[tuple[TaskColumns, Opening]]:
        """The tasks that have been open for a while, for whoever flushes.

        Those that have just begun are mostly over before anybody could see them.
        """
        with self._jobs_lock:
            running = self._running
            begun = [
                (job.task.index, self._time(job, job.start)) for job in running.jobs if job.is_open
            ]
        before = time.perf_counter_ns() - SHORT_NS
        return [
            (running.columns, Opening(running.step, task, start))
            for task, start in begun
            if start <= before
        ]

    def _clock(self, job: _Job) -> Clock:
        return self._clocks[job.lane.lane.device]

    def _time(self, job: _Job, mark: Mark) -> int:
        return self._clock(job).time(mark)

    def _table(self, jobs: Sequence[_Job]) -> NDArray[np.int64]:
        """Four rows with an entry for each job: its task, its lane, and its times in ns.

        One array, once: lanes have driven NumPy's code out of the caches.
        """
        tasks = [job.task for job in jobs]
        starts, ends = [job.start for job in jobs], [job.end for job in jobs]
        return np.array(
            [
                [task.index for task in tasks],
                [task.lane for task in tasks],
                self._times(jobs, starts),
                self._times(jobs, ends),
            ]
        )

    def _times(self, jobs: Sequence[_Job], marks: list[Mark]) -> list[int]:
        """Host times in ns of a mark of each job."""
        if self._live:
            return marks  # they are host times
        return [self._time(job, mark) for job, mark in zip(jobs, marks, strict=True)]


def _one_by_one(
    lanes: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts and ends of spans, of which those of a lane are in order, without overlaps.

    Events resolve half a microsecond: none starts before the one in front of it has ended.
    """
    starts, ends = starts.copy(), ends.copy()
    for lane in np.unique(lanes):
        mine = np.flatnonzero(lanes == lane)
        ends[mine] = np.maximum.accumulate(np.maximum(starts[mine], ends[mine]))
        starts[mine[1:]] = np.maximum(starts[mine[1:]], ends[mine[:-1]])
    return starts, ends
