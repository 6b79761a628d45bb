"""Reads traces of other programs in Chrome's trace format: what ran when on which thread.

The format is Google's "Trace Event Format": JSON with an event each, times in microseconds. Taken
are complete events (`X`) and the names of processes and threads; of all others it is said how many
there were. Files in the wild are packed by gzip, a bare list, or lack their end.
"""

from __future__ import annotations

import codecs
import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.gc_paused import gc_paused
from core.models.description import ModelDescription
from core.order import stable_argsort
from core.plain import said
from core.plan.specification import Specification
from core.plan.task import KINDS, Kind, Lane, Role
from core.reading import one_line
from core.recording.index import Progress, tell
from core.recording.schema import RecordingError
from core.recording.sniff import GZIP
from core.recording.stream import Opened
from core.trace.columns import ABSENT, StepBounds
from core.trace.header import Header
from core.trace.spans import LaneSpans, Spans
from core.trace.table import TaskTable, blank_rows
from core.trace.trace import Trace

NS_PER_UNIT = 1000.0  # times are microseconds, whatever unit a file asks viewers to show
LATEST = 4e15  # microseconds, until the year 2096: twice as many ns still have 63 bits
MOST_REPAIRS = 16  # ends that are tried for a file that was cut
MOST_BEFORE = 1 << 14  # bytes in which the list of events has to begin
MOST_WHOLE = 1 << 30  # bytes of a file that is damaged, and so is decoded in one piece
MOST_EVENT = 1 << 26  # bytes of one event
MOST_LANES = 1 << 16  # threads, and depths of their calls
PIECE = 1 << 20  # bytes that are decoded at a time: what is made of them stays in the caches
_OPENING = re.compile(rb'\s*(?:\[|\{(?:.{0,4096}?,)?\s*"traceEvents"\s*:\s*\[)', re.DOTALL)
_BORDER = re.compile(rb"\}\s*,\s*\{")
_Number = float | int | str | None


class _Event(msgspec.Struct, gc=False):
    """What is read of an event; some programs write numbers as text."""

    ph: str = ""
    ts: _Number = None
    dur: _Number = None
    pid: _Number = None
    tid: _Number = None
    name: str | None = ""
    args: msgspec.Raw = msgspec.Raw(b"{}")


class _File(msgspec.Struct, gc=False):
    """The form of most files; the other is a bare list of events."""

    traceEvents: list[_Event]


class _Named(msgspec.Struct):
    name: str = ""


def read_chrome_trace(path: Path | str, progress: Progress | None = None) -> Opened:
    """Read a trace; a lane is a thread, and below it lies a nested lane for each depth of calls.

    `progress` is told how much is done of how much. Raises RecordingError, naming the file, if it
    cannot be read or has no complete event, and Cancelled if `progress` returns False.
    """
    with gc_paused(), one_line(_refusal(path), RecordingError, msgspec.MsgspecError):
        events, cut = _events(Path(path), progress)
        lost = _lost(events, cut)
        return Opened(_trace(events, str(path)), lost and f"{path}: {lost}")


def _refusal(path: Path | str) -> str:
    return f"{path} cannot be read as a trace in Chrome's format"


