"""The index of a large recording: its columns lane by lane in a file beside it, to be mapped.

A recording has the spans of all lanes mixed, in batches as they came. The index has each column of
all lanes in one piece, lane after lane, sums over blocks of spans, and all else that a trace holds,
so that opening it costs as much for a hundred million spans as for one. It holds nothing that the
recording does not: deleting it is always safe.

It is an Apache Arrow IPC file with a row for each **part**: its name, its bytes, and their CRC-32.
The parts are arrays, and one of facts as JSON. An index whose bytes are not those that were written
is made anew. It gets its name when it is whole; no other file or folder of that name is touched.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.files import whole_file
from core.recording.decode import parts_of, spans_of, take_plans
from core.recording.schema import Record
from core.recording.stream import Stream, naming_damage, open_stream
from core.trace.blocks import BLOCK, Blocks, fill_blocks, kinds_of
from core.trace.columns import ABSENT, StepBounds
from core.trace.complete import Fault
from core.trace.event_rows import Clocks, Counter, Log
from core.trace.spans import MOMENTS, LaneSpans, Spans
from core.trace.table import TASK_DTYPE, TaskTable
from core.trace.trace import Span, Trace
from core.typed import typed

VERSION = 2
"""Of the index's form; one of another version is made anew."""
Progress = Callable[[int, int], bool | None]
"""Told how much is done, and of how much; returning False cancels."""
Parts = Mapping[str, pa.Buffer]
_FACTS = "facts"
_KEY = b"bubblescope-index"
_SCHEMA = pa.schema(
    [("name", pa.string()), ("checksum", pa.uint32()), ("data", pa.large_binary())],
    metadata={_KEY: str(VERSION)},
)
_COLUMNS = {"start": np.int64, "end": np.int64, "step": np.int32, "row": np.int32}
_LOG = {"time": np.int64, "step": np.int32, "level": np.int32, "text": np.int32}
_CLOCK = {"step": np.int32, "device": np.int32, "uncertainty": np.float64}
_STEPS = {"numbers": np.int32, "starts": np.int64, "ends": np.int64}
_COUNTER = {"times": np.int64, "values": np.float64, "steps": np.int32}
_COUNTING, _FILLING, _SUMMING = 1, 8, 1  # how long each takes, roughly, of ten


class Cancelled(Exception):
    """Opening a recording was given up by whoever asked for it."""


class DamagedIndex(ValueError):
    """An index is not what was written; the message says so in one line."""


def tell(progress: Progress | None, done: int, total: int) -> None:
    """Tell how much is done. Raises Cancelled if the answer is False."""
    if progress is not None and progress(done, total) is False:
        raise Cancelled("opening the recording was cancelled")


def index_files(path: Path | str) -> tuple[Path, Path]:
    """Where a recording's index may be: beside it or, if it cannot be written there, cached.

    The second is in the user's cache folder, under a name that holds the recording's whole path.
    """
    whole = Path(path).absolute()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    key = hashlib.sha256(os.fsencode(whole)).hexdigest()[:16]
    name = f"{whole.name}.index"
    return whole.with_name(name), cache / "bubblescope" / f"{key}-{name}"


def read_index(path: Path | str) -> tuple[Trace, str] | None:
    """A recording's trace, mapped, and its warning; None if it has no index, or an old one.

    Raises DamagedIndex if the index there is was changed since it was written.
    """
    for place in index_files(path):
        if place.is_file() and _is_ours(place):
            try:
                parts = _read_parts(place)
                facts = json.loads(parts[_FACTS].to_pybytes())
                if facts["of"] == _identity(path):
                    return _mapped(path, parts, facts), facts["warning"]
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
    with open_stream(path) as stream, whole_file(target) as place:
        room = _Rooms(target.parent)
        trace = _filled(stream, room, counts, moments, progress)
        kinds = _sum_up(trace, room, stream.size, progress)
        facts = {
            "of": identity,
            "warning": stream.warning(trace.span_count),
            "lanes": counts.tolist(),
            "moments": moments,
            "kinds": kinds,
            "faults": [asdict(fault) for fault in trace.faults],
            **_told(trace),
        }
        arrays: dict[str, NDArray[Any]] = {**room.arrays, **_arrays(trace)}
        arrays[_FACTS] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
        _write_parts(place, arrays)
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
        with place.open("rb") as file:
            return file.read(6) == b"ARROW1" and _KEY in file.read(4096)
    except OSError:
        return False


