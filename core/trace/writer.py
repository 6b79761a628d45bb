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
from numpy.typing import NDArray

from core.plan.task import Task
from core.trace.columns import ABSENT
from core.trace.schema import SCHEMA, TASK_FIELDS, WORDS, Header, Record
from core.trace.template import Template

_DICTIONARIES = {name: pa.array(words, pa.string()) for name, words in WORDS.items()}
MOST_TEMPLATE_ROWS = 512
"""A flush sends a row for each task of such a plan, news or not; longer plans' rows are chosen."""
_CODE = {name: {word: code for code, word in enumerate(words)} for name, words in WORDS.items()}

_NUMBERS = ("step", "start", "value")
_SPAN, _OPEN, _NONE = (_CODE["record"][r] for r in (Record.SPAN, Record.OPEN, Record.NONE))


Numbers = Any
"""A column of whole numbers: int64 array, or a sequence in which None is absent."""


@dataclass(frozen=True, slots=True)
class Timings:
    """When tasks of one step ran: `start` and `end`, `ready` and `launched` where known.

    Columns of n entries, None or -1 where a time is absent; a task without an end is open. They
    are kept as arrays: what is made of them competes with lanes for the interpreter.
    """

    step: int
    task: Numbers
    start: Numbers
    end: Numbers
    ready: Numbers | None = None
    launched: Numbers | None = None

    def __post_init__(self) -> None:
        for name in ("task", "start", "end", "ready", "launched"):
            values = getattr(self, name)
            if values is not None and not isinstance(values, np.ndarray):
                known = [ABSENT if value is None else value for value in values]
                object.__setattr__(self, name, np.array(known, np.int64))


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
    def shared(self) -> tuple[list[Any], ...]:
        """What two lists of rows must share to differ in numbers only."""
        return self.record, self.name, self.lane, self.text, [step is None for step in self.step]

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


@dataclass(frozen=True, slots=True)
class StepForm:
    """What the rows of a plan's steps have in common.

    `at` says of each row which of the step's times is its own; `values` are those of rows that no
    step changes.
    """

    notes: Notes
    at: NDArray[np.int64]
    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StepNotes:
    """A step's rows: its `times` (on the clock of `time.perf_counter_ns`) and changed values.

    `first` are the values of the form's first rows, `others` those of single rows.
    """

    form: StepForm
    step: int
    times: NDArray[np.int64]
    first: Sequence[int] | NDArray[np.int64]
    others: Sequence[tuple[int, float]]


