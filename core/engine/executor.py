"""Walks a plan over lanes: every task is queued on its lane, and waits there for what it needs.

The main thread collects: it waits for each task to be launched and to complete, lets go of the
tensors that the task needed, and turns marks into spans at the step's end (CPU: at once).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from functools import partial

import pyarrow as pa
from torch import Tensor

from core.engine.lanes import Clock, Lane, Mark, allocator_bytes, open_clock
from core.engine.modules import Batch
from core.engine.operations import Operations, Step
from core.engine.recorder import Recording, Unrecorded
from core.plan.task import Plan, Task
from core.trace.writer import Opening, Timing

POLL_SECONDS = 0.0002


class Stopped(Exception):
    """The run was stopped on request."""


class _Job:
    """A task of the step that is being run: its marks, and whether it was launched."""

    __slots__ = ("after", "end", "held", "issued", "lane", "launched", "start", "task")

    def __init__(self, task: Task, lane: Lane, after: list[_Job]) -> None:
        self.task, self.lane, self.after = task, lane, after
        self.issued = threading.Event()
        self.start: Mark = None
        self.end: Mark = None
        self.launched = 0
        self.held: list[Tensor] = []

    @property
    def is_open(self) -> bool:
        """Whether the task has started and not ended on its device."""
        if self.start is None or not self.lane.reached(self.start):
            return False
        return self.end is None or not self.lane.reached(self.end)


class Executor:
    """Runs steps on started lanes. One at a time; `stop` may come from any thread."""

    def __init__(
        self, lanes: Sequence[Lane], operations: Operations, recorder: Recording | Unrecorded
    ) -> None:
        self._lanes = lanes
        self._operations = operations
        self._recorder = recorder
        self._clocks: dict[str, Clock] = {
            name: open_clock(name) for name in dict.fromkeys(lane.lane.device for lane in lanes)
        }
        self._halt = threading.Event()
        self._error: BaseException | None = None
        self._jobs: list[_Job] = []
        self._columns: pa.RecordBatch | None = None
        self._step = 0
        self._jobs_lock = threading.Lock()
        if isinstance(recorder, Recording):
            recorder.writer.opened = self._openings

    def stop(self) -> None:
        """Let the tasks that have not started be skipped; `run` then raises Stopped."""
        self._halt.set()

    def run(self, index: int, plan: Plan, columns: pa.RecordBatch, batch: Batch) -> Step:
        """Run one step; `columns` are the plan's task columns.

        Raises Stopped, or what the first failing task raised.
        """
        step = self._operations.begin(index, plan, batch)
        if self._recorder.timed:
            for clock in self._clocks.values():
                clock.begin()
        jobs: list[_Job] = []
        for task in plan.tasks:
            jobs.append(_Job(task, self._lanes[task.lane], [jobs[other] for other in task.after]))
        with self._jobs_lock:
            self._jobs, self._columns, self._step = jobs, columns, index
        for job in jobs:
            job.lane.submit(partial(self._do, job))
        self._collect(jobs)
        if self._error is not None:
            raise self._error
        if self._halt.is_set():
            raise Stopped
        return step

    def _do(self, job: _Job) -> None:
        """Run a job in its lane's thread."""
        for other in job.after:
            other.issued.wait()
        if not self._halt.is_set():
            try:
                self._launch(job)
            except BaseException as error:  # it is raised again by the main thread
                self._error = self._error or error
                self._halt.set()
        job.issued.set()

    def _launch(self, job: _Job) -> None:
        lane, timed = job.lane, self._recorder.timed
        for other in job.after:
            if other.lane is not lane:
                lane.wait(other.end)
        job.launched = time.perf_counter_ns() if timed else 0
        job.start = lane.mark(timed)
        held = self._operations.run(job.task)
        job.end = lane.mark(timed)
        if not lane.reached(job.end):
            job.held = held
        if timed:
            if self._clocks[lane.lane.device].live:
                self._record(job)
            self._operations.report(job.task)

    def _collect(self, jobs: list[_Job]) -> None:
        """Wait until every job is done; close the step's books."""
        for job in jobs:
            job.issued.wait()
            while job.end is not None and not job.lane.reached(job.end):
                time.sleep(POLL_SECONDS)
            job.held = []
        done = [job for job in jobs if job.end is not None]
        if isinstance(self._recorder, Recording):
            self._close_books(done, self._recorder)
        with self._jobs_lock:
            self._jobs = []
        for job in jobs:
            job.lane.recycle([mark for mark in (job.start, job.end) if mark is not None])

    def _close_books(self, done: list[_Job], recorder: Recording) -> None:
        for device, clock in self._clocks.items():
            recorder.writer.clock(device, self._step, clock.end())
            if (held := allocator_bytes(device)) is not None:
                recorder.counter(f"allocator {device}", held, step=self._step)
        last: dict[int, int] = {}
        for job in done:
            if not self._clocks[job.lane.lane.device].live:
                last[job.task.lane] = self._record(job, last.get(job.task.lane, 0))

    def _record(self, job: _Job, earliest: int = 0) -> int:
        """Write a job's span, not before `earliest`: events resolve half a microsecond."""
        assert isinstance(self._recorder, Recording) and self._columns is not None
        clock = self._clocks[job.lane.lane.device]
        start = max(earliest, clock.time(job.start))
        end = max(start, clock.time(job.end))
        launched = None if clock.live else job.launched
        timing = Timing(self._step, job.task.index, start, end, None, launched)
        self._recorder.writer.span(self._columns, timing)
        return end

    def _openings(self) -> list[tuple[pa.RecordBatch, Opening]]:
        """The tasks that are open now, for the flusher's thread."""
        with self._jobs_lock:
            if self._columns is None:
                return []
            return [
                (self._columns, Opening(self._step, job.task.index, self._started(job)))
                for job in self._jobs
                if job.is_open
            ]

    def _started(self, job: _Job) -> int:
        return self._clocks[job.lane.lane.device].time(job.start)
