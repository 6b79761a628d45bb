"""Nsight Systems' SQLite export: kernels, copies of memory, calls of CUDA and NVTX ranges."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter as Counts
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from core.errors import RecordingError
from core.gc_paused import gc_paused
from core.plan.plan import Role
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.reading import one_line, open_regular
from core.recording.importers.found import MOST_LANES, MOST_NAME, Found, Launches, Track
from core.recording.importers.in_order import arguments_in_order
from core.recording.importers.to_trace import opened
from core.recording.importers.words import coded, kinds_of, steps_of
from core.recording.index import Progress, report_progress
from core.recording.limits import TooMuch, check_count, most_events
from core.recording.stream import Opened
from core.trace.import_issue import ImportIssue
from core.trace.spans import LATEST

_PROCESS = 0xFFFFFF  # bits 24 to 47 of a global id are the process, those below the thread
_KERNEL, _CALL, _RANGE = range(3)
MOST_TEXT = 1 << 28
"""Characters of all names: rows of a small file may share theirs, or have them by default."""
WORK_BETWEEN = 100_000
"""Instructions of SQLite's virtual machine between two looks at its progress."""
FREE_WORK, WORK_PER_BYTE = 20_000_000, 10
"""Instructions that a file may take; reading a row takes two or three for each of its bytes."""


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
        rows = _Rows(most_events(Path(path)))
        with _opened(Path(path), progress) as base:
            strings = _strings(base, rows.most)
            for table in _TABLES:
                rows.take(base, table, strings)
        if not rows.start:
            raise RecordingError(f"{words}: it has no kernel, call or range that says when it ran")
        told_of = arguments_in_order(Path(path), np.array(rows.place, np.int32), _texts)
        return opened(replace(rows.found(), arguments=told_of), Path(path), progress)


@contextmanager
def _opened(path: Path, progress: Progress | None = None) -> Iterator[sqlite3.Connection]:
    """Open the database; nothing that it defines is run: no view, function or trigger.

    Work that no table of a file of this size needs is ended: pages may refer to each other in a
    circle. Raises Cancelled if `progress` returns False.
    """
    open_regular(path).close()
    # Immutable: SQLite takes no lock and makes no file beside it, which may be on a read-only disk.
    place = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    size = path.stat().st_size
    most = FREE_WORK + WORK_PER_BYTE * size
    stopped: list[BaseException] = []
    done = 0

    def look() -> bool:
        """Return True to end what SQLite does."""
        nonlocal done
        done += WORK_BETWEEN
        try:
            if done > most:
                raise TooMuch("its tables refer to more rows than a file of its size can have")
            report_progress(progress, min(done, most), most)
        except BaseException as error:  # SQLite would drop it; Ctrl+C arrives here, too
            stopped.append(error)
        return bool(stopped)

    with closing(sqlite3.connect(place, uri=True)) as base:
        base.execute("PRAGMA trusted_schema = OFF")
        base.execute("PRAGMA cell_size_check = ON")
        base.set_authorizer(_allowed)
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_NAME)
        base.set_progress_handler(look, WORK_BETWEEN)
        try:
            _read_schema(base)
            yield base
        except sqlite3.Error as error:
            if stopped:
                raise stopped[0] from error
            raise


def _read_schema(base: sqlite3.Connection) -> None:
    """Read how the tables are made. Raises ValueError if that is damaged."""
    try:
        base.execute("SELECT name FROM sqlite_master").fetchone()
        return
    except MemoryError:  # SQLite says so of a damaged schema, whatever memory there is
        pass
    raise ValueError("the description of its tables is damaged")


def _allowed(action: int, what: str | None, _: str | None, __: str | None, view: str | None) -> int:
    """Allow to read columns of tables; no view, function or recursive query of the file's."""
    reads = action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
    describes = action == sqlite3.SQLITE_PRAGMA and what == "table_info"
    return sqlite3.SQLITE_OK if view is None and (reads or describes) else sqlite3.SQLITE_DENY


def _texts(path: Path) -> Iterator[str]:
    """What stands in each row that is read, as JSON."""
    with _opened(path) as base:
        for table in _TABLES:
            if _is_timed(base, table):
                names = _columns(base, table.name)
                columns = ", ".join(f'"{name}"' for name in names)
                for row in base.execute(f"SELECT {columns} FROM {table.name}"):
                    known = zip(names, row, strict=True)
                    # A blob is bytes, which JSON has not: shown as Python writes them.
                    yield json.dumps({k: v for k, v in known if v is not None}, default=repr)


