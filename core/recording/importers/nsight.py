"""Nsight Systems' SQLite export: kernels, copies of memory, calls of CUDA and NVTX ranges."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter as Counts
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from core.errors import RecordingError
from core.gc_paused import gc_paused
from core.plan.plan import Role
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.reading import one_line, open_regular
from core.recording.importers.found import LATEST, MOST_EVENTS, MOST_LANES, Found, Launches, Track
from core.recording.importers.in_order import arguments_in_order
from core.recording.importers.to_trace import opened
from core.recording.importers.words import coded, kinds_of, steps_of
from core.recording.index import Progress, report_progress
from core.recording.stream import Opened
from core.trace.odd import Odd

_PROCESS = 0xFFFFFF  # bits 24 to 47 of a global id are the process, those below the thread
_KERNEL, _CALL, _RANGE = range(3)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table, the columns that may name its rows, and what they are; a row has a place of its own.

    `fixed` names rows of a table without a name.
    """

    name: str
    what: int
    named: tuple[str, ...] = ()
    fixed: str = ""


_TABLES = (
    _Table("CUPTI_ACTIVITY_KIND_KERNEL", _KERNEL, ("demangledName", "shortName")),
    _Table("CUPTI_ACTIVITY_KIND_MEMCPY", _KERNEL, fixed="Memcpy"),
    _Table("CUPTI_ACTIVITY_KIND_MEMSET", _KERNEL, fixed="Memset"),
    _Table("CUPTI_ACTIVITY_KIND_RUNTIME", _CALL, ("nameId",)),
    _Table("NVTX_EVENTS", _RANGE, ("text", "textId")),
)
Key = tuple[int, int, int, int]
"""What a row is, and its process, device and stream, or thread."""


