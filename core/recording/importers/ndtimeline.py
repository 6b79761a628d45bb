"""Timelines of veScale's ndtimeline: operations of a pipeline by step and rank.

ByteDance publishes them as tables in Parquet, with times in seconds, and as complete events of the
Trace Event Format, with times in microseconds. Both have the same names of operations.
"""

from __future__ import annotations

import re
from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.arrays import Floats, Ints
from core.message import message
from core.plan.task import ABSENT, KIND_CODES, PASSES, Kind
from core.reading import open_regular
from core.recording.importers.event_counters import counters_of_events
from core.recording.importers.event_numbers import Scalar, event_times, to_float
from core.recording.importers.event_threads import thread_names
from core.recording.importers.imported_events import ImportedEvents
from core.recording.importers.json_arguments import JsonArguments
from core.recording.importers.pipeline_places import Transfer
from core.recording.importers.pipeline_table import (
    PipelineTable,
    events_of_table,
    numbered_microbatches,
)
from core.recording.importers.trace_events import TraceEvents
from core.recording.index import Progress, report_progress, watched
from core.recording.limits import TOO_MANY_ROWS, check_count, most_events
from core.trace.import_issue import ImportIssue

_KIND_OF_NAME = {
    "forward-compute": Kind.FORWARD,
    "backward-compute": Kind.BACKWARD,
    "backward-wgrad-compute": Kind.BACKWARD_WEIGHT,
    "optimizer": Kind.STEP,
    "data-load": Kind.DATA,
}
_KIND_OF_PART = (
    (re.compile("all-?reduce"), Kind.ALL_REDUCE),
    (re.compile("all-?gather"), Kind.ALL_GATHER),
    (re.compile("reduce-?scatter"), Kind.REDUCE_SCATTER),
    (re.compile("send|recv"), Kind.COPY),
    (re.compile("^optimizer"), Kind.STEP),
)
_TRANSFER_OF_NAME = {
    "forward-send": Transfer.FORWARD_SEND,
    "forward-recv": Transfer.FORWARD_RECEIVE,
    "backward-send": Transfer.BACKWARD_SEND,
    "backward-recv": Transfer.BACKWARD_RECEIVE,
}
_PP_RANK = re.compile(r"PP rank (\d{1,5})", re.IGNORECASE)
_TP_RANK = re.compile(r"TP rank (\d{1,5})", re.IGNORECASE)
_NAMES = frozenset({"forward-compute", "backward-compute"})
NS_PER_SECOND = 1e9
LATEST_SECONDS = 2e9
"""Limit of times in seconds; in ns, they then fit 61 bits."""
_REQUIRED = ("step", "optype", "start_ts", "duration")
_COLUMNS = (*_REQUIRED, "stage", "dp_rank", "tp_rank", "mc", "mb_id")
_NUMBER_COLUMNS = ("stage", "dp_rank", "tp_rank", "mc", "mb_id", "step")


class _Arguments(msgspec.Struct, gc=False):
    """The arguments of an event that describe its place in the pipeline; numbers may be texts."""

    step: Scalar = None
    mb_id: Scalar = None
    model_chunk: Scalar = None
    pp: Scalar = None
    tp: Scalar = None


_ARGUMENTS_DECODER = msgspec.json.Decoder(_Arguments)


def is_ndtimeline(events: TraceEvents) -> bool:
    """Return True if passes have the names of ndtimeline, also as their categories."""
    names = {str(name) for name in events.names}
    return bool(_NAMES & names & set(events.categories))


def read_ndtimeline(
    events: TraceEvents, path: Path, progress: Progress | None = None
) -> ImportedEvents:
    """Return the events of a file. Raises ValueError, Cancelled.

    The process is the rank of data parallelism. The stage is an argument, or in the thread's name.
    """
    columns = events.whole_columns()
    start, end = event_times(columns["begin"], columns["length"])
    count = events.count
    field_count = len(_Arguments.__struct_fields__)
    values = np.full((field_count, count), np.nan)
    file = JsonArguments.of(events, path)
    texts = watched(file.every(), progress)
    for place, text in zip(range(count), texts, strict=False):
        if text:
            values[:, place] = _numbers(text)
    of_events = values[:, columns["place"]]
    step, microbatch, chunk, rank, tensor = _whole(of_events)
    stage_of_thread, tensor_of_thread, replica_of_thread = _places_of_threads(events)
    thread = columns["thread"]
    table = _table(
        names=events.labels,
        name=columns["name"],
        step=step,
        replica=replica_of_thread[thread],
        tensor=np.where(tensor >= 0, tensor, tensor_of_thread[thread]),
        rank=np.where(rank >= 0, rank, stage_of_thread[thread]),
        chunk=chunk,
        microbatch=microbatch,
        start=start,
        end=end,
    )
    imported = events_of_table(table, events.issues)
    return replace(imported, counters=counters_of_events(events))


def _numbers(text: str) -> list[float]:
    """Return the numbers in an event's arguments, NaN for missing ones."""
    try:
        found = _ARGUMENTS_DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return [np.nan] * len(_Arguments.__struct_fields__)
    return [to_float(value) for value in msgspec.structs.astuple(found)]


def _whole(values: Floats) -> Ints:
    """Return the values as integers, with ABSENT for negative, too large and NaN values."""
    limit = np.iinfo(np.int32).max
    is_valid = (values >= 0) & (values < limit)
    whole = np.where(is_valid, values, ABSENT)
    return whole.astype(np.int64)


