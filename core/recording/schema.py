"""Format of recordings, on the wire and in files; converts rows to record batches.

core.recorder.stream defines the columns, because it runs where the rest of core is not installed.
The engine passes its rows to a TraceWriter. The run's header is the schema's metadata
(core.recording.stream_header).

A recording is an Apache Arrow IPC stream. Its `record` column has the kind of each row:

    plan     `tasks` are all tasks of plan number `plan`, written once and before their spans
    span     in `step`, `task` of `plan` ran from `start` to `end`
    open     the task has started and not ended; its span follows (a GPU's start is provisional)
    counter  the note's name had the note's value at `start`, on the note's lane if it has one
    log      the note's text was logged at `start`; the note's name is its level
    clock    the note's value is the half-width in ns of a device's (name) clock anchors in `step`

Plans are numbered from 0 in the order of their rows, and a task's number is its position in its
plan. So a span has only the number of its task and its times; joined with a plan row by plan and
task, it has the task's attributes. A span's lane is its task's lane, unless the span has a note
with a lane: a collective that ran at the same time as another one of its rank.

`ready` is the time at which the data of a collective was available, `launched` the time at which a
task was submitted to its device, if these are known. Times are int64 nanoseconds since the run's
start. Unused columns are null. `note` and `tasks` are lists (a note has one entry), because a null
number takes as much space as any other number, and a null list hardly any.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.plan.task import ABSENT, Task, int_column
from core.recorder.stream import note_type, row_schema, task_type
from core.recording.stream_header import schema_of
from core.trace.header import Header
from core.trace.spans import ATTRIBUTES

COSTS_LEVEL = "costs"
"""Level of the log row with the costs of a run's tasks as JSON; it is not shown as a line."""
SIZE_COSTS_LEVEL = "size-costs"
"""Same, for the costs of the model's blocks in micro-batches of several sizes."""
LEAST_REST_SECONDS = 0.05
MOST_REST_SECONDS = 0.5
SENDING_SHARE = 1 / 200
"""Largest share of a core that sending takes; the lanes may need that core."""


class Record(StrEnum):
    """Kind of a row of the stream."""

    PLAN = "plan"
    SPAN = "span"
    OPEN = "open"
    COUNTER = "counter"
    LOG = "log"
    CLOCK = "clock"


RECORDS = tuple(Record)
_CODES = {record: code for code, record in enumerate(RECORDS)}


@cache
def arrow_types() -> dict[str, pa.DataType]:
    """Return the Arrow type of each attribute of a task; numbers that do not apply are null."""
    tasks = task_type()
    return {name: tasks.field(name).type for name in ATTRIBUTES}


@cache
def _words() -> pa.Array:
    # One array for all batches, because a stream repeats a dictionary only where it differs.
    return pa.array(RECORDS, pa.string())


IntColumn = Any
"""Column of integers: an int64 array, or a sequence with None for absent numbers."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Times of n tasks of one step of plan number `plan`, as columns of n entries, in ns.

    `ready` and `launched` are absent where they are not known, and `lane` where it is the task's
    lane. None and -1 (ABSENT) mean absent; a task without an end is open.
    """

    plan: int
    step: int
    task: IntColumn
    start: IntColumn
    end: IntColumn
    ready: IntColumn | None = None
    launched: IntColumn | None = None
    lane: IntColumn | None = None


class NoteRow(NamedTuple):
    """A counter, log or clock row; the module's docstring has the meaning of its values."""

    record: Record
    name: str
    start: int
    step: int | None = None
    lane: int | None = None
    value: float | None = None
    text: str | None = None


def plan_batch(number: int, tasks: Sequence[Task]) -> pa.RecordBatch:
    """Return the row that contains all tasks of a plan."""
    # Without tasks, zip() returns no columns.
    columns = dict(zip(Task._fields, zip(*tasks, strict=True), strict=False))
    none = [None] * len(tasks)
    arrays = []
    for field in task_type():
        values = columns.get(field.name, none)
        arrays.append(pa.array(values, field.type))
    return tasks_batch(number, arrays)


def tasks_batch(number: int, arrays: Sequence[pa.Array]) -> pa.RecordBatch:
    """Return the row that contains all tasks of a plan, given by the fields of `task_type`."""
    fields = list(task_type())
    structs = pa.StructArray.from_arrays(arrays, fields=fields)
    bounds = pa.array([0, len(structs)], pa.int32())
    whole = pa.ListArray.from_arrays(bounds, structs)
    record = record_column([Record.PLAN])
    return batch_of(1, record=record, plan=[number], tasks=whole)


