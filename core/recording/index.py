"""The index of a large recording: its columns lane by lane in a file beside it, to be mapped.

A recording has the spans of all lanes mixed, in batches as they came. The index has each column of
all lanes in one piece, lane after lane, sums over blocks of spans, and all else that a trace holds,
so that opening it costs reading its bytes once, to check them: half a second for a hundred million
spans that the system has at hand. It holds nothing that the recording does not: deleting it is
always safe.

It is an Apache Arrow IPC file with a row for each **part**, which is an array: its name, type and
bytes, and the CRC-32 of all parts up to it. The last one has facts as JSON. An index whose bytes
are not those that were written is made anew. It gets its name when it is whole; no other file or
folder of that name is touched.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.files import whole_file
from core.paths import cache_folder
from core.plan.task import ABSENT
from core.reading import open_regular
from core.recording.decode import append_batch, parts_of, spans_of, take_plans
from core.recording.imported import imported_text, take_imported
from core.recording.schema import Record
from core.recording.stream import Opened, RecordingStream, naming_damage, open_stream
from core.trace.blocks import Blocks, blocks_of
from core.trace.complete import run_faults
from core.trace.event_rows import Counter, Counters, Log
from core.trace.job_steps import note_outside
from core.trace.span import Span
from core.trace.spans import MOMENTS, SPAN_DTYPES, TASK_DTYPE, Spans, TaskTable
from core.trace.step_bounds import Fault, StepBounds
from core.trace.trace import Trace
from core.typed import typed

VERSION = 5
"""Of the index's form; one of another version is made anew."""
Progress = Callable[[int, int], bool | None]
"""Called with how much is done, and of how much; returning False cancels."""
WATCHED = 1 << 16
"""Things between two looks at whether to go on."""
Arrays = dict[str, NDArray[Any]]
Thing = TypeVar("Thing")
_FACTS = "facts"
_KEY = b"bubblescope-index"
_SCHEMA = pa.schema(
    [
        ("name", pa.string()), ("dtype", pa.string()), ("checksum", pa.uint32()),
        ("data", pa.large_binary()),
    ],
    metadata={_KEY: str(VERSION)},
)  # fmt: skip
_COUNTING, _FILLING, _SUMMING = 1, 8, 1  # how long each takes, roughly, of ten


class Cancelled(Exception):
    """Raised when the progress callback returns False."""


class DamagedIndex(ValueError):
    """An index is not what was written; the message says so in one line."""


def report_progress(progress: Progress | None, done: int, total: int) -> None:
    """Tell how much is done. Raises Cancelled if the answer is False."""
    if progress is not None and progress(done, total) is False:
        raise Cancelled("opening the recording was cancelled")


def partial_progress(progress: Progress | None, number: int, count: int) -> Progress | None:
    """Return the progress of one of `count` files, by its number, as a share of that of all."""
    if progress is None:
        return None

    def report(done: int, total: int) -> bool | None:
        return progress(number * total + min(done, total), count * total)

    return report


def watched(things: Iterable[Thing], progress: Progress | None) -> Iterator[Thing]:
    """Yield things, and look now and then whether to go on. Raises Cancelled if not."""
    for number, thing in enumerate(things):
        if number % WATCHED == 0:
            report_progress(progress, 1, 1)
        yield thing


def index_files(path: Path | str) -> tuple[Path, Path]:
    """Where a recording's index may be: beside it or, if it cannot be written there, cached.

    The second is in the user's cache folder, under a name that holds the recording's whole path.
    """
    whole = Path(path).absolute()
    key = hashlib.sha256(os.fsencode(whole)).hexdigest()[:16]
    name = f"{whole.name}.index"
    return whole.with_name(name), cache_folder() / "bubblescope" / f"{key}-{name}"


def read_index(path: Path | str) -> Opened | None:
    """A recording, mapped; None if it has no index, or an old one.

    Raises DamagedIndex if the index there is was changed since it was written.
    """
    for place in index_files(path):
        if place.is_file() and _is_ours(place):
            try:
                arrays = _read_parts(place)
                facts = json.loads(arrays.pop(_FACTS).tobytes())
                # The recording may have been written anew since; then its index is of another one.
                if facts["of"] == _identity(path):
                    return Opened(_mapped(path, arrays, facts), facts["warning"])
            except KeyError as error:
                raise DamagedIndex(f"{place} is damaged") from error
    return None


def build_index(path: Path | str, progress: Progress | None = None) -> Path:
    """Make a recording's index, in place of an old one; returns its file.

    Raises RecordingError if the recording cannot be read, OSError if the index cannot be written,
    and Cancelled if `progress` returns False; nothing is left of the index then.
    """
    with open_stream(path) as stream:
        identity = _identity(path)
        counts, moments = _count(stream, progress)
    target = _target(path)
    # Read twice: first to count, so that every column is made in its final size and place; then to
    # fill them. A column that grew would need twice its room, which a hundred million spans do not
    # have.
    with open_stream(path) as stream, whole_file(target) as place:
        trace = _filled(stream, counts, moments, target.parent, progress)
        facts = {"of": identity, "warning": stream.warning(trace.span_count), **_facts(trace)}
        _write_parts(place, _arrays(trace, facts, stream.size, progress))
    return target