def _columns(base: sqlite3.Connection, name: str) -> list[str]:
    """The columns that a table keeps; none if there is no such table, or it is a view.

    A virtual table has no page of the file, and generated columns are left out: both compute.
    """
    kept = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND rootpage > 0"
    if base.execute(kept, (name,)).fetchone() is None:
        return []
    return [row[1] for row in base.execute(f"PRAGMA table_info({name})")]


def _is_timed(base: sqlite3.Connection, table: _Table) -> bool:
    """True if there is a table that says when something ran."""
    return {"start", "end"} <= set(_columns(base, table.name))


def _strings(base: sqlite3.Connection, most: int) -> dict[object, str]:
    """The texts to which rows refer by their numbers. Raises TooMuch for too many."""
    found: dict[object, str] = {}
    size = 0
    if {"id", "value"} <= set(_columns(base, "StringIds")):
        for number, text in base.execute("SELECT id, value FROM StringIds"):
            if isinstance(number, int) and isinstance(text, str):
                found.setdefault(number, text)
                size += len(text)
                check_count(found, most, "text")
                check_count(size, MOST_TEXT, "character")
    return found


@dataclass
class _Rows:
    """Rows of all tables as columns; `place` is the number of each among all that were seen.

    At most `most` rows are taken.
    """

    most: int
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    key: list[Key] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    correlation: list[int] = field(default_factory=list)
    place: list[int] = field(default_factory=list)
    seen: int = 0
    characters: int = 0
    issues: Counts[ImportIssue] = field(default_factory=Counts)

    def take(self, base: sqlite3.Connection, table: _Table, strings: Mapping[object, str]) -> None:
        """Take the rows of a table, if there is one; some name their texts by their numbers."""
        if not _is_timed(base, table):
            return
        for start, end, process, device, stream, thread, correlation, *names in _select(
            base, table
        ):
            text = self._text(table, names, strings)
            self._add(table, start, end, process, device, stream, thread, correlation, text)
            self.seen += 1
            check_count(self.seen, self.most, "row")

    def _text(
        self, table: _Table, names: Sequence[object], strings: Mapping[object, str]
    ) -> str | None:
        """The first text that a row names; only NVTX's `text` is the text itself."""
        for column, value in zip(table.named, names, strict=True):
            text = value if column == "text" else strings.get(value)
            if isinstance(text, str) and text:
                if column == "text":
                    self.characters += len(text)
                    check_count(self.characters, MOST_TEXT, "character")
                return sys.intern(text)
        return None

    def _add(
        self, table: _Table, start: object, end: object, process: object, device: object,
        stream: object, thread: object, correlation: object, text: str | None,
    ) -> None:  # fmt: skip
        if not isinstance(start, int) or not 0 <= start < LATEST:
            self.issues[ImportIssue.BAD_ROW] += 1
            return
        if end is None and table.what == _RANGE:  # a mark
            end = start
        if not isinstance(end, int) or not start <= end < LATEST:
            self.issues[ImportIssue.BAD_ROW] += 1
            return
        whole = thread if isinstance(thread, int) else process if isinstance(process, int) else 0
        own = stream if table.what == _KERNEL else whole
        self.place.append(self.seen)
        self.start.append(start)
        self.end.append(end)
        self.key.append((table.what, whole >> 24 & _PROCESS, _whole(device), _whole(own)))
        self.name.append(text or table.fixed or "unnamed")
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
        self.issues[ImportIssue.ORPHAN_LAUNCH] += launches.orphans
        return Found(
            tracks, names, track, name, start, end, kind, launched=launches.times(start),
            step=steps.at(start) if len(steps.number) else None,
            links=launches.links, steps=steps, issues=self.issues,
        )  # fmt: skip

    def _launches(self, what: NDArray[np.int64]) -> Launches:
        """Calls and the tasks of devices that they launched; a process has its own numbers."""
        numbers = [(key[1], own) for key, own in zip(self.key, self.correlation, strict=True)]
        calls = (what == _CALL) & (np.array(self.correlation) > 0)
        tasks = np.flatnonzero(what == _KERNEL)
        return Launches.of(coded(numbers, {}), np.flatnonzero(calls), tasks)


def _select(base: sqlite3.Connection, table: _Table) -> Iterator[tuple[Any, ...]]:
    """Start, end, process, device, stream, thread, correlation and names of each row."""
    columns = _columns(base, table.name)
    wanted = ("globalPid", "deviceId", "streamId", "globalTid", "correlationId", *table.named)
    known = [name if name in columns else "NULL" for name in wanted]
    # "end" is a word of SQL's. All names in here are ours, none is the file's.
    yield from base.execute(f'SELECT start, "end", {", ".join(known)} FROM {table.name}')


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
