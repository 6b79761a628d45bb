"""Runs without processes, for tests: a specification in, a trace out."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
from hypothesis import reject

from core.engine.client import EngineClient
from core.engine.messages import Ended
from core.errors import PlanError
from core.machine import host_hardware
from core.models.catalogue import ModelSettings
from core.plan.plan import Plan
from core.plan.planning import lanes_of, plans_of
from core.plan.schedules.schedule import ScheduleError
from core.plan.specification import Specification, describe
from core.plan.task import Task
from core.recording.decode import append_batch, combined
from core.recording.schema import (
    NoteRow,
    Record,
    Timings,
    TraceWriter,
    note_batch,
    plan_batch,
    span_batch,
)
from core.trace.header import Header
from core.trace.trace import Trace

SMALL = ModelSettings("mlp", width=16, depth=6)


Note = NoteRow
batch_of = note_batch


def plan_of(specification: Specification) -> Plan:
    """The plan of a specification's first step on whatever devices it names."""
    lanes = lanes_of(specification, host_hardware(), present=False)
    return next(iter(plans_of(specification, describe(specification), lanes).values()))


def planned(specification: Specification) -> Plan:
    """The plan of a drawn specification; one that is refused is drawn anew.

    A schedule whose actions are wrong is no refusal: that error is let through.
    """
    try:
        return plan_of(specification)
    except ScheduleError:
        raise
    except PlanError:
        reject()


def header_of(specification: Specification, plan: Plan) -> Header:
    """A header for invented rows."""
    return Header(specification, describe(specification), plan.lanes, replicas=plan.replicas)


def trace_with(header: Header, tasks: Sequence[Task]) -> Trace:
    """A trace that has been told of plan 0, and of no span yet."""
    trace = Trace(header)
    append_batch(trace, plan_batch(0, tasks))
    return trace


def trace_of(plan: Plan, durations: Sequence[int], specification: Specification) -> Trace:
    """A trace in which every task starts as soon as it can and takes its duration in ns."""
    free = [0] * len(plan.lanes)
    ends: list[int] = []
    starts = []
    for task, duration in zip(plan.tasks, durations, strict=True):
        starts.append(max([free[task.lane], *(ends[other] for other in task.after)]))
        ends.append(starts[-1] + duration)
        free[task.lane] = ends[-1]
    trace = trace_with(header_of(specification, plan), plan.tasks)
    append_batch(
        trace, span_batch(Timings(0, 0, [task.index for task in plan.tasks], starts, ends))
    )
    append_batch(trace, batch_of([Note(Record.COUNTER, "loss", max(ends), 0, None, 1.0)]))
    return trace


def run_here(specification: Specification, calibrate: bool = False) -> Trace:
    """Run on lanes, real or virtual, in this process, through the stream and back. Needs torch.

    Costs are measured beforehand only with `calibrate`: that takes longer than a small run.
    """
    from core.engine.hardware import find_hardware
    from core.engine.prepare import prepare
    from core.engine.server import runner_of
    from core.recording.recording import read_stream

    prepared = prepare(replace(specification, calibrate=calibrate), find_hardware())
    sink = io.BytesIO()
    writer = TraceWriter(sink, prepared.header)
    runner_of(prepared)(prepared, writer, threading.Event())
    writer.close()
    return read_stream(sink.getvalue())


class Engine:
    """A client that keeps what it receives, and waits for what a test names.

    It looks every `pause` seconds. Benchmarks let it rest longer: where all cores have lanes, every
    look takes time from one of them.
    """

    def __init__(self, pause: float = 0.005) -> None:
        self.client = EngineClient()
        self.pause = pause
        self.trace: Trace | None = None
        self.ended: Ended | None = None

    def run(self, specification: Specification) -> None:
        """Begin a run."""
        self.trace = self.ended = None
        self.client.run(specification)

    def wait(self, condition: str, seconds: float = 60) -> None:
        """Poll until `spans` or `open` rows are there, or the run has `ended`."""
        deadline = time.monotonic() + seconds
        while not self._holds(condition):
            assert time.monotonic() < deadline, f"waited {seconds} s for {condition}"
            batches = []
            for message in self.client.poll():
                if isinstance(message, Header):
                    self.trace = Trace(message)
                elif isinstance(message, pa.RecordBatch):
                    batches.append(message)
                elif isinstance(message, Ended):
                    self.ended = message
            if batches and self.trace is not None:
                append_batch(self.trace, combined(batches))
            time.sleep(self.pause)

    def finish(self, specification: Specification, seconds: float = 60) -> Trace:
        """Run to the end; returns the trace."""
        self.run(specification)
        self.wait("ended", seconds)
        assert self.ended is not None and self.trace is not None, self.ended
        assert self.ended.outcome == "finished", self.ended
        return self.trace

    def _holds(self, condition: str) -> bool:
        if condition == "ended":
            return self.ended is not None
        if self.trace is None:
            return condition == "ready" and self.client.pid is not None
        return self.trace.span_count > 0 if condition == "spans" else bool(self.trace.open_tasks)