def span_batch(*timings: Timings, origin: int = 0) -> pa.RecordBatch:
    """Return a span row for each task, or an open row if it has no end; times since `origin`."""

    def column(name: str) -> Ints:
        parts = []
        for some in timings:
            times: IntColumn | None = getattr(some, name)
            count = len(some.task)
            parts.append(_numbers(times, count))
        return np.concatenate(parts)

    counts = []
    plans = []
    steps = []
    for some in timings:
        counts.append(len(some.task))
        plans.append(some.plan)
        steps.append(some.step)
    start = column("start")
    end = column("end")
    ready = column("ready")
    launched = column("launched")
    is_open = end == ABSENT
    codes = np.where(is_open, _CODES[Record.OPEN], _CODES[Record.SPAN])
    lane = column("lane")
    has_lane = lane != ABSENT
    note = None
    if has_lane.any():
        note = note_column(has_lane, lane=lane[has_lane])
    return batch_of(
        sum(counts),
        record=record_column(codes),
        plan=np.repeat(plans, counts),
        task=column("task"),
        step=np.repeat(steps, counts),
        start=_since(origin, start),
        end=_since(origin, end),
        ready=_since(origin, ready),
        launched=_since(origin, launched),
        note=note,
    )


def note_batch(notes: Sequence[NoteRow], origin: int = 0) -> pa.RecordBatch:
    """Return counter, log and clock rows; their times are since `origin`."""
    columns: dict[str, Sequence[Any]] = {name: () for name in NoteRow._fields}
    # Without rows, zip() would return no columns.
    if notes:
        values = zip(*notes, strict=True)
        columns = dict(zip(NoteRow._fields, values, strict=True))
    count = len(notes)
    starts = np.array(columns.pop("start"), np.int64)
    start = _since(origin, starts)
    record = record_column(columns.pop("record"))
    step = columns.pop("step")
    every = np.ones(count, np.bool_)
    note = note_column(every, **columns)
    return batch_of(
        count,
        record=record,
        step=step,
        start=start,
        note=note,
    )


