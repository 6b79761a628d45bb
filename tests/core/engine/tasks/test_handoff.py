"""From lanes to the recording: each task once, in order, and nobody waits for the reader."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pyarrow as pa
import pytest

pytest.importorskip("torch")

from core.engine.hardware import find_hardware
from core.engine.lanes.devices import open_lanes
from core.engine.prepare import prepare
from core.engine.tasks.executor import Executor
from core.engine.tasks.operations import Operations
from core.plan.specification import Specification
from core.recording.recording import read_stream
from core.recording.schema import TraceWriter
from core.trace.complete import find_faults
from tests.core.helpers import SMALL

RUN = Specification(
    "pipeline", SMALL, "3xcpu", batch=12, microbatches=4, steps=4, warmup=0, calibrate=False
)


class Sink(io.BytesIO):
    """Takes what is written; `before` is called first, each time."""

    def __init__(self, before: Callable[[], None]) -> None:
        super().__init__()
        self.before = before

    def write(self, data: object) -> int:  # type: ignore[override]
        self.before()
        return super().write(data)  # type: ignore[arg-type]


@contextmanager
def executing(sink: io.BytesIO) -> Iterator[tuple[TraceWriter, Executor, Callable[[], None]]]:
    """A writer, an executor, and what runs all steps on lanes of their own."""
    prepared = prepare(RUN, find_hardware())
    assert prepared.workload is not None
    plan = prepared.plan_list[0]
    with ExitStack() as stack:
        writer = TraceWriter(pa.PythonFile(sink, "w"), prepared.header)
        number = writer.plan(plan.tasks)
        lanes = [stack.enter_context(lane) for lane in open_lanes(prepared.header.lanes)]
        operations = Operations(prepared)
        executor = Executor(lanes, operations, writer)

        def steps() -> None:
            for index, batch in enumerate(prepared.workload.batches(prepared.specification)):
                executor.run(index, plan, number, batch)

        yield writer, executor, steps


def told(sink: io.BytesIO) -> list[tuple[int, int]]:
    """Step and task of every span, as they were told."""
    rows = pa.ipc.open_stream(sink.getvalue()).read_all()
    spans = rows.filter(pa.compute.equal(rows["record"].cast(pa.string()), "span"))
    return list(zip(spans["step"].to_pylist(), spans["task"].to_pylist(), strict=True))


def all_tasks() -> list[tuple[int, int]]:
    count = len(prepare(RUN, find_hardware()).plan_list[0].tasks)
    return [(step, task) for step in range(4) for task in range(count)]


def test_a_reader_that_reads_nothing_holds_no_lane_up() -> None:
    reads = threading.Event()
    sink = Sink(lambda: None)
    with executing(sink) as (writer, _, steps):
        sink.before = lambda: (reads.wait(), None)[1]  # the pipe is full from now on
        with writer.sending():
            done = threading.Thread(target=steps)
            done.start()
            done.join(60)
            assert not done.is_alive()
            reads.set()
        writer.close()
    assert sorted(told(sink)) == all_tasks()


def test_polling_at_every_moment_sends_each_task_once_and_none_open_after_its_span() -> None:
    """A thread asks all the time, so that tasks end between any two of its looks."""
    sink, over = Sink(lambda: None), threading.Event()
    with executing(sink) as (writer, _, steps):

        def ask() -> None:
            while not over.is_set():
                writer.flush()

        asking = threading.Thread(target=ask)
        asking.start()
        steps()
        over.set()
        asking.join()
        writer.close()
    assert sorted(told(sink)) == all_tasks()
    trace = read_stream(sink.getvalue())
    assert trace.open_tasks == [] and find_faults(trace) == ()


def test_spans_after_a_running_task_of_their_lane_are_sent_later() -> None:
    sink = Sink(lambda: None)
    with executing(sink) as (writer, executor, steps):
        steps()
        running = executor.unsent[0]
        lane = next(n for n, jobs in enumerate(running.lanes) if len(jobs) > 3)
        second, ends = running.lanes[lane][1], running.lanes[lane][1].stamps.end
        second.span, second.stamps.end, running.over = None, None, False
        first = [(task, end is None) for task, _, end, _ in running.unsent_rows(lane)]
        assert first == [(running.lanes[lane][0].task.index, False), (second.task.index, True)]
        second.stamps.end, running.over = ends, True
        rest = [row[0] for row in running.unsent_rows(lane)]
        assert rest == [job.task.index for job in running.lanes[lane][1:]]
        writer.close()


def test_rows_that_cannot_be_sent_end_the_run_with_the_reason() -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    sink = Sink(lambda: None)
    with executing(sink) as (writer, _, steps):
        sink.before = full
        with pytest.raises(OSError, match="No space left"), writer.sending():
            (flusher,) = (one for one in threading.enumerate() if one.name == "flusher")
            steps()
            flusher.join(10)
        sink.before = lambda: None
