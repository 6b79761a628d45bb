"""From what an importer found to a trace: lanes without overlaps, tasks, steps, counters."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.models.description import ModelDescription
from core.order import stable_argsort
from core.plan.plan import Lane, Role
from core.plan.specification import Specification
from core.plan.task import ABSENT, IS_COMMUNICATION, KINDS, Kind
from core.recording.importers.found import MOST_LANES, MOST_NAME, Found, Track
from core.recording.importers.overlaps import cut_slightly
from core.recording.index import Progress, report_progress, watched
from core.recording.limits import MOST_EVENTS, check_count
from core.recording.stream import Opened
from core.trace.event_rows import Counter, Counters
from core.trace.header import MOST_LANES as MOST_REPLICAS
from core.trace.header import Header
from core.trace.import_issue import ImportIssue
from core.trace.imported import Imported, issue_text
from core.trace.source import Source
from core.trace.spans import LATEST, Spans, TaskTable, blank_rows
from core.trace.step_bounds import StepBounds
from core.trace.trace import Trace

OTHER = KINDS.index(Kind.OTHER)
TOO_DEEP = "its threads and their nested calls are more than {:,}"


def trace_of(found: Found, title: str, progress: Progress | None = None) -> Trace:
    """The trace of what was found; it begins at 0. Raises ValueError for what is too much.

    Raises Cancelled if `progress` returns False.

    A track is a lane, and below it lies a nested lane for each depth of calls. Each event is a
    task of one plan, numbered by when it started.
    """
    check_count(found, MOST_EVENTS)
    check_names(found)
    found = _counted_from_0(found.later(-int(found.start.min())))
    first = min([0, *(int(counter.times.min(initial=0)) for counter in found.counters)])
    if max(found.latest, -first) > LATEST:
        raise ValueError("its times lie more than 73 years apart")
    found = replace(found, tracks=_with_servants(found))
    issues = Counts(found.issues)
    report_progress(progress, 1, 1)
    order = _arranged(found.track, found.start, found.end)
    report_progress(progress, 1, 1)
    rows = _rows_of_tracks(found, order)
    found = _without_slight_overlaps(found, rows, issues)
    task = np.empty(len(found), np.int32)
    by_start = np.argsort(found.start, kind="stable")
    task[by_start] = np.arange(len(found), dtype=np.int32)
    report_progress(progress, 1, 1)
    table = _table(found, by_start, task)
    lanes, spans = _lanes(found, rows, task, table, issues, progress)
    model = ModelDescription(title, (), 0)
    header = Header(
        Specification(warmup=0), model, tuple(lanes), _replicas(found), source=Source.IMPORTED
    )
    bounds = int(found.start.min()), int(found.end.max())
    counters, counter_places = _counters(found)
    steps = StepBounds.of(lanes, spans, found.steps.number, bounds)
    imported = Imported(
        issues={issue: count for issue, count in issues.items() if count},
        colours=None if found.colours is None else found.colours[by_start].astype(np.int8),
        counter_places=counter_places,
        arguments=found.arguments and found.arguments.ordered(by_start),
    )
    return Trace(header, table, spans, steps, counters, imported=imported)


def check_names(found: Found) -> None:
    """Raise ValueError if the name of an event, a row or a rank is too long."""
    names = chain(found.names, *((track.name, track.place) for track in found.tracks))
    if max(map(len, names), default=0) > MOST_NAME:
        raise ValueError(f"a name has more than {MOST_NAME:,} characters")


def _replicas(found: Found) -> int:
    """The ranks of the job: as many as a file says, and at least as many as there are traces of."""
    last = int(np.max(found.more.get("replica", ABSENT), initial=0))
    return min(max(found.world_size, last + 1), MOST_REPLICAS)


def opened(found: Found, path: Path, progress: Progress | None = None) -> Opened:
    """The trace of what was found in a file, and what that lost. Raises as `trace_of` does."""
    trace = trace_of(found, path.name, progress)
    lost = issue_text(trace.imported)
    return Opened(trace, lost and f"{path}: {lost}")


def _with_servants(found: Found) -> tuple[Track, ...]:
    """The tracks; of a device's, those that only communicate serve the one that computes most."""
    count = len(found.tracks)
    moves = IS_COMMUNICATION[found.kind]
    # + 1, so that events without a length count too: a row of them is no row that only
    # communicates.
    busy = np.bincount(found.track, np.where(moves, 0, found.end - found.start + 1), count)
    moving = np.bincount(found.track, moves, count)
    plain = [
        track.role is Role.COMPUTE and track.serves == ABSENT and not track.cores
        for track in found.tracks
    ]
    masters: dict[str, int] = {}
    for number in np.argsort(busy, kind="stable").tolist():
        if plain[number] and busy[number]:
            # From the idlest to the busiest: the last one that is put in stays.
            masters[found.tracks[number].place] = number
    return tuple(
        replace(track, role=Role.COMMUNICATION, serves=masters[track.place])
        if plain[number] and moving[number] and not busy[number] and track.place in masters
        else track
        for number, track in enumerate(found.tracks)
    )


