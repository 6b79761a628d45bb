"""The recording's format, for wire and file alike; and rows in, record batches out.

Which columns there are says core.recorder.stream, which writes them where a job runs. Here,
whoever runs a plan hands rows to a TraceWriter. The run's header is kept as the schema's metadata.

A stream is an Apache Arrow IPC stream. Its `record` column says what each row is:

    plan     `tasks` are all tasks of plan number `plan`, told once and before any span of theirs
    span     in `step`, `task` of `plan` ran from `start` to `end`
    open     it has started and not ended; its span follows (on a GPU the start is provisional)
    counter  its `note`'s name had the note's value at `start`, on the note's lane if there is one
    log      the note's text was said at `start`; the note's name is its level
    clock    the note's value is the half-width in ns of its device's (name) clock anchors in `step`

Plans are numbered from 0 in the order in which they come, and a task's number is its place among
its plan's. So a span says no more than which task it is and when it ran; a plan row joined with it
by plan and task says what it is. A span's lane is its task's, unless the span has a note that names
one: a collective that ran beside another of its rank.

`ready` is when the data of a collective was there, `launched` when a task was handed to the device,
where these are known. Times are int64 nanoseconds since the run's start. Unused columns are null;
`note` and `tasks` are lists (a note of one entry), since a null number takes as much room as any
other and a null list hardly any.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import RecordingError
from core.plan.task import ABSENT, Task
from core.recorder.stream import NOTE, SCHEMA, TASK
from core.trace.header import FORMAT, MOST_LANES, Header
from core.trace.source import Source
from core.trace.spans import ATTRIBUTES
from core.typed import typed

HEADER_KEY = b"bubblescope"
COSTS_LEVEL = "costs"
"""The level of the log row that holds what a run's tasks cost, as JSON: no line to read."""
SIZE_COSTS_LEVEL = "size-costs"
"""The same of the row with what the model's blocks cost in micro-batches of several sizes."""
LEAST_REST_SECONDS, MOST_REST_SECONDS = 0.05, 0.5
SHARE = 1 / 200
"""Of a core, which lanes may need: how much of it sending takes at most."""


class Record(StrEnum):
    """What a row of the stream is."""

    PLAN = "plan"
    SPAN = "span"
    OPEN = "open"
    COUNTER = "counter"
    LOG = "log"
    CLOCK = "clock"


RECORDS = tuple(Record)
# One array for all batches: a stream has a dictionary written again only where it differs.
_WORDS = pa.array(RECORDS, pa.string())
_CODES = {record: code for code, record in enumerate(RECORDS)}
ARROW_TYPES = {name: TASK.field(name).type for name in ATTRIBUTES}
"""How the stream holds what a task is; a number that does not apply is null."""


def schema_of(header: Header) -> pa.Schema:
    """The stream's schema with a run's header as metadata."""
    values = {**asdict(header), "model": header.model.to_dict()}
    return SCHEMA.with_metadata({HEADER_KEY: json.dumps(values).encode()})


def read_header(schema: pa.Schema, name: str = "the stream") -> Header:
    """The header of a stream. Raises RecordingError if there is none that can be read."""
    data = (schema.metadata or {}).get(HEADER_KEY)
    if data is None:
        raise RecordingError(f"{name} is an Arrow stream, but no recording of Bubblescope")
    try:
        values = json.loads(data)
        if values["format"] != FORMAT:
            raise RecordingError(
                f"{name} has format {values['format']!r:.40}; this version reads format "
                f"{FORMAT}: record it anew"
            )
        if len(values["lanes"]) > MOST_LANES:
            raise ValueError(f"it has more than {MOST_LANES:,} lanes")
        header: Header = typed(Header, values)
        if "source" not in values:
            is_predicted = values.get("predicted") is True
            header = replace(header, source=source_of_old_header(header, is_predicted))
        header.check()
    except RecordingError:
        # A ValueError as well, which says already what is wrong.
        raise
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise RecordingError(f"{name} has a damaged header: {error}") from error
    # The metadata is the header, which every run has of its own.
    if not schema.equals(SCHEMA, check_metadata=False):
        raise RecordingError(f"{name} is damaged: its columns are not those of a recording")
    return header


def source_of_old_header(header: Header, is_predicted: bool) -> Source:
    """Return the source of a recording whose header does not name one.

    Older headers say whether times are predicted. The model of a run has blocks; that of a job or
    of another program's trace has none, and only a job's header has a number of ranks.
    """
    if is_predicted:
        return Source.PREDICTED
    if header.model.blocks:
        return Source.RUN
    return Source.JOB if "ranks" in header.hardware else Source.IMPORTED


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
    """The row that holds all tasks of a plan."""
    columns = dict(zip(Task._fields, zip(*tasks, strict=True), strict=False))
    none = [None] * len(tasks)
    return tasks_batch(number, [pa.array(columns.get(f.name, none), f.type) for f in TASK])


