"""Exports of Nsight Systems to SQLite: kernels, graphs, copies, calls of CUDA and NVTX ranges."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter as Counts
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.message import message
from core.order import groups
from core.plan.plan import Role
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.recording.importers.event_names import encode_values, kinds_from_names
from core.recording.importers.event_steps import MarkingEvents, steps_from_names
from core.recording.importers.imported_events import (
    MOST_IMPORTED_LANES,
    ImportedEvents,
    ImportedTrack,
    Launches,
    StepRanges,
)
from core.recording.importers.nsight_database import (
    MOST_CHARACTERS,
    open_database,
    read_strings,
    stored_columns,
)
from core.recording.importers.rank_collectives import with_matched_collectives
from core.recording.importers.sequential_arguments import sequential_arguments
from core.recording.index import Progress
from core.recording.limits import TOO_MANY_CHARACTERS, TOO_MANY_ROWS, check_count, most_events
from core.trace.import_issue import ImportIssue
from core.trace.spans import LATEST

_PROCESS_MASK = 0xFFFFFF
"""Bits of a process or a thread: bits 24 to 47 of a global id are the process, the lower ones the
thread.
"""
_ID_LIMIT = 1 << 62
_KERNEL, _CALL, _RANGE = range(3)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of events of one type; `name_columns` have the names of rows, or ids of names.

    `default_name` is for rows of a table without names; the number in `number_column` follows it.
    """

    name: str
    type: int
    name_columns: tuple[str, ...] = ()
    default_name: str = "unnamed"
    number_column: str = ""


_TABLES = (
    _Table("CUPTI_ACTIVITY_KIND_KERNEL", _KERNEL, ("demangledName", "shortName")),
    _Table("CUPTI_ACTIVITY_KIND_MEMCPY", _KERNEL, default_name="Memcpy"),
    _Table("CUPTI_ACTIVITY_KIND_MEMSET", _KERNEL, default_name="Memset"),
    # A row for each replay of a graph, unless nsys runs with --cuda-graph-trace=node.
    _Table(
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        _KERNEL,
        default_name="CUDA graph",
        number_column="graphExecId",
    ),
    _Table("CUPTI_ACTIVITY_KIND_RUNTIME", _CALL, ("nameId",)),
    _Table("NVTX_EVENTS", _RANGE, ("text", "textId")),
)


_RowKey = tuple[int, int, int, int]
"""The row of an event: its type, process, device, and its stream or global thread id."""


def read_nsight(path: Path, progress: Progress | None = None) -> ImportedEvents:
    """Read the events of an export. Raises ValueError, OSError, sqlite3.Error, Cancelled."""
    events = _NsightEvents(most_events(path))
    with open_database(path, progress) as database:
        strings = read_strings(database, events.most)
        for table in _TABLES:
            events.add_table(database, table, strings)
    if not events.start:
        return ImportedEvents.empty()
    # All processes of an export have one clock.
    return with_matched_collectives(events.imported(path), has_one_clock=True)


def _read_texts(path: Path) -> Iterator[str]:
    """Yield each row of an event as JSON."""
    with open_database(path) as database:
        for table in _TABLES:
            if not _has_times(database, table):
                continue
            names = stored_columns(database, table.name)
            columns = ", ".join(f'"{name}"' for name in names)
            for row in database.execute(f"SELECT {columns} FROM {table.name}"):
                pairs = zip(names, row, strict=True)
                values = {name: value for name, value in pairs if value is not None}
                # JSON has no bytes, the type of a blob: they are shown in Python's notation.
                yield json.dumps(values, default=repr)


def _has_times(database: sqlite3.Connection, table: _Table) -> bool:
    """Return True if a table exists and has start and end."""
    stored = set(stored_columns(database, table.name))
    return stored.issuperset({"start", "end"})