def _counted_from_0(found: Found) -> Found:
    """The same with steps that are shown under their own numbers, unless one of them is 0.

    Step 1 of a run is the one that has number 0.
    """
    number = found.steps.number
    if found.step is None or not len(number) or not number[0]:
        return found
    step = np.where(found.step == ABSENT, ABSENT, found.step - 1)
    return replace(found, step=step, steps=replace(found.steps, number=number - 1))


def _counters(found: Found) -> tuple[Counters, dict[str, str]]:
    """The counters, and by their names the ranks or processes that they belong to.

    A name that several counters have is followed by that of the place, and if they have one place
    by a number.
    """
    made: Counters = {}
    places: dict[str, str] = {}
    shared = Counts(counter.name for counter in found.counters)
    met: Counts[str] = Counts()
    for counter in found.counters:
        name = counter.name
        if shared[name] > 1:
            name = f"{name} ({counter.place})"
        met[name] += 1
        if met[name] > 1:
            name = f"{name} #{met[name]}"
        order = np.argsort(counter.times, kind="stable")
        arrays: dict[str, NDArray[Any]] = {
            "times": counter.times[order],
            "values": counter.values[order],
            "steps": found.steps.at(counter.times[order]),
        }
        made[name, None] = Counter(name, None, arrays)
        places[name] = counter.place
    return made, places


def _table(found: Found, by_start: NDArray[np.int64], task: NDArray[np.int32]) -> TaskTable:
    """A task for each event, in the order of their starts."""
    table = TaskTable()
    rows = blank_rows(len(found))
    places = np.array([table.names.place(name) for name in found.names] or [0], np.int32)
    rows["name"] = places[found.name[by_start]]
    rows["kind"] = found.kind[by_start]
    for name, column in found.more.items():
        rows[name] = column[by_start]
    before, behind = task[found.links[:, 0]], task[found.links[:, 1]]
    # A task waits for earlier ones only; arrows of a file may well lead back in time.
    forward = before < behind
    before, behind = before[forward], behind[forward]
    rows["after_count"] = np.bincount(behind, minlength=len(found))
    # What a task waits for lies together, in the order of the tasks: `after_count` cuts it apart.
    table.add(rows, before[stable_argsort(behind)])
    return table