# Where it is written


def _target(path: Path | str) -> Path:
    """Where the index is to be. Raises OSError if it can be written nowhere."""
    beside, cached = index_files(path)
    if os.access(beside.parent, os.W_OK) and (not os.path.lexists(beside) or _is_ours(beside)):
        return beside
    cached.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(cached) and not _is_ours(cached):
        raise FileExistsError(17, "something else has the name of its index", str(cached))
    return cached


def _is_ours(place: Path) -> bool:
    """Whether a file is an index, if perhaps a damaged one; anything else is left alone."""
    try:
        with open_regular(place) as file:
            # Arrow's magic, and our key in the schema behind it: a file of somebody else's with the
            # same name is never written over.
            return file.read(6) == b"ARROW1" and _KEY in file.read(4096)
    except OSError:
        return False


def _write_parts(place: Path, arrays: Iterator[tuple[str, NDArray[Any]]]) -> None:
    checksum = 0
    with pa.OSFile(os.fsencode(place), "wb") as sink, pa.ipc.new_file(sink, _SCHEMA) as file:
        for name, array in arrays:
            # An array may be a slice of others, with gaps in memory; a buffer has none.
            data = pa.py_buffer(np.ascontiguousarray(array))
            checksum = _checksum(checksum, name, array.dtype.str, data)
            ends = pa.py_buffer(np.array([0, data.size], np.int64))
            whole = pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, data])
            described = map(pa.array, ([name], [array.dtype.str], [checksum]), _SCHEMA.types)
            file.write_batch(pa.RecordBatch.from_arrays([*described, whole], schema=_SCHEMA))


def _read_parts(place: Path) -> Arrays:
    """The arrays of an index, mapped. Raises DamagedIndex unless all are as they were written."""
    parts, checksum = {}, 0
    try:
        with naming_damage(str(place)), pa.memory_map(os.fsencode(place)) as source:
            file = pa.ipc.open_file(source)
            for number in range(file.num_record_batches):
                batch = file.get_batch(number)
                batch.validate(full=True)
                name, dtype, noted = (batch[column][0].as_py() for column in range(3))
                _, ends, data = batch["data"].buffers()
                # Arrow pads buffers; the offsets say how many bytes are the value's.
                data = data.slice(0, int(np.frombuffer(ends, np.int64)[1]))
                checksum = _checksum(checksum, name, dtype, data)
                if checksum != noted:
                    raise DamagedIndex(f"{place} is damaged")
                # A view of the mapped file, not a copy: pages are read when they are looked at.
                parts[name] = np.frombuffer(data, dtype)
    except (ValueError, OSError, MemoryError) as error:
        raise DamagedIndex(f"{place} is damaged") from error
    return parts


def _checksum(before: int, name: str, dtype: str, data: pa.Buffer) -> int:
    """Of a part and, since it goes on from theirs, of all before it: none can be left out."""
    return zlib.crc32(data, zlib.crc32(f"{name} {dtype}".encode(), before))


# Making it


def _identity(path: Path | str) -> list[int]:
    """By what an index is known to be of the recording as it is now: version, size and mtime."""
    known = os.stat(path)
    return [VERSION, known.st_size, known.st_mtime_ns]


def _count(stream: RecordingStream, progress: Progress | None) -> tuple[list[int], list[list[str]]]:
    """How many spans each lane has, and which of MOMENTS they note."""
    lanes = len(stream.header.lanes)
    counts, table = np.zeros(lanes, np.int64), TaskTable()
    noted = {name: np.zeros(lanes, np.bool_) for name in MOMENTS}
    with naming_damage(stream.name):
        for batch in stream:
            parts = parts_of(batch)
            if Record.PLAN in parts:
                take_plans(parts[Record.PLAN], table)
            if Record.SPAN in parts:
                spans, lane = spans_of(parts[Record.SPAN], table)
                counts += np.bincount(lane, minlength=lanes)
                for name, known in noted.items():
                    known[lane[spans[name] != ABSENT]] = True
            report_progress(progress, _COUNTING * stream.position, 10 * stream.size)
    moments = [[name for name in MOMENTS if noted[name][lane]] for lane in range(lanes)]
    return counts.tolist(), moments