def _select(database: sqlite3.Connection, table: _Table) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of each row that are read, NULL for those that the table lacks.

    These are start, end, process, device, stream, thread, correlation, number and names.
    """
    stored = stored_columns(database, table.name)
    ids = ("globalPid", "deviceId", "streamId", "globalTid", "correlationId", table.number_column)
    columns = ["start", '"end"']  # a keyword of SQL
    for name in (*ids, *table.name_columns):
        columns.append(name if name in stored else "NULL")
    listed = ", ".join(columns)
    # All names here are constants; none is from the file.
    yield from database.execute(f"SELECT {listed} FROM {table.name}")


@dataclass
class _NsightEvents:
    """Events of all tables as columns; `place` is the number of an event among all rows.

    At most `most` rows are accepted.
    """

    most: int
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    key: list[_RowKey] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    correlation: list[int] = field(default_factory=list)
    place: list[int] = field(default_factory=list)
    rows: int = 0
    characters: int = 0
    issues: Counts[ImportIssue] = field(default_factory=Counts)

    def add_table(
        self, database: sqlite3.Connection, table: _Table, strings: Mapping[object, str]
    ) -> None:
        """Add the rows of a table if it exists; `strings` are names by id. Raises TooMuch."""
        if not _has_times(database, table):
            return
        for row in _select(database, table):
            start, end, process, device, stream, thread, correlation, number, *names = row
            name = self._name(table, names, strings) or _default_name(table, number)
            times = _valid_times(start, end, table)
            if times is None:
                self.issues[ImportIssue.BAD_ROW] += 1
            else:
                self.place.append(self.rows)
                self.start.append(times[0])
                self.end.append(times[1])
                self.key.append(_row_key(table, process, device, stream, thread))
                self.name.append(name)
                self.correlation.append(_id_or_0(correlation))
            self.rows += 1
            check_count(self.rows, self.most, TOO_MANY_ROWS)

    def _name(
        self, table: _Table, names: Sequence[object], strings: Mapping[object, str]
    ) -> str | None:
        """Return the first name of a row. Only NVTX's column `text` has names; others have ids."""
        for column, value in zip(table.name_columns, names, strict=True):
            name = value if column == "text" else strings.get(value)
            if isinstance(name, str) and name:
                if column == "text":
                    self.characters += len(name)
                    check_count(self.characters, MOST_CHARACTERS, TOO_MANY_CHARACTERS)
                return sys.intern(name)
        return None

    def imported(self, path: Path) -> ImportedEvents:
        """Return all events, on the tracks of their keys."""
        # The type is first in a key, so streams are first, then threads, then ranges.
        keys = sorted(set(self.key))
        if len(keys) > MOST_IMPORTED_LANES:
            raise ValueError(
                message(
                    "it has more than {most:,} streams and threads",
                    most=MOST_IMPORTED_LANES,
                )
            )
        track_of_key = {key: number for number, key in enumerate(keys)}
        track = encode_values(self.key, track_of_key)
        name_codes: dict[str, int] = {}
        name = encode_values(self.name, name_codes)
        names = tuple(name_codes)
        start = np.array(self.start, np.int64)
        end = np.array(self.end, np.int64)
        kind = kinds_from_names(names)[name]
        types = np.array([type_ for type_, _, _, _ in self.key])
        is_range = types == _RANGE
        events = MarkingEvents(
            names=names,
            name=name,
            thread=track,
            start=start,
            end=end,
            is_work=np.ones(len(name), np.bool_),
        )
        step, steps = self._steps(events, is_range)
        length = end - start
        busy = np.bincount(track, length, len(keys))
        moving = np.bincount(track, length * IS_COMMUNICATION[kind], len(keys))
        mostly_moves = 2 * moving > busy
        places = np.array(self.place, np.int32)
        launches = self._launches(types)
        self.issues[ImportIssue.ORPHAN_LAUNCH] += launches.orphans
        return ImportedEvents(
            tracks=_tracks(keys, mostly_moves),
            names=names,
            track=track,
            name=name,
            start=start,
            end=end,
            kind=kind,
            launched=launches.times(start),
            step=step,
            links=launches.links,
            steps=steps,
            issues=self.issues,
            arguments=sequential_arguments(path, places, _read_texts),
        )

    def _steps(
        self, events: MarkingEvents, is_range: Bools
    ) -> tuple[NDArray[np.int32] | None, StepRanges]:
        """Return the step of each event, None without steps, and the steps of all processes.

        Each process has its own steps; one without any has those of the others.
        """
        found = steps_from_names(events.at(np.flatnonzero(is_range)))
        if not len(found.number):
            return None, found
        step = found.at(events.start)
        process = np.array([process for _, process, _, _ in self.key])
        all_steps = []
        for places in groups(process):
            own = steps_from_names(events.at(places[is_range[places]]))
            if len(own.number):
                step[places] = own.at(events.start[places])
                all_steps.append(own)
        return step, StepRanges.joined(all_steps)

    def _launches(self, types: Ints) -> Launches:
        """Match calls and tasks by correlation id; each process has its own ids."""
        processes = [process for _, process, _, _ in self.key]
        pairs = list(zip(processes, self.correlation, strict=True))
        ids = encode_values(pairs, {})
        has_id = np.array(self.correlation) > 0
        is_launch = (types == _CALL) & has_id
        calls = np.flatnonzero(is_launch)
        tasks = np.flatnonzero(types == _KERNEL)
        return Launches.of(ids, calls, tasks)


