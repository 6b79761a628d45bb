"""From the stream's batches to columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.order import stable_order
from core.recording.schema import ATTRIBUTES, RECORDS, Attribute, Record
from core.trace.columns import ABSENT
from core.trace.spans import MOMENTS, Spans
from core.trace.table import TaskTable, blank_rows

LATEST = 1 << 61
"""No time lies beyond so many ns: sums of two still have 63 bits."""


def merged(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """The rows of one or more batches as one: reading has a price for each batch, however small."""
    told = [batch for batch in batches if len(batch)]  # the first of a stream only bring its words
    if len(told) < 2:
        return (told or batches)[0]
    return pa.Table.from_batches(told).combine_chunks().to_batches()[0]


def records_of(batch: pa.RecordBatch) -> NDArray[np.int8]:
    """What each row of a batch is, as places in RECORDS, whatever dictionary its writer used."""
    column = batch["record"]
    codes = _codes(column.dictionary, RECORDS)
    return codes[column.indices.to_numpy(zero_copy_only=False)]  # type: ignore[no-any-return]


def _codes(told: pa.Array, words: tuple[str, ...]) -> NDArray[np.int8]:
    """The places among `words` of some of them, told as texts. Raises ValueError for another."""
    return np.array([words.index(word) for word in told.to_pylist()], np.int8)


def numbers_of(batch: pa.RecordBatch, name: str) -> NDArray[Any]:
    """A column of numbers; -1 where null."""
    return numbers_in(batch[name])


def numbers_in(array: pa.Array) -> NDArray[Any]:
    """The numbers of an array; -1 where null."""
    if array.null_count:
        array = array.fill_null(ABSENT)
    numbers: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return numbers


def take_plans(batch: pa.RecordBatch, table: TaskTable) -> None:
    """Put the tasks of a batch's plans into the table.

    Raises ValueError for tasks that no plan has: a lane or a number out of bounds, or one that
    waits for itself or a later one, so that no walk along what tasks wait for ever comes back.
    """
    for number, tasks in zip(numbers_of(batch, "plan").tolist(), batch["tasks"], strict=True):
        if number != len(table.firsts) - 1:
            raise ValueError(f"plan {number} is not the next one that could be told")
        told = tasks.values
        if told is None:
            raise ValueError(f"plan {number} has no tasks")
        rows = blank_rows(len(told))
        for attribute in ATTRIBUTES:
            rows[attribute.name] = _attribute(told.field(attribute.name), attribute)
        names = told.field("name")
        if names.null_count < len(names):
            known = [text and table.name(text) for text in names.to_pylist()]
            rows["name"] = [ABSENT if place is None or place == "" else place for place in known]
        after = told.field("after")
        counts = after.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        needs = after.flatten().to_numpy(zero_copy_only=False)
        waiter = np.repeat(np.arange(len(rows)), counts)
        if len(needs) and not ((needs >= 0) & (needs < waiter)).all():
            raise ValueError(f"plan {number} has a task that waits for one that is not before it")
        rows["after_count"] = counts
        table.add(rows, needs)


def _attribute(column: pa.Array, attribute: Attribute) -> NDArray[Any]:
    """A column of tasks as it is kept. Raises ValueError for what does not fit into it."""
    if attribute.words:
        words = column.dictionary_encode()
        if words.null_count:
            raise ValueError(f"a task has no {attribute.name}")
        codes = _codes(words.dictionary, attribute.words)
        return codes[numbers_in(words.indices)]  # type: ignore[no-any-return]
    numbers = numbers_in(column)
    if len(numbers) and not ABSENT <= numbers.min() <= numbers.max() <= _most(attribute.dtype):
        raise ValueError(f"a task's {attribute.name} is out of bounds")
    return numbers


def _most(dtype: Any) -> int:
    return min(int(np.iinfo(dtype).max), LATEST)


def spans_of(batch: pa.RecordBatch, table: TaskTable) -> tuple[Spans, NDArray[np.int32]]:
    """The spans (or open tasks, whose ends are ABSENT) of a batch, and the lane of each.

    Raises LookupError for a task that no plan has, ValueError for times that no clock shows.
    """
    rows = table.places(numbers_of(batch, "plan"), numbers_of(batch, "task"))
    moments = {
        name: numbers_of(batch, name) for name in MOMENTS if batch[name].null_count < len(batch)
    }
    start, end, step = (numbers_of(batch, name) for name in ("start", "end", "step"))
    for times in (start, end, *moments.values()):
        if len(times) and max(-int(times.min()), int(times.max())) > LATEST:
            raise ValueError("a time is out of bounds")
    if len(step) and step.min() < 0:
        raise ValueError("a span has no step")
    lanes = table.rows["lane"][rows].astype(np.int32)
    if batch["note"].null_count < len(batch):
        noted = batch["note"].is_valid().to_numpy(zero_copy_only=False)
        lanes[noted] = numbers_in(notes_of(batch).field("lane"))
    return Spans(table, start, end, step, rows, **moments), lanes


def notes_of(batch: pa.RecordBatch) -> pa.StructArray:
    """The note of each row that has one. Raises ValueError where one has several, or none in it."""
    counts = batch["note"].value_lengths().drop_null().to_numpy()
    if (counts != 1).any():
        raise ValueError("a row has not one note")
    return batch["note"].flatten()


def by_lane(spans: Spans, lanes: NDArray[np.int32]) -> Iterator[tuple[int, Spans]]:
    """The spans of each lane that has some, in their order. Raises LookupError for lane -1."""
    if len(lanes) and lanes.min() < 0:
        raise LookupError("a span has no lane")
    for lane, mine in groups(lanes):
        yield lane, spans[mine]


def groups(keys: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Each of the keys, and where it stands, in order."""
    if not len(keys):
        return
    order = stable_order(keys)
    arranged = keys[order]
    firsts = [0, *(np.flatnonzero(arranged[1:] != arranged[:-1]) + 1).tolist()]
    for first, last in zip(firsts, [*firsts[1:], len(keys)], strict=True):
        yield int(keys[order[first]]), order[first:last]


def parts_of(batch: pa.RecordBatch) -> dict[Record, pa.RecordBatch]:
    """A batch's rows by their record, each with the columns that it can have."""
    codes = records_of(batch)
    counts = np.bincount(codes, minlength=len(RECORDS))
    parts = {}
    for code in np.flatnonzero(counts).tolist():
        part = batch.select(_COLUMNS[RECORDS[code]])
        whole = counts[code] == len(batch)
        parts[RECORDS[code]] = part if whole else _taken(part, codes == code)
    return parts


_SPAN = ["plan", "task", "step", "start", "end", *MOMENTS, "note"]
_NOTE = ["step", "start", "note"]
_COLUMNS = {
    Record.PLAN: ["plan", "tasks"],
    Record.SPAN: _SPAN,
    Record.OPEN: _SPAN,
    Record.COUNTER: _NOTE,
    Record.LOG: _NOTE,
    Record.CLOCK: _NOTE,
}


def _taken(batch: pa.RecordBatch, mask: NDArray[np.bool_]) -> pa.RecordBatch:
    """Some rows of a batch; without a copy if they stand behind one another."""
    rows = np.flatnonzero(mask)
    first, last = int(rows[0]), int(rows[-1])
    if last - first + 1 == len(rows):
        return batch.slice(first, len(rows))
    return batch.take(pa.array(rows))
