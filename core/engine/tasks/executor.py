"""Walks plans over lanes: every task is queued on its lane, and waits there for what it needs.

The main thread waits for each task to be launched and to complete, and lets go of the tensors that
it needed. Lanes only stamp. What they have stamped is read by the one thread that sends it
(core.recording.schema): of every lane, job after job, up to the first that has not ended. So each
job is told once, in its lane's order, and never as ended and open at the same time.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

import torch
from torch import Tensor

from core.costs.costs import CostModel
from core.costs.costs_file import values_of
from core.engine.calibration.calibrate import Passed, calibrate
from core.engine.failures import Stopped, is_out_of_memory
from core.engine.lanes.devices import Clock, allocator_bytes, open_clock, open_lanes
from core.engine.lanes.lane import LaneThread, Stamps, reached, wait_until
from core.engine.models.modules import Batch
from core.engine.models.workload import verification_notes
from core.engine.prepare import Prepared
from core.engine.tasks.operations import Operations
from core.engine.tasks.values import Step
from core.engine.verify import judge, keeps_parameters
from core.plan.nested import Nested
from core.plan.plan import Plan
from core.plan.task import Task
from core.recording.schema import COSTS_LEVEL, SIZE_COSTS_LEVEL, NoteRow, Timings, TraceWriter
from core.trace.event_rows import PASSES

SHORT_NS = 5_000_000
"""A task is announced as open only once it has run for so long: most are over before."""
LONGEST_STEP_SECONDS = 10.0  # two of them, and a walk through one, are waited for

RunStep = Callable[[int, Plan, int, Batch, Nested | None], Step]
"""Runs one step of a plan that the writer knows by a number, as Executor.run does."""
Calibrate = Callable[[Batch, Passed], CostModel]
"""Measures what the tasks of a batch cost; tells Passed how many passes through them are over.

Raises Stopped, or what a task raised.
"""
CalibrateSizes = Callable[[Batch, CostModel], CostModel | None]
"""Measures what the model's blocks cost in micro-batches of several sizes; None if it cannot.

The transfers are those of the costs that it is given. Raises as Calibrate does.
"""


def run_on_lanes(prepared: Prepared, writer: TraceWriter, stop: threading.Event) -> None:
    """Run every step. Raises Stopped on request, or what a task raised."""
    operations = Operations(prepared)
    if (cores := prepared.lanes[0].cores) > 0:
        torch.set_num_threads(cores)  # the plain step computes as a lane does, rounding included
    with ExitStack() as stack:
        lanes = [stack.enter_context(lane) for lane in open_lanes(prepared.plan_list[0].lanes)]
        for text in dict.fromkeys(lane.note for lane in lanes if lane.note):
            writer.log("warning", text)
        executor = Executor(lanes, operations, writer, stop)
        run_steps(
            prepared, writer, operations, executor.run,
            [lambda batch, passed: calibrate(prepared, batch, lanes, stop, passed)],
        )  # fmt: skip


def run_steps(
    prepared: Prepared,
    writer: TraceWriter,
    operations: Operations,
    run_step: RunStep,
    calibrations: Iterable[Calibrate],
    calibrate_sizes: CalibrateSizes | None = None,
) -> None:
    """Write the plans, measure costs, run every step and verify it, as the specification says.

    Costs are measured by the first of `calibrations` before the first measured step, by the next
    one before the next step, as long as there are some; by `calibrate_sizes` once, after the first.
    """
    assert prepared.workload is not None
    specification, workload = prepared.specification, prepared.workload
    rows, plans, nested = specification.all_rows, prepared.plans, prepared.nested
    numbers = {
        count: writer.plan([*plan.tasks, *(nested[count].tasks if nested else ())])
        for count, plan in plans.items()
    }
    if specification.verify:
        for text in verification_notes(workload):
            writer.log("warning", text)
    seconds = 0.0
    waiting = iter(calibrations if specification.calibrate else ())
    for index, batch in enumerate(workload.batches(specification)):
        if index == specification.warmup and seconds > LONGEST_STEP_SECONDS:
            text = f"a step takes {seconds:.0f} s: its costs are not measured beforehand"
            writer.log("info", text)
            waiting = iter(())
        calibrate = next(waiting, None) if index >= specification.warmup else None
        if calibrate is not None:
            costs = _tell_costs(batch, calibrate, writer)
            if costs is None:
                waiting = iter(())
            elif calibrate_sizes is not None:
                _tell_size_costs(batch, costs, calibrate_sizes, writer)
            calibrate_sizes = None
        before = operations.model.parameters()[0] if keeps_parameters(specification) else {}
        began = time.monotonic()
        count = rows[index]
        step = run_step(index, plans[count], numbers[count], batch, nested.get(count))
        seconds = time.monotonic() - began
        loss = sum(piece.item() for piece in step.losses)
        copies = operations.model.gradients
        judge(writer, specification, workload, index, batch, step.plan.parts, before, loss, copies)


def _tell_costs(batch: Batch, calibrate: Calibrate, writer: TraceWriter) -> CostModel | None:
    """Measure what the next step's tasks cost and write it; None if memory does not suffice."""
    costs = _measured_costs(lambda: calibrate(batch, partial(writer.counter, PASSES)), writer)
    if costs is not None:
        writer.log(COSTS_LEVEL, json.dumps(values_of(costs)))
    return costs


