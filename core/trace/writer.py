"""Rows in, record batches out: the only place that builds the stream."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from core.plan.task import Task
from core.trace.schema import SCHEMA, TASK_FIELDS, WORDS, Header, Record

_DICTIONARIES = {name: pa.array(words, pa.string()) for name, words in WORDS.items()}
_CODE = {name: {word: code for code, word in enumerate(words)} for name, words in WORDS.items()}


@dataclass(frozen=True, slots=True)
class Timings:
    """When tasks of one step ran: `start` and `end`, `ready` and `launched` where known.

    Columns, not rows: encoding happens while lanes wait, and costs by the Python object.
    """

    step: int
    task: list[int]
    start: list[int]
    end: list[int]
    ready: list[int | None] | None = None
    launched: list[int | None] | None = None


class Opening(NamedTuple):
    """A task that has started and not ended."""

    step: int
    task: int
    start: int


class Notes:
    """Counter, log and clock rows, collected as columns; the names are the schema's."""

    def __init__(self) -> None:
        self.record: list[int] = []
        self.name: list[str] = []
        self.start: list[int] = []
        self.step: list[int | None] = []
        self.lane: list[int | None] = []
        self.value: list[float | None] = []
        self.text: list[str | None] = []

    def __len__(self) -> int:
        return len(self.record)

    def add(
        self,
        record: Record,
        name: str,
        start: int,
        step: int | None = None,
        lane: int | None = None,
        value: float | None = None,
        text: str | None = None,
    ) -> None:
        """Add a row."""
        self.record.append(_CODE["record"][record])
        self.name.append(name)
        self.start.append(start)
        self.step.append(step)
        self.lane.append(lane)
        self.value.append(value)
        self.text.append(text)

    def add_counters(
        self, name: str, step: int, starts: list[int], lanes: list[int], values: list[float]
    ) -> None:
        """Add a row for each of `starts`: a counter of a lane."""
        count = len(starts)
        self.record += [_CODE["record"][Record.COUNTER]] * count
        self.name += [name] * count
        self.start += starts
        self.step += [step] * count
        self.lane += lanes
        self.value += values
        self.text += [None] * count


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


def span_batch(columns: TaskColumns, timings: Timings, origin: int = 0) -> pa.RecordBatch:
    """Span rows for `timings`, in their order; `origin` is subtracted from every time."""
    times = {
        "start": _since(origin, timings.start),
        "end": _since(origin, timings.end),
        "ready": _since(origin, timings.ready),
        "launched": _since(origin, timings.launched),
    }
    step = pa.array(np.full(len(timings.task), timings.step, np.int32))
    return _timed(columns, Record.SPAN, step, timings.task, times)


def open_batch(
    columns: TaskColumns, openings: Sequence[Opening], origin: int = 0
) -> pa.RecordBatch:
    """Open rows for `openings`; `origin` is subtracted from their times."""
    step, task, start = (list(column) for column in zip(*openings, strict=True))
    return _timed(columns, Record.OPEN, step, task, {"start": _since(origin, start)})


def note_batch(notes: Notes, origin: int = 0) -> pa.RecordBatch:
    """Counter, log and clock rows; `origin` is subtracted from their times."""
    codes = pa.array(notes.record, pa.int8())
    columns = {
        "record": pa.DictionaryArray.from_arrays(codes, _DICTIONARIES["record"]),
        "name": notes.name,
        "start": _since(origin, notes.start),
        "step": notes.step,
        "lane": notes.lane,
        "value": notes.value,
        "text": notes.text,
    }
    return _batch(columns, len(notes))


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
        self._notes = Notes()
        self._timings: list[tuple[TaskColumns, Timings]] = []
        self.opened: Callable[[], list[tuple[TaskColumns, Opening]]] = list
        self.ended: Callable[[], list[tuple[TaskColumns, Timings]]] = list
        self._announced: set[tuple[int, int]] = set()
        self.flushed_at = time.monotonic()

    def spans(self, columns: TaskColumns, timings: Timings) -> None:
        """Collect finished tasks."""
        with self._lock:
            self._timings.append((columns, timings))

    def counter(
        self, name: str, value: float, lane: int | None = None, step: int | None = None
    ) -> None:
        """Collect a counter's value, now."""
        with self._lock:
            self._notes.add(Record.COUNTER, name, time.perf_counter_ns(), step, lane, value)

    def log(self, level: str, text: str, step: int | None = None) -> None:
        """Collect a line of text; levels are `info`, `size`, `warning`, `error` and `state`."""
        with self._lock:
            self._notes.add(Record.LOG, level, time.perf_counter_ns(), step, text=text)

    def clock(self, device: str, step: int, uncertainty_ns: float) -> None:
        """Collect the half-width of a device's clock anchors in a step."""
        with self._lock:
            now = time.perf_counter_ns()
            self._notes.add(Record.CLOCK, device, now, step, value=uncertainty_ns)

    def note(self, write: Callable[[Notes], None]) -> None:
        """Let `write` add rows with times of its own."""
        with self._lock:
            write(self._notes)

    def forward(self, batch: pa.RecordBatch) -> None:
        """Send a batch that another process has made."""
        with self._lock:
            self._writer.write_batch(batch)

    def flush(self) -> None:
        """Send what was collected, and the tasks that are open and were not yet announced."""
        with self._lock:
            self.flushed_at = time.monotonic()
            openings = self.opened()
            ended = self.ended()  # the executor's lock is taken before the list is read
            spans, self._timings = self._timings + ended, []
            notes, self._notes = self._notes, Notes()
            for columns, timings in spans:
                step = timings.step
                self._announced.difference_update((step, task) for task in timings.task)
                self._writer.write_batch(span_batch(columns, timings, self._origin))
            fresh = [o for o in openings if (o[1].step, o[1].task) not in self._announced]
            if fresh:
                opened = [opening for _, opening in fresh]
                self._announced.update((o.step, o.task) for o in opened)
                self._writer.write_batch(open_batch(fresh[0][0], opened, self._origin))
            if len(notes):
                self._writer.write_batch(note_batch(notes, self._origin))

    def flush_if_older(self, seconds: float) -> None:
        """Flush if the last flush is so long ago."""
        if time.monotonic() - self.flushed_at >= seconds:
            self.flushed_at = time.monotonic()  # no other thread need begin one as well
            self.flush()

    def close(self) -> None:
        """Send what is left and end the stream."""
        self.flush()
        with self._lock:
            self._writer.close()


def _since(origin: int, times: Sequence[int | None] | None) -> pa.Array | None:
    """Times as a column relative to `origin`; None, for a null column, if there are none."""
    if times is None:
        return None
    if None in times:
        return pa.array([None if time is None else time - origin for time in times], pa.int64())
    return pa.array(np.array(times, np.int64) - origin)


def _timed(
    columns: TaskColumns,
    record: Record,
    step: Any,
    task: list[int],
    times: Mapping[str, pa.Array | None],
) -> pa.RecordBatch:
    codes = np.full(len(task), _CODE["record"][record], np.int8)
    records = pa.DictionaryArray.from_arrays(codes, _DICTIONARIES["record"])
    taken = columns.take(task)
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
