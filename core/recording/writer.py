"""Rows in, record batches out: the only place that builds the stream."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.plan.task import Task
from core.recording.schema import NOTE, RECORDS, SCHEMA, TASK, Record, schema_of
from core.trace.columns import ABSENT
from core.trace.header import Header
from core.trace.spans import TaskTable

_WORDS = pa.array(RECORDS, pa.string())
_CODES = {record: code for code, record in enumerate(RECORDS)}

Numbers = Any
"""A column of whole numbers: int64 array, or a sequence in which None is absent."""


@dataclass(frozen=True, slots=True)
class Timings:
    """When tasks of one step of plan number `plan` ran: columns of n entries, times in ns.

    `ready` and `launched` where they are known, `lane` where a span's is not its task's. None or
    -1 (ABSENT) is absent; a task without an end is open.
    """

    plan: int
    step: int
    task: Numbers
    start: Numbers
    end: Numbers
    ready: Numbers | None = None
    launched: Numbers | None = None
    lane: Numbers | None = None


class NoteRow(NamedTuple):
    """A counter, log or clock row; what each value means stands at the schema."""

    record: Record
    name: str
    start: int
    step: int | None = None
    lane: int | None = None
    value: float | None = None
    text: str | None = None


def plan_batch(number: int, tasks: Sequence[Task]) -> pa.RecordBatch:
    """The row that tells all tasks of a plan."""
    columns = dict(zip(Task._fields, zip(*tasks, strict=True), strict=False))
    arrays = [pa.array(columns.get(field.name, [None] * len(tasks)), field.type) for field in TASK]
    told = pa.StructArray.from_arrays(arrays, fields=list(TASK))
    whole = pa.ListArray.from_arrays(pa.array([0, len(tasks)], pa.int32()), told)
    return batch_of(1, record=record_column([Record.PLAN]), plan=[number], tasks=whole)


def table_plan_batch(number: int, table: TaskTable) -> pa.RecordBatch:
    """The same of a plan that a table has, with the tasks' own names."""
    where = table.plan(number)
    places = table.rows["name"][where].tolist()
    names = [None if place == ABSENT else table.names[place] for place in places]
    told = [{**table.told(where.start + n), "name": name} for n, name in enumerate(names)]
    tasks = pa.array([told], pa.list_(TASK))
    return batch_of(1, record=record_column([Record.PLAN]), plan=[number], tasks=tasks)


def span_batch(*timings: Timings, origin: int = 0) -> pa.RecordBatch:
    """Span rows, open rows where there is no end; `origin` is subtracted from times."""

    def joined(name: str) -> NDArray[np.int64]:
        return np.concatenate([_numbers(getattr(t, name), len(t.task)) for t in timings])

    end, lane, counts = joined("end"), joined("lane"), [len(each.task) for each in timings]
    return batch_of(
        sum(counts),
        record=record_column(np.where(end == ABSENT, _CODES[Record.OPEN], _CODES[Record.SPAN])),
        plan=np.repeat([each.plan for each in timings], counts),
        task=joined("task"),
        step=np.repeat([each.step for each in timings], counts),
        end=_since(origin, end),
        note=None
        if (lane == ABSENT).all()
        else note_column(lane != ABSENT, lane=lane[lane != ABSENT]),
        **{name: _since(origin, joined(name)) for name in ("start", "ready", "launched")},
    )


def note_batch(notes: Sequence[NoteRow], origin: int = 0) -> pa.RecordBatch:
    """Counter, log and clock rows; `origin` is subtracted from their times."""
    columns = zip(*notes, strict=True) if notes else iter([()] * len(NoteRow._fields))
    told = dict(zip(NoteRow._fields, columns, strict=True))
    start = _since(origin, np.array(told.pop("start"), np.int64))
    record, step = record_column(told.pop("record")), told.pop("step")
    note = note_column(np.ones(len(notes), np.bool_), **told)
    return batch_of(len(notes), record=record, step=step, start=start, note=note)