class _Rooms:
    """Arrays too large for memory, in files without names: they are gone with the process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.arrays: dict[str, NDArray[Any]] = {}

    def make(self, name: str, dtype: type, size: int) -> NDArray[Any]:
        """An array of `size` numbers, to be filled. Raises OSError if the disk is too full."""
        with tempfile.TemporaryFile(dir=self._folder) as file:
            length = max(1, size * np.dtype(dtype).itemsize)
            # A disk that is found to be full while the array is filled would end the process.
            os.posix_fallocate(file.fileno(), 0, length)
            self.arrays[name] = np.memmap(file, dtype, "r+", shape=(max(1, size),))[:size]
        return self.arrays[name]


def _write_parts(place: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    with pa.OSFile(os.fsencode(place), "wb") as sink, pa.ipc.new_file(sink, _SCHEMA) as file:
        for name, array in arrays.items():
            data = pa.py_buffer(np.ascontiguousarray(array))
            ends = pa.py_buffer(np.array([0, data.size], np.int64))
            whole = pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, data])
            row = [pa.array([name]), pa.array([_checksum(name, data)], pa.uint32()), whole]
            file.write_batch(pa.RecordBatch.from_arrays(row, schema=_SCHEMA))


def _read_parts(place: Path) -> dict[str, pa.Buffer]:
    """The parts of an index, mapped. Raises DamagedIndex unless all are as they were written."""
    parts = {}
    try:
        with naming_damage(str(place)), pa.memory_map(os.fsencode(place)) as source:
            file = pa.ipc.open_file(source)
            for number in range(file.num_record_batches):
                batch = file.get_batch(number)
                batch.validate(full=True)
                name, checksum, (_, ends, data) = (
                    batch["name"][0].as_py(), batch["checksum"][0].as_py(), batch["data"].buffers()
                )  # fmt: skip
                parts[name] = data.slice(0, int(np.frombuffer(ends, np.int64)[1]))
                if _checksum(name, parts[name]) != checksum:
                    raise DamagedIndex(f"{place} is damaged")
    except (ValueError, OSError, MemoryError) as error:
        raise DamagedIndex(f"{place} is damaged") from error
    return parts


def _checksum(name: str, data: pa.Buffer) -> int:
    return zlib.crc32(data, zlib.crc32(name.encode()))


# Making it


def _identity(path: Path | str) -> list[int]:
    """What tells whether an index is of the recording as it is now: version, size and mtime."""
    known = os.stat(path)
    return [VERSION, known.st_size, known.st_mtime_ns]


def _count(
    stream: Stream, progress: Progress | None
) -> tuple[NDArray[np.int64], dict[str, list[int]]]:
    """The number of spans of each lane, and the lanes that have some of each moment."""
    lanes = len(stream.header.lanes)
    counts, some = np.zeros(lanes, np.int64), {name: np.zeros(lanes, np.bool_) for name in MOMENTS}
    table = TaskTable()
    with naming_damage(stream.name):
        for batch in stream:
            parts = parts_of(batch)
            if Record.PLAN in parts:
                take_plans(parts[Record.PLAN], table)
            if Record.SPAN in parts:
                spans, lane = spans_of(parts[Record.SPAN], table)
                counts += np.bincount(lane, minlength=lanes)
                for name, known in some.items():
                    known[lane[spans[name] != ABSENT]] = True
            tell(progress, _COUNTING * stream.position, 10 * stream.size)
    return counts, {name: np.flatnonzero(known).tolist() for name, known in some.items()}


def _filled(
    stream: Stream, room: _Rooms, counts: NDArray[np.int64], moments: dict[str, list[int]],
    progress: Progress | None,
) -> Trace:  # fmt: skip
    """The recording's trace, its spans in `room`."""
    table, total = TaskTable(), int(counts.sum())
    columns = {name: room.make(name, dtype, total) for name, dtype in _COLUMNS.items()}
    columns |= {name: room.make(name, np.int64, total) for name in MOMENTS if moments[name]}
    lanes = [
        LaneSpans.over(table, {name: column[part] for name, column in own.items()})
        for part, own in _lane_parts(counts, moments, columns)
    ]
    trace = Trace.of(stream.header, lanes, table)
    with naming_damage(stream.name):
        for batch in stream:
            trace.append(batch)
            done = _COUNTING * stream.size + _FILLING * stream.position
            tell(progress, done, 10 * stream.size)
    return trace


def _lane_parts(
    counts: NDArray[np.int64] | list[int], moments: dict[str, list[int]],
    columns: dict[str, NDArray[Any]],
) -> Iterator[tuple[slice, dict[str, NDArray[Any]]]]:  # fmt: skip
    """For each lane, where its spans stand, and the columns that it has."""
    ends = np.cumsum(counts).tolist()
    for lane, (end, count) in enumerate(zip(ends, counts, strict=True)):
        own = {n: c for n, c in columns.items() if n not in MOMENTS or lane in moments[n]}
        yield slice(end - int(count), end), own