def tasks_batch(number: int, arrays: Sequence[pa.Array]) -> pa.RecordBatch:
    """The row that holds all tasks of a plan, given by the fields of TASK."""
    structs = pa.StructArray.from_arrays(arrays, fields=list(TASK))
    whole = pa.ListArray.from_arrays(pa.array([0, len(structs)], pa.int32()), structs)
    return batch_of(1, record=record_column([Record.PLAN]), plan=[number], tasks=whole)


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
    # zip() of no rows has no columns either.
    rows = zip(*notes, strict=True) if notes else iter([()] * len(NoteRow._fields))
    columns = dict(zip(NoteRow._fields, rows, strict=True))
    start = _since(origin, np.array(columns.pop("start"), np.int64))
    record, step = record_column(columns.pop("record")), columns.pop("step")
    note = note_column(np.ones(len(notes), np.bool_), **columns)
    return batch_of(len(notes), record=record, step=step, start=start, note=note)


class TraceWriter:
    """One run's stream. Whoever has rows hands them in, from any thread, and waits for nobody.

    **Every row is sent exactly once.** What is handed in goes to the end of a queue. Only one
    thread sends (that of `sending`, and behind it whoever calls `close`): it takes the rows off the
    queue, then asks `running` for what no queue has: spans that have ended since it last asked,
    and tasks that are open now. What has ended when that is asked is not open in the same answer.

    `sink` is a binary file that pyarrow can write to. Times given are on the
    `time.perf_counter_ns` clock, or on another that `now` reads, and are written relative to the
    header's origin.
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
        """Tell a plan's tasks; returns the number by which spans name it. From one thread only."""
        number, self._plans = self._plans, self._plans + 1
        self._queue.append(plan_batch(number, tasks))
        return number

    def spans(self, timings: Timings) -> None:
        """Hand in finished tasks; of each lane in the order of time."""
        self._queue.append(timings)

    def counter(
        self, name: str, value: float, lane: int | None = None, step: int | None = None
    ) -> None:
        """Hand in a counter's value, now."""
        self._queue.append(NoteRow(Record.COUNTER, name, self.now(), step, lane, value))

    def log(self, level: str, text: str, step: int | None = None) -> None:
        """Hand in a line of text; levels are `info`, `size`, `warning`, `error` and `state`."""
        self._queue.append(NoteRow(Record.LOG, level, self.now(), step, text=text))

    def clock(self, device: str, step: int, uncertainty_ns: float) -> None:
        """Hand in the half-width of a device's clock anchors in a step."""
        row = NoteRow(Record.CLOCK, device, self.now(), step, value=uncertainty_ns)
        self._queue.append(row)

    def forward(self, batch: pa.RecordBatch) -> None:
        """Hand in a batch that another process has made."""
        self._queue.append(batch)

    def flush_soon(self) -> None:
        """Let the thread that sends know that a step has ended."""
        self._wanted.set()

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Let a thread of its own send what there is: when a step has ended, and while it lasts.

        It waits for whoever reads the pipe, so that nobody else has to. Leaving raises what sending
        raised: rows that cannot be sent are no recording. The writer may be closed behind this.
        """
        over, errors = threading.Event(), list[BaseException]()
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
        """Send again and again until it is `over`, and note what went wrong.

        The more work that was, the longer it rests: each batch has its price, in time (lanes that
        compute have driven this code out of the caches) and in bytes, so short steps go together.
        """
        try:
            rest = LEAST_REST_SECONDS
            while not over.is_set():
                is_asked = self._wanted.wait(rest)
                self._wanted.clear()
                before = time.thread_time()
                self.flush()
                worked = time.thread_time() - before
                rest = min(max(worked / SHARE, LEAST_REST_SECONDS), MOST_REST_SECONDS)
                if is_asked:  # the end of the next step can wait, but not that of the first
                    over.wait(rest)
        except BaseException as error:  # raised again by whoever leaves the context
            errors.append(error)

    def flush(self) -> None:
        """Send what there is. By one thread at a time, and never by one that computes."""
        # Other threads append meanwhile, which a deque allows without a lock. As many are taken as
        # there are now: a thread that hands in faster than this sends would never let it end.
        queued = [self._queue.popleft() for _ in range(len(self._queue))]
        rows = [*queued, *self.running()]
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


def _numbers(times: Numbers | None, count: int) -> NDArray[np.int64]:
    """A column of `count` integers, ABSENT where there is None."""
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
    notes = pa.StructArray.from_arrays(arrays, fields=list(NOTE))
    return pa.ListArray.from_arrays(pa.array(ends), notes, mask=pa.array(~has))


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
