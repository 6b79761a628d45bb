"""From the stream's batches to columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.order import stable_order
from core.trace.columns import ABSENT
from core.trace.schema import RECORDS, SCHEMA, WORDS, Record
from core.trace.spans import MOMENTS, Spans
from core.trace.table import TASK_DTYPE, TaskTable

_NUMBERS = ("bytes", "rows", "task", "microbatch", "stage", "replica", "block", "bucket",
            "paired_stage", "paired_microbatch")  # fmt: skip

_TASK = [name for name in SCHEMA.names if name not in ("record", "value", "text")]
_COLUMNS = {
    Record.SPAN: _TASK,
    Record.OPEN: _TASK,
    Record.COUNTER: ["name", "lane", "step", "start", "value"],
    Record.LOG: ["name", "text", "step", "start"],
    Record.CLOCK: ["name", "step", "value"],
}


def merged(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """The rows of one or more batches as one: reading has a price for each batch, however small."""
    told = [batch for batch in batches if len(batch)]  # the first of a stream only bring its words
    if len(told) < 2:
        return (told or batches)[0]
    return pa.Table.from_batches(told).combine_chunks().to_batches()[0]


def codes_of(batch: pa.RecordBatch, name: str) -> NDArray[np.int8]:
    """The word column as codes of WORDS, whatever dictionary its writer used; -1 where null."""
    column = batch[name]
    codes: NDArray[np.int8] = numbers_in(column.indices).astype(np.int8)
    words = column.dictionary.to_pylist()
    if tuple(words) == WORDS[name]:
        return codes
    translate: NDArray[np.int8] = np.array(
        [WORDS[name].index(word) for word in words] + [ABSENT], np.int8
    )
    translated: NDArray[np.int8] = translate[codes]
    return translated


def numbers_of(batch: pa.RecordBatch, name: str) -> NDArray[Any]:
    """A column of numbers; -1 where null."""
    return numbers_in(batch[name])


def numbers_in(array: pa.Array) -> NDArray[Any]:
    """The numbers of an array; -1 where null."""
    if array.null_count:
        array = array.fill_null(ABSENT)
    numbers: NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return numbers


def rows_of(batch: pa.RecordBatch, table: TaskTable) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """What n tasks or spans tell (TASK_DTYPE), and what they waited for, one behind the other."""
    rows = np.zeros(len(batch), TASK_DTYPE)
    for name in _NUMBERS:
        rows[name] = numbers_of(batch, name)
    for name in ("kind", "payload"):
        rows[name] = codes_of(batch, name)
    rows["name"] = _names(batch, table)
    counts = batch["after"].value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    rows["after_count"] = counts
    rows["after"] = np.cumsum(counts) - counts
    return rows, batch["after"].flatten().to_numpy(zero_copy_only=False)


def spans_of(batch: pa.RecordBatch, table: TaskTable) -> tuple[Spans, NDArray[np.int32]]:
    """The spans of a batch and the lane of each; what they tell is put into the table."""
    places = table.places(*rows_of(batch, table))
    moments = {
        name: numbers_of(batch, name) for name in MOMENTS if batch[name].null_count < len(batch)
    }
    start, end, step = (numbers_of(batch, name) for name in ("start", "end", "step"))
    return Spans(table, start, end, step, places, **moments), numbers_of(batch, "lane")


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
    codes = codes_of(batch, "record")
    counts = np.bincount(codes, minlength=len(RECORDS))
    parts = {}
    for code in np.flatnonzero(counts).tolist():
        columns = _COLUMNS.get(RECORDS[code])
        if columns is not None:
            part = batch.select(columns)
            whole = counts[code] == len(batch)
            parts[RECORDS[code]] = part if whole else _taken(part, codes == code)
    return parts


def _taken(batch: pa.RecordBatch, mask: NDArray[np.bool_]) -> pa.RecordBatch:
    """Some rows of a batch; without a copy if they stand behind one another."""
    rows = np.flatnonzero(mask)
    first, last = int(rows[0]), int(rows[-1])
    if last - first + 1 == len(rows):
        return batch.slice(first, len(rows))
    return batch.take(pa.array(rows))


def _names(batch: pa.RecordBatch, table: TaskTable) -> NDArray[np.int32] | int:
    """The number of each span's own name in the table; -1 where it has none."""
    column = batch["name"]
    if column.null_count == len(column):
        return ABSENT
    encoded = column.dictionary_encode()
    numbers = [table.name(text) for text in encoded.dictionary.to_pylist()]
    every = np.array([*numbers, ABSENT], np.int32)
    told: NDArray[np.int32] = every[numbers_in(encoded.indices)]
    return told