def _rows_of_tracks(found: Found, order: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The events of each track, in the given order of all."""
    bounds = np.searchsorted(found.track[order], np.arange(len(found.tracks) + 1)).tolist()
    return [order[first:last] for first, last in pairwise(bounds)]


def _without_slight_overlaps(
    found: Found, rows: Sequence[NDArray[np.int64]], issues: Counts[ImportIssue]
) -> Found:
    """The same with slight overlaps cut, which are counted."""
    end = found.end.copy()
    for mine in rows:
        end[mine] = cut_slightly(found.start[mine], found.end[mine])
    issues[ImportIssue.CUT_OVERLAP] += int((end != found.end).sum())
    return replace(found, end=end)


def _lanes(
    found: Found,
    rows: Sequence[NDArray[np.int64]],
    task: NDArray[np.int32],
    table: TaskTable,
    issues: Counts[ImportIssue],
    progress: Progress | None,
) -> tuple[list[Lane], list[Spans]]:
    """A lane for each track that does something, then the nested ones; and the spans of each.

    `rows` are the events of each track, by start, of two that start together the longer first.
    """
    working: list[tuple[int, Spans]] = []
    nested: list[tuple[int, str, Spans]] = []
    for index, (track, mine) in enumerate(zip(found.tracks, rows, strict=True)):
        report_progress(progress, 1, 1)
        levels = _levels(found, mine, issues, progress)
        if len(working) + len(nested) + len(levels) > MOST_LANES:
            raise ValueError(TOO_DEEP.format(MOST_LANES))
        for level, chosen in enumerate(levels):
            some = _spans(found, chosen, task, table)
            if track.role is Role.NESTED or level:
                name = f"{track.name} depth {level}" if level else track.name
                nested.append((index, name, some))
            else:
                working.append((index, some))
    return _numbered(found.tracks, working, nested)


def _levels(
    found: Found, mine: NDArray[np.int64], issues: Counts[ImportIssue], progress: Progress | None
) -> list[NDArray[np.int64]]:
    """The events of a track by the depth at which they lie."""
    depth, apart = depths(found.start[mine], found.end[mine], progress)
    issues[ImportIssue.NOT_NESTED] += apart
    by_depth = stable_argsort(depth)
    ends = np.cumsum(np.bincount(depth)).tolist()
    return [mine[by_depth[first:last]] for first, last in pairwise([0, *ends])]


def _spans(
    found: Found, chosen: NDArray[np.int64], task: NDArray[np.int32], table: TaskTable
) -> Spans:
    steps = np.full(len(chosen), ABSENT, np.int32) if found.step is None else found.step[chosen]
    # A lane's steps only grow: what a later one began before an earlier one ended is of the later.
    steps = np.maximum.accumulate(steps.astype(np.int32))
    launched = None if found.launched is None else found.launched[chosen]
    start, end = found.start[chosen], found.end[chosen]
    return Spans(table, start, end, steps, task[chosen], launched=launched)


def _numbered(
    tracks: Sequence[Track],
    working: Sequence[tuple[int, Spans]],
    nested: Sequence[tuple[int, str, Spans]],
) -> tuple[list[Lane], list[Spans]]:
    """The lanes with their numbers; what serves a track without a lane serves its place's first."""
    lane_of = {index: number for number, (index, _) in enumerate(working)}
    first: dict[str, int] = {}
    for index, _ in working:
        first.setdefault(tracks[index].place, lane_of[index])

    def served(index: int) -> int:
        wanted = tracks[index].serves if tracks[index].serves >= 0 else index
        return lane_of.get(wanted, first.get(tracks[index].place, 0))

    lanes = [
        Lane(
            lane_of[i],
            track.name,
            track.place,
            track.role,
            track.cores,
            serves=served(i),
            stream_of=track.stream_of,
        )
        for i, track in ((i, tracks[i]) for i, _ in working)
    ]
    spans = [some for _, some in working]
    for index, name, some in nested:
        serves = lane_of.get(index, served(index))
        place, cores = tracks[index].place, tracks[index].cores
        stream_of = tracks[index].stream_of
        lanes.append(
            Lane(len(lanes), name, place, Role.NESTED, cores, serves=serves, stream_of=stream_of)
        )
        spans.append(some)
    return lanes, spans


def _arranged(
    track: NDArray[np.int32], start: NDArray[np.int64], end: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The events by track and start; of two that start together the longer comes first.

    Most files have each thread's events in this order.
    """
    order = stable_argsort(track)
    row, begun, ended = track[order], np.diff(start[order]), np.diff(end[order])
    if ((row[1:] > row[:-1]) | (begun > 0) | ((begun == 0) & (ended <= 0))).all():
        return order
    # This sorts by three keys, so it is done only where it has to be.
    return np.lexsort((-end, start, track))


def depths(
    start: NDArray[np.int64], end: NDArray[np.int64], progress: Progress | None = None
) -> tuple[NDArray[np.int64], int]:
    """How many events of a thread enclose each, and how many are not enclosed and yet overlap.

    The events are in order of their starts, and of two that start together the longer comes first.
    Where they nest, as many enclose an event as began before it and have not ended. Those of one
    depth never overlap.
    """
    turn = np.arange(len(start))
    ended = np.searchsorted(np.sort(end), start, "right")
    none = end == start  # they end as they begin: those that stand behind one have not ended yet
    # One without a length has ended when it starts, and would count itself.
    depth = turn - np.minimum(ended, turn)
    overlapping = _overlapping(depth, start, end)
    if none.any() or not _is_apart(depth, start, end):
        return _first_free(start, end, progress), overlapping
    return depth, overlapping


def _overlapping(depth: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64]) -> int:
    """How many events end after one that began before them and goes on when they begin."""
    if not depth.any():
        return 0
    latest = np.maximum.accumulate(end)
    # Enclosed by the last that is open: the one before of a smaller depth. To ask for the one that
    # reaches furthest is enough where all nest, and counts those that reach beyond all others.
    return int(((start[1:] < latest[:-1]) & (end[1:] > latest[:-1])).sum())


def _is_apart(depth: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64]) -> bool:
    """Whether no two events of one depth overlap."""
    order = stable_argsort(depth)
    same = depth[order][1:] == depth[order][:-1]
    return not bool((start[order][1:] < end[order][:-1])[same].any())


def _first_free(
    start: NDArray[np.int64], end: NDArray[np.int64], progress: Progress | None
) -> NDArray[np.int64]:
    """For each event the first depth at which all before it have ended, one after the other.

    Raises ValueError as soon as there are more depths than lanes.
    """
    depth: list[int] = []
    free: list[int] = []  # depths at which all have ended, the first on top
    busy: list[tuple[int, int]] = []  # the others: when they end, and their depth
    times = zip(start.tolist(), end.tolist(), strict=True)
    for begin, last in watched(times, progress):
        # Touching is not overlapping: what ends just now makes room.
        while busy and busy[0][0] <= begin:
            heappush(free, heappop(busy)[1])
        level = heappop(free) if free else len(busy)
        if level > MOST_LANES:
            raise ValueError(TOO_DEEP.format(MOST_LANES))
        heappush(busy, (last, level))
        depth.append(level)
    return np.array(depth, np.int64)