class TaskColumns:
    """The columns of a plan's tasks, from which spans take their rows.

    Encoded once for each plan, so that writing a span costs no Python for each column.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        columns = [_task_column(field, tasks) for field in TASK_FIELDS]
        self.batch = pa.RecordBatch.from_arrays(columns, schema=pa.schema(TASK_FIELDS))
        self._whole = _by_name(self.batch)
        self._every = np.arange(len(tasks))

    def __len__(self) -> int:
        return len(self._every)

    def take(self, tasks: NDArray[np.int64]) -> dict[str, pa.Array]:
        """The columns of some tasks, by name; at no cost for all of them in order."""
        if np.array_equal(tasks, self._every):
            return self._whole
        return _by_name(self.batch.take(pa.array(tasks)))


def span_batch(columns: TaskColumns, timings: Timings, origin: int = 0) -> pa.RecordBatch:
    """Span and open rows for `timings`, in their order; `origin` is subtracted from every time."""
    codes = np.where(timings.end == ABSENT, _OPEN, _SPAN)
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
        self._writer.write_batch(note_batch(Notes()))  # the dictionaries, which never change
        self._task_templates: dict[tuple[TaskColumns, bool], Template] = {}
        self._form: StepForm | None = None
        self._lock = threading.RLock()  # what was left for later hands in its rows during a flush
        self._notes = Notes()
        self._shared = self._notes.shared
        self._form_template = self._notes_template = Template(note_batch(self._notes), _NUMBERS)
        self._step_notes: list[StepNotes] = []
        self._timings: list[tuple[TaskColumns, Timings]] = []
        self.opened: Callable[[], list[tuple[TaskColumns, Opening]]] = list
        self.ended: Callable[[], list[tuple[TaskColumns, Timings]]] = list
        self._announced: set[tuple[int, int]] = set()
        self.flushed_at = time.monotonic()
        self._due = False
        self._later: list[Callable[[], None]] = []
        self._messages: list[bytes | pa.Buffer] = []  # of one flush

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

    def step_notes(self, notes: StepNotes) -> None:
        """Collect a step's counters and lines."""
        with self._lock:
            self._step_notes.append(notes)

    def later(self, hand_in: Callable[[], None]) -> None:
        """Call `hand_in`, which gives rows of what has ended, before the next rows are sent."""
        with self._lock:
            self._later.append(hand_in)

    def forward(self, batch: pa.RecordBatch) -> None:
        """Send a batch that another process has made."""
        with self._lock:
            self._sink.write(batch.serialize())

    def flush(self) -> None:
        """Send what was collected, and the tasks that are open and were not yet announced."""
        with self._lock:
            self._due = False
            self.flushed_at = time.monotonic()
            left, self._later = self._later, []
            for hand_in in left:
                hand_in()
            openings = self.opened()
            ended = self.ended()  # the executor's lock is taken before the list is read
            spans, self._timings = self._timings + ended, []
            closings, self._step_notes = self._step_notes, []
            notes, self._notes = self._notes, Notes()
            for columns, timings in self._with_openings(spans, openings):
                self._write_spans(columns, timings)
            for closing in closings:
                self._write_step_notes(closing)
            if len(notes):
                self._write_notes(notes)
            messages, self._messages = self._messages, []
            if messages:
                self._sink.write(b"".join(messages))  # one call of the system instead of many

    def flush_soon(self) -> None:
        """Let whoever waits next send what was collected: a step has ended."""
        self._due = True

    def flush_if_due(self, seconds: float) -> None:
        """Flush if a step has ended since the last flush, or that is so many seconds ago."""
        if self._due or time.monotonic() - self.flushed_at >= seconds:
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
        for _, timings in spans if self._announced else ():
            ended = timings.task.tolist()
            self._announced.difference_update((timings.step, task) for task in ended)
        for columns, opening in openings:
            key = (opening.step, opening.task)
            if key not in self._announced:
                self._announced.add(key)
                spans = _with_opening(spans, columns, opening)
        return spans

    def _write_spans(self, columns: TaskColumns, timings: Timings) -> None:
        """Write spans and open tasks, through the plan's template where it has one."""
        if timings.ready is not None or len(columns) > MOST_TEMPLATE_ROWS:
            self._messages.append(span_batch(columns, timings, self._origin).serialize())
            return
        key = (columns, timings.launched is not None)
        if key not in self._task_templates:
            self._task_templates[key] = _task_template(*key)
        template = self._task_templates[key]
        tasks, going = timings.task, timings.end == ABSENT
        template["step"][:] = timings.step
        template["record"][:] = _NONE
        template["record"][tasks] = np.where(going, _OPEN, _SPAN)
        template["start"][tasks] = timings.start - self._origin
        ends = np.where(going, time.perf_counter_ns(), timings.end)
        template["end"][tasks] = ends - self._origin
        if timings.launched is not None:
            template["launched"][tasks] = timings.launched - self._origin
        self._messages.append(template.message.tobytes())

    def _write_notes(self, notes: Notes) -> None:
        """Write rows; through a template if the last ones differed in numbers only."""
        shared = notes.shared
        if shared != self._shared:
            self._shared, self._notes_template = shared, Template(note_batch(notes), _NUMBERS)
        template = self._notes_template
        template["step"][:] = [step or 0 for step in notes.step]
        template["start"][:] = np.array(notes.start) - self._origin
        template["value"][:] = [value or 0 for value in notes.value]
        self._messages.append(template.message.tobytes())

    def _write_step_notes(self, notes: StepNotes) -> None:
        """Write the rows of a step through the template of their form."""
        form = notes.form
        if form is not self._form:
            self._form, self._form_template = form, Template(note_batch(form.notes), _NUMBERS)
        template = self._form_template
        template["step"][:] = notes.step
        template["start"][:] = notes.times[form.at] - self._origin
        template["value"][:] = form.values
        template["value"][: len(notes.first)] = notes.first
        for row, value in notes.others:
            template["value"][row] = value
        self._messages.append(template.message.tobytes())


def _task_template(columns: TaskColumns, launched: bool) -> Template:
    """A message with a row for each task of a plan."""
    tasks, zeros = np.arange(len(columns)), np.zeros(len(columns), np.int64)
    timings = Timings(0, tasks, zeros, zeros, launched=zeros if launched else None)
    filled = ("record", "step", "start", "end", *(("launched",) if launched else ()))
    return Template(span_batch(columns, timings), filled)


def _with_opening(
    spans: list[tuple[TaskColumns, Timings]], columns: TaskColumns, opening: Opening
) -> list[tuple[TaskColumns, Timings]]:
    """`spans` with an open task: in the last of them if it is of the same plan and step."""
    added = Timings(opening.step, [opening.task], [opening.start], [None])
    if spans:
        others, (known, timings) = spans[:-1], spans[-1]
        plain = timings.ready is None and timings.launched is None
        if plain and known is columns and timings.step == opening.step:
            joined = Timings(
                timings.step,
                np.append(timings.task, opening.task),
                np.append(timings.start, opening.start),
                np.append(timings.end, ABSENT),
            )
            return [*others, (known, joined)]
    return [*spans, (columns, added)]


def _since(origin: int, times: Numbers | None) -> pa.Array | None:
    """Times as a column relative to `origin`; None, for a null column, if there are none."""
    if times is None:
        return None
    absent = np.asarray(times) == ABSENT
    return pa.array(np.asarray(times) - origin, mask=absent if absent.any() else None)


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


def _word_array(column: str, codes: Sequence[int] | NDArray[np.int64]) -> pa.Array:
    numbers = pa.array(np.array(codes, np.int8))
    return pa.DictionaryArray.from_arrays(numbers, _DICTIONARIES[column])


def _task_column(field: pa.Field, tasks: Sequence[Task]) -> pa.Array:
    if field.name in WORDS:
        return _word_array(
            field.name, [_CODE[field.name][getattr(task, field.name)] for task in tasks]
        )
    name = "index" if field.name == "task" else field.name
    return pa.array([getattr(task, name) for task in tasks], field.type)
