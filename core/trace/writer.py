"""Rows in, record batches out: the only place that builds the stream."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from core.plan.task import Task
from core.trace.schema import SCHEMA, TASK_FIELDS, WORDS, Header, Record

_DICTIONARIES = {name: pa.array(words, pa.string()) for name, words in WORDS.items()}
_CODE = {name: {word: code for code, word in enumerate(words)} for name, words in WORDS.items()}

T = TypeVar("T")


class Timing(NamedTuple):
    """When a task ran: `start` and `end`, with `ready` and `launched` where these are known."""

    step: int
    task: int
    start: int
    end: int
    ready: int | None = None
    launched: int | None = None


class Opening(NamedTuple):
    """A task that has started and not ended."""

    step: int
    task: int
    start: int


class Note(NamedTuple):
    """A counter, log or clock row; its fields are the schema's."""

    record: Record
    name: str
    start: int
    step: int | None = None
    lane: int | None = None
    value: float | None = None
    text: str | None = None


def task_columns(tasks: Sequence[Task]) -> pa.RecordBatch:
    """The columns of `tasks`, in their order, from which spans take their rows.

    Encoded once for each plan, so that writing a span costs no Python for each column.
    """
    columns = [_task_column(field, tasks) for field in TASK_FIELDS]
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(TASK_FIELDS))


def span_batch(tasks: pa.RecordBatch, timings: Sequence[Timing]) -> pa.RecordBatch:
    """Span rows for `timings`, whose `task` indexes `tasks`."""
    step, task, start, end, ready, launched = zip(*timings, strict=True)
    times = {"start": start, "end": end, "ready": ready, "launched": launched}
    return _timed(tasks, Record.SPAN, step, task, times)


def open_batch(tasks: pa.RecordBatch, openings: Sequence[Opening]) -> pa.RecordBatch:
    """Open rows for `openings`, whose `task` indexes `tasks`."""
    step, task, start = zip(*openings, strict=True)
    return _timed(tasks, Record.OPEN, step, task, {"start": start})


def note_batch(notes: Sequence[Note]) -> pa.RecordBatch:
    """Counter, log and clock rows."""
    columns = dict(zip(Note._fields, zip(*notes, strict=True), strict=True))
    records = columns.pop("record")
    return _batch({"record": _words("record", records), **columns}, len(notes))


class TraceWriter:
    """Writes one run's stream. Rows may come from any thread; `flush` sends those collected.

    `sink` is a binary file that pyarrow can write to. Times given are on the
    `time.perf_counter_ns` clock and are written relative to the header's origin.
    """

    def __init__(self, sink: Any, header: Header) -> None:
        self._origin = header.origin_ns
        self._writer = pa.ipc.new_stream(sink, header.to_schema())
        self._lock = threading.Lock()
        self._notes: list[Note] = []
        self._timings: list[tuple[pa.RecordBatch, Timing]] = []
        self.opened: Callable[[], list[tuple[pa.RecordBatch, Opening]]] = list
        self._announced: set[tuple[int, int]] = set()

    def now(self) -> int:
        """Nanoseconds since the run's start."""
        return time.perf_counter_ns() - self._origin

    def span(self, tasks: pa.RecordBatch, timing: Timing) -> None:
        """Collect a finished task; its times are absolute."""
        self._timings.append((tasks, timing))

    def counter(
        self, name: str, value: float, lane: int | None = None, step: int | None = None
    ) -> None:
        """Collect a counter's value, now."""
        self._notes.append(Note(Record.COUNTER, name, self.now(), step, lane, value))

    def log(self, level: str, text: str, step: int | None = None) -> None:
        """Collect a line of text; levels are `info`, `size`, `warning`, `error` and `state`."""
        self._notes.append(Note(Record.LOG, level, self.now(), step, text=text))

    def clock(self, device: str, step: int, uncertainty_ns: float) -> None:
        """Collect the half-width of a device's clock anchors in a step."""
        self._notes.append(Note(Record.CLOCK, device, self.now(), step, value=uncertainty_ns))

    def forward(self, batch: pa.RecordBatch) -> None:
        """Send a batch that another process has made."""
        with self._lock:
            self._writer.write_batch(batch)

    def flush(self) -> None:
        """Send what was collected, and the tasks that are open and were not yet announced."""
        with self._lock:
            openings = self.opened()
            timings, self._timings = self._timings, []
            notes, self._notes = self._notes, []
            for tasks, group in _grouped(timings):
                self._write_spans(tasks, group)
            fresh = [o for o in openings if (o[1].step, o[1].task) not in self._announced]
            for tasks, opened in _grouped(fresh):
                self._announced.update((o.step, o.task) for o in opened)
                shifted = [o._replace(start=o.start - self._origin) for o in opened]
                self._writer.write_batch(open_batch(tasks, shifted))
            if notes:
                self._writer.write_batch(note_batch(notes))

    def close(self) -> None:
        """Send what is left and end the stream."""
        self.flush()
        with self._lock:
            self._writer.close()

    def _write_spans(self, tasks: pa.RecordBatch, timings: list[Timing]) -> None:
        self._announced.difference_update((t.step, t.task) for t in timings)
        origin = self._origin
        shifted = [
            Timing(
                t.step, t.task, t.start - origin, t.end - origin,
                None if t.ready is None else t.ready - origin,
                None if t.launched is None else t.launched - origin,
            )
            for t in timings
        ]  # fmt: skip
        self._writer.write_batch(span_batch(tasks, shifted))


def _grouped(rows: Sequence[tuple[pa.RecordBatch, T]]) -> list[tuple[pa.RecordBatch, list[T]]]:
    """Rows by the plan that they belong to, in order."""
    groups: dict[int, tuple[pa.RecordBatch, list[T]]] = {}
    for tasks, row in rows:
        groups.setdefault(id(tasks), (tasks, []))[1].append(row)
    return list(groups.values())


def _timed(
    tasks: pa.RecordBatch,
    record: Record,
    step: Sequence[int],
    task: Sequence[int],
    times: Mapping[str, Sequence[int | None]],
) -> pa.RecordBatch:
    count = len(task)
    taken = tasks.take(pa.array(task, pa.int32()))
    columns = dict(zip(taken.schema.names, taken.columns, strict=True))
    records = np.full(count, _CODE["record"][record], np.int8)
    columns["record"] = pa.DictionaryArray.from_arrays(records, _DICTIONARIES["record"])
    return _batch({**columns, "step": step, **times}, count)


def _batch(columns: dict[str, Any], count: int) -> pa.RecordBatch:
    """A batch of the whole schema; columns that are not given are null."""
    arrays = []
    for field in SCHEMA:
        values = columns.get(field.name)
        if values is None:
            arrays.append(_nulls(field, count))
        elif isinstance(values, pa.Array):
            arrays.append(values)
        else:
            arrays.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _nulls(field: pa.Field, count: int) -> pa.Array:
    if field.name not in WORDS:
        return pa.nulls(count, field.type)
    return pa.DictionaryArray.from_arrays(pa.nulls(count, pa.int8()), _DICTIONARIES[field.name])


def _words(column: str, words: Sequence[str]) -> pa.Array:
    codes = pa.array([_CODE[column][word] for word in words], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, _DICTIONARIES[column])


def _task_column(field: pa.Field, tasks: Sequence[Task]) -> pa.Array:
    if field.name in WORDS:
        return _words(field.name, [getattr(task, field.name) for task in tasks])
    name = "index" if field.name == "task" else field.name
    return pa.array([getattr(task, name) for task in tasks], field.type)
