"""Schema of the wire, recordings and files, and a rank's stream. Needs only NumPy and pyarrow.

docs/recording.md and core.recording.schema describe the rows. Other parts of Bubblescope are not
imported, because they are not installed where a job runs. A test checks that `task_type`
agrees with them.

**Every span arrives exactly once.** The hooks append operations to one list, on the training
thread. At the end of a step the same thread takes that list and puts an empty one in its place.
The step goes to the end of a queue. One thread takes from the queue's front and writes. A step is
written completely or not at all: if the queue is full, it is dropped and counted, and the count is
written at the end.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .rank_step import COMPUTE, CounterValue, PlannedTask, TimedStep

FORMAT = 2
MOST_WAITING = 4096
"""Most items that wait to be written. If there are more, whole steps are dropped."""
REST_SECONDS = 0.5
"""Time between two writes. Steps that end within it are written together."""
RECORDS = ("plan", "span", "open", "counter", "log", "clock")
_NO_NOTE = {"name": None, "lane": None, "value": None, "text": None}
Write = Callable[["pa.RecordBatch"], None]
QueuedWrite = Callable[[Write], None]
"""Writes a part of the stream, given the function that writes a batch."""


# Functions, because the window imports pyarrow only after its first paint.


@cache
def task_type() -> pa.StructType:
    """Return the type of a planned task, with its attributes."""
    return pa.struct(
        [
            ("kind", pa.string()),
            ("lane", pa.int32()),
            ("stage", pa.int32()),
            ("replica", pa.int32()),
            ("microbatch", pa.int32()),
            ("block", pa.int32()),
            ("bucket", pa.int32()),
            ("paired_stage", pa.int32()),
            ("paired_microbatch", pa.int32()),
            ("rows", pa.int64()),
            ("bytes", pa.int64()),
            ("payload", pa.string()),
            ("after", pa.list_(pa.int32())),
            ("name", pa.string()),
        ]
    )


@cache
def note_type() -> pa.StructType:
    """Return the type of a note: of a log line, a counter, a clock, or a span on another lane."""
    return pa.struct(
        [
            ("name", pa.string()),
            ("lane", pa.int32()),
            ("value", pa.float64()),
            ("text", pa.string()),
        ]
    )


@cache
def row_schema() -> pa.Schema:
    """Return the columns of the stream."""
    return pa.schema(
        [
            pa.field("record", pa.dictionary(pa.int8(), pa.string()), nullable=False),
            ("plan", pa.int32()),
            ("task", pa.int32()),
            ("step", pa.int32()),
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("ready", pa.int64()),
            ("launched", pa.int64()),
            ("note", pa.list_(note_type())),
            ("tasks", pa.list_(task_type())),
        ]
    )


@cache
def _record_words() -> pa.Array:
    """Return the kinds of rows, in one array for all batches of a stream."""
    return pa.array(RECORDS, pa.string())


def stream_schema(header: dict[str, object]) -> pa.Schema:
    """Return the stream's schema with a run's header as metadata."""
    return row_schema().with_metadata({b"bubblescope": json.dumps(header).encode()})


def plan_row(number: int, tasks: Sequence[PlannedTask]) -> pa.RecordBatch:
    """Return the row with all tasks of a plan."""
    rows = [task._asdict() for task in tasks]
    return _batch("plan", 1, plan=[number], tasks=[rows])


def step_rows(plan: int, step: int, timed: TimedStep, origin: int) -> pa.RecordBatch:
    """Return a row for each task of a step; `origin` is subtracted from its times."""
    count = len(timed.tasks)
    notes: list[list[dict[str, object]] | None] = []
    for lane, task in zip(timed.lane, timed.tasks, strict=True):
        if lane == task.lane:
            notes.append(None)
        else:
            notes.append([{**_NO_NOTE, "lane": lane}])
    return _batch(
        "span",
        count,
        plan=np.full(count, plan),
        task=np.arange(count),
        step=np.full(count, step),
        start=np.array(timed.start, np.int64) - origin,
        end=np.array(timed.end, np.int64) - origin,
        launched=[None if time is None else time - origin for time in timed.launched],
        note=notes if any(notes) else None,
    )


def note_row(
    record: str,
    name: str,
    start: int,
    step: int | None = None,
    value: float | None = None,
    text: str | None = None,
) -> pa.RecordBatch:
    """Return a row of a counter, a clock or the log; `start` counts from the stream's origin."""
    note = {**_NO_NOTE, "name": name, "value": value, "text": text}
    return _batch(record, 1, start=[start], step=[step], note=[[note]])


