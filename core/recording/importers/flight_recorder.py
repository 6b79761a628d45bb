"""The flight recorder's dump of PyTorch as JSON: every collective of a rank, by process group."""

from __future__ import annotations

import os
import re
from collections import Counter as Counts
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from core.errors import RecordingError
from core.gc_paused import gc_paused
from core.plan.plan import Role
from core.reading import one_line, open_regular
from core.recording.importers.found import MOST_GROUP, Found, Track
from core.recording.importers.in_order import arguments_in_order
from core.recording.importers.json_pieces import opening_of, pieces, reader
from core.recording.importers.to_trace import opened
from core.recording.importers.words import coded, kinds_of
from core.recording.index import Progress, report_progress, watched
from core.recording.limits import check_count, most_events
from core.recording.stream import Opened
from core.trace.import_issue import ImportIssue
from core.trace.spans import LATEST

_ENTRIES = opening_of(b"entries")
_RANK = re.compile(r"(?:rank|trace|dump)[-_ ]?(\d{1,6})", re.IGNORECASE)


class _Entry(msgspec.Struct, gc=False):
    """A collective; times are ns since 1970, 0 for one that is not known."""

    profiling_name: str = ""
    process_group: list[str] = []
    time_created_ns: int = 0
    time_discovered_started_ns: int | None = 0
    time_discovered_completed_ns: int | None = 0
    duration_ms: float | None = None


class _Dump(msgspec.Struct, gc=False):
    entries: list[_Entry]


class _Told(msgspec.Struct, gc=False):
    """A dump whose entries are shown as they are."""

    entries: list[msgspec.Raw]


def read_flight_recorder(path: Path | str, progress: Progress | None = None) -> Opened:
    """Read a dump; a lane is a process group. Raises RecordingError, naming the file."""
    words = f"{path} cannot be read as a dump of the flight recorder"
    with gc_paused(), one_line(words, RecordingError, msgspec.MsgspecError):
        found = found_of_dump(Path(path), progress)
        if not len(found):
            raise RecordingError(f"{words}: it has no collective that says when it was called")
        return opened(found, Path(path), progress)


def found_of_dump(path: Path, progress: Progress | None = None) -> Found:
    """The collectives of a file. One that does not say when it ended is a moment."""
    entries, most = [], most_events(path)
    for some in _lists(path, list[_Entry], _Dump, progress):
        entries += some
        check_count(entries, most)
    issues, times, kept, places = Counts[ImportIssue](), [], [], []
    for place, entry in enumerate(watched(entries, progress)):
        start, end = _times(entry)
        if not 0 < start < LATEST:
            issues[ImportIssue.NO_TIME] += 1
            continue
        over = start <= end < LATEST
        issues[ImportIssue.NOT_OVER] += not over
        times.append((start, end if over else start))
        kept.append(entry)
        places.append(place)
    found = _found(kept, np.array(times, np.int64).reshape(-1, 2), path, issues)
    told_of = arguments_in_order(path, np.array(places, np.int32), _texts)
    return replace(found, arguments=told_of)


def _lists(
    path: Path, some: type[list[Any]], dump: type[Any], progress: Progress | None = None
) -> Iterator[list[Any]]:
    """Yield the entries list by list: `some` is the type of a list, `dump` that of a whole file."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        # Carefully: entries have lists of objects in them, such as frames.
        for piece in pieces(reader(file), True, _ENTRIES):
            if piece.is_last:
                yield msgspec.json.decode(piece.text, type=dump).entries
            else:
                yield msgspec.json.decode(piece.text, type=some)
            report_progress(progress, file.tell(), size)


def _texts(path: Path) -> Iterator[str]:
    for some in _lists(path, list[msgspec.Raw], _Told):
        for entry in some:
            yield bytes(entry).decode("utf-8", "replace")


def _times(entry: _Entry) -> tuple[int, int]:
    """When a collective started, as far as is known, and ended; the end is 0 if it is not known."""
    start = entry.time_discovered_started_ns or entry.time_created_ns
    end = entry.time_discovered_completed_ns or 0
    # A watchdog that polls discovers the start late; the duration was timed by the device.
    if end and entry.duration_ms is not None and 0 <= entry.duration_ms < 1e9:
        start = max(entry.time_created_ns, end - round(entry.duration_ms * 1e6))
    return start, end


def _found(
    entries: list[_Entry], times: np.ndarray[tuple[int, int], np.dtype[np.int64]], path: Path,
    issues: Counts[ImportIssue],
) -> Found:  # fmt: skip
    rank = _RANK.search(path.name)
    place = f"rank {int(rank[1])}" if rank else path.name
    groups: dict[str, int] = {}
    names: dict[str, int] = {}
    track = coded([_group(entry) for entry in entries], groups)
    name = coded([entry.profiling_name or "unnamed" for entry in entries], names)
    # Buckets and replicas have columns of 16 bits; beyond them groups are told by their rows alone.
    more = {"bucket": np.minimum(track, MOST_GROUP)}
    if rank:
        own = min(int(rank[1]), int(np.iinfo(np.int16).max))
        more["replica"] = np.full(len(entries), own, np.int32)
    return Found(
        tuple(Track(group, place, Role.COMPUTE) for group in groups), tuple(names), track, name,
        times[:, 0], times[:, 1], kinds_of(names)[name], more,
        launched=np.array([entry.time_created_ns for entry in entries], np.int64), issues=issues,
        groups=tuple(groups),
    )  # fmt: skip


def _group(entry: _Entry) -> str:
    # The dump has a group's number and then what it is for: on screen the latter stands first.
    return " ".join(filter(None, entry.process_group[::-1])) or "process group"