class _Events:
    """Complete events as columns, a piece for each list that was added; and what else there was.

    `threads` and `names` have the numbers by which the pieces' columns speak of them.
    """

    def __init__(self) -> None:
        self.begin: list[NDArray[np.float64]] = []
        self.length: list[NDArray[np.float64]] = []
        self.thread: list[NDArray[np.int32]] = []
        self.name: list[NDArray[np.int32]] = []
        self.threads: dict[tuple[_Number, _Number], int] = {}
        self.names: dict[str | None, int] = {}
        self.metadata: list[_Event] = []
        self.others: Counter[str] = Counter()
        self.strange = 0
        """Complete events without a time that can be read."""

    def add(self, events: Sequence[_Event]) -> None:
        """Take events, while the processor's caches still hold them."""
        complete = [event for event in events if event.ph == "X"]
        if len(complete) < len(events):
            self.metadata += [event for event in events if event.ph == "M"]
            self.others.update(event.ph for event in events if event.ph not in ("X", "M"))
        begin = _numbers([event.ts for event in complete])
        length = _numbers([event.dur for event in complete])
        length = np.where(np.isnan(length), 0.0, length)
        known = (np.abs(begin) < LATEST) & (length >= 0) & (length < LATEST)
        if not known.all():
            self.strange += int((~known).sum())
            complete = [event for event, is_known in zip(complete, known, strict=True) if is_known]
            begin, length = begin[known], length[known]
        self.begin.append(begin)
        self.length.append(length)
        self.thread.append(_coded([(event.pid, event.tid) for event in complete], self.threads))
        self.name.append(_coded([event.name for event in complete], self.names))


