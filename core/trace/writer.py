"""Rows in, record batches out: the only place that builds the stream."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
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


class TaskColumns:
    """The columns of a plan's tasks, from which spans take their rows.

    Encoded once for each plan, so that writing a span costs no Python for each column.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        columns = [_task_column(field, tasks) for field in TASK_FIELDS]
        self.batch = pa.RecordBatch.from_arrays(columns, schema=pa.schema(TASK_FIELDS))
        self._whole = _by_name(self.batch)
        self._every = list(range(len(tasks)))

    def __len__(self) -> int:
        return len(self._every)

    def take(self, tasks: list[int]) -> dict[str, pa.Array]:
        """The columns of some tasks, by name; at no cost for all of them in order."""
        if tasks == self._every:
            return self._whole
        return _by_name(self.batch.take(pa.array(tasks, pa.int32())))


def span_batch(columns: TaskColumns, timings: Sequence[Timing], origin: int = 0) -> pa.RecordBatch:
    """Span rows for `timings`, in their order; `origin` is subtracted from every time."""
    step, task, start, end, ready, launched = zip(*timings, strict=True)
    times = {"start": start, "end": end, "ready": ready, "launched": launched}
    shifted = {name: _since(origin, values) for name, values in times.items()}
    return _timed(columns, Record.SPAN, step, task, shifted)


def open_batch(
    columns: TaskColumns, openings: Sequence[Opening], origin: int = 0
) -> pa.RecordBatch:
    """Open rows for `openings`; `origin` is subtracted from their times."""
    step, task, start = zip(*openings, strict=True)
    return _timed(columns, Record.OPEN, step, task, {"start": _since(origin, start)})


def note_batch(notes: Sequence[Note], origin: int = 0) -> pa.RecordBatch:
    """Counter, log and clock rows; `origin` is subtracted from their times."""
    columns = dict(zip(Note._fields, zip(*notes, strict=True), strict=True))
    records = columns.pop("record")
    start = _since(origin, columns.pop("start"))
    return _batch({"record": _words("record", records), "start": start, **columns}, len(notes))


class TraceWriter:
    """Writes one run's stream. Rows may come from any thread; `flush` sends those collected.

    `sink` is a binary file that pyarrow can write to. Times given are on the
    `time.perf_counter_ns` clock and are written relative to the header's origin.
    At every flush `opened` is asked for the tasks that are open, and `ended` for spans that were
    not handed to `span`; both may be replaced.
    """

    def __init__(self, sink: Any, header: Header) -> None:
        self._origin = header.origin_ns
        self._writer = pa.ipc.new_stream(sink, header.to_schema())
        self._lock = threading.Lock()
        self._notes: list[Note] = []
        self._timings: list[tuple[TaskColumns, Timing]] = []
        self.opened: Callable[[], list[tuple[TaskColumns, Opening]]] = list
        self.ended: Callable[[], list[tuple[TaskColumns, Timing]]] = list
        self._announced: set[tuple[int, int]] = set()
        self.flushed_at = time.monotonic()

    def span(self, columns: TaskColumns, timing: Timing) -> None:
        """Collect a finished task."""
        self._timings.append((columns, timing))

    def counter(
        self, name: str, value: float, lane: int | None = None, step: int | None = None
    ) -> None:
        """Collect a counter's value, now."""
        now = time.perf_counter_ns()
        self._notes.append(Note(Record.COUNTER, name, now, step, lane, value))

    def log(self, level: str, text: str, step: int | None = None) -> None:
        """Collect a line of text; levels are `info`, `size`, `warning`, `error` and `state`."""
        self._notes.append(Note(Record.LOG, level, time.perf_counter_ns(), step, text=text))

    def clock(self, device: str, step: int, uncertainty_ns: float) -> None:
        """Collect the half-width of a device's clock anchors in a step."""
        now = time.perf_counter_ns()
        self._notes.append(Note(Record.CLOCK, device, now, step, value=uncertainty_ns))

    def notes(self, notes: Iterable[Note]) -> None:
        """Collect rows made elsewhere."""
        self._notes += notes

    def forward(self, batch: pa.RecordBatch) -> None:
        """Send a batch that another process has made."""
        with self._lock:
            self._writer.write_batch(batch)

    def flush(self) -> None:
        """Send what was collected, and the tasks that are open and were not yet announced."""
        with self._lock:
            self.flushed_at = time.monotonic()
            openings = self.opened()
            timings, self._timings = self._timings + self.ended(), []
            notes, self._notes = self._notes, []
            for columns, group in _grouped(timings):
                self._announced.difference_update((t.step, t.task) for t in group)
                self._writer.write_batch(span_batch(columns, group, self._origin))
            fresh = [o for o in openings if (o[1].step, o[1].task) not in self._announced]
            for columns, opened in _grouped(fresh):
                self._announced.update((o.step, o.task) for o in opened)
                self._writer.write_batch(open_batch(columns, opened, self._origin))
            if notes:
                self._writer.write_batch(note_batch(notes, self._origin))

    def close(self) -> None:
        """Send what is left and end the stream."""
        self.flush()
        with self._lock:
            self._writer.close()


def _grouped(rows: Sequence[tuple[TaskColumns, T]]) -> list[tuple[TaskColumns, list[T]]]:
    """Rows by the plan that they belong to, in order."""
    groups: dict[int, tuple[TaskColumns, list[T]]] = {}
    for columns, row in rows:
        groups.setdefault(id(columns), (columns, []))[1].append(row)
    return list(groups.values())


def _since(origin: int, times: Sequence[int | None]) -> pa.Array | None:
    """Times as a column relative to `origin`; None, for a null column, if there are none."""
    if all(time is None for time in times):
        return None
    return pa.array([None if time is None else time - origin for time in times], pa.int64())


def _timed(
    columns: TaskColumns,
    record: Record,
    step: Sequence[int],
    task: Sequence[int],
    times: Mapping[str, pa.Array | None],
) -> pa.RecordBatch:
    codes = np.full(len(task), _CODE["record"][record], np.int8)
    records = pa.DictionaryArray.from_arrays(codes, _DICTIONARIES["record"])
    taken = columns.take(list(task))
    return _batch({**taken, "record": records, "step": step, **times}, len(task))


def _batch(columns: Mapping[str, Any], count: int) -> pa.RecordBatch:
    """A batch of the whole schema; columns that are not given are null."""
    arrays = []
    for field in SCHEMA:
        values = columns.get(field.name)
        if values is None:
            arrays.append(_nulls(field.name, count))
        elif isinstance(values, pa.Array):
            arrays.append(values)
        else:
            arrays.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _by_name(batch: pa.RecordBatch) -> dict[str, pa.Array]:
    return dict(zip(batch.schema.names, batch.columns, strict=True))


@functools.lru_cache(256)
def _nulls(name: str, count: int) -> pa.Array:
    if name not in WORDS:
        return pa.nulls(count, SCHEMA.field(name).type)
    return pa.DictionaryArray.from_arrays(pa.nulls(count, pa.int8()), _DICTIONARIES[name])


def _words(column: str, words: Sequence[str]) -> pa.Array:
    codes = pa.array([_CODE[column][word] for word in words], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, _DICTIONARIES[column])


def _task_column(field: pa.Field, tasks: Sequence[Task]) -> pa.Array:
    if field.name in WORDS:
        return _words(field.name, [getattr(task, field.name) for task in tasks])
    name = "index" if field.name == "task" else field.name
    return pa.array([getattr(task, name) for task in tasks], field.type)
