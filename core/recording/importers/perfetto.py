"""Traces of Perfetto in protobuf: slices, instants, counters and flows of track events."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.message import N_
from core.plan.plan import Role
from core.plan.task import ABSENT
from core.recording.importers.event_names import (
    encode_values,
    kinds_from_categories,
    kinds_from_names,
    matches,
)
from core.recording.importers.event_steps import (
    STEP_RANGE,
    MarkingEvents,
    steps_from_names,
)
from core.recording.importers.imported_events import (
    ImportedCounter,
    ImportedEvents,
    ImportedTrack,
)
from core.recording.importers.perfetto_arguments import read_annotations
from core.recording.importers.perfetto_fields import MOST_PACKET, fields_of, read_unpacked
from core.recording.importers.perfetto_packets import PacketReader
from core.recording.importers.roles import with_roles
from core.recording.importers.sequential_arguments import sequential_arguments
from core.recording.index import Progress, report_progress
from core.recording.limits import TooMuch, check_count, most_events
from core.trace.import_issue import ImportIssue

PACKETS = 1 << 16
"""Number of packets between two reports of progress."""


def read_perfetto(path: Path, progress: Progress | None = None) -> ImportedEvents:
    """Read a trace. Raises ValueError, IndexError, OSError, Cancelled."""
    data = read_unpacked(path, progress)
    reader = PacketReader(most_events(path))
    _read_packets(reader, data, progress)
    has_end = np.array(reader.end, np.int64) >= 0
    reader.issues[ImportIssue.NO_END] += int((~has_end).sum())
    if not has_end.any():
        return ImportedEvents.empty()
    places = np.array(reader.packet_of, np.int32)[has_end]
    arguments = sequential_arguments(path, places, read_annotations)
    return replace(_imported(reader, has_end), arguments=arguments)


def _read_packets(reader: PacketReader, data: bytes, progress: Progress | None) -> None:
    """Read all packets of a trace, or those before its damaged end if they have a slice."""
    size = 0
    try:
        for count, (number, value) in enumerate(fields_of(data), 1):
            if number == 1 and isinstance(value, bytes):
                _read_packet(reader, value)
                size += len(value)
            if count % PACKETS == 0:
                # A slice has two packets, for its begin and its end.
                check_count(count, 2 * reader.most, N_("it has more than {most:,} packets"))
                report_progress(progress, size, len(data))
    except TooMuch:
        # This file is not damaged, but too large.
        raise
    except (ValueError, IndexError):
        if not reader.start:
            raise
        reader.issues[ImportIssue.CUT] += 1


def _read_packet(reader: PacketReader, packet: bytes) -> None:
    """Read a packet; damaged and large packets are counted among the issues."""
    if len(packet) > MOST_PACKET:
        reader.skip()
        reader.issues[ImportIssue.LOST] += 1
        return
    try:
        reader.read(packet)
    except TooMuch:
        raise
    except (ValueError, IndexError):
        reader.issues[ImportIssue.LOST] += 1


def _imported(reader: PacketReader, has_end: Bools) -> ImportedEvents:
    """Return the slices that have ended, with their tracks, flows and counters."""
    start = np.array(reader.start, np.int64)[has_end]
    end = np.array(reader.end, np.int64)[has_end]
    # Ids of tracks are any 64 bits, often hashes: int64 would overflow.
    all_ids = np.array(reader.track, np.uint64)[has_end]
    track_ids, track = np.unique(all_ids, return_inverse=True)
    codes: dict[str, int] = {}
    name = encode_values(reader.name, codes)[has_end]
    names = tuple(codes)
    by_category = kinds_from_categories(compress(reader.category, has_end))
    by_name = kinds_from_names(names)[name]
    marks = MarkingEvents(
        names=names,
        name=name,
        thread=track.astype(np.int32),
        start=start,
        end=end,
        is_work=np.ones(len(name), np.bool_),
    )
    steps = steps_from_names(marks)
    step = steps.at(start) if len(steps.number) else None
    tracks = _tracks(reader, track_ids, track, ~matches(names, STEP_RANGE)[name])
    return ImportedEvents(
        tracks=with_roles(tracks, track_ids.tolist(), reader.roles),
        names=names,
        track=track.astype(np.int32),
        name=name,
        start=start,
        end=end,
        kind=np.where(by_category == ABSENT, by_name, by_category),
        step=step,
        links=_links(reader, has_end),
        steps=steps,
        counters=_counters(reader),
        issues=reader.issues,
    )


def _tracks(
    reader: PacketReader,
    track_ids: NDArray[np.uint64],
    track: Ints,
    is_work: Bools,
) -> tuple[ImportedTrack, ...]:
    """Return a track for each id. Tracks with only steps are not work, unless all are like this."""
    works = np.bincount(track, is_work, len(track_ids)) > 0
    tracks = []
    for track_id, has_work in zip(track_ids.tolist(), works.tolist(), strict=True):
        name, place = reader.name_and_place(track_id)
        role = Role.COMPUTE if has_work or not works.any() else Role.NESTED
        tracks.append(ImportedTrack(name, place, role))
    return tuple(tracks)


def _links(reader: PacketReader, has_end: Bools) -> Ints:
    """Return the flows between slices that have ended, as positions among these."""
    links = np.array(reader.links, np.int64).reshape(-1, 2)
    kept = links[has_end[links].all(axis=1)]
    return (np.cumsum(has_end) - 1)[kept]


def _counters(reader: PacketReader) -> tuple[ImportedCounter, ...]:
    counters = []
    for track_id, pairs in reader.counter_values.items():
        times, values = zip(*pairs, strict=True)
        name, place = reader.name_and_place(track_id)
        counters.append(
            ImportedCounter(
                name=name,
                place=place,
                times=np.array(times),
                values=np.array(values),
            )
        )
    return tuple(counters)
