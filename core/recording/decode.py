"""Decodes the stream's batches into the columns of a trace."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.arrays import Floats
from core.message import message
from core.order import groups
from core.plan.task import ABSENT
from core.recording.imported import ARGUMENTS_LEVEL, IMPORTED_LEVEL, take_imported
from core.recording.schema import COSTS_LEVEL, RECORDS, SIZE_COSTS_LEVEL, Record
from core.trace.event_rows import Counter, Counters
from core.trace.header import Header
from core.trace.job_steps import note_outside
from core.trace.span import span_of
from core.trace.spans import (
    ATTRIBUTES,
    LATEST,
    MOMENTS,
    WORDS,
    Spans,
    TaskTable,
    blank_rows,
    check_times,
)
from core.trace.trace import Trace

_HIDDEN_LEVELS = (COSTS_LEVEL, SIZE_COSTS_LEVEL, IMPORTED_LEVEL, ARGUMENTS_LEVEL)


def combined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Combine one or more batches into one, because each batch costs time."""
    # The first batches of a stream may have no rows, only dictionaries.
    filled = [batch for batch in batches if len(batch)]
    if not filled:
        return batches[0]
    if len(filled) == 1:
        return filled[0]
    table = pa.Table.from_batches(filled)
    combined_batches = table.combine_chunks().to_batches()
    return combined_batches[0]


def append_batch(trace: Trace, batch: pa.RecordBatch) -> None:
    """Append a batch of a run's stream to its trace.

    Raises ValueError or LookupError for rows with unknown lanes, plans or tasks, with ends before
    starts, or with numbers out of bounds.
    """
    appenders = {
        Record.PLAN: _append_plans,
        # Before spans: a combined batch may have a task's open row and its span, which closes the
        # task. In the other order, the task would stay open for ever.
        Record.OPEN: _append_open,
        Record.SPAN: _append_spans,
        Record.COUNTER: _append_counters,
        Record.LOG: _append_logs,
        Record.CLOCK: _append_clocks,
    }
    parts = parts_of(batch)
    for record, append in appenders.items():
        if record in parts:
            append(trace, parts[record])
    note_outside(trace)
    trace.version += 1


def _append_plans(trace: Trace, batch: pa.RecordBatch) -> None:
    # The row about an imported trace has a colour for each task before it; later tasks would have
    # no colour.
    if trace.listed_steps is not None:
        raise ValueError(message("a plan follows the row about the imported trace"))
    first = len(trace.table)
    take_plans(batch, trace.table)
    rows = trace.table.rows[first:]
    lanes = rows["lane"]
    trace.check_lanes(lanes[lanes != ABSENT])
    if trace.header.source.has_plan:
        _check_known(trace.header, rows)


def _check_known(header: Header, rows: NDArray[Any]) -> None:
    """Raise LookupError for tasks of a replica, stage, block or micro-batch that does not exist.

    Imported traces and jobs have no plan, so these numbers are not known for them.
    """
    blocks = len(header.model.blocks)
    # A stage has at least one block, or a part of a block that is split over lanes.
    stages = blocks * max(1, len(header.lanes))
    # A micro-batch has at least one row.
    microbatches = header.specification.batch_rows
    counts = {
        "replica": header.replicas,
        "block": blocks,
        "stage": stages,
        "paired_stage": stages,
        "microbatch": microbatches,
        "paired_microbatch": microbatches,
    }
    for name, count in counts.items():
        last = int(rows[name].max(initial=ABSENT))
        if last >= count:
            text = message(
                "a task is of {what} {last}, and the last one is {count}",
                what=name.removeprefix("paired_"),
                last=last,
                count=count - 1,
            )
            raise LookupError(text)


def _checked(
    trace: Trace, batch: pa.RecordBatch, stepless: bool
) -> tuple[Spans, NDArray[np.int32]]:
    """Return a batch's spans and the lane of each; `stepless` allows spans without a step.

    Raises ValueError or LookupError for invalid spans.
    """
    spans, lanes = spans_of(batch, trace.table)
    trace.check_lanes(lanes)
    if not stepless and (spans.step < 0).any():
        raise ValueError(message("a span has no step"))
    return spans, lanes


def _append_spans(trace: Trace, batch: pa.RecordBatch) -> None:
    stepless = trace.listed_steps is not None
    spans, lanes = _checked(trace, batch, stepless)
    by_lane = []
    for mine in groups(lanes):
        lane = int(lanes[mine[0]])
        by_lane.append((lane, spans[mine]))
    trace.add_spans(spans, by_lane)


