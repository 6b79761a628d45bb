"""Dumps of PyTorch's flight recorder as JSON: the collectives of a rank, by process group.

The recorder notices the end of a collective late, and its start only if timing is enabled. But a
device runs the collectives of a process group one after the other, in the order in which they were
queued. So a collective is taken to end when the next one starts if its end was noticed later, and
one without a known start is taken to start when it was queued and the one before has ended.
"""

from __future__ import annotations

import os
import re
from collections import Counter as Counts
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.order import groups as order_groups
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
    """A collective, a send or a receive. Times are in ns since 1970; 0 or None if unknown."""

    profiling_name: str = ""
    process_group: list[str] = []
    collective_seq_id: int | None = None
    time_created_ns: int = 0
    time_discovered_started_ns: int | None = 0
    time_discovered_completed_ns: int | None = 0
    duration_ms: float | None = None


@dataclass(frozen=True, slots=True)
class _Times:
    """The times of an entry in ns.

    `start` is the time of creation if `has_start` is false, and `end` is `start` if `is_over` is
    false. `duration` is the device's own, None if it was not measured.
    """

    created: int
    start: int
    end: int
    duration: int | None
    has_start: bool
    is_over: bool = True


class _Dump(msgspec.Struct, gc=False):
    entries: list[_Entry]


class _RawDump(msgspec.Struct, gc=False):
    """A dump whose entries are not decoded."""

    entries: list[msgspec.Raw]


_ENTRIES_DECODER = msgspec.json.Decoder(list[_Entry])
_DUMP_DECODER = msgspec.json.Decoder(_Dump)
_RAW_ENTRIES_DECODER = msgspec.json.Decoder(list[msgspec.Raw])
_RAW_DUMP_DECODER = msgspec.json.Decoder(_RawDump)


def read_flight_recorder(path: Path, progress: Progress | None = None) -> ImportedEvents:
    """Read the collectives of a file. Raises ValueError, MsgspecError, Cancelled.

    A collective whose end is unknown gets a duration of 0 and is counted as an issue.
    """
    entries = _read_entries(path, progress)
    issues = Counts[ImportIssue]()
    timed: list[_Times] = []
    numbers: list[int] = []
    entry_names: list[str] = []
    entry_groups: list[str] = []
    sequence: list[int] = []
    for number, entry in enumerate(watched(entries, progress)):
        times = _times(entry)
        if not 0 < times.start < LATEST:
            issues[ImportIssue.NO_TIME] += 1
            continue
        if not times.start <= times.end < LATEST:
            issues[ImportIssue.NOT_OVER] += 1
            times = replace(times, end=times.start, is_over=False)
        timed.append(times)
        numbers.append(number)
        entry_names.append(entry.profiling_name or "unnamed")
        entry_groups.append(_group_name(entry))
        sequence.append(_sequence_number(entry))
    names: dict[str, int] = {}
    groups: dict[str, int] = {}
    name = encode_values(entry_names, names)
    track = encode_values(entry_groups, groups)
    kind_of_name = kinds_from_names(names)
    kind = kind_of_name[name]
    is_collective = IS_COLLECTIVE[kind]
    for queue in order_groups(track, np.flatnonzero(is_collective)):
        places = queue.tolist()
        in_order = _one_after_another([timed[place] for place in places])
        for place, times in zip(places, in_order, strict=True):
            timed[place] = times
    # The column has 16 bits; further groups are only distinguished by their tracks.
    group = np.minimum(track, MOST_GROUP_NUMBER)
    # A dump does not say which send belongs to which receive, so these have no group.
    bucket = np.where(is_collective, group, ABSENT)
    attributes: dict[str, NDArray[Any]] = {"bucket": bucket}
    place = path.name
    rank = _rank_in_name(path)
    if rank is not None:
        place = f"rank {rank}"
        replica = min(rank, _MOST_RANK)
        attributes["replica"] = np.full(len(timed), replica, np.int32)
    tracks = [ImportedTrack(group_name, place) for group_name in groups]
    entry_numbers = np.array(numbers, np.int32)
    return ImportedEvents(
        tracks=tuple(tracks),
        names=tuple(names),
        track=track,
        name=name,
        start=np.array([times.start for times in timed], np.int64),
        end=np.array([times.end for times in timed], np.int64),
        kind=kind,
        attributes=attributes,
        launched=np.array([times.created for times in timed], np.int64),
        issues=issues,
        arguments=sequential_arguments(path, entry_numbers, _read_texts),
        groups=tuple(groups),
        sequence=np.array(sequence, np.int64),
    )


