"""Index of a large recording: a memory-mapped file with its columns, lane by lane.

A recording has batches with spans of all lanes, in the order in which they were written. The index
has each column of each lane in one piece, sums over blocks of spans, and all other data of a trace.
Opening it only reads its bytes once, to check them: half a second for a hundred million spans if
the file is cached. All of its data is in the recording too: deleting an index is always safe.

It is an Apache Arrow IPC file with a row for each **part**, an array: its name, type, bytes, and
the CRC-32 of all parts up to this one. The last part is JSON with the values that are not arrays. A
damaged index is built again. The file gets its name when it is complete; another file or folder of
that name is not touched.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.files import whole_file
from core.message import message, text_from_plain, text_to_plain
from core.paths import cache_folder
from core.plan.task import ABSENT
from core.recording.decode import append_batch, parts_of, spans_of, take_plans
from core.recording.imported import imported_text, take_imported
from core.recording.index_file import (
    VERSION,
    DamagedIndex,
    IndexArrays,
    is_index,
    read_parts,
    write_parts,
)
from core.recording.schema import Record
from core.recording.stream import Opened, RecordingStream, naming_damage, open_stream
from core.trace.blocks import Blocks, block_sums
from core.trace.complete import run_faults
from core.trace.event_rows import Counter, Counters, Log
from core.trace.job_steps import note_outside
from core.trace.span import Span
from core.trace.spans import MOMENTS, SPAN_DTYPES, TASK_DTYPE, Spans, TaskTable
from core.trace.step_bounds import Fault, StepBounds
from core.trace.trace import Trace
from core.typed import typed

Progress = Callable[[int, int], bool | None]
"""Called with the amount done and the total; returning False cancels."""
WATCHED = 1 << 16
"""Number of items between two checks for cancelling."""
Thing = TypeVar("Thing")
_FACTS = "facts"
_COUNTING = 1  # rough share of the time, in tenths, as are the next two
_FILLING = 8
_SUMMING = 1


class Cancelled(Exception):
    """Raised when the progress callback returns False."""


def report_progress(progress: Progress | None, done: int, total: int) -> None:
    """Report the amount done. Raises Cancelled if the callback returns False."""
    if progress is not None and progress(done, total) is False:
        raise Cancelled(message("opening the recording was cancelled"))


def partial_progress(progress: Progress | None, number: int, count: int) -> Progress | None:
    """Return a callback for file `number` of `count` that reports the progress of all files."""
    if progress is None:
        return None

    def report(done: int, total: int) -> bool | None:
        done_of_all = number * total + min(done, total)
        return progress(done_of_all, count * total)

    return report


def watched(things: Iterable[Thing], progress: Progress | None) -> Iterator[Thing]:
    """Yield things, and check from time to time for cancelling. Raises Cancelled."""
    for number, thing in enumerate(things):
        if number % WATCHED == 0:
            report_progress(progress, 1, 1)
        yield thing


def index_files(path: Path | str) -> tuple[Path, Path]:
    """Return the two paths of a recording's index: next to it, and in the user's cache folder.

    The second is used if the first cannot be written; its name depends on the recording's path.
    """
    whole = Path(path).absolute()
    digest = hashlib.sha256(os.fsencode(whole)).hexdigest()
    key = digest[:16]
    name = f"{whole.name}.index"
    adjacent = whole.with_name(name)
    cached = cache_folder() / "bubblescope" / f"{key}-{name}"
    return adjacent, cached


def read_index(path: Path | str) -> Opened | None:
    """Return a mapped recording; None if it has no index or an outdated one.

    Raises DamagedIndex if the index was changed since it was written.
    """
    for place in index_files(path):
        if place.is_file() and is_index(place):
            try:
                arrays = read_parts(place)
                facts = json.loads(arrays.pop(_FACTS).tobytes())
                # Another recording may have been written to this path since.
                if facts["of"] == _identity(path):
                    trace = _mapped(path, arrays, facts)
                    return Opened(trace, text_from_plain(facts["warning"]))
            except KeyError as error:
                raise DamagedIndex(message("{place} is damaged", place=place)) from error
    return None


def build_index(path: Path | str, progress: Progress | None = None) -> Path:
    """Build a recording's index, replacing an old one; returns its path.

    Raises RecordingError if the recording cannot be read, OSError if the index cannot be written,
    and Cancelled if `progress` returns False; the unfinished index is removed then.
    """
    with open_stream(path) as stream:
        identity = _identity(path)
        counts, moments = _count(stream, progress)
    target = _target(path)
    # The recording is read twice: first to count, so that every column is allocated in its final
    # size, then to fill the columns. A growing column would need twice its memory, which is too
    # much for a hundred million spans.
    with open_stream(path) as stream, whole_file(target) as place:
        trace = _filled(stream, counts, moments, target.parent, progress)
        facts = {
            "of": identity,
            "warning": text_to_plain(stream.warning(trace.span_count)),
            **_facts(trace),
        }
        write_parts(place, _arrays(trace, facts, stream.size, progress))
    return target


# Writing


def _target(path: Path | str) -> Path:
    """Return the path for a new index. Raises OSError if neither path can be written."""
    adjacent, cached = index_files(path)
    is_free = not os.path.lexists(adjacent) or is_index(adjacent)
    if is_free and os.access(adjacent.parent, os.W_OK):
        return adjacent
    cached.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(cached) and not is_index(cached):
        raise OSError(message("another file has the name of its index"))
    return cached


# Building


def _identity(path: Path | str) -> list[int]:
    """Return version, size and mtime, which tie an index to one state of its recording."""
    known = os.stat(path)
    return [VERSION, known.st_size, known.st_mtime_ns]


def _count(stream: RecordingStream, progress: Progress | None) -> tuple[list[int], list[list[str]]]:
    """Return each lane's number of spans, and which of MOMENTS its spans have."""
    lanes = len(stream.header.lanes)
    counts = np.zeros(lanes, np.int64)
    table = TaskTable()
    noted = {}
    for name in MOMENTS:
        noted[name] = np.zeros(lanes, np.bool_)
    with naming_damage(stream.name):
        for batch in stream:
            parts = parts_of(batch)
            if Record.PLAN in parts:
                take_plans(parts[Record.PLAN], table)
            if Record.SPAN in parts:
                spans, lane = spans_of(parts[Record.SPAN], table)
                counts += np.bincount(lane, minlength=lanes)
                for name, has_moment in noted.items():
                    is_known = spans[name] != ABSENT
                    has_moment[lane[is_known]] = True
            report_progress(progress, _COUNTING * stream.position, 10 * stream.size)
    moments: list[list[str]] = [[] for _ in range(lanes)]
    for name, has_moment in noted.items():
        for number in np.flatnonzero(has_moment).tolist():
            moments[number].append(name)
    return counts.tolist(), moments