def _places_of_threads(events: TraceEvents) -> tuple[Ints, ...]:
    """Return stage, tensor rank and data rank of each thread; 0 for unknown ranks."""
    names = thread_names(events)
    count = len(names)
    stages = np.full(count, ABSENT, np.int64)
    tensors = np.zeros(count, np.int64)
    replicas = np.zeros(count, np.int64)
    for thread, ((name, _), (pid, _)) in enumerate(zip(names, events.threads, strict=True)):
        stage = _PP_RANK.search(name)
        if stage is not None:
            stages[thread] = int(stage[1])
        tensor = _TP_RANK.search(name)
        if tensor is not None:
            tensors[thread] = int(tensor[1])
        replica = to_float(pid)
        if 0 <= replica < np.iinfo(np.int16).max:
            replicas[thread] = int(replica)
    return stages, tensors, replicas


def read_ndtimeline_table(path: Path, progress: Progress | None = None) -> ImportedEvents:
    """Read a table in Parquet. Raises ValueError, Cancelled."""
    try:
        table = _read_parquet(path)
    except pa.ArrowException as error:
        raise ValueError(message("it is not a readable table: {error}", error=error)) from error
    report_progress(progress, 1, 2)
    issues = Counts[ImportIssue]()
    operations = table.column("optype").cast(pa.large_string())
    encoded = operations.combine_chunks().dictionary_encode()
    names = [text or "unnamed" for text in encoded.dictionary.to_pylist()]
    start = _seconds(table, "start_ts")
    duration = _seconds(table, "duration")
    is_valid = np.abs(start) < LATEST_SECONDS
    is_valid &= duration >= 0
    is_valid &= duration < LATEST_SECONDS
    is_valid &= ~np.asarray(encoded.is_null())
    mine = np.flatnonzero(is_valid)
    issues[ImportIssue.BAD_ROW] += len(is_valid) - len(mine)
    indices = encoded.indices.fill_null(0)
    code = indices.to_numpy(zero_copy_only=False)[mine]
    numbers: dict[str, Ints] = {}
    for column in _NUMBER_COLUMNS:
        numbers[column] = _integers(table, column)[mine]
    start = start[mine]
    end = start + duration[mine]
    start_ns = np.rint(start * NS_PER_SECOND)
    end_ns = np.rint(end * NS_PER_SECOND)
    made = _table(
        names=tuple(names),
        name=code.astype(np.int32),
        step=numbers["step"],
        replica=numbers["dp_rank"],
        tensor=np.maximum(numbers["tp_rank"], 0),
        rank=numbers["stage"],
        chunk=numbers["mc"],
        microbatch=numbers["mb_id"],
        start=start_ns.astype(np.int64),
        end=end_ns.astype(np.int64),
    )
    report_progress(progress, 2, 2)
    return events_of_table(made, issues)


def _read_parquet(path: Path) -> pa.Table:
    """Return the columns of a table that are used. Raises ValueError, pa.ArrowException."""
    # Loaded on demand, because few files are tables.
    import pyarrow.parquet as pq

    with open_regular(path) as source, pq.ParquetFile(source) as file:
        check_count(file.metadata.num_rows, most_events(path), TOO_MANY_ROWS)
        there = set(file.schema_arrow.names)
        missing = [name for name in _REQUIRED if name not in there]
        if missing:
            raise ValueError(message("its table has no column {name}", name=missing[0]))
        table = file.read([name for name in _COLUMNS if name in there], use_threads=False)
    kind = table.schema.field("optype").type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise ValueError(message("its column optype has the type {kind}, not text", kind=kind))
    return table


def _seconds(table: pa.Table, name: str) -> Floats:
    """Return a column of numbers, NaN for nulls. Raises ValueError for other types."""
    column = table.column(name)
    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        raise ValueError(
            message(
                "its column {name} has the type {kind}, not a number", name=name, kind=column.type
            )
        )
    values: Floats = column.to_numpy().astype(np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def _integers(table: pa.Table, name: str) -> Ints:
    """Return a column as integers, with ABSENT for invalid numbers and for a missing column."""
    if name not in table.column_names:
        return np.full(len(table), ABSENT, np.int64)
    return _whole(np.nan_to_num(_seconds(table, name), nan=float(ABSENT)))


def _table(
    names: Sequence[str],
    name: NDArray[np.int32],
    step: Ints,
    replica: Ints,
    tensor: Ints,
    rank: Ints,
    chunk: Ints,
    microbatch: Ints,
    start: Ints,
    end: Ints,
) -> PipelineTable:
    """Return the operations as a table, with kinds and transfers by their names."""
    kind_codes = [KIND_CODES[_kind(text)] for text in names]
    transfer_codes = [_TRANSFER_OF_NAME.get(text, ABSENT) for text in names]
    # At least one entry, because an empty list cannot be indexed below.
    kinds = np.array(kind_codes or [0], np.int8)
    transfers = np.array(transfer_codes or [0], np.int8)
    kind = kinds[name]
    made = PipelineTable(
        step=step,
        replica=np.maximum(replica, 0),
        tensor=tensor,
        rank=np.maximum(rank, 0),
        kind=kind,
        microbatch=microbatch,
        chunk=chunk,
        start=start,
        end=end,
        transfer=transfers[name],
        name=np.where(PASSES[kind], ABSENT, name).astype(np.int32),
        names=tuple(names),
    )
    return numbered_microbatches(made)


def _kind(name: str) -> Kind:
    if name in _KIND_OF_NAME:
        return _KIND_OF_NAME[name]
    for pattern, kind in _KIND_OF_PART:
        if pattern.search(name):
            return kind
    return Kind.OTHER