def read_nsight(path: Path | str, progress: Progress | None = None) -> Opened:
    """Read an export; a lane is a stream or a thread. Raises RecordingError, naming the file."""
    words = f"{path} cannot be read as an export of Nsight Systems"
    with gc_paused(), one_line(words, RecordingError, sqlite3.Error):
        rows = _Rows()
        with _opened(Path(path)) as base:
            for number, table in enumerate(_TABLES):
                rows.take(base, table)
                report_progress(progress, number + 1, len(_TABLES))
        if not rows.start:
            raise RecordingError(f"{words}: it has no kernel, call or range that says when it ran")
        told_of = arguments_in_order(Path(path), np.array(rows.place, np.int32), _texts)
        return opened(replace(rows.found(), arguments=told_of), Path(path))


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The database; nothing that it could define is run, neither functions nor triggers."""
    # Immutable: SQLite takes no lock and makes no file beside it, which may be on a read-only disk.
    open_regular(path).close()
    place = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    with closing(sqlite3.connect(place, uri=True)) as base:
        base.execute("PRAGMA trusted_schema = OFF")
        yield base


def _texts(path: Path) -> Iterator[str]:
    """What stands in each row that is read, as JSON."""
    with _opened(path) as base:
        for table in _TABLES:
            if _columns(base, table):
                rows = base.execute(f"SELECT * FROM {table.name}")
                names = [column[0] for column in rows.description]
                for row in rows:
                    known = zip(names, row, strict=True)
                    # A blob is bytes, which JSON has not: shown as Python writes them.
                    yield json.dumps({k: v for k, v in known if v is not None}, default=repr)


def _columns(base: sqlite3.Connection, table: _Table) -> set[str]:
    """The columns of a table that says when something ran; else none."""
    columns = {row[1] for row in base.execute(f"PRAGMA table_info({table.name})")}
    return columns if {"start", "end"} <= columns else set()


@dataclass
class _Rows:
    """Rows of all tables as columns; `place` is the number of each among all that were seen."""

    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    key: list[Key] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    correlation: list[int] = field(default_factory=list)
    place: list[int] = field(default_factory=list)
    seen: int = 0
    odd: Counts[Odd] = field(default_factory=Counts)

    def take(self, base: sqlite3.Connection, table: _Table) -> None:
        """Take the rows of a table, if there is one."""
        columns = _columns(base, table)
        for row in _select(base, table, columns) if columns else ():
            self._add(table, *row)
            self.seen += 1

    def _add(
        self, table: _Table, start: object, end: object, process: object, device: object,
        stream: object, thread: object, correlation: object, text: object,
    ) -> None:  # fmt: skip
        if not isinstance(start, int) or not 0 <= start < LATEST:
            self.odd[Odd.BAD_ROW] += 1
            return
        if end is None and table.what == _RANGE:  # a mark
            end = start
        if not isinstance(end, int) or not start <= end < LATEST:
            self.odd[Odd.BAD_ROW] += 1
            return
        if len(self.start) >= MOST_EVENTS:
            raise ValueError(f"it has more than {MOST_EVENTS:,} events")
        whole = thread if isinstance(thread, int) else process if isinstance(process, int) else 0
        own = stream if table.what == _KERNEL else whole
        self.place.append(self.seen)
        self.start.append(start)
        self.end.append(end)
        self.key.append((table.what, whole >> 24 & _PROCESS, _whole(device), _whole(own)))
        self.name.append(text if isinstance(text, str) and text else table.fixed or "unnamed")
        self.correlation.append(_whole(correlation))

    def found(self) -> Found:
        """All rows, on the tracks that they name."""
        # A key begins with what it is: streams (_KERNEL, 0) stand first, then threads, then ranges.
        keys = sorted(set(self.key))
        if len(keys) > MOST_LANES:
            raise ValueError(f"it has more than {MOST_LANES:,} streams and threads")
        track = coded(self.key, {key: code for code, key in enumerate(keys)})
        codes: dict[str, int] = {}
        name = coded(self.name, codes)
        names = tuple(codes)
        start, end = np.array(self.start, np.int64), np.array(self.end, np.int64)
        kind = kinds_of(names)[name]
        what = np.array([key[0] for key in self.key])
        ranges = what == _RANGE
        steps = steps_of(names, name[ranges], start[ranges], end[ranges])
        moving = np.bincount(track, (end - start) * IS_COMMUNICATION[kind], len(keys))
        mostly = 2 * moving > np.bincount(track, end - start, len(keys))
        # Of several rows that tell of one thread the first is served: it is put in last.
        own = reversed(list(enumerate(keys)))
        first = {_served(key): n for n, key in own if key[0] != _RANGE}
        tracks = tuple(_track(key, n, bool(mostly[n]), first) for n, key in enumerate(keys))
        launches = self._launches(what)
        self.odd[Odd.ORPHAN_LAUNCH] += launches.orphans
        return Found(
            tracks, names, track, name, start, end, kind, launched=launches.times(start),
            step=steps.at(start) if len(steps.number) else None,
            links=launches.links, steps=steps, odd=self.odd,
        )  # fmt: skip

    def _launches(self, what: NDArray[np.int64]) -> Launches:
        """Calls and the tasks of devices that they launched; a process has its own numbers."""
        numbers = [(key[1], own) for key, own in zip(self.key, self.correlation, strict=True)]
        calls = (what == _CALL) & (np.array(self.correlation) > 0)
        tasks = np.flatnonzero(what == _KERNEL)
        return Launches.of(coded(numbers, {}), np.flatnonzero(calls), tasks)


def _select(
    base: sqlite3.Connection, table: _Table, columns: set[str]
) -> Iterator[tuple[object, ...]]:
    """Start, end, process, device, stream, thread, correlation and name of each row."""
    wanted = ("globalPid", "deviceId", "streamId", "globalTid", "correlationId")
    numbers = [f"t.{name}" if name in columns else "NULL" for name in wanted]
    texts = [f"t.{name}" for name in table.named if name in columns]
    strings = [row[1] for row in base.execute("PRAGMA table_info(StringIds)")]
    if {"id", "value"} <= set(strings):
        texts = [
            # Only NVTX's `text` is the text itself; the other columns have numbers of StringIds.
            text if text == "t.text" else f"(SELECT value FROM StringIds WHERE id = {text})"
            for text in texts
        ]
    # SQLite's coalesce needs two arguments, and a table may have no column of names.
    text = f"coalesce({', '.join([*texts, 'NULL', 'NULL'])})"
    # "end" is a word of SQL's. All names in here are ours, none is the file's.
    order = f'SELECT t.start, t."end", {", ".join(numbers)}, {text} FROM {table.name} AS t'
    yield from base.execute(order)


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 62 else 0


def _served(key: Key) -> tuple[int, ...]:
    """What the first row of a device, or the calls of a thread, are found by."""
    return key[:3] if key[0] == _KERNEL else (_CALL, key[3])


def _track(key: Key, place: int, moves: bool, first: Mapping[tuple[int, ...], int]) -> Track:
    """A stream, a thread, or the ranges that were noted on one."""
    what, process, device, own = key
    name = f"process {process}"
    if what == _KERNEL:
        serves = first[_served(key)]
        role = Role.COMMUNICATION if moves and place != serves else Role.COMPUTE
        return Track(
            f"device {device} stream {own}",
            name,
            role,
            ABSENT if role is Role.COMPUTE else serves,
            stream_of=f"device {device}",
        )
    thread = own & _PROCESS
    if what == _CALL:
        return Track(f"thread {thread}", name, Role.COMPUTE, cores=1)
    return Track(f"thread {thread} NVTX", name, Role.NESTED, first.get(_served(key), ABSENT), 1)
