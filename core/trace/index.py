"""The index of a large recording: its columns lane by lane in a folder beside it, to be mapped.

A recording has the spans of all lanes mixed, in batches as they came. The index has each column of
each lane in one piece, sums over blocks of spans, and all else that a trace holds, so that opening
it costs as much for a hundred million spans as for one. It is made once, under another name until
it is whole. It holds nothing that the recording does not: deleting it is always safe.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.plan.task import Kind, Payload
from core.trace.blocks import BLOCK, Blocks, fill_blocks, kinds_of
from core.trace.columns import ABSENT, StepBounds
from core.trace.decode import parts_of, spans_of, take_plans
from core.trace.notes import Clocks, Counter, Log
from core.trace.schema import Record
from core.trace.spans import MOMENTS, LaneSpans, Spans
from core.trace.stream import Stream, naming_damage, open_stream
from core.trace.table import TaskTable
from core.trace.trace import Span, Trace

VERSION = 1
"""Of the index's form; one of another version is made anew."""
Progress = Callable[[int, int], bool | None]
"""Told how much is done, and of how much; returning False cancels."""
_FACTS = "index.json"
_COLUMNS = {"start": np.int64, "end": np.int64, "step": np.int32, "row": np.int32}
_LOG, _CLOCK = ("time", "step", "level", "text"), ("step", "device", "uncertainty")
_STEPS, _COUNTER = ("numbers", "starts", "ends"), ("times", "values", "steps")
_COUNTING, _FILLING, _SUMMING = 1, 8, 1  # how long each takes, roughly, of ten


class Cancelled(Exception):
    """Opening a recording was given up by whoever asked for it."""


def tell(progress: Progress | None, done: int, total: int) -> None:
    """Tell how much is done. Raises Cancelled if the answer is False."""
    if progress is not None and progress(done, total) is False:
        raise Cancelled("opening the recording was cancelled")


def index_folders(path: Path | str) -> tuple[Path, Path]:
    """Where a recording's index may be: beside it or, if nothing can be written there, cached.

    The second is in the user's cache folder, under a name that holds the recording's whole path.
    """
    whole = Path(path).absolute()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    key = hashlib.sha256(os.fsencode(whole)).hexdigest()[:16]
    name = f"{whole.name}.index"
    return whole.with_name(name), cache / "bubblescope" / f"{key}-{name}"


def read_index(path: Path | str, folder: Path | None = None) -> tuple[Trace, str] | None:
    """A recording's trace, mapped, and its warning; None if it has no index, or an old one.

    The index is looked for in its folders, or taken from `folder`.
    """
    for place in index_folders(path) if folder is None else (folder,):
        try:
            facts = json.loads((place / _FACTS).read_text())
            if facts["of"] == _identity(path):
                return _mapped(path, place, facts), facts["warning"]
        except (OSError, ValueError, LookupError, TypeError):
            continue  # there is none, or not all of it: it is made anew
    return None


def build_index(path: Path | str, progress: Progress | None = None) -> Path:
    """Make a recording's index, in place of an old one; returns its folder.

    Raises RecordingError if the recording cannot be read, OSError if the index cannot be written,
    and Cancelled if `progress` returns False; nothing is left of the index then.
    """
    with open_stream(path) as stream:
        identity = _identity(path)
        counts, moments = _count(stream, progress)
    with open_stream(path) as stream, _whole_folder(path) as place:
        trace = _filled(stream, place, counts, moments, progress)
        facts = {
            "of": identity,
            "warning": stream.warning(trace.span_count),
            "lanes": counts.tolist(),
            "moments": moments,
            "kinds": _sum_up(trace, place, stream.size, progress),
            **_save_notes(trace, place),
        }
        (place / _FACTS).write_text(json.dumps(facts))
        target = place.with_name(place.name.partition(_PARTIAL)[0])
    return target


def remove_partial(path: Path | str, pid: int) -> None:
    """Remove what a process has left of an index that it did not finish."""
    for target in index_folders(path):
        shutil.rmtree(target.with_name(f"{target.name}{_PARTIAL}{pid}"), ignore_errors=True)


# Where it is written

_PARTIAL = ".partial-"  # and the number of the process that writes


@contextmanager
def _whole_folder(path: Path | str) -> Iterator[Path]:
    """A new folder that becomes the recording's index when the context is left without an error."""
    place, target = _begun(path)
    try:
        yield place
        shutil.rmtree(target, ignore_errors=True)
        place.rename(target)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _begun(path: Path | str) -> tuple[Path, Path]:
    """A folder to write to, and what it is to be called; what dead processes left is removed."""
    beside, cached = index_folders(path)
    for target in (beside, cached):
        place = target.with_name(f"{target.name}{_PARTIAL}{os.getpid()}")
        try:
            if target is cached:
                target.parent.mkdir(parents=True, exist_ok=True)
            for left in target.parent.glob(f"{_escaped(target.name)}{_PARTIAL}*"):
                if not _is_alive(left.name.rpartition("-")[2]):
                    shutil.rmtree(left, ignore_errors=True)
            place.mkdir()
        except OSError:
            if target is cached:
                raise
        else:
            return place, target
    raise AssertionError("one of two folders was made, or its error raised")