def _read_entries(path: Path, progress: Progress | None) -> list[_Entry]:
    """Read all entries of a file. Raises ValueError, or TooMuch for too many entries."""
    entries: list[_Entry] = []
    most = most_events(path)
    for some_entries in _entry_lists(path, _ENTRIES_DECODER, _DUMP_DECODER, progress):
        entries += some_entries
        check_count(entries, most)
    return entries


def _rank_in_name(path: Path) -> int | None:
    """Return the rank in the name of a file; None if there is none."""
    match = _RANK.search(path.name)
    if match is None:
        return None
    return int(match[1])


def _entry_lists(
    path: Path,
    list_decoder: msgspec.json.Decoder[Any],
    dump_decoder: msgspec.json.Decoder[Any],
    progress: Progress | None = None,
) -> Iterator[Sequence[Any]]:
    """Yield the entries of a file, several at a time, decoded by the given decoders.

    The last piece includes the text around the list, so it is decoded by `dump_decoder`.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        read = unpacking_reader(file)
        # Entries contain lists of objects, such as frames, inside which no piece may end.
        for piece in split_events(read, is_careful=True, opening=_ENTRIES):
            if piece.is_last:
                dump = dump_decoder.decode(piece.text)
                yield dump.entries
            else:
                yield list_decoder.decode(piece.text)
            report_progress(progress, file.tell(), size)


def _read_texts(path: Path) -> Iterator[str]:
    """Yield each entry as JSON."""
    for entries in _entry_lists(path, _RAW_ENTRIES_DECODER, _RAW_DUMP_DECODER):
        for entry in entries:
            yield bytes(entry).decode("utf-8", "replace")


def _times(entry: _Entry) -> _Times:
    """Return the times of a collective; its end is 0 if it is unknown."""
    created = entry.time_created_ns
    start = entry.time_discovered_started_ns or created
    end = entry.time_discovered_completed_ns or 0
    has_start = start != created
    duration = None
    # The start is discovered late, by a watchdog that polls; the duration is the device's own.
    duration_ms = entry.duration_ms
    if end and duration_ms is not None and 0 <= duration_ms < 1e9:
        duration = round(duration_ms * 1e6)
        start = max(created, end - duration)
        has_start = True
    return _Times(
        created=created,
        start=start,
        end=end,
        duration=duration,
        has_start=has_start,
    )


def _one_after_another(queue: Sequence[_Times]) -> list[_Times]:
    """Return the times of collectives of one queue, changed so that they do not overlap."""
    found: list[_Times] = []
    next_start = LATEST
    for times in reversed(queue):
        if times.is_over:
            times = _ended_until(times, next_start)
            if times.has_start:
                next_start = times.start
        found.append(times)
    found.reverse()
    previous_end = 0
    for place, times in enumerate(found):
        start = max(times.start, previous_end)
        if not times.is_over:
            found[place] = replace(times, start=start, end=start)
        elif not times.has_start:
            found[place] = replace(times, start=min(start, times.end))
        previous_end = max(previous_end, found[place].end)
    return found


def _ended_until(times: _Times, latest: int) -> _Times:
    """Return the times of a collective that ended at `latest` (ns) or before."""
    end = min(times.end, latest)
    start = times.start
    if times.duration is not None:
        start = max(times.created, end - times.duration)
    return replace(times, start=min(start, end), end=end)


def _sequence_number(entry: _Entry) -> int:
    """Return the number of a collective in its process group, or ABSENT."""
    number = entry.collective_seq_id
    if number is None or not 0 <= number < LATEST:
        return ABSENT
    return number


def _group_name(entry: _Entry) -> str:
    """Return the texts of an entry's process group as a name, the description first."""
    # A dump has the number of a group and then its description.
    texts = [text for text in reversed(entry.process_group) if text]
    if not texts:
        return "process group"
    return " ".join(texts)