def _filled(
    stream: RecordingStream, counts: list[int], moments: list[list[str]], folder: Path,
    progress: Progress | None,
) -> Trace:  # fmt: skip
    """The recording's trace, its spans in a file without a name."""
    table, lanes = TaskTable(), []
    dtypes = [{**SPAN_DTYPES, **dict.fromkeys(noted, np.int64)} for noted in moments]
    spans = [sum(np.dtype(dtype).itemsize for dtype in own.values()) for own in dtypes]
    room = _room(folder, sum(size * count for size, count in zip(spans, counts, strict=True)))
    for count, own in zip(counts, dtypes, strict=True):
        columns: Arrays = {}
        for name, dtype in own.items():
            size = count * np.dtype(dtype).itemsize
            # All columns of all lanes are slices of one file: written to disk by the system when
            # memory is short.
            columns[name], room = room[:size].view(dtype), room[size:]
        lanes.append(Spans.empty(table, columns))
    trace = Trace(stream.header, table, lanes)
    with naming_damage(stream.name):
        for batch in stream:
            append_batch(trace, batch)
            done = _COUNTING * stream.size + _FILLING * stream.position
            report_progress(progress, done, 10 * stream.size)
    return trace


def _room(folder: Path, size: int) -> NDArray[np.uint8]:
    """Bytes that may be too many for memory, in a file that is gone with the process.

    Raises OSError if the disk is too full.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        # A disk that is found to be full while the bytes are filled would end the process.
        # At least a byte, here and below: nothing of no length can be mapped.
        os.posix_fallocate(file.fileno(), 0, max(1, size))
        return np.frombuffer(mmap.mmap(file.fileno(), max(1, size)), np.uint8)[:size]


def _arrays(
    trace: Trace, facts: dict[str, Any], size: int, progress: Progress | None
) -> Iterator[tuple[str, NDArray[Any]]]:
    """All that an index holds, by name; the facts, without which it is none, come last."""
    table = trace.table
    groups = {
        "table": {"rows": table.rows, "after": table.after, "firsts": table.firsts},
        "steps": trace.step_table.arrays,
        "log": trace.logs.arrays,
        **{f"counter{n}": c.arrays for n, c in enumerate(trace.counters.values())},
        **{f"clock{n}": c.arrays for n, c in enumerate(trace.clocks.values())},
        **{f"lane{n}": lane.arrays for n, lane in enumerate(trace.lanes)},
    }
    for group, arrays in groups.items():
        yield from ((f"{group}.{name}", array) for name, array in arrays.items())
    summed = 0
    for n, lane in enumerate(trace.lanes):
        blocks = blocks_of(lane)
        yield f"blocks{n}.starts", blocks.starts
        yield f"blocks{n}.sums", blocks.sums
        yield f"blocks{n}.kinds", blocks.kinds
        summed += len(lane)
        part = _SUMMING * size * summed // max(1, trace.span_count)
        report_progress(progress, (_COUNTING + _FILLING) * size + part, 10 * size)
    yield _FACTS, np.frombuffer(json.dumps(facts).encode(), np.uint8)


def _facts(trace: Trace) -> dict[str, Any]:
    """What a trace holds that is no array."""
    return {
        "names": trace.table.names,
        "counter": list(trace.counters),
        "clock": list(trace.clocks),
        "levels": trace.logs.levels,
        "texts": trace.logs.texts,
        "costs": trace.costs,
        "size_costs": trace.size_costs,
        "bounds": trace.step_table.bounds,
        "imported": None if trace.listed_steps is None else imported_text(trace),
        "open": [asdict(span) for span in trace.open_tasks],
        "faults": [asdict(fault) for fault in run_faults(trace)],
    }


# Reading it


def _mapped(path: Path | str, arrays: Arrays, facts: dict[str, Any]) -> Trace:
    """The trace that an index holds, its arrays mapped."""
    with open_stream(path) as stream:
        header = stream.header
    groups: dict[str, Arrays] = {}
    for name, array in arrays.items():
        group, _, column = name.partition(".")
        groups.setdefault(group, {})[column] = array

    def counters(of: str) -> Counters:
        keys = enumerate((name, lane) for name, lane in facts[of])
        return {key: Counter(*key, groups[f"{of}{n}"]) for n, key in keys}

    # A structured type is written as bytes of its size: here its fields are put back.
    groups["table"]["rows"] = groups["table"]["rows"].view(TASK_DTYPE)
    table = TaskTable(facts["names"], groups["table"])
    opened = (typed(Span, values) for values in facts["open"])
    lanes = range(len(header.lanes))
    trace = Trace(
        header,
        table,
        [Spans(table, **groups[f"lane{lane}"]) for lane in lanes],
        StepBounds(groups["steps"]),
        counters("counter"),
        counters("clock"),
        Log(facts["levels"], facts["texts"], groups["log"]),
        facts["costs"],
        facts["size_costs"],
        {(span.step, span.task): span for span in opened},
        [_blocks(**groups[f"blocks{lane}"]) for lane in lanes],
        tuple(typed(Fault, values) for values in facts["faults"]),
    )
    first, last = facts["bounds"]
    trace.step_table.bounds = int(first), int(last)
    note_outside(trace)
    if facts["imported"] is not None:
        take_imported(trace, facts["imported"])
    return trace


def _blocks(starts: NDArray[np.int64], sums: NDArray[np.int64], kinds: NDArray[np.int8]) -> Blocks:
    return Blocks(starts, sums.reshape(len(starts) + 1, len(kinds)), kinds)
