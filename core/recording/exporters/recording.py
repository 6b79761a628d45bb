"""Writes any trace, also an imported one or a folder, as a recording that opens unchanged."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa

from core.files import whole_file
from core.plan.task import known
from core.recorder.stream import task_type
from core.recording.exporters.exported_spans import (
    attribute_column,
    nullable_numbers,
    nullable_words,
)
from core.recording.imported import ARGUMENTS_LEVEL, IMPORTED_LEVEL, imported_text
from core.recording.schema import (
    COSTS_LEVEL,
    SIZE_COSTS_LEVEL,
    NoteRow,
    Record,
    batch_of,
    note_batch,
    note_column,
    record_column,
    tasks_batch,
)
from core.recording.stream_header import schema_of
from core.trace.event_rows import Counters
from core.trace.spans import ATTRIBUTES, TaskTable
from core.trace.trace import Trace

T = TypeVar("T")
ROWS_AT_ONCE = 1 << 16
"""Number of rows that are written at once."""
ARGUMENTS_AT_ONCE = ROWS_AT_ONCE // 8


def write_recording(trace: Trace, path: Path | str) -> Generator[float, None, None]:
    """Write all data of a finished trace; yield the share written so far, 0 to 1.

    If the generator is closed before its end, no file is left. Raises OSError in one line that
    names `path`, and ValueError for an invalid header or arguments that can no longer be read.
    """
    trace.header.check()
    with (
        whole_file(path) as place,
        pa.OSFile(os.fsencode(place), "wb") as file,
        pa.ipc.new_stream(file, schema_of(trace.header)) as stream,
    ):
        written = 0
        whole = max(1, 2 * trace.span_count)
        for batch in _batches(trace):
            stream.write_batch(batch)
            written += len(batch)
            yield min(1.0, written / whole)


def _batches(trace: Trace) -> Iterator[pa.RecordBatch]:
    # All tasks are first, because a reader looks up the task of each span that it reads.
    plan_count = len(trace.table.firsts) - 1
    for number in range(plan_count):
        yield table_plan_batch(trace.table, number)
    if not trace.header.source.has_plan:
        row = _line(IMPORTED_LEVEL, imported_text(trace))
        yield note_batch([row])
    if trace.costs is not None:
        row = _line(COSTS_LEVEL, trace.costs)
        yield note_batch([row])
    if trace.size_costs is not None:
        row = _line(SIZE_COSTS_LEVEL, trace.size_costs)
        yield note_batch([row])
    for lane in range(len(trace.header.lanes)):
        span_count = len(trace.spans(lane))
        for first in range(0, span_count, ROWS_AT_ONCE):
            yield _spans(trace, lane, first)
    yield from _counted(Record.COUNTER, trace.counters)
    yield from _counted(Record.CLOCK, trace.clocks)
    for rows in _chunked(trace.logs, ROWS_AT_ONCE):
        notes = []
        for line in rows:
            notes.append(_line(line.level, line.text, line.time, line.step))
        yield note_batch(notes)
    imported = trace.imported
    if imported is not None and imported.arguments is not None:
        every_argument = imported.arguments.every()
        for arguments in _chunked(every_argument, ARGUMENTS_AT_ONCE):
            yield _arguments(trace.table, arguments)


def table_plan_batch(table: TaskTable, number: int) -> pa.RecordBatch:
    """Return the row with all tasks of a plan of a table, with their names."""
    where = table.plan(number)
    rows = table.rows[where]
    tasks = np.arange(where.start, where.stop)
    counts, needs = table.needs(tasks)
    # Offsets of a ListArray: the dependencies of task n are needs[ends[n]:ends[n + 1]].
    ends = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=ends[1:])
    needed_tasks = pa.array(needs, pa.int32())
    columns = {}
    for name in ATTRIBUTES:
        columns[name] = attribute_column(rows, name)
    columns["after"] = pa.ListArray.from_arrays(pa.array(ends), needed_tasks)
    columns["name"] = nullable_words(rows["name"], table.names)
    sorted_columns = [columns[field.name] for field in task_type()]
    return tasks_batch(number, sorted_columns)


def _spans(trace: Trace, lane: int, first: int) -> pa.RecordBatch:
    """Return rows of spans of a lane, from position `first`."""
    spans = trace.spans(lane)[first : first + ROWS_AT_ONCE]
    # A span has its task's lane unless its note has another one.
    is_moved = spans["lane"] != lane
    moved_count = int(is_moved.sum())
    note = None
    if moved_count:
        own_lane = np.full(moved_count, lane)
        note = note_column(is_moved, lane=own_lane)
    count = len(spans)
    return batch_of(
        count,
        record=record_column([Record.SPAN] * count),
        plan=nullable_numbers(spans["plan"], pa.int32()),
        task=nullable_numbers(spans["task"], pa.int32()),
        step=nullable_numbers(spans["step"], pa.int32()),
        start=pa.array(spans.start),
        end=pa.array(spans.end),
        ready=nullable_numbers(spans["ready"], pa.int64()),
        launched=nullable_numbers(spans["launched"], pa.int64()),
        note=note,
    )


def _counted(record: Record, counters: Counters) -> Iterator[pa.RecordBatch]:
    """Yield the rows of counters or clocks."""
    for counter in counters.values():
        for first in range(0, len(counter.times), ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            times = counter.times[part].tolist()
            steps = counter.steps[part].tolist()
            values = counter.values[part].tolist()
            rows = []
            for time, step, value in zip(times, steps, values, strict=True):
                row = NoteRow(record, counter.name, time, known(step), counter.lane, value)
                rows.append(row)
            yield note_batch(rows)


def _line(level: str, text: str, time: int = 0, step: int | None = None) -> NoteRow:
    """Return a log row."""
    return NoteRow(Record.LOG, level, time, step, text=text)


def _arguments(table: TaskTable, arguments: Sequence[tuple[int, str]]) -> pa.RecordBatch:
    """Return log rows for pairs of a row of the table and its event's arguments as JSON."""
    places = [place for place, _ in arguments]
    texts = [text for _, text in arguments]
    rows = table.rows[places]
    count = len(arguments)
    every = np.ones(count, np.bool_)
    start = np.zeros(count, np.int64)
    note = note_column(
        every,
        name=pa.array([ARGUMENTS_LEVEL] * count),
        text=pa.array(texts, pa.string()),
    )
    return batch_of(
        count,
        record=record_column([Record.LOG] * count),
        plan=pa.array(rows["plan"]),
        task=pa.array(rows["task"]),
        start=pa.array(start),
        note=note,
    )


def _chunked(items: Iterable[T], count: int) -> Iterator[list[T]]:
    """Yield lists of up to `count` items."""
    remaining = iter(items)
    while chunk := list(islice(remaining, count)):
        yield chunk