def counter_rows(step: int, values: Sequence[CounterValue], origin: int) -> pa.RecordBatch:
    """Return rows of a step's counters; `origin` is subtracted from their times."""
    notes = []
    for one in values:
        note = {**_NO_NOTE, "name": one.name, "lane": COMPUTE, "value": float(one.value)}
        notes.append([note])
    return _batch(
        "counter",
        len(values),
        start=[one.at - origin for one in values],
        step=[step] * len(values),
        note=notes,
    )


def _batch(
    record: str, count: int, **columns: Sequence[Any] | NDArray[np.int64] | None
) -> pa.RecordBatch:
    codes = pa.array(np.full(count, RECORDS.index(record), np.int8))
    arrays = [pa.DictionaryArray.from_arrays(codes, _record_words())]
    for field in list(row_schema())[1:]:
        given = columns.get(field.name)
        if given is None:
            arrays.append(pa.nulls(count, field.type))
        else:
            arrays.append(pa.array(given, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=row_schema())


class Sender:
    """The one thread that writes a rank's stream: each item that is handed in, once and in order.

    The thread calls `open_sink` when the header is known. If the sink cannot be written to any
    more, because the disk is full or the listener is gone, the recording ends and the job does not.
    `failed` then gives the reason. While nothing is handed in, the thread calls `take_idle` and
    writes the item that it returns.

    Whatever has been written is flushed at once. A job may be killed, and then only the steps of
    the last REST_SECONDS are lost.
    """

    def __init__(
        self,
        open_sink: Callable[[], Any],
        take_idle: Callable[[], QueuedWrite | None] = lambda: None,
    ) -> None:
        self._open_sink = open_sink
        self._take_idle = take_idle
        self._waiting: queue.Queue[QueuedWrite | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._run, daemon=True, name="bubblescope")
        self._closing = threading.Event()
        self.failed = ""

    def start(self, header: dict[str, object]) -> None:
        """Begin the stream."""
        self._schema = stream_schema(header)
        self._thread.start()

    def hand_in(self, write: QueuedWrite) -> bool:
        """Queue an item; return False if the queue is full and the item is dropped."""
        try:
            self._waiting.put_nowait(write)
        except queue.Full:
            return False
        return True

    def close(self, last: QueuedWrite | None = None, seconds: float = 10.0) -> None:
        """Write the waiting items and then `last`, and end the stream, within `seconds` at most."""
        self._closing.set()
        if not self._thread.is_alive():
            return
        end = time.monotonic() + seconds
        items = [None] if last is None else [last, None]
        # The end of the job must not wait for a sink that hangs and leaves the queue full.
        with suppress(queue.Full):
            for item in items:
                self._waiting.put(item, timeout=max(0.0, end - time.monotonic()))
            self._thread.join(max(0.0, end - time.monotonic()))
        if self._thread.is_alive():
            self.failed = f"the last steps could not be written within {seconds:g} s"

    def _run(self) -> None:
        try:
            with self._open_sink() as sink, pa.ipc.new_stream(sink, self._schema) as stream:
                # Only this thread makes rows and writes them, one item after the other. So a plan
                # precedes its spans, and the spans of a lane are in order.
                # The first write is the slowest one. It must not delay one of the first steps.
                self._closing.wait(REST_SECONDS)
                while (write := self._next()) is not None:
                    write(stream.write_batch)
                    for _ in range(self._waiting.qsize()):
                        if (write := self._waiting.get()) is None:
                            return
                        write(stream.write_batch)
                    sink.flush()
                    # Write several steps together: code that runs rarely is slow, and writing each
                    # step by itself would delay the job more often.
                    self._closing.wait(REST_SECONDS)
        except Exception as error:  # no error of a recording may end a training job
            self.failed = f"{type(error).__name__}: {error}"
            # Keep emptying the queue, so that nothing waits for room in it.
            while self._waiting.get() is not None:
                pass

    def _next(self) -> QueuedWrite | None:
        """Wait for the next item, or for an item that `take_idle` returns; None ends the stream."""
        while True:
            try:
                return self._waiting.get(timeout=REST_SECONDS)
            except queue.Empty:
                # An earlier step can no longer be in the queue, so this one is next in order.
                item = self._take_idle()
            if item is not None:
                return item
