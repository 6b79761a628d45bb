"""Divides the tracks of a file into lanes without overlaps."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
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

    `rows` are positions of the events of each track, sorted by start; of two with the same start,
    the longer is first. `task` has the task of each event. Raises ValueError for too many lanes.
    """
    working: list[_LaneSpans] = []
    nested: list[_LaneSpans] = []
    for place, (track, row) in enumerate(zip(imported.tracks, rows, strict=True)):
        report_progress(progress, 1, 1)
        levels = _levels(imported, row, issues, progress)
        lane_count = len(working) + len(nested) + len(levels)
        if lane_count > MOST_IMPORTED_LANES:
            raise ValueError(message(TOO_MANY_LANES, most=MOST_IMPORTED_LANES))
        for level, chosen in enumerate(levels):
            spans = _spans(imported, chosen, task, table)
            name = f"{track.name} depth {level}" if level else track.name
            lane = _LaneSpans(
                track=place,
                name=name,
                spans=spans,
            )
            if track.role is Role.NESTED or level:
                nested.append(lane)
            else:
                working.append(lane)
    return _numbered(imported.tracks, working, nested)


def _levels(
    imported: ImportedEvents,
    row: Ints,
    issues: Counts[ImportIssue],
    progress: Progress | None,
) -> list[Ints]:
    """Return the events of a track by depth."""
    start = imported.start[row]
    end = imported.end[row]
    depth, overlapping = depths(start, end, progress)
    issues[ImportIssue.NOT_NESTED] += overlapping
    by_depth = stable_argsort(depth)
    sorted_row = row[by_depth]
    counts = np.bincount(depth)
    ends = np.cumsum(counts).tolist()
    return [sorted_row[first:last] for first, last in pairwise([0, *ends])]


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
        number_of_track[each.track] = number
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