def _escaped(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _is_alive(number: str) -> bool:
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return True


def _room(place: Path, name: str, dtype: type, size: int) -> NDArray[Any]:
    """A file of `size` numbers, mapped to be filled. Raises OSError if the disk is too full."""
    file = place / f"{name}.npy"
    room: NDArray[Any] = np.lib.format.open_memmap(file, mode="w+", dtype=dtype, shape=(size,))
    with file.open("r+b") as opened:  # a full disk would otherwise end the process by a signal
        os.posix_fallocate(opened.fileno(), 0, max(1, file.stat().st_size))
    return room


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
    stream: Stream, place: Path, counts: NDArray[np.int64], moments: dict[str, list[int]],
    progress: Progress | None,
) -> Trace:  # fmt: skip
    """The recording's trace, its spans in files at `place`."""
    table, total = TaskTable(), int(counts.sum())
    rooms = {name: _room(place, name, dtype, total) for name, dtype in _COLUMNS.items()}
    rooms |= {name: _room(place, name, np.int64, total) for name in MOMENTS if moments[name]}
    lanes = [
        LaneSpans.over(table, {name: room[part] for name, room in own.items()})
        for part, own in _lane_parts(counts, moments, {n: np.asarray(r) for n, r in rooms.items()})
    ]
    trace = Trace.of(stream.header, lanes, table)
    with naming_damage(stream.name):
        for batch in stream:
            trace.append(batch)
            done = _COUNTING * stream.size + _FILLING * stream.position
            tell(progress, done, 10 * stream.size)
    for room in rooms.values():
        room.flush()  # type: ignore[attr-defined]
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


def _sum_up(trace: Trace, place: Path, size: int, progress: Progress | None) -> list[list[int]]:
    """Write the sums of every lane; returns the kinds that each has."""
    lanes = [trace.spans(lane) for lane in range(len(trace.header.lanes))]
    kinds = [kinds_of(spans) for spans in lanes]
    shapes = [_block_shape(len(spans), len(own)) for spans, own in zip(lanes, kinds, strict=True)]
    starts = _room(place, "block_starts", np.int64, sum(blocks - 1 for blocks, _ in shapes))
    sums = _room(place, "block_sums", np.int64, sum(blocks * own for blocks, own in shapes))
    told = 0
    for blocks, spans in zip(_blocks(starts, sums, lanes, kinds), lanes, strict=True):
        fill_blocks(spans, blocks)
        told += len(spans)
        part = _SUMMING * size * told // max(1, trace.span_count)
        tell(progress, (_COUNTING + _FILLING) * size + part, 10 * size)
    starts.flush()  # type: ignore[attr-defined]
    sums.flush()  # type: ignore[attr-defined]
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


def _save_notes(trace: Trace, place: Path) -> dict[str, Any]:
    """Write what a trace holds beside its spans; returns what is no array."""
    counters = trace.counters
    joined = {
        name: np.concatenate([getattr(c, name) for c in [*counters, Counter("", None)]])
        for name in _COUNTER
    }
    arrays = {
        "table_rows": trace.table.rows,
        "table_after": trace.table.after,
        "table_firsts": trace.table.firsts,
        **{f"steps_{name}": getattr(trace.step_table, name) for name in _STEPS},
        **{f"counter_{name}": array for name, array in joined.items()},
        **{f"log_{n}": array for n, array in zip(_LOG, trace.logs.columns, strict=True)},
        **{f"clock_{n}": array for n, array in zip(_CLOCK, trace.clocks.columns, strict=True)},
    }
    for name, array in arrays.items():
        np.save(place / f"{name}.npy", array)
    return {
        "names": trace.table.names,
        "counters": [(c.name, c.lane, len(c.times)) for c in counters],
        "levels": list(trace.logs.levels),
        "texts": list(trace.logs.texts),
        "devices": list(trace.clocks.devices),
        "costs": trace.costs,
        "open": [asdict(span) for span in trace.open_tasks],
    }


# Reading it


def _mapped(path: Path | str, place: Path, facts: dict[str, Any]) -> Trace:
    """The trace that an index holds, its arrays mapped."""

    def array(name: str) -> NDArray[Any]:
        return np.asarray(np.load(place / f"{name}.npy", mmap_mode="r"))

    with open_stream(path) as stream:
        header = stream.header
    table = TaskTable.of(
        array("table_rows"), array("table_after"), facts["names"], array("table_firsts")
    )
    moments = {name: lanes for name, lanes in facts["moments"].items() if lanes}
    columns = {name: array(name) for name in (*_COLUMNS, *moments)}
    lanes = [
        Spans(table, **{name: column[part] for name, column in own.items()})
        for part, own in _lane_parts(facts["lanes"], facts["moments"], columns)
    ]
    kinds = [np.array(own, np.int8) for own in facts["kinds"]]
    numbers, starts, ends = (array(f"steps_{name}") for name in _STEPS)
    log, clock = ([array(f"{of}_{name}") for name in names]
                  for of, names in (("log", _LOG), ("clock", _CLOCK)))  # fmt: skip
    return Trace.of(
        header, [LaneSpans.of(spans) for spans in lanes], table,
        blocks=list(_blocks(array("block_starts"), array("block_sums"), lanes, kinds)),
        step_table=StepBounds.of(numbers, starts, ends),
        counters=_counters(facts["counters"], *(array(f"counter_{name}") for name in _COUNTER)),
        logs=Log.of(log, facts["levels"], facts["texts"]),
        clocks=Clocks.of(clock, facts["devices"]),
        costs=facts["costs"], open_tasks=[_span(told) for told in facts["open"]],
    )  # fmt: skip


def _counters(told: list[tuple[str, int | None, int]], *columns: NDArray[Any]) -> list[Counter]:
    ends = np.cumsum([count for *_, count in told], dtype=np.int64).tolist()
    return [
        Counter.of(name, lane, *(column[end - count : end] for column in columns))
        for (name, lane, count), end in zip(told, ends, strict=True)
    ]


def _span(told: dict[str, Any]) -> Span:
    read = {"kind": Kind(told["kind"]), "payload": Payload(told["payload"])}
    return Span(**{**told, **read, "after": tuple(told["after"])})
