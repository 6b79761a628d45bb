"""The one schema of wire, recording and file; and a rank's own stream, of NumPy and pyarrow alone.

docs/recording.md and core.recording.schema say what a row means. Nothing else of the house is
imported here, since it is not there where a job runs: a test holds TASK to what the house knows.

**Every span arrives exactly once.** The hooks append what happens to one list; the end of a step
takes this list and puts an empty one in its place, on the thread that trains, which alone appends
to it between two steps. The step's batch goes to the end of a queue, and only one thread takes from
its front and writes. A step is written as a whole or not at all: one that was not taken because the
queue was full is counted, and the count is written.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .rank_step import COMPUTE, CounterValue, PlannedTask, TimedStep

FORMAT = 2
MOST_WAITING = 4096
"""Batches that wait to be written; more are left out, whole steps at a time."""
REST_SECONDS = 0.5
RECORDS = ("plan", "span", "open", "counter", "log", "clock")
_INT32, _INT64, _TEXT = pa.int32(), pa.int64(), pa.string()
TASK = pa.struct(
    [
        ("kind", _TEXT), ("lane", _INT32), ("stage", _INT32), ("replica", _INT32),
        ("microbatch", _INT32), ("block", _INT32), ("bucket", _INT32), ("paired_stage", _INT32),
        ("paired_microbatch", _INT32), ("rows", _INT64), ("bytes", _INT64), ("payload", _TEXT),
        ("after", pa.list_(_INT32)), ("name", _TEXT),
    ]
)  # fmt: skip
NOTE = pa.struct([("name", _TEXT), ("lane", _INT32), ("value", pa.float64()), ("text", _TEXT)])
SCHEMA = pa.schema(
    [
        pa.field("record", pa.dictionary(pa.int8(), _TEXT), nullable=False),
        ("plan", _INT32), ("task", _INT32), ("step", _INT32), ("start", _INT64), ("end", _INT64),
        ("ready", _INT64), ("launched", _INT64), ("note", pa.list_(NOTE)),
        ("tasks", pa.list_(TASK)),
    ]
)  # fmt: skip
_WORDS = pa.array(RECORDS, _TEXT)
_NO_NOTE = {"name": None, "lane": None, "value": None, "text": None}
Write = Callable[[pa.RecordBatch], None]


def schema_of(header: dict[str, object]) -> pa.Schema:
    """The stream's schema with a run's header."""
    return SCHEMA.with_metadata({b"bubblescope": json.dumps(header).encode()})


def plan_batch(number: int, tasks: Sequence[PlannedTask]) -> pa.RecordBatch:
    """The row that holds all tasks of a plan."""
    return _batch("plan", 1, plan=[number], tasks=[[task._asdict() for task in tasks]])


def span_batch(plan: int, step: int, timed: TimedStep, origin: int) -> pa.RecordBatch:
    """A row for each task of a step; times count from `origin`."""
    count = len(timed.tasks)
    note = [
        None if lane == task.lane else [{**_NO_NOTE, "lane": lane}]
        for lane, task in zip(timed.lane, timed.tasks, strict=True)
    ]
    return _batch(
        "span", count, plan=np.full(count, plan), task=np.arange(count), step=np.full(count, step),
        start=np.array(timed.start, np.int64) - origin, end=np.array(timed.end, np.int64) - origin,
        launched=[None if time is None else time - origin for time in timed.launched],
        note=note if any(note) else None,
    )  # fmt: skip


def note_batch(
    record: str, name: str, start: int, step: int | None = None, value: float | None = None,
    text: str | None = None,
) -> pa.RecordBatch:  # fmt: skip
    """A row of a clock or of the log; `start` is written as it is."""
    note = {**_NO_NOTE, "name": name, "value": value, "text": text}
    return _batch(record, 1, start=[start], step=[step], note=[[note]])


def counters_batch(step: int, counted: Sequence[CounterValue], origin: int) -> pa.RecordBatch:
    """Rows of counters of what computes, in a step; times count from `origin`."""
    notes = [
        [{**_NO_NOTE, "name": one.name, "lane": COMPUTE, "value": float(one.value)}]
        for one in counted
    ]
    start, steps = [one.at - origin for one in counted], [step] * len(counted)
    return _batch("counter", len(counted), start=start, step=steps, note=notes)


def _batch(
    record: str, count: int, **columns: list[Any] | NDArray[np.int64] | None
) -> pa.RecordBatch:
    codes = pa.array(np.full(count, RECORDS.index(record), np.int8))
    arrays = [pa.DictionaryArray.from_arrays(codes, _WORDS)]
    for field in list(SCHEMA)[1:]:
        given = columns.get(field.name)
        arrays.append(pa.nulls(count, field.type) if given is None else pa.array(given, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


class Sender:
    """The one thread that writes a rank's stream: whatever is handed in, in its order, once.

    `open_sink` makes the file when the header is known, on that thread. A sink that cannot be
    written to any more (a full disk, a listener that is gone) ends the recording and not the job:
    `failed` then says why.
    """

    def __init__(self, open_sink: Callable[[], Any]) -> None:
        self._open_sink = open_sink
        self._waiting: queue.Queue[Callable[[Write], None] | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._run, daemon=True, name="bubblescope")
        self._closing = threading.Event()
        self.failed = ""
        self.left_out = 0
        """Steps that found the queue full."""

    def start(self, header: dict[str, object]) -> None:
        """Begin the stream."""
        self._schema = schema_of(header)
        self._thread.start()

    def hand_in(self, write: Callable[[Write], None]) -> bool:
        """Have something written; False if there is no room for it, and it is left out."""
        try:
            self._waiting.put_nowait(write)
        except queue.Full:
            self.left_out += 1
            return False
        return True

    def close(self, seconds: float = 10.0) -> None:
        """Write what is waiting and end the stream; waits for that so long at most."""
        self._closing.set()
        if self._thread.is_alive():
            # A sink that hangs leaves the queue full: a job's end does not wait for that for ever.
            with suppress(queue.Full):
                self._waiting.put(None, timeout=seconds)
                self._thread.join(seconds)
            if self._thread.is_alive():
                self.failed = f"what was recorded last could not be written within {seconds:g} s"

    def _run(self) -> None:
        try:
            with self._open_sink() as sink, pa.ipc.new_stream(sink, self._schema) as stream:
                # Only this thread makes rows and writes, one item after the other: so plans come
                # before their spans, and spans of a lane in their order.
                while (write := self._waiting.get()) is not None:
                    # Several steps at once: code that runs seldom is slow, and holds up the job.
                    self._closing.wait(REST_SECONDS)
                    write(stream.write_batch)
                    for _ in range(self._waiting.qsize()):
                        if (write := self._waiting.get()) is None:
                            return
                        write(stream.write_batch)
        # Whoever hands in must never find the queue full for ever: what still comes is taken and
        # dropped.
        except Exception as error:  # a recording is not worth a training job
            self.failed = f"{type(error).__name__}: {error}"
            while self._waiting.get() is not None:
                pass