def _append_open(trace: Trace, batch: pa.RecordBatch) -> None:
    spans, lanes = _checked(trace, batch, stepless=False)
    for place, lane in enumerate(lanes.tolist()):
        opened = span_of(lane, ABSENT, spans[place : place + 1])
        trace.open_spans[opened.step, opened.task] = opened


def _append_counters(trace: Trace, batch: pa.RecordBatch) -> None:
    notes = notes_of(batch)
    lanes = numbers_in(notes.field("lane"))
    values = floats_in(notes.field("value"))
    of_lane = lanes != ABSENT
    trace.check_lanes(lanes[of_lane])
    # Counters of a lane are bytes; others, such as the loss, may be NaN.
    sizes = np.abs(values[of_lane])
    is_valid = sizes <= LATEST
    if not is_valid.all():
        raise ValueError(message("a lane's counter is out of bounds"))
    _extend_counters(trace.counters, batch)


def _append_clocks(trace: Trace, batch: pa.RecordBatch) -> None:
    notes = notes_of(batch)
    uncertainties = floats_in(notes.field("value"))
    is_valid = np.isfinite(uncertainties)
    if not is_valid.all():
        raise ValueError(message("a clock's uncertainty is not a finite number"))
    _extend_counters(trace.clocks, batch)


def _extend_counters(counters: Counters, batch: pa.RecordBatch) -> None:
    """Append the values of a batch's notes to the counters of the same name and lane."""
    notes = notes_of(batch)
    names = notes.field("name").dictionary_encode()
    texts = names.dictionary.to_pylist()
    codes = numbers_in(names.indices)
    lanes = numbers_in(notes.field("lane"))
    steps = numbers_of(batch, "step")
    times = numbers_of(batch, "start")
    check_times(times)
    values = floats_in(notes.field("value"))
    # Combine name and lane into one number, so that one sort groups by both; ABSENT becomes 0.
    width = int(lanes.max()) - ABSENT + 1
    keys = codes * width + (lanes - ABSENT)
    for mine in groups(keys):
        key = int(keys[mine[0]])
        code, from_absent = divmod(key, width)
        name = texts[code]
        lane = from_absent + ABSENT if from_absent else None
        counter = counters.setdefault((name, lane), Counter(name, lane))
        counter.extend(times=times[mine], values=values[mine], steps=steps[mine])


def _append_logs(trace: Trace, batch: pa.RecordBatch) -> None:
    notes = notes_of(batch)
    levels = notes.field("name").to_pylist()
    texts = notes.field("text").to_pylist()
    shown = np.array([level not in _HIDDEN_LEVELS for level in levels], np.bool_)
    for level, text in zip(levels, texts, strict=True):
        if level == COSTS_LEVEL:
            trace.costs = text
        elif level == SIZE_COSTS_LEVEL:
            trace.size_costs = text
        elif level == IMPORTED_LEVEL:
            # Spans before it would not have been assigned to these steps.
            if trace.span_count:
                raise ValueError(message("the steps of an imported trace come after its spans"))
            take_imported(trace, text)
    times = numbers_of(batch, "start")[shown]
    steps = numbers_of(batch, "step")[shown]
    check_times(times)
    shown_levels = compress(levels, shown)
    shown_texts = compress(texts, shown)
    trace.logs.add(times, steps, shown_levels, shown_texts)


def records_of(batch: pa.RecordBatch) -> NDArray[np.int8]:
    """Return the kind of each row as a position in RECORDS; each writer has its own dictionary."""
    column = batch["record"]
    codes = _codes(column.dictionary, RECORDS, "record")
    return codes[column.indices.to_numpy(zero_copy_only=False)]  # type: ignore[no-any-return]


def _codes(texts: pa.Array, words: tuple[str, ...], column: str) -> NDArray[np.int8]:
    """Return the position in `words` of each text. Raises ValueError for unknown texts."""
    places = {word: place for place, word in enumerate(words)}
    found = texts.to_pylist()
    codes = []
    for text in found:
        if text not in places:
            raise ValueError(
                message(
                    "its column {column} has {text!r}, which is not a known word",
                    column=column,
                    text=text,
                )
            )
        codes.append(places[text])
    return np.array(codes, np.int8)


def numbers_of(batch: pa.RecordBatch, name: str) -> NDArray[Any]:
    """Return a column of numbers, with -1 for null."""
    return numbers_in(batch[name])


def numbers_in(array: pa.Array) -> NDArray[Any]:
    """Return the numbers of an array, with -1 for null."""
    # fill_null copies, and most columns have no nulls.
    if array.null_count:
        array = array.fill_null(ABSENT)
    numbers: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return numbers