def _tell_size_costs(
    batch: Batch, costs: CostModel, calibrate_sizes: CalibrateSizes, writer: TraceWriter
) -> None:
    """Measure what blocks cost in several sizes and write it, if that is possible."""
    by_size = _measured_costs(lambda: calibrate_sizes(batch, costs), writer)
    if by_size is not None:
        writer.log(SIZE_COSTS_LEVEL, json.dumps(values_of(by_size)))


def _measured_costs(
    measure: Callable[[], CostModel | None], writer: TraceWriter
) -> CostModel | None:
    """The costs that are measured; None, and a line in the log, if memory does not suffice."""
    try:
        return measure()
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        writer.log("info", "there is no memory beside the run's to measure its costs in")
        return None


@dataclass(slots=True, eq=False)
class _LaneJob:
    """A task of the step that is being run: when it ran, and what it held.

    `issued` says that its lane is done with it; `launched` is when that began (ns). `span` is when
    it ran (ns), once that is final. `activations` are the bytes that its lane held at its end.
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

    @property
    def has_ended(self) -> bool:
        """Whether it has ended on its device; False if it failed."""
        return self.stamps.end is not None and reached(self.stamps.end)

    @property
    def start_time(self) -> int | None:
        """When it started on its device (ns), None if it has not."""
        start = self.stamps.start
        return None if start is None or not reached(start) else self.clock.time(start)


@dataclass(slots=True)
class RunningStep:
    """A step that runs or has run, of plan number `plan`: the jobs of each lane in their order.

    `sent` counts those of each lane whose spans the writer has. `over` says that nothing will
    change any more; `closed` is what is then to be told beside the spans, nothing if the step was
    not finished.
    """

    step: int
    plan: int
    lanes: Sequence[Sequence[_LaneJob]]
    sent: list[int]
    over: bool = False
    closed: Iterable[NoteRow] = ()

    def news_of(self, lane: int) -> Iterator[_Row]:
        """What was not sent yet of a lane: its spans that are final, then the task that is open."""
        jobs = self.lanes[lane]
        for job in jobs[self.sent[lane] :]:
            # Without a lock: the lane's thread sets the end last, so where it is the start is too.
            start, end = job.stamps.start, job.stamps.end
            if isinstance(start, int) and isinstance(end, int):
                job.span = start, end  # host times, and final at once
            if job.span is None:
                break
            self.sent[lane] += 1
            launched = None if isinstance(start, int) else job.launched
            yield job.task.index, *job.span, launched
            yield from _inside(job, *job.span)
        opened = next((job for job in jobs[self.sent[lane] :] if not job.has_ended), None)
        if opened is not None and not opened.announced:
            begun = opened.start_time
            if begun is not None and begun <= time.perf_counter_ns() - SHORT_NS:
                opened.announced = True
                yield opened.task.index, begun, None, None


class Executor:
    """Runs steps on started lanes, one at a time. Without a writer nothing is recorded.

    Once `stop` is set, by any thread, tasks that have not started are skipped. `untold` are the
    steps of which the writer does not have everything yet.
    """

    def __init__(
        self,
        lanes: Sequence[LaneThread],
        operations: Operations,
        writer: TraceWriter | None,
        stop: threading.Event | None = None,
    ) -> None:
        self._lanes, self._operations, self._writer = lanes, operations, writer
        self._stop = stop or threading.Event()
        devices = dict.fromkeys(lane.lane.device for lane in lanes)
        self._clocks = {device: open_clock(device) for device in devices}
        self._error: BaseException | None = None
        self.untold: deque[RunningStep] = deque()
        # Between the thread that sends and the end of a step, where lanes recycle their timestamps.
        self._stamps_lock = threading.Lock()
        if writer is not None:
            writer.running = self._news

    def run(
        self, index: int, plan: Plan, number: int, batch: Batch, nested: Nested | None = None
    ) -> Step:
        """Run one step; the writer knows the plan's tasks, and `nested` behind them, by `number`.

        Raises Stopped, or what the first failing task raised.
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
            stamps = Stamps(lane.timestamp, bool(blocks))
            jobs.append(_LaneJob(task, lane, self._clocks[lane.lane.device], after, blocks, stamps))
            lanes[task.lane].append(jobs[-1])
        # All jobs of the step are made before the first is queued: a job that waits for one of
        # another lane must find it, and the thread that sends must see lanes whole.
        running = RunningStep(index, number, lanes, [0] * len(lanes))
        if self._writer is not None:
            self.untold.append(running)
        for job in jobs:
            job.lane.submit(partial(self._do, job))
        # Behind this no lane works on the step, so clocks can be anchored on idle devices.
        self._collect(jobs)
        if self._writer is not None:
            self._close(step, began, running, jobs, self._writer)
        for job in jobs:
            job.lane.recycle(job.stamps.all)
        if self._error is not None:
            raise self._error
        if self._stop.is_set():
            raise Stopped
        return step

    def _do(self, job: _LaneJob) -> None:
        """Run a job in its lane's thread."""
        try:
            # This blocks the lane. It cannot deadlock: a lane's queue is in the plan's order, in
            # which every task comes after those that it waits for, on whichever lanes these are.
            for other in job.after:
                other.issued.wait()
            if self._error is None and not self._stop.is_set():
                self._launch(job)
        except BaseException as error:  # it is raised again by the main thread
            self._error = self._error or error
        finally:
            job.issued.set()

    def _launch(self, job: _LaneJob) -> None:
        for other in job.after:
            # A lane's own work runs in order anyway, on a CPU's thread as on a stream.
            if other.lane is not job.lane and other.stamps.end is not None:
                job.lane.wait(other.stamps.end)
        job.launched = time.perf_counter_ns()
        with job.lane.turn:
            held = self._operations.run(job.task, job.stamps)
        # What has ended already needs nothing kept. Kept tensors are let go by _collect.
        if not job.has_ended:
            job.held = held
        job.activations = self._operations.step.values.activations(job.task.lane)

    def _collect(self, jobs: list[_LaneJob]) -> None:
        """Wait until every job is done, letting go of what each has held.

        A lane that sleeps has done what it has launched, in order: to be woken after each of its
        jobs would take time from lanes that compute.
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
        step: Step,
        began: int,
        running: RunningStep,
        jobs: Sequence[_LaneJob],
        writer: TraceWriter,
    ) -> None:
        """All jobs are over: make their times final, and note what the next step will change."""
        for device, clock in self._clocks.items():
            writer.clock(device, running.step, clock.end())
            if (allocated := allocator_bytes(device)) is not None:
                writer.counter(f"allocator {device}", allocated, step=running.step)
        with self._stamps_lock:
            for own in running.lanes:
                done = 0  # without overlaps: events resolve only half a microsecond
                for job in own:
                    if job.stamps.start is not None and job.stamps.end is not None:
                        start = max(done, job.clock.time(job.stamps.start))
                        done = max(start, job.clock.time(job.stamps.end))
                        job.span = start, done
            ends = [job.span[1] for job in jobs if job.span is not None]
            # A step that was stopped or failed lacks ends: its counters would be of no whole step.
            if len(ends) == len(jobs):
                held = [job.activations for job in jobs]
                running.closed = self._operations.closed_rows(step, began, ends, held)
            running.over = True
        writer.flush_soon()

    def _news(self) -> Iterator[Timings | NoteRow]:
        """What was not sent yet: spans that are final, and which tasks are open now.

        For the one thread that sends.
        """
        while self.untold:
            with self._stamps_lock:
                running = self.untold[0]
                over = running.over  # before its lanes are looked at: nothing is left behind then
                rows = [row for lane in range(len(running.lanes)) for row in running.news_of(lane)]
            if rows:
                task, start, end, launched = map(list, zip(*rows, strict=True))
                yield Timings(running.plan, running.step, task, start, end, launched=launched)
            if not over:
                return
            self.untold.popleft()
            yield from running.closed


def _inside(job: _LaneJob, start: int, end: int) -> Iterator[_Row]:
    """The blocks that were noted in a job, within it, without overlaps."""
    for task in job.blocks:
        bounds = job.stamps.bounds(task)
        if bounds is not None:
            begun, ended = (min(max(start, job.clock.time(bound)), end) for bound in bounds)
            start = max(begun, ended)
            yield task.index, begun, start, None


_Row = tuple[int, int, int | None, int | None]
"""A span or (without an end) an open task: its number, start, end and launch in ns."""