class TraceWriter:
    """One run's stream. Whoever has rows hands them in, from any thread, and waits for nobody.

    **Every row is sent exactly once.** What is handed in goes to the end of a queue. Only one
    thread sends (a `Flusher`'s, and behind it whoever calls `close`): it takes the rows off the
    queue, then asks `running` for what no queue has: spans that have ended since it last asked,
    and tasks that are open now. What has ended when that is asked is not open in the same answer.

    `sink` is a binary file that pyarrow can write to. Times given are on the
    `time.perf_counter_ns` clock, or on another that `now` reads, and are written relative to the
    header's origin.
    """

    def __init__(self, sink: Any, header: Header) -> None:
        self._origin = header.origin_ns
        self._stream = pa.ipc.new_stream(sink, schema_of(header))
        self._told: deque[Timings | NoteRow | pa.RecordBatch] = deque()
        self._plans = 0
        self.now: Callable[[], int] = time.perf_counter_ns
        self.running: Callable[[], Iterable[Timings | NoteRow]] = tuple
        self.wanted = threading.Event()

    def plan(self, tasks: Sequence[Task]) -> int:
        """Tell a plan's tasks; returns the number by which spans name it. From one thread only."""
        number, self._plans = self._plans, self._plans + 1
        self._told.append(plan_batch(number, tasks))
        return number

    def spans(self, timings: Timings) -> None:
        """Hand in finished tasks; of each lane in the order of time."""
        self._told.append(timings)

    def counter(
        self, name: str, value: float, lane: int | None = None, step: int | None = None
    ) -> None:
        """Hand in a counter's value, now."""
        self._note(Record.COUNTER, name, step, lane, value)

    def log(self, level: str, text: str, step: int | None = None) -> None:
        """Hand in a line of text; levels are `info`, `size`, `warning`, `error` and `state`."""
        self._note(Record.LOG, level, step, text=text)

    def clock(self, device: str, step: int, uncertainty_ns: float) -> None:
        """Hand in the half-width of a device's clock anchors in a step."""
        self._note(Record.CLOCK, device, step, value=uncertainty_ns)

    def forward(self, batch: pa.RecordBatch) -> None:
        """Hand in a batch that another process has made."""
        self._told.append(batch)

    def flush_soon(self) -> None:
        """Let the thread that sends know that a step has ended."""
        self.wanted.set()

    def flush(self) -> None:
        """Send what there is. By one thread at a time, and never by one that computes."""
        told = [self._told.popleft() for _ in range(len(self._told))]
        rows = [*told, *self.running()]
        timings = [row for row in rows if isinstance(row, Timings)]
        notes = [row for row in rows if isinstance(row, NoteRow)]
        # Plans before the spans of their tasks, and notes behind the spans that they are of.
        made = [row for row in rows if isinstance(row, pa.RecordBatch)]
        if timings:
            made.append(span_batch(*timings, origin=self._origin))
        if notes:
            made.append(note_batch(notes, self._origin))
        for batch in made:
            self._stream.write_batch(batch)

    def close(self) -> None:
        """Send what is left and end the stream."""
        self.flush()
        self._stream.close()

    def _note(
        self, record: Record, name: str, step: int | None, lane: int | None = None,
        value: float | None = None, text: str | None = None,
    ) -> None:  # fmt: skip
        self._told.append(NoteRow(record, name, self.now(), step, lane, value, text))


def _numbers(times: Numbers | None, count: int) -> NDArray[np.int64]:
    """A column of `count` numbers in which ABSENT stands for what is not there."""
    if times is None:
        return np.full(count, ABSENT)
    if isinstance(times, np.ndarray):
        return times
    return np.array([ABSENT if time is None else time for time in times], np.int64)


def _since(origin: int, times: NDArray[np.int64]) -> pa.Array:
    """Times as a column relative to `origin`, null where there is none."""
    return pa.array(times - origin, mask=times == ABSENT)


def record_column(records: Sequence[Record] | NDArray[Any]) -> pa.Array:
    """What each row is."""
    codes = records if isinstance(records, np.ndarray) else [_CODES[record] for record in records]
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), _WORDS)


def note_column(has: NDArray[np.bool_], **columns: Any) -> pa.Array:
    """A note of some columns for each row that has one; no note for the others."""
    count = int(has.sum())
    arrays = [
        pa.array(columns[field.name], field.type)
        if field.name in columns
        else pa.nulls(count, field.type)
        for field in NOTE
    ]
    ends = np.concatenate([[0], np.cumsum(has)]).astype(np.int32)
    told = pa.StructArray.from_arrays(arrays, fields=list(NOTE))
    return pa.ListArray.from_arrays(pa.array(ends), told, mask=pa.array(~has))


def batch_of(count: int, **columns: Any) -> pa.RecordBatch:
    """A batch of the whole schema; columns that are not given are null."""
    arrays = []
    for field in SCHEMA:
        values = columns.get(field.name)
        if values is None:
            arrays.append(_nulls(count, field.type))
        else:
            arrays.append(values if isinstance(values, pa.Array) else pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


@lru_cache(256)
def _nulls(count: int, kind: pa.DataType) -> pa.Array:
    if not pa.types.is_list(kind):
        return pa.nulls(count, kind)
    # pa.nulls would write twice as much of a list.
    ends, mask = pa.array(np.zeros(count + 1, np.int32)), pa.array(np.ones(count, np.bool_))
    return pa.ListArray.from_arrays(ends, pa.array([], kind.value_type), mask=mask)
