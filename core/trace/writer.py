"""Rows in, record batches out: the only place that builds the stream."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Iterable, KeysView, Mapping, Sequence
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

    A task whose end is None is open. Columns, not rows: encoding happens while lanes wait, and
    costs by the Python object.
    """

    step: int
    task: list[int]
    start: list[int]
    end: Sequence[int | None]
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

    @property
    def form(self) -> tuple[list[Any], ...] | None:
        """What two steps' rows must share to have one template; None if not of a single step."""
        first = self.step[0]
        if first is None or self.step.count(first) < len(self.step):
            return None
        return self.record, self.name, self.lane, self.text

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


class Template:
    """A batch's encoded message, of which some columns are filled in anew for the next step.

    Rows of one step look like the last step's but for their times. Encoding goes through much code
    that a computing lane has driven out of the caches, filling in does not.
    """

    def __init__(self, batch: pa.RecordBatch, filled: Iterable[str]) -> None:
        self.message = np.frombuffer(batch.serialize(), np.uint8).copy()
        # Reading the message back without copying tells where in it each column's numbers lie.
        plain = pa.schema([pa.field(f.name, _plain(f.type)) for f in batch.schema])
        again = pa.ipc.read_record_batch(pa.py_buffer(self.message), plain)
        self._numbers = {}
        for name in filled:
            numbers = again[name].buffers()[1]
            first = numbers.address - self.message.ctypes.data
            width = again[name].type.to_pandas_dtype()
            place = self.message[first : first + len(batch) * np.dtype(width).itemsize]
            self._numbers[name] = place.view(width)

    @property
    def filled(self) -> KeysView[str]:
        """The columns that are filled in."""
        return self._numbers.keys()

    def fill(self, name: str, values: Any) -> None:
        """Set a column; what stands where it was null is ignored."""
        self._numbers[name][:] = values


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

    def are_all(self, tasks: list[int]) -> bool:
        """Whether `tasks` are all tasks in order."""
        return tasks == self._every

    def take(self, tasks: list[int]) -> dict[str, pa.Array]:
        """The columns of some tasks, by name; at no cost for all of them in order."""
        if self.are_all(tasks):
            return self._whole
        return _by_name(self.batch.take(pa.array(np.array(tasks, np.int32))))


def span_batch(columns: TaskColumns, timings: Timings, origin: int = 0) -> pa.RecordBatch:
    """Span and open rows for `timings`, in their order; `origin` is subtracted from every time."""
    open_code, span_code = _CODE["record"][Record.OPEN], _CODE["record"][Record.SPAN]
    codes = [open_code if end is None else span_code for end in timings.end]
    values = {
        **columns.take(timings.task),
        "record": _word_array("record", codes),
        "step": pa.array(np.full(len(timings.task), timings.step, np.int32)),
        "start": _since(origin, timings.start),
        "end": _since(origin, timings.end),
        "ready": _since(origin, timings.ready),
        "launched": _since(origin, timings.launched),
    }
    return _batch(values, len(timings.task))