class TraceWriter:
    """Writes one run's stream. Any thread may add rows, and none has to wait.

    **Every row is sent exactly once.** Rows are added to the end of a queue. Only one thread sends
    (the thread of `sending`, and after it the caller of `close`): it takes the rows off the queue,
    then calls `running` for rows that are in no queue: spans that have ended since the last call,
    and tasks that are open now. One answer never has a task both as ended and as open.

    `sink` is a binary file that pyarrow can write to. Times are on the `time.perf_counter_ns`
    clock, or on the clock that `now` reads, and are written relative to the header's origin.
    """

    def __init__(self, sink: Any, header: Header) -> None:
        self._origin = header.origin_ns
        self._stream = pa.ipc.new_stream(sink, schema_of(header))
        self._queue: deque[Timings | NoteRow | pa.RecordBatch] = deque()
        self._plans = 0
        self.now: Callable[[], int] = time.perf_counter_ns
        self.running: Callable[[], Iterable[Timings | NoteRow]] = tuple
        self._wanted = threading.Event()

    def plan(self, tasks: Sequence[Task]) -> int:
        """Add a plan and return its number for its spans. Call this from one thread only."""
        number = self._plans
        self._plans += 1
        self._queue.append(plan_batch(number, tasks))
        return number

    def spans(self, timings: Timings) -> None:
        """Add finished tasks, in time order for each lane."""
        self._queue.append(timings)

    def counter(
        self, name: str, value: float, lane: int | None = None, step: int | None = None
    ) -> None:
        """Add a counter's value at the present time."""
        row = NoteRow(Record.COUNTER, name, self.now(), step, lane, value)
        self._queue.append(row)

    def log(self, level: str, text: str, step: int | None = None) -> None:
        """Add a line of English text; levels are `info`, `size`, `warning`, `error` and `state`."""
        row = NoteRow(Record.LOG, level, self.now(), step, text=text)
        self._queue.append(row)

    def clock(self, device: str, step: int, uncertainty_ns: float) -> None:
        """Add the half-width of a device's clock anchors in a step."""
        row = NoteRow(Record.CLOCK, device, self.now(), step, value=uncertainty_ns)
        self._queue.append(row)

    def forward(self, batch: pa.RecordBatch) -> None:
        """Add a batch that another process has written."""
        self._queue.append(batch)

    def flush_soon(self) -> None:
        """Wake the sending thread, because a step has ended."""
        self._wanted.set()

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Send rows on a separate thread, at the end of each step and during long steps.

        Only this thread waits for the reader of the pipe. On exit, an error of sending is raised,
        because the recording lacks rows then. The writer may be closed afterwards.
        """
        over = threading.Event()
        errors = list[BaseException]()
        arguments = (over, errors)
        thread = threading.Thread(target=self._send, args=arguments, daemon=True, name="flusher")
        thread.start()
        try:
            yield
        finally:
            over.set()
            self.flush_soon()
            thread.join()
            if errors:
                raise errors[0]

    def _send(self, over: threading.Event, errors: list[BaseException]) -> None:
        """Send repeatedly until `over` is set; an error is appended to `errors`.

        The thread rests longer after more work, so that short steps are sent together. Each batch
        costs bytes, and it costs time because the lanes have evicted this code from the caches.
        """
        try:
            rest = LEAST_REST_SECONDS
            while not over.is_set():
                is_asked = self._wanted.wait(rest)
                self._wanted.clear()
                before = time.thread_time()
                self.flush()
                worked = time.thread_time() - before
                rest = worked / SENDING_SHARE
                rest = max(rest, LEAST_REST_SECONDS)
                rest = min(rest, MOST_REST_SECONDS)
                if is_asked:  # the first step's end is sent at once; later ones can wait
                    over.wait(rest)
        except BaseException as error:  # raised again on exit of the context
            errors.append(error)

    def flush(self) -> None:
        """Send all rows so far. Call this from one thread at a time, never from a lane."""
        # Other threads may append meanwhile, which a deque allows without a lock. Only the rows
        # that are queued now are taken: otherwise a fast producer would keep this loop going.
        queued = [self._queue.popleft() for _ in range(len(self._queue))]
        timings: list[Timings] = []
        notes: list[NoteRow] = []
        batches: list[pa.RecordBatch] = []
        for row in (*queued, *self.running()):
            if isinstance(row, Timings):
                timings.append(row)
            elif isinstance(row, NoteRow):
                notes.append(row)
            else:
                batches.append(row)
        # Plans are sent before the spans of their tasks, notes after the spans they refer to.
        if timings:
            batches.append(span_batch(*timings, origin=self._origin))
        if notes:
            batches.append(note_batch(notes, self._origin))
        for batch in batches:
            self._stream.write_batch(batch)

    def close(self) -> None:
        """Send the remaining rows and end the stream."""
        self.flush()
        self._stream.close()


def _numbers(times: IntColumn | None, count: int) -> Ints:
    """Return a column of `count` integers, with ABSENT for None."""
    if times is None:
        return np.full(count, ABSENT)
    if isinstance(times, np.ndarray):
        return times
    return int_column(times, np.int64)


def _since(origin: int, times: Ints) -> pa.Array:
    """Return times relative to `origin`, with null for ABSENT."""
    is_absent = times == ABSENT
    return pa.array(times - origin, mask=is_absent)


def record_column(records: Sequence[Record] | NDArray[Any]) -> pa.Array:
    """Return the `record` column of rows, given as records or as codes."""
    if not isinstance(records, np.ndarray):
        codes = [_CODES[record] for record in records]
        records = np.array(codes, np.int8)
    indices = pa.array(records, pa.int8())
    return pa.DictionaryArray.from_arrays(indices, _words())


def note_column(has: Bools, **columns: Any) -> pa.Array:
    """Return the `note` column: notes with the given columns where `has` is True, else null."""
    count = int(has.sum())
    fields = list(note_type())
    arrays = []
    for field in fields:
        if field.name in columns:
            array = pa.array(columns[field.name], field.type)
        else:
            array = pa.nulls(count, field.type)
        arrays.append(array)
    notes = pa.StructArray.from_arrays(arrays, fields=fields)
    bounds = np.zeros(len(has) + 1, np.int32)
    np.cumsum(has, out=bounds[1:])
    mask = pa.array(~has)
    return pa.ListArray.from_arrays(pa.array(bounds), notes, mask=mask)


def batch_of(count: int, **columns: Any) -> pa.RecordBatch:
    """Return a batch of the whole schema; columns that are not given are null."""
    schema = row_schema()
    arrays = []
    for field in schema:
        values = columns.get(field.name)
        if values is None:
            values = _nulls(count, field.type)
        elif not isinstance(values, pa.Array):
            values = pa.array(values, field.type)
        arrays.append(values)
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


@lru_cache(256)
def _nulls(count: int, kind: pa.DataType) -> pa.Array:
    if not pa.types.is_list(kind):
        return pa.nulls(count, kind)
    # pa.nulls would write twice as many bytes for a list.
    ends = pa.array(np.zeros(count + 1, np.int32))
    every = np.ones(count, np.bool_)
    no_values = pa.array([], kind.value_type)
    return pa.ListArray.from_arrays(ends, no_values, mask=pa.array(every))
