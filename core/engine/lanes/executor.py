"""Walks a plan over lanes: every task is queued on its lane, and waits there for what it needs.

The main thread waits for each task to be launched and to complete, and lets go of the tensors that
it needed. Lanes only stamp. What they have stamped is read by the one thread that sends it
(core.recording.writer): of every lane, job after job, up to the first that has not ended. So each
job is told once, in its lane's order, and never as ended and open at the same time.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from torch import Tensor

from core.engine.lanes.lane import Clock, Lane, Mark, allocator_bytes, open_clock
from core.engine.lanes.operations import Operations, Step
from core.engine.lanes.step_counters import ClosedStep
from core.engine.lanes.timestamps import Stamps
from core.engine.models.modules import Batch
from core.plan.nested import Nested
from core.plan.task import Plan, Task
from core.recording.writer import NoteRow, Timings, TraceWriter

POLL_SECONDS = 0.0002
SHORT_NS = 5_000_000
"""A task is announced as open only once it has run for so long: most are over before."""


class Stopped(Exception):
    """The run was stopped on request."""


class _Job:
    """A task of the step that is being run: its marks, and whether it was launched.

    `span` is when it ran (ns), once that is final.
    """

    __slots__ = (
        "activations", "after", "announced", "blocks", "held", "issued", "lane", "launched",
        "span", "stamps", "task",
    )  # fmt: skip

    def __init__(
        self, task: Task, lane: Lane, after: list[_Job], blocks: tuple[Task, ...], timed: bool
    ) -> None:
        self.task, self.lane, self.after, self.blocks = task, lane, after, blocks
        self.stamps = Stamps(partial(lane.mark, timed), timed and bool(blocks))
        self.issued = threading.Event()
        self.launched = self.activations = 0
        self.held: list[Tensor] = []
        self.announced = False
        self.span: tuple[int, int] | None = None

    @property
    def has_ended(self) -> bool:
        """Whether it has ended on its device; False if it failed."""
        end = self.stamps.end
        return end is not None and self.lane.reached(end)

    @property
    def has_started(self) -> bool:
        """Whether it has started on its device."""
        start = self.stamps.start
        return start is not None and self.lane.reached(start)


@dataclass(slots=True)
class _Running:
    """A step that runs or has run, of plan number `plan`: the jobs of each lane in their order.

    `told` counts those of each lane whose spans were told. `over` says that nothing will change any
    more; `closed` is what is then to be told beside the spans, None if the step was not finished.
    """

    step: int
    plan: int
    lanes: Sequence[Sequence[_Job]]
    told: list[int]
    over: bool = False
    closed: ClosedStep | None = None


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
        self._halt = threading.Event()
        self._error: BaseException | None = None
        self._untold: deque[_Running] = deque()
        # Between the thread that sends and the end of a step, where lanes take back their marks.
        self._marks_lock = threading.Lock()
        if writer is not None:
            writer.running = self._news

    def stop(self) -> None:
        """Let the tasks that have not started be skipped; `run` then raises Stopped."""
        self._halt.set()

    def run(
        self, index: int, plan: Plan, number: int, batch: Batch, nested: Nested | None = None
    ) -> Step:
        """Run one step; the writer knows the plan's tasks, and `nested` behind them, by `number`.

        Raises Stopped, or what the first failing task raised.
        """
        step = self._operations.begin(index, plan, batch)
        if self._writer is not None:
            for clock in self._clocks.values():
                clock.begin()
        began = time.perf_counter_ns()
        jobs: list[_Job] = []
        lanes: list[list[_Job]] = [[] for _ in self._lanes]
        for task in plan.tasks:
            blocks = () if nested is None else nested.inside(task.index)
            after = [jobs[other] for other in task.after]
            lane, timed = self._lanes[task.lane], self._writer is not None
            jobs.append(_Job(task, lane, after, blocks, timed))
            lanes[task.lane].append(jobs[-1])
        running = _Running(index, number, lanes, [0] * len(lanes))
        if self._writer is not None:
            self._untold.append(running)
        for job in jobs:
            job.lane.submit(partial(self._do, job))
        self._collect(jobs)
        if self._writer is not None:
            self._close(step, began, running, jobs, self._writer)
        for job in jobs:
            job.lane.recycle(job.stamps.marks)
        if self._error is not None:
            raise self._error
        if self._halt.is_set():
            raise Stopped
        return step

    def _do(self, job: _Job) -> None:
        """Run a job in its lane's thread."""
        try:
            for other in job.after:
                other.issued.wait()
            if not self._halt.is_set():
                self._launch(job)
        except BaseException as error:  # it is raised again by the main thread
            self._error = self._error or error
            self._halt.set()
        finally:
            job.issued.set()

    def _launch(self, job: _Job) -> None:
        lane, timed = job.lane, self._writer is not None
        for other in job.after:
            if other.lane is not lane:
                lane.wait(other.stamps.end)
        job.launched = time.perf_counter_ns() if timed else 0
        held = self._operations.run(job.task, job.stamps)
        if not lane.reached(job.stamps.end):
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
            while job.stamps.end is not None and not job.has_ended:
                time.sleep(POLL_SECONDS)
            job.held = []

    def _close(
        self, step: Step, began: int, running: _Running, jobs: Sequence[_Job], writer: TraceWriter
    ) -> None:
        """All jobs are over: make their times final, and note what the next step will change."""
        for device, clock in self._clocks.items():
            writer.clock(device, running.step, clock.end())
            if (allocated := allocator_bytes(device)) is not None:
                writer.counter(f"allocator {device}", allocated, step=running.step)
        with self._marks_lock:
            for own in running.lanes:
                self._make_final(own)
            ends = [job.span[1] for job in jobs if job.span is not None]
            if len(ends) == len(jobs):
                held = [job.activations for job in jobs]
                running.closed = ClosedStep.of(self._operations, step, began, ends, held)
            running.over = True
        writer.flush_soon()

    def _make_final(self, jobs: Sequence[_Job]) -> None:
        """The spans of a lane, without overlaps: events resolve only half a microsecond."""
        done = 0
        for job in jobs:
            if job.stamps.end is not None:
                start = max(done, self._time(job, job.stamps.start))
                done = max(start, self._time(job, job.stamps.end))
                job.span = start, done

    def _news(self) -> Iterator[Timings | NoteRow]:
        """What was not told yet: spans that are final, and which tasks are open now.

        For the one thread that sends.
        """
        while self._untold:
            with self._marks_lock:
                running = self._untold[0]
                over = running.over  # before its lanes are looked at: nothing is left behind then
                told = [
                    row for lane in range(len(running.lanes)) for row in self._lane(running, lane)
                ]
            if told:
                task, start, end, launched = map(list, zip(*told, strict=True))
                yield Timings(running.plan, running.step, task, start, end, launched=launched)
            if not over:
                return
            self._untold.popleft()
            if running.closed is not None:
                yield from running.closed.rows()

    def _lane(self, running: _Running, lane: int) -> Iterator[_Row]:
        """The news of one lane."""
        jobs = running.lanes[lane]
        for job in jobs[running.told[lane] :]:
            if job.span is None and self._clock(job).live and job.has_ended:
                job.span = job.stamps.start, job.stamps.end  # host times, and final at once
            if job.span is None:
                break
            running.told[lane] += 1
            start, end = job.span
            launched = None if self._clock(job).live else job.launched
            yield job.task.index, start, end, launched
            yield from self._inside(job, start, end)
        opened = next((job for job in jobs[running.told[lane] :] if not job.has_ended), None)
        if opened is not None and opened.has_started and not opened.announced:
            start = self._time(opened, opened.stamps.start)
            if start <= time.perf_counter_ns() - SHORT_NS:
                opened.announced = True
                yield opened.task.index, start, None, None

    def _inside(self, job: _Job, start: int, end: int) -> Iterator[_Row]:
        """The blocks that were noted in a job, within it, without overlaps."""
        for task in job.blocks:
            bounds = job.stamps.bounds(task)
            if bounds is not None:
                begun, ended = (min(max(start, self._time(job, m)), end) for m in bounds)
                start = max(begun, ended)
                yield task.index, begun, start, None

    def _clock(self, job: _Job) -> Clock:
        return self._clocks[job.lane.lane.device]

    def _time(self, job: _Job, mark: Mark) -> int:
        return self._clock(job).time(mark)


_Row = tuple[int, int, int | None, int | None]
"""A span or (without an end) an open task: its number, start, end and launch in ns."""
