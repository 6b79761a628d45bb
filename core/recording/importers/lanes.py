"""Divides the tracks of a file into lanes without overlaps."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.message import message
from core.order import stable_argsort
from core.plan.plan import Lane, Role
from core.plan.task import ABSENT
from core.recording.importers.imported_events import (
    MOST_IMPORTED_LANES,
    ImportedEvents,
    ImportedTrack,
)
from core.recording.importers.nesting import TOO_MANY_LANES, depths
from core.recording.index import Progress, report_progress
from core.trace.import_issue import ImportIssue
from core.trace.spans import Spans, TaskTable


@dataclass(frozen=True, slots=True)
class _Row:
    """Events of a track that do not overlap; `is_nested` if they are parts of others."""

    name: str
    events: Ints
    is_nested: bool


@dataclass(frozen=True, slots=True)
class _LaneSpans:
    """A lane of the track at position `track`, before lanes have numbers."""

    track: int
    name: str
    spans: Spans


def lanes_of_tracks(
    imported: ImportedEvents,
    rows: Sequence[Ints],
    task: NDArray[np.int32],
    table: TaskTable,
    issues: Counts[ImportIssue],
    progress: Progress | None,
) -> tuple[list[Lane], list[Spans]]:
    """Return a lane for each track with events, then the nested lanes; and the spans of each.

    Tasks of a stream that run at once are on several lanes of the stream. `rows` are positions of
    the events of each track, sorted by start; of two with the same start, the longer is first.
    `task` has the task of each event. Raises ValueError for too many lanes.
    """
    working: list[_LaneSpans] = []
    nested: list[_LaneSpans] = []
    for place, (track, row) in enumerate(zip(imported.tracks, rows, strict=True)):
        report_progress(progress, 1, 1)
        of_track = _rows(imported, track, row, issues, progress)
        lane_count = len(working) + len(nested) + len(of_track)
        if lane_count > MOST_IMPORTED_LANES:
            raise ValueError(message(TOO_MANY_LANES, most=MOST_IMPORTED_LANES))
        for each in of_track:
            spans = _spans(imported, each.events, task, table)
            lane = _LaneSpans(
                track=place,
                name=each.name,
                spans=spans,
            )
            if track.role is Role.NESTED or each.is_nested:
                nested.append(lane)
            else:
                working.append(lane)
    return _numbered(imported.tracks, working, nested)


def _rows(
    imported: ImportedEvents,
    track: ImportedTrack,
    events: Ints,
    issues: Counts[ImportIssue],
    progress: Progress | None,
) -> list[_Row]:
    """Return the events of a track in rows, those that are not nested first.

    On a track of calls, all events that overlap an earlier one are nested. On a stream of a device,
    only events within an earlier one are; others run at the same time.
    """
    outer = events
    inner = events[:0]
    if track.runs_at_once:
        is_within = _is_within(imported, events)
        outer = events[~is_within]
        inner = events[is_within]
    levels, overlapping = _levels(imported, outer, progress)
    issues[ImportIssue.NOT_NESTED] += overlapping
    found = []
    for level, chosen in enumerate(levels):
        name = track.name
        if level and track.runs_at_once:
            name = f"{track.name} row {level + 1}"
        elif level:
            name = f"{track.name} depth {level}"
        is_nested = level > 0 and not track.runs_at_once
        found.append(_Row(name, chosen, is_nested))
    inner_levels, _ = _levels(imported, inner, progress)
    for level, chosen in enumerate(inner_levels, 1):
        found.append(_Row(f"{track.name} depth {level}", chosen, is_nested=True))
    return found


def _is_within(imported: ImportedEvents, events: Ints) -> Bools:
    """Return True for events, sorted by start, that end before an earlier one has ended."""
    end = imported.end[events]
    is_within = np.zeros(len(events), np.bool_)
    latest_before = np.maximum.accumulate(end)[:-1]
    is_within[1:] = end[1:] <= latest_before
    # An event without a length that begins at the end of another one is not within it.
    is_within[1:] &= imported.start[events][1:] < latest_before
    return is_within


def _levels(
    imported: ImportedEvents, events: Ints, progress: Progress | None
) -> tuple[list[Ints], int]:
    """Return events, sorted by start, by depth, and the number of those that do not nest."""
    if not len(events):
        return [], 0
    start = imported.start[events]
    end = imported.end[events]
    depth, overlapping = depths(start, end, progress)
    by_depth = stable_argsort(depth)
    sorted_events = events[by_depth]
    counts = np.bincount(depth)
    ends = np.cumsum(counts).tolist()
    levels = [sorted_events[first:last] for first, last in pairwise([0, *ends])]
    return levels, overlapping


def _spans(
    imported: ImportedEvents,
    chosen: Ints,
    task: NDArray[np.int32],
    table: TaskTable,
) -> Spans:
    """Return the chosen events as the spans of a lane."""
    if imported.step is None:
        steps = np.full(len(chosen), ABSENT, np.int32)
    else:
        steps = imported.step[chosen].astype(np.int32)
    # The steps of a lane may only increase: an event that starts after one of a later step belongs
    # to that step.
    steps = np.maximum.accumulate(steps)
    launched = imported.launched
    if launched is not None:
        launched = launched[chosen]
    start = imported.start[chosen]
    end = imported.end[chosen]
    return Spans(
        table=table,
        start=start,
        end=end,
        step=steps,
        row=task[chosen],
        launched=launched,
    )


def _numbered(
    tracks: Sequence[ImportedTrack], working: Sequence[_LaneSpans], nested: Sequence[_LaneSpans]
) -> tuple[list[Lane], list[Spans]]:
    """Return the lanes, numbered with working lanes first, and the spans of each.

    A lane that serves a track without a lane serves the first lane of its place.
    """
    number_of_track: dict[int, int] = {}
    first_of_place: dict[str, int] = {}
    for number, each in enumerate(working):
        number_of_track.setdefault(each.track, number)
        first_of_place.setdefault(tracks[each.track].place, number)

    def served(track_number: int) -> int:
        track = tracks[track_number]
        wanted = track.serves if track.serves >= 0 else track_number
        of_place = first_of_place.get(track.place, 0)
        return number_of_track.get(wanted, of_place)

    lanes: list[Lane] = []
    for each in working:
        track = tracks[each.track]
        serves = served(each.track)
        # Other rows of a stream that computes are lanes that serve themselves too.
        if serves == number_of_track[each.track]:
            serves = len(lanes)
        lanes.append(
            _lane(
                number=len(lanes),
                name=each.name,
                track=track,
                role=track.role,
                serves=serves,
            )
        )
    for each in nested:
        track = tracks[each.track]
        # Calls serve the lane of their track, if it has one.
        serves = number_of_track.get(each.track, served(each.track))
        lanes.append(
            _lane(
                number=len(lanes),
                name=each.name,
                track=track,
                role=Role.NESTED,
                serves=serves,
            )
        )
    spans = [each.spans for each in (*working, *nested)]
    return lanes, spans


def _lane(number: int, name: str, track: ImportedTrack, role: Role, serves: int) -> Lane:
    return Lane(
        index=number,
        name=name,
        device=track.place,
        role=role,
        cores=track.cores,
        serves=serves,
        stream_of=track.stream_of,
    )