def _default_name(table: _Table, number: object) -> str:
    """Return the name of a row without one."""
    if isinstance(number, int):
        return sys.intern(f"{table.default_name} {number}")
    return table.default_name


def _valid_times(start: object, end: object, table: _Table) -> tuple[int, int] | None:
    """Return start and end of a row in ns; None if they are missing or out of bounds."""
    if not isinstance(start, int) or not 0 <= start < LATEST:
        return None
    if end is None and table.type == _RANGE:  # a mark
        return start, start
    if not isinstance(end, int) or not start <= end < LATEST:
        return None
    return start, end


def _row_key(
    table: _Table, process: object, device: object, stream: object, thread: object
) -> _RowKey:
    """Return the key of a row by its global process and thread ids, its device and stream."""
    global_id = 0
    if isinstance(thread, int):
        global_id = thread
    elif isinstance(process, int):
        global_id = process
    own = stream if table.type == _KERNEL else global_id
    process_number = global_id >> 24 & _PROCESS_MASK
    return table.type, process_number, _id_or_0(device), _id_or_0(own)


def _id_or_0(value: object) -> int:
    if isinstance(value, int) and 0 <= value < _ID_LIMIT:
        return value
    return 0


def _tracks(keys: Sequence[_RowKey], mostly_moves: Bools) -> tuple[ImportedTrack, ...]:
    """Return a track for each key; `mostly_moves` is True if it mostly communicates."""
    first: dict[tuple[int, ...], int] = {}
    for place, key in enumerate(keys):
        if key[0] != _RANGE:
            first.setdefault(_owner(key), place)
    tracks = []
    for place, key in enumerate(keys):
        tracks.append(_track(key, place, bool(mostly_moves[place]), first))
    return tuple(tracks)


def _owner(key: _RowKey) -> tuple[int, ...]:
    """Return the device of a stream, or the thread of calls and ranges."""
    type_, process, device, own = key
    if type_ == _KERNEL:
        return type_, process, device
    return _CALL, own


def _track(
    key: _RowKey, place: int, moves: bool, first: Mapping[tuple[int, ...], int]
) -> ImportedTrack:
    """Return the track of a stream, of a thread, or of the ranges of a thread.

    `first` has the first track of each device and thread.
    """
    type_, process, device, own = key
    process_name = f"process {process}"
    if type_ == _KERNEL:
        device_name = f"device {device}"
        name = f"{device_name} stream {own}"
        serves = first[_owner(key)]
        if moves and place != serves:
            role = Role.COMMUNICATION
        else:
            role = Role.COMPUTE
            serves = ABSENT
        return ImportedTrack(
            name=name,
            place=process_name,
            role=role,
            serves=serves,
            stream_of=device_name,
            runs_at_once=True,
        )
    thread = own & _PROCESS_MASK
    if type_ == _CALL:
        return ImportedTrack(f"thread {thread}", process_name, Role.COMPUTE, cores=1)
    serves = first.get(_owner(key), ABSENT)
    return ImportedTrack(
        name=f"thread {thread} NVTX",
        place=process_name,
        role=Role.NESTED,
        serves=serves,
        cores=1,
    )