def _filled(
    stream: RecordingStream,
    counts: list[int],
    moments: list[list[str]],
    folder: Path,
    progress: Progress | None,
) -> Trace:
    """Return the recording's trace, with its spans in an unnamed file in `folder`."""
    table = TaskTable()
    lanes = []
    lane_dtypes: list[dict[str, Any]] = []
    whole = 0
    for count, noted in zip(counts, moments, strict=True):
        dtypes: dict[str, Any] = dict(SPAN_DTYPES)
        for name in noted:
            dtypes[name] = np.int64
        lane_dtypes.append(dtypes)
        for dtype in dtypes.values():
            whole += count * np.dtype(dtype).itemsize
    room = _room(folder, whole)
    for count, dtypes in zip(counts, lane_dtypes, strict=True):
        columns: IndexArrays = {}
        for name, dtype in dtypes.items():
            size = count * np.dtype(dtype).itemsize
            # All columns of all lanes are slices of one file, which the system writes to disk when
            # memory is short.
            columns[name] = room[:size].view(dtype)
            room = room[size:]
        lanes.append(Spans.empty(table, columns))
    trace = Trace(stream.header, table, lanes)
    with naming_damage(stream.name):
        for batch in stream:
            append_batch(trace, batch)
            done = _COUNTING * stream.size + _FILLING * stream.position
            report_progress(progress, done, 10 * stream.size)
    return trace


def _room(folder: Path, size: int) -> NDArray[np.uint8]:
    """Return an array of `size` bytes in an unnamed file, because memory may be too small.

    Raises OSError if the disk is too full.
    """
    # At least one byte, because a mapping cannot be empty.
    mapped_size = max(1, size)
    with tempfile.TemporaryFile(dir=folder) as file:
        # Allocate now: if the disk were full later, writing to the mapped bytes would end the
        # process.
        os.posix_fallocate(file.fileno(), 0, mapped_size)
        mapped = mmap.mmap(file.fileno(), mapped_size)
        return np.frombuffer(mapped, np.uint8)[:size]