def note_batch(notes: Notes, origin: int = 0) -> pa.RecordBatch:
    """Counter, log and clock rows; `origin` is subtracted from their times."""
    columns = {
        "record": _word_array("record", notes.record),
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
        self._sink = sink
        self._writer = pa.ipc.new_stream(sink, header.to_schema())
        self._begun = False
        self._templates: dict[TaskColumns | None, tuple[Sequence[Any], Template]] = {}
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
            self._write(batch)

    def flush(self) -> None:
        """Send what was collected, and the tasks that are open and were not yet announced."""
        with self._lock:
            self.flushed_at = time.monotonic()
            openings = self.opened()
            ended = self.ended()  # the executor's lock is taken before the list is read
            spans, self._timings = self._timings + ended, []
            notes, self._notes = self._notes, Notes()
            for columns, timings in self._with_openings(spans, openings):
                self._write_spans(columns, timings)
            if len(notes):
                self._write_notes(notes)

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

    def _with_openings(
        self,
        spans: list[tuple[TaskColumns, Timings]],
        openings: list[tuple[TaskColumns, Opening]],
    ) -> list[tuple[TaskColumns, Timings]]:
        """The rows to send: spans, with the open tasks that were not announced behind them."""
        for _, timings in spans:
            self._announced.difference_update((timings.step, task) for task in timings.task)
        for columns, opening in openings:
            key = (opening.step, opening.task)
            if key not in self._announced:
                self._announced.add(key)
                spans = _with_opening(spans, columns, opening)
        return spans

    def _write(self, batch: pa.RecordBatch) -> None:
        if self._begun:
            self._sink.write(batch.serialize())  # in one piece; Arrow's writer makes many
        else:
            self._writer.write_batch(batch)  # with the dictionaries, which never change
            self._begun = True

    def _write_spans(self, columns: TaskColumns, timings: Timings) -> None:
        """Write spans; a whole step's through the template that its plan's last step left."""

        def encode() -> pa.RecordBatch:
            return span_batch(columns, timings, self._origin)

        whole = columns.are_all(timings.task) and None not in timings.end
        if timings.ready is not None or not whole:
            self._write(encode())
            return
        filled = {
            "step": timings.step,
            "start": np.array(timings.start) - self._origin,
            "end": np.array(timings.end) - self._origin,
        }
        if timings.launched is not None:
            filled["launched"] = np.array(timings.launched) - self._origin
        self._write_like(columns, (), encode, filled)

    def _write_notes(self, notes: Notes) -> None:
        """Write counters and lines; through the last step's template if only numbers differ."""

        def encode() -> pa.RecordBatch:
            return note_batch(notes, self._origin)

        form = notes.form
        if form is None:
            self._write(encode())
            return
        filled = {
            "step": notes.step[0],
            "start": np.array(notes.start) - self._origin,
            "value": np.array(notes.value, np.float64),
        }
        self._write_like(None, form, encode, filled)

    def _write_like(
        self,
        key: TaskColumns | None,
        form: Sequence[Any],
        encode: Callable[[], pa.RecordBatch],
        filled: Mapping[str, Any],
    ) -> None:
        """Fill in the template that `key` has if its form is the same; else encode and keep one."""
        known = self._templates.get(key)
        if known is None or known[0] != form or known[1].filled != filled.keys():
            batch = encode()
            self._write(batch)
            self._templates[key] = (form, Template(batch, filled))
            return
        for name, values in filled.items():
            known[1].fill(name, values)
        self._sink.write(known[1].message)


def _with_opening(
    spans: list[tuple[TaskColumns, Timings]], columns: TaskColumns, opening: Opening
) -> list[tuple[TaskColumns, Timings]]:
    """`spans` with an open task: in the last of them if it is of the same plan and step."""
    added = Timings(opening.step, [opening.task], [opening.start], [None])
    if spans:
        others, (known, timings) = spans[:-1], spans[-1]
        if known is columns and timings.step == opening.step and timings.ready is None:
            launched = timings.launched and [*timings.launched, None]
            joined = Timings(
                timings.step,
                [*timings.task, opening.task],
                [*timings.start, opening.start],
                [*timings.end, None],
                launched=launched,
            )
            return [*others, (known, joined)]
    return [*spans, (columns, added)]


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type of a column's own numbers: for words, of their codes."""
    return kind.index_type if pa.types.is_dictionary(kind) else kind


def _since(origin: int, times: Sequence[int | None] | None) -> pa.Array | None:
    """Times as a column relative to `origin`; None, for a null column, if there are none."""
    if times is None:
        return None
    if None in times:
        absent = np.array([time is None for time in times])
        known = np.array([0 if time is None else time for time in times], np.int64)
        return pa.array(known - origin, mask=absent)
    return pa.array(np.array(times, np.int64) - origin)


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


def _word_array(column: str, codes: Sequence[int]) -> pa.Array:
    numbers = pa.array(np.array(codes, np.int8))
    return pa.DictionaryArray.from_arrays(numbers, _DICTIONARIES[column])


def _task_column(field: pa.Field, tasks: Sequence[Task]) -> pa.Array:
    if field.name in WORDS:
        return _word_array(
            field.name, [_CODE[field.name][getattr(task, field.name)] for task in tasks]
        )
    name = "index" if field.name == "task" else field.name
    return pa.array([getattr(task, name) for task in tasks], field.type)