def floats_in(array: pa.Array) -> Floats:
    """Return the numbers of an array, with NaN for null."""
    numbers: Floats = array.to_numpy(zero_copy_only=False)
    return numbers


def take_plans(batch: pa.RecordBatch, table: TaskTable) -> None:
    """Add the tasks of a batch's plans to the table.

    Raises ValueError for tasks with a lane or number out of bounds, and for tasks that wait for
    themselves or a later task. So dependencies never form a cycle.
    """
    numbers = numbers_of(batch, "plan").tolist()
    for number, tasks in zip(numbers, batch["tasks"], strict=True):
        next_number = len(table.firsts) - 1
        if number != next_number:
            raise ValueError(message("plan {number} is out of order", number=number))
        columns = tasks.values
        if columns is None:
            raise ValueError(message("plan {number} has no tasks", number=number))
        rows = blank_rows(len(columns))
        for name in ATTRIBUTES:
            rows[name] = _attribute(columns.field(name), name)
        names = columns.field("name")
        if names.null_count < len(names):
            places = []
            for text in names.to_pylist():
                place = table.names.place(text) if text else ABSENT
                places.append(place)
            rows["name"] = places
        after = columns.field("after")
        lengths = after.value_lengths().fill_null(0)
        counts = lengths.to_numpy(zero_copy_only=False)
        needs = after.flatten().to_numpy(zero_copy_only=False)
        waiter = np.repeat(np.arange(len(rows)), counts)
        is_earlier = (needs >= 0) & (needs < waiter)
        if not is_earlier.all():
            raise ValueError(
                message(
                    "plan {number} has a task that waits for one that is not before it",
                    number=number,
                )
            )
        rows["after_count"] = counts
        table.add(rows, needs)


def _attribute(column: pa.Array, name: str) -> NDArray[Any]:
    """Return a column of tasks as the table stores it. Raises ValueError for invalid values."""
    if name in WORDS:
        words = column.dictionary_encode()
        if words.null_count:
            raise ValueError(message("a task has no {name}", name=name))
        codes = _codes(words.dictionary, WORDS[name], name)
        return codes[numbers_in(words.indices)]  # type: ignore[no-any-return]
    numbers = numbers_in(column)
    most = _most(ATTRIBUTES[name])
    if len(numbers) and not ABSENT <= numbers.min() <= numbers.max() <= most:
        raise ValueError(message("a task's {name} is out of bounds", name=name))
    return numbers


def _most(dtype: Any) -> int:
    """Return the largest valid value of an attribute."""
    most = int(np.iinfo(dtype).max)
    return min(most, LATEST)


def spans_of(batch: pa.RecordBatch, table: TaskTable) -> tuple[Spans, NDArray[np.int32]]:
    """Return the spans of a batch, or its open tasks with ABSENT as end, and the lane of each.

    Raises LookupError for a task that no plan has, ValueError for times or steps out of bounds.
    """
    plans = numbers_of(batch, "plan")
    tasks = numbers_of(batch, "task")
    rows = table.rows_of(plans, tasks)
    moments = {}
    for name in MOMENTS:
        if batch[name].null_count < len(batch):
            moments[name] = numbers_of(batch, name)
    start = numbers_of(batch, "start")
    end = numbers_of(batch, "end")
    step = numbers_of(batch, "step")
    check_times(start, end, *moments.values())
    if len(step) and step.min() < ABSENT:
        raise ValueError(message("a span's step is out of bounds"))
    lanes = table.rows["lane"][rows].astype(np.int32)
    note = batch["note"]
    if note.null_count < len(batch):
        has_note = note.is_valid().to_numpy(zero_copy_only=False)
        notes = notes_of(batch)
        lanes[has_note] = numbers_in(notes.field("lane"))
    return Spans(
        table=table,
        start=start,
        end=end,
        step=step,
        row=rows,
        **moments,
    ), lanes


def notes_of(batch: pa.RecordBatch) -> pa.StructArray:
    """Return the notes of the rows that have one. Raises ValueError for lists of other lengths."""
    column = batch["note"]
    counts = column.value_lengths().drop_null().to_numpy()
    if (counts != 1).any():
        raise ValueError(message("a row does not have exactly one note"))
    return column.flatten()


def parts_of(batch: pa.RecordBatch) -> dict[Record, pa.RecordBatch]:
    """Return a batch's rows by their kind."""
    codes = records_of(batch)
    parts = {}
    counts = np.bincount(codes)
    for code in np.flatnonzero(counts).tolist():
        record = RECORDS[code]
        if counts[code] == len(batch):
            parts[record] = batch
        else:
            mine = codes == code
            parts[record] = batch.filter(pa.array(mine))
    return parts