def _arrays(
    trace: Trace, facts: dict[str, Any], size: int, progress: Progress | None
) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the arrays of an index by name; the facts are last, and complete the index."""
    table = trace.table
    groups = {
        "table": {"rows": table.rows, "after": table.after, "firsts": table.firsts},
        "steps": trace.step_table.arrays,
        "log": trace.logs.arrays,
    }
    for n, counter in enumerate(trace.counters.values()):
        groups[f"counter{n}"] = counter.arrays
    for n, clock in enumerate(trace.clocks.values()):
        groups[f"clock{n}"] = clock.arrays
    for n, lane in enumerate(trace.lanes):
        groups[f"lane{n}"] = lane.arrays
    for group, arrays in groups.items():
        for name, array in arrays.items():
            yield f"{group}.{name}", array
    summed = 0
    span_count = max(1, trace.span_count)
    done_before = (_COUNTING + _FILLING) * size
    for n, lane in enumerate(trace.lanes):
        group = f"blocks{n}"
        blocks = block_sums(lane)
        yield f"{group}.starts", blocks.starts
        yield f"{group}.sums", blocks.sums
        yield f"{group}.kinds", blocks.kinds
        summed += len(lane)
        done = _SUMMING * size * summed // span_count
        report_progress(progress, done_before + done, 10 * size)
    encoded = json.dumps(facts).encode()
    yield _FACTS, np.frombuffer(encoded, np.uint8)


def _facts(trace: Trace) -> dict[str, Any]:
    """Return the data of a trace that is not in arrays."""
    imported = None
    if trace.listed_steps is not None:
        imported = imported_text(trace)
    open_tasks = [asdict(span) for span in trace.open_tasks]
    faults = [fault.to_dict() for fault in run_faults(trace)]
    return {
        "names": trace.table.names,
        "counter": list(trace.counters),
        "clock": list(trace.clocks),
        "levels": trace.logs.levels,
        "texts": trace.logs.texts,
        "costs": trace.costs,
        "size_costs": trace.size_costs,
        "bounds": trace.step_table.bounds,
        "imported": imported,
        "open": open_tasks,
        "faults": faults,
    }


# Reading


def _mapped(path: Path | str, arrays: IndexArrays, facts: dict[str, Any]) -> Trace:
    """Return the trace of an index, with mapped arrays."""
    with open_stream(path) as stream:
        header = stream.header
    groups: dict[str, IndexArrays] = {}
    for name, array in arrays.items():
        group, _, column = name.partition(".")
        columns = groups.setdefault(group, {})
        columns[column] = array

    def counters(of: str) -> Counters:
        found: Counters = {}
        for n, (name, lane) in enumerate(facts[of]):
            values = groups[f"{of}{n}"]
            found[name, lane] = Counter(name, lane, values)
        return found

    # A structured type was written as bytes; the view restores its fields.
    of_table = groups["table"]
    of_table["rows"] = of_table["rows"].view(TASK_DTYPE)
    table = TaskTable(facts["names"], of_table)
    opened: dict[tuple[int, int], Span] = {}
    for values in facts["open"]:
        span = typed(Span, values)
        opened[span.step, span.task] = span
    spans_of_lanes: list[Spans] = []
    blocks_of_lanes: list[Blocks] = []
    for lane in range(len(header.lanes)):
        columns = groups[f"lane{lane}"]
        spans_of_lanes.append(Spans(table, **columns))
        sums = groups[f"blocks{lane}"]
        blocks_of_lanes.append(_blocks(**sums))
    logs = Log(
        levels=facts["levels"],
        texts=facts["texts"],
        arrays=groups["log"],
    )
    faults = map(Fault.from_dict, facts["faults"])
    trace = Trace(
        header=header,
        table=table,
        lanes=spans_of_lanes,
        step_table=StepBounds(groups["steps"]),
        counters=counters("counter"),
        clocks=counters("clock"),
        logs=logs,
        costs=facts["costs"],
        size_costs=facts["size_costs"],
        open_spans=opened,
        lane_blocks=blocks_of_lanes,
        known_faults=tuple(faults),
    )
    first, last = facts["bounds"]
    trace.step_table.bounds = int(first), int(last)
    note_outside(trace)
    if facts["imported"] is not None:
        take_imported(trace, facts["imported"])
    return trace


def _blocks(starts: Ints, sums: Ints, kinds: NDArray[np.int8]) -> Blocks:
    shape = len(starts) + 1, len(kinds)
    return Blocks(
        starts=starts,
        sums=sums.reshape(shape),
        kinds=kinds,
    )