def _events(path: Path, progress: Progress | None) -> tuple[_Events, bool]:
    """The file's events, and whether its end is missing."""
    events, size = _Events(), path.stat().st_size
    try:
        with path.open("rb") as file:
            for piece in _pieces(_reader(file), str(path)):
                events.add(_decoded(piece))
                tell(progress, file.tell(), size)
        return events, False
    except msgspec.DecodeError:  # it was cut in the wrong place, here or where it was written
        with path.open("rb") as file:
            pieces = iter(partial(_reader(file), PIECE), b"")
            data = b"".join(islice(pieces, MOST_WHOLE // PIECE)).removeprefix(codecs.BOM_UTF8)
        if len(data) > MOST_WHOLE - PIECE:
            raise
        events = _Events()
        whole, cut = _whole(data, b"]" if data.lstrip()[:1] == b"[" else b"]}", str(path))
        events.add(whole)
        return events, cut


def _reader(file: BinaryIO) -> Callable[[int], bytes]:
    """Reads a file, packed or not, so many bytes at a time; nothing at its end."""
    if file.read(len(GZIP)) != GZIP:
        file.seek(0)
        return file.read
    file.seek(0)
    packed = gzip.GzipFile(fileobj=file)

    def unpack(count: int) -> bytes:
        parts = []
        try:
            while count > 0 and (part := packed.read1(count)):
                parts.append(part)
                count -= len(part)
        except EOFError:
            pass  # it was cut; its last event is missing anyhow
        return b"".join(parts)

    return unpack


def _pieces(read: Callable[[int], bytes], name: str) -> Iterator[bytes]:
    """The list of events in pieces that are lists themselves.

    Decoding holds up the other threads of the process, a window among them, for as long as a piece
    takes. A piece ends between two objects; whether these are events, decoding will tell.
    """
    data = read(max(PIECE, MOST_BEFORE)).removeprefix(codecs.BOM_UTF8)
    opening = _OPENING.match(data)
    if opening is None:
        raise RecordingError(f"{_refusal(name)}: it has no list of events")
    begin = opening.end()
    while True:
        border = _BORDER.search(data, begin + PIECE)
        if border is not None:
            yield b"".join((b"[", memoryview(data)[begin : border.start() + 1], b"]"))
            begin = border.end() - 1
        elif len(data) - begin > MOST_EVENT:
            raise RecordingError(f"{_refusal(name)}: an event has more than {MOST_EVENT:,} bytes")
        elif more := read(max(2 * PIECE, len(data) - begin)):
            data, begin = data[begin:] + more, 0
        else:
            yield opening[0] + data[begin:]
            return


def _decoded(data: bytes) -> list[_Event]:
    """The events of a list, or of an object that holds one. Raises msgspec.DecodeError."""
    if data[:64].lstrip()[:1] == b"[":
        return msgspec.json.decode(data, type=list[_Event])
    return msgspec.json.decode(data, type=_File).traceEvents


def _whole(data: bytes, end: bytes, name: str) -> tuple[list[_Event], bool]:
    """The events of a file in one piece: as it is or, if its end is missing, with one."""
    failed = ""
    for tried in chain([data], _ends(data, end)):
        try:
            return _decoded(tried), tried is not data
        except msgspec.DecodeError as error:
            failed = failed or str(error)
    raise RecordingError(said(f"{_refusal(name)}: {failed}"))


def _ends(data: bytes, end: bytes) -> Iterator[bytes]:
    """The data with the end that it lacks, after one of the last events that are whole."""
    at = len(data)
    for _ in range(MOST_REPAIRS):
        at = data.rfind(b"}", 0, at)
        if at < 0:
            return
        yield data[: at + 1] + end


def _trace(events: _Events, name: str) -> Trace:
    """The trace of all events."""
    begin, length = np.concatenate(events.begin), np.concatenate(events.length)
    if not len(begin):
        raise RecordingError(f"{name} has no complete event (ph X) that says when it ran")
    origin = begin.min()
    # Both ends are rounded, not the length: what touched in the file touches here.
    length += begin
    end, start = _nanoseconds(length, origin), _nanoseconds(begin, origin)
    table = TaskTable()
    _add_tasks(list(events.names), table)
    row = np.concatenate(events.name)
    thread = np.concatenate(events.thread)
    lanes, spans = _lanes(_titles(events), thread, start, end, row, table)
    header = Header(Specification(), ModelDescription(Path(name).name, (), 0), tuple(lanes))
    bounds = int(start.min()), int(end.max())
    return Trace(header, table, [LaneSpans.of(some) for some in spans], StepBounds(bounds=bounds))


def _nanoseconds(times: NDArray[np.float64], origin: float) -> NDArray[np.int64]:
    """Times of the file in ns since the origin; the array given is used up."""
    times -= origin
    times *= NS_PER_UNIT
    return np.rint(times, out=times).astype(np.int64)


def _numbers(values: list[_Number]) -> NDArray[np.float64]:
    """Numbers that may be written as text; NaN for what is none."""
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        return np.array([_number(value) for value in values], np.float64)


def _number(value: _Number) -> float:
    try:
        return float("nan" if value is None else value)
    except (ValueError, OverflowError):
        return float("nan")


def _coded(values: list[Any], codes: dict[Any, int]) -> NDArray[np.int32]:
    """The number of each value; new ones get the next numbers, in order of appearance."""
    for value in dict.fromkeys(values):
        codes.setdefault(value, len(codes))
    return np.fromiter(map(codes.__getitem__, values), np.int32, len(values))


def _add_tasks(names: Sequence[str | None], table: TaskTable) -> None:
    """A task of the table for each name: what is done again is told once."""
    rows = blank_rows(len(names))
    rows["kind"] = KINDS.index(Kind.OTHER)
    rows["name"] = [table.names.place(name or "unnamed") for name in names]
    table.add(rows, np.empty(0, np.int32))


def _titles(events: _Events) -> list[tuple[str, str]]:
    """The name and the process of each thread, by its metadata or its numbers."""
    told: dict[tuple[str, _Number, _Number], str] = {}
    for event in events.metadata:
        if event.name in ("process_name", "thread_name"):
            tid = event.tid if event.name == "thread_name" else None
            try:
                told[event.name, event.pid, tid] = msgspec.json.decode(event.args, type=_Named).name
            except msgspec.DecodeError:
                continue  # a name that is none; the number stands in its place
    titles = []
    for pid, tid in events.threads:
        process = told.get(("process_name", pid, None)) or f"process {pid}"
        titles.append((told.get(("thread_name", pid, tid)) or f"thread {tid}", process))
    return titles


def _lanes(
    titles: Sequence[tuple[str, str]],
    thread: NDArray[np.int32],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    row: NDArray[np.int32],
    table: TaskTable,
) -> tuple[list[Lane], list[Spans]]:
    """A lane for each thread, then its nested ones, and the spans of each."""
    thread, start, end, row = _arranged(thread, start, end, row)
    bounds = np.searchsorted(thread, np.arange(len(titles) + 1))
    lanes: list[Lane] = []
    spans: list[Spans] = []
    nested: list[tuple[int, str, str, Spans]] = []
    for index, (name, process) in enumerate(titles):
        mine = slice(int(bounds[index]), int(bounds[index + 1]))
        depth = _depths(start[mine], end[mine])
        by_depth = stable_argsort(depth) + mine.start
        ends = np.cumsum(np.bincount(depth)).tolist()
        if len(lanes) + len(nested) + len(ends) > MOST_LANES:
            raise ValueError(f"its threads and their nested calls are more than {MOST_LANES:,}")
        for level, (first, last) in enumerate(pairwise([0, *ends])):
            chosen = by_depth[first:last]
            steps = np.full(len(chosen), ABSENT, np.int32)
            some = Spans(table, start[chosen], end[chosen], steps, row[chosen])
            if level:
                nested.append((index, f"{name} depth {level}", process, some))
            else:
                lanes.append(Lane(index, name, process))
                spans.append(some)
    for serves, name, process, some in nested:
        lanes.append(Lane(len(lanes), name, process, Role.NESTED, serves=serves))
        spans.append(some)
    return lanes, spans


def _arranged(
    thread: NDArray[np.int32], start: NDArray[np.int64], end: NDArray[np.int64],
    row: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:  # fmt: skip
    """The columns by thread and start; of two that start together the longer comes first.

    Most files have each thread's events in this order.
    """
    order = stable_argsort(thread)
    thread, start, end, row = thread[order], start[order], end[order], row[order]
    begun, ended = np.diff(start), np.diff(end)
    if ((thread[1:] > thread[:-1]) | (begun > 0) | ((begun == 0) & (ended <= 0))).all():
        return thread, start, end, row
    order = np.lexsort((-end, start, thread))
    return thread[order], start[order], end[order], row[order]


def _depths(start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many events of a thread enclose each; those of one depth never overlap.

    The events are in order of their starts, and of two that start together the longer comes first.
    Where they nest, as the format demands, as many enclose an event as began before it and have
    not ended.
    """
    turn = np.arange(len(start))
    ended = np.searchsorted(np.sort(end), start, "right")
    none = end == start  # they end as they begin: those that stand behind one have not ended yet
    depth = turn - np.minimum(ended, turn)
    if none.any() or not _is_apart(depth, start, end):
        return _first_free(start, end)
    return depth


def _is_apart(depth: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64]) -> bool:
    """Whether no two events of one depth overlap."""
    order = stable_argsort(depth)
    same = depth[order][1:] == depth[order][:-1]
    return not bool((start[order][1:] < end[order][:-1])[same].any())


def _first_free(start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each event the first depth at which all before it have ended, one after the other."""
    depth: list[int] = []
    free: list[int] = []  # depths at which all have ended, the first on top
    busy: list[tuple[int, int]] = []  # the others: when they end, and their depth
    for begin, last in zip(start.tolist(), end.tolist(), strict=True):
        while busy and busy[0][0] <= begin:
            heappush(free, heappop(busy)[1])
        level = heappop(free) if free else len(busy)
        heappush(busy, (last, level))
        depth.append(level)
    return np.array(depth, np.int64)


def _lost(events: _Events, cut: bool) -> str:
    """What of a file is not shown."""
    parts = []
    if events.others:
        kinds = ", ".join(
            f"{count:,} of {ph or 'no phase'}" for ph, count in events.others.most_common()
        )
        parts.append(f"only complete events are read; left out are {kinds}")
    if events.strange:
        parts.append(f"{events.strange:,} complete events without a time are left out")
    if cut:
        parts.append("the file was cut: it is shown up to its last whole event")
    return "; ".join(parts)