def _sum_up(trace: Trace, room: _Rooms, size: int, progress: Progress | None) -> list[list[int]]:
    """Make the sums of every lane in `room`; returns the kinds that each has."""
    lanes = [trace.spans(lane) for lane in range(len(trace.header.lanes))]
    kinds = [kinds_of(spans) for spans in lanes]
    shapes = [_block_shape(len(spans), len(own)) for spans, own in zip(lanes, kinds, strict=True)]
    starts = room.make("block_starts", np.int64, sum(blocks - 1 for blocks, _ in shapes))
    sums = room.make("block_sums", np.int64, sum(blocks * own for blocks, own in shapes))
    told = 0
    for blocks, spans in zip(_blocks(starts, sums, lanes, kinds), lanes, strict=True):
        fill_blocks(spans, blocks)
        told += len(spans)
        part = _SUMMING * size * told // max(1, trace.span_count)
        tell(progress, (_COUNTING + _FILLING) * size + part, 10 * size)
    return [own.tolist() for own in kinds]


def _block_shape(spans: int, kinds: int) -> tuple[int, int]:
    return spans // BLOCK + 1, kinds


def _blocks(
    starts: NDArray[np.int64], sums: NDArray[np.int64], lanes: list[Spans],
    kinds: list[NDArray[np.int8]],
) -> Iterator[Blocks]:  # fmt: skip
    """Each lane's part of the arrays that hold the starts and sums of all."""
    first = at = 0
    for spans, own in zip(lanes, kinds, strict=True):
        rows, columns = _block_shape(len(spans), len(own))
        part = sums[at : at + rows * columns].reshape(rows, columns)
        yield Blocks(starts[first : first + rows - 1], part, own)
        first, at = first + rows - 1, at + rows * columns


def _arrays(trace: Trace) -> dict[str, NDArray[Any]]:
    """The arrays that a trace holds beside its spans."""
    counters = [*trace.counters, Counter("", None)]
    joined = {name: np.concatenate([getattr(c, name) for c in counters]) for name in _COUNTER}
    return {
        "table_rows": trace.table.rows,
        "table_after": trace.table.after,
        "table_firsts": trace.table.firsts,
        **{f"steps_{name}": getattr(trace.step_table, name) for name in _STEPS},
        **{f"counter_{name}": array for name, array in joined.items()},
        **{f"log_{n}": array for n, array in zip(_LOG, trace.logs.columns, strict=True)},
        **{f"clock_{n}": array for n, array in zip(_CLOCK, trace.clocks.columns, strict=True)},
    }


def _told(trace: Trace) -> dict[str, Any]:
    """What a trace holds that is no array."""
    return {
        "names": trace.table.names,
        "counters": [(c.name, c.lane, len(c.times)) for c in trace.counters],
        "levels": list(trace.logs.levels),
        "texts": list(trace.logs.texts),
        "devices": list(trace.clocks.devices),
        "costs": trace.costs,
        "open": [asdict(span) for span in trace.open_tasks],
    }


# Reading it


def _mapped(path: Path | str, parts: Parts, facts: dict[str, Any]) -> Trace:
    """The trace that an index holds, its arrays mapped."""

    def array(name: str, dtype: Any = np.int64) -> NDArray[Any]:
        return np.frombuffer(parts[name], dtype)

    def arrays(of: str, columns: Mapping[str, type]) -> list[NDArray[Any]]:
        return [array(f"{of}_{name}", dtype) for name, dtype in columns.items()]

    with open_stream(path) as stream:
        header = stream.header
    rows, after = array("table_rows", TASK_DTYPE), array("table_after", np.int32)
    table = TaskTable.of(rows, after, facts["names"], array("table_firsts"))
    dtypes = {**_COLUMNS, **{name: np.int64 for name in MOMENTS if facts["moments"][name]}}
    columns = {name: array(name, dtype) for name, dtype in dtypes.items()}
    lanes = [
        Spans(table, **{name: column[part] for name, column in own.items()})
        for part, own in _lane_parts(facts["lanes"], facts["moments"], columns)
    ]
    kinds = [np.array(own, np.int8) for own in facts["kinds"]]
    return Trace.of(
        header, [LaneSpans.of(spans) for spans in lanes], table,
        blocks=list(_blocks(array("block_starts"), array("block_sums"), lanes, kinds)),
        step_table=StepBounds.of(*arrays("steps", _STEPS)),
        counters=_counters(facts["counters"], *arrays("counter", _COUNTER)),
        logs=Log.of(arrays("log", _LOG), facts["levels"], facts["texts"]),
        clocks=Clocks.of(arrays("clock", _CLOCK), facts["devices"]),
        costs=facts["costs"],
        open_tasks=[typed(Span, told) for told in facts["open"]],
        faults=tuple(typed(Fault, told) for told in facts["faults"]),
    )  # fmt: skip


def _counters(told: list[tuple[str, int | None, int]], *columns: NDArray[Any]) -> list[Counter]:
    ends = np.cumsum([count for *_, count in told], dtype=np.int64).tolist()
    return [
        Counter.of(name, lane, *(column[end - count : end] for column in columns))
        for (name, lane, count), end in zip(told, ends, strict=True)
    ]
