"""Any trace as a recording: one of another program, or of a folder, opens again as it was."""

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
from core.recorder.stream import TASK
from core.recording.exporters.events import attribute_column, numbers_or_none, words_or_none
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
    schema_of,
    tasks_batch,
)
from core.trace.event_rows import Counters
from core.trace.spans import ATTRIBUTES, TaskTable
from core.trace.trace import Trace

Thing = TypeVar("Thing")
PIECE = 1 << 16
"""Rows that are written at once."""


def write_recording(trace: Trace, path: Path | str) -> Generator[float, None, None]:
    """Write all that a finished trace holds; yields the share that is written, 0 to 1.

    A generator that is closed before its end leaves no file. Raises OSError in one line that names
    `path`, ValueError for what no recording can hold, or if the arguments of events are gone.
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
    # A reader looks up each span's task as the span comes: all tasks go first.
    for number in range(len(trace.table.firsts) - 1):
        yield table_plan_batch(trace.table, number)
    if not trace.header.source.has_plan:
        yield _lines([(0, None, IMPORTED_LEVEL, imported_text(trace))])
    if trace.costs is not None:
        yield _lines([(0, None, COSTS_LEVEL, trace.costs)])
    if trace.size_costs is not None:
        yield _lines([(0, None, SIZE_COSTS_LEVEL, trace.size_costs)])
    for lane in range(len(trace.header.lanes)):
        for first in range(0, len(trace.spans(lane)), PIECE):
            yield _spans(trace, lane, first)
    yield from _counted(Record.COUNTER, trace.counters)
    yield from _counted(Record.CLOCK, trace.clocks)
    for rows in _pieces(trace.logs, PIECE):
        yield _lines((row.time, row.step, row.level, row.text) for row in rows)
    if trace.imported is not None and trace.imported.arguments is not None:
        for some in _pieces(trace.imported.arguments.every(), PIECE // 8):
            yield _arguments(trace.table, some)


def table_plan_batch(table: TaskTable, number: int) -> pa.RecordBatch:
    """The row that holds all tasks of a plan that a table has, with the tasks' own names."""
    rows = table.rows[table.plan(number)]
    counts, needs = table.needs(np.arange(len(table))[table.plan(number)])
    # Offsets of a ListArray: the tasks that task n waits for are needs[ends[n]:ends[n + 1]].
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns = {name: attribute_column(rows, name) for name in ATTRIBUTES}
    columns["after"] = pa.ListArray.from_arrays(pa.array(ends), pa.array(needs, pa.int32()))
    columns["name"] = words_or_none(rows["name"], table.names)
    return tasks_batch(number, [columns[field.name] for field in TASK])


def _spans(trace: Trace, lane: int, first: int) -> pa.RecordBatch:
    spans = trace.spans(lane)[first : first + PIECE]
    # A span has its task's lane unless a note beside it says another one.
    own = spans["lane"] != lane
    return batch_of(
        len(spans),
        record=record_column([Record.SPAN] * len(spans)),
        note=note_column(own, lane=np.full(int(own.sum()), lane)) if own.any() else None,
        **{name: numbers_or_none(spans[name], pa.int32()) for name in ("plan", "task", "step")},
        **{name: numbers_or_none(spans[name], pa.int64()) for name in ("ready", "launched")},
        start=pa.array(spans.start),
        end=pa.array(spans.end),
    )


def _counted(record: Record, counters: Counters) -> Iterator[pa.RecordBatch]:
    for counter in counters.values():
        for first in range(0, len(counter.times), PIECE):
            some = slice(first, first + PIECE)
            columns = (counter.times, counter.steps, counter.values)
            rows = zip(*(column[some].tolist() for column in columns), strict=True)
            yield note_batch(
                [
                    NoteRow(record, counter.name, time, known(step), counter.lane, value)
                    for time, step, value in rows
                ]
            )


def _lines(rows: Iterable[tuple[int, int | None, str, str]]) -> pa.RecordBatch:
    return note_batch(
        [NoteRow(Record.LOG, level, time, step, text=text) for time, step, level, text in rows]
    )


def _arguments(table: TaskTable, arguments: Sequence[tuple[int, str]]) -> pa.RecordBatch:
    rows = table.rows[[row for row, _ in arguments]]
    texts = pa.array([text for _, text in arguments], pa.string())
    names = pa.array([ARGUMENTS_LEVEL] * len(arguments))
    return batch_of(
        len(arguments),
        record=record_column([Record.LOG] * len(arguments)),
        plan=pa.array(rows["plan"]),
        task=pa.array(rows["task"]),
        start=pa.array(np.zeros(len(arguments), np.int64)),
        note=note_column(np.ones(len(arguments), np.bool_), name=names, text=texts),
    )


def _pieces(things: Iterable[Thing], count: int) -> Iterator[list[Thing]]:
    every = iter(things)
    while some := list(islice(every, count)):
        yield some
