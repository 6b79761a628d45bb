"""Dumps of PyTorch's flight recorder as JSON: the collectives of a rank, by process group."""

from __future__ import annotations

import os
import re
from collections import Counter as Counts
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.plan.task import ABSENT, IS_COLLECTIVE
from core.reading import open_regular
from core.recording.importers.event_names import encode_values, kinds_from_names
from core.recording.importers.imported_events import (
    MOST_GROUP_NUMBER,
    ImportedEvents,
    ImportedTrack,
)
from core.recording.importers.json_pieces import opening_of, split_events, unpacking_reader
from core.recording.importers.sequential_arguments import sequential_arguments
from core.recording.index import Progress, report_progress, watched
from core.recording.limits import check_count, most_events
from core.trace.import_issue import ImportIssue
from core.trace.spans import LATEST

_ENTRIES = opening_of(b"entries")
_RANK = re.compile(r"(?:rank|trace|dump)[-_ ]?(\d{1,6})", re.IGNORECASE)
_MOST_RANK = int(np.iinfo(np.int16).max)


class _Entry(msgspec.Struct, gc=False):
    """A collective; times are ns since 1970, or 0 if unknown."""

    profiling_name: str = ""
    process_group: list[str] = []
    time_created_ns: int = 0
    time_discovered_started_ns: int | None = 0
    time_discovered_completed_ns: int | None = 0
    duration_ms: float | None = None


class _Dump(msgspec.Struct, gc=False):
    entries: list[_Entry]


class _RawDump(msgspec.Struct, gc=False):
    """A dump whose entries are not decoded."""

    entries: list[msgspec.Raw]


def read_flight_recorder(path: Path, progress: Progress | None = None) -> ImportedEvents:
    """Read the collectives of a file. Raises ValueError, MsgspecError, Cancelled.

    A collective without an end is a moment.
    """
    entries: list[_Entry] = []
    most = most_events(path)
    for some in _entry_lists(path, list[_Entry], _Dump, progress):
        entries += some
        check_count(entries, most)
    issues = Counts[ImportIssue]()
    timed: list[_Entry] = []
    times, places = [], []
    for place, entry in enumerate(watched(entries, progress)):
        start, end = _times(entry)
        if not 0 < start < LATEST:
            issues[ImportIssue.NO_TIME] += 1
            continue
        has_ended = start <= end < LATEST
        issues[ImportIssue.NOT_OVER] += not has_ended
        times.append((start, end if has_ended else start))
        timed.append(entry)
        places.append(place)
    starts, ends = np.array(times, np.int64).reshape(-1, 2).T
    names: dict[str, int] = {}
    groups: dict[str, int] = {}
    name = encode_values([entry.profiling_name or "unnamed" for entry in timed], names)
    track = encode_values([_group_name(entry) for entry in timed], groups)
    rank = _RANK.search(path.name)
    place_name = f"rank {int(rank[1])}" if rank else path.name
    # The column has 16 bits; further groups are only distinguished by their tracks.
    kind = kinds_from_names(names)[name]
    # Sends and receives of a group do not say which of them belong together.
    bucket = np.where(IS_COLLECTIVE[kind], np.minimum(track, MOST_GROUP_NUMBER), ABSENT)
    attributes: dict[str, NDArray[Any]] = {"bucket": bucket}
    if rank:
        attributes["replica"] = np.full(len(timed), min(int(rank[1]), _MOST_RANK), np.int32)
    return ImportedEvents(
        tracks=tuple(ImportedTrack(group, place_name) for group in groups),
        names=tuple(names),
        track=track,
        name=name,
        start=starts,
        end=ends,
        kind=kind,
        attributes=attributes,
        launched=np.array([entry.time_created_ns for entry in timed], np.int64),
        issues=issues,
        arguments=sequential_arguments(path, np.array(places, np.int32), _read_texts),
        groups=tuple(groups),
    )


def _entry_lists(
    path: Path, list_type: type[Any], dump_type: type[Any], progress: Progress | None = None
) -> Iterator[Sequence[Any]]:
    """Yield the entries of a file list by list, decoded as the given types."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        # Carefully, because entries contain lists of objects, such as frames.
        for piece in split_events(unpacking_reader(file), True, _ENTRIES):
            if piece.is_last:
                yield msgspec.json.decode(piece.text, type=dump_type).entries
            else:
                yield msgspec.json.decode(piece.text, type=list_type)
            report_progress(progress, file.tell(), size)


def _read_texts(path: Path) -> Iterator[str]:
    """Yield each entry as JSON."""
    for entries in _entry_lists(path, list[msgspec.Raw], _RawDump):
        for entry in entries:
            yield bytes(entry).decode("utf-8", "replace")


def _times(entry: _Entry) -> tuple[int, int]:
    """Return start and end of a collective in ns; the end is 0 if unknown."""
    start = entry.time_discovered_started_ns or entry.time_created_ns
    end = entry.time_discovered_completed_ns or 0
    # A watchdog that polls discovers the start late; the device measured the duration.
    if end and entry.duration_ms is not None and 0 <= entry.duration_ms < 1e9:
        start = max(entry.time_created_ns, end - round(entry.duration_ms * 1e6))
    return start, end


def _group_name(entry: _Entry) -> str:
    # A dump has the number of a group and then its description, which is shown first.
    return " ".join(filter(None, entry.process_group[::-1])) or "process group"
