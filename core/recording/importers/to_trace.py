"""Makes a trace from the result of an importer: lanes without overlaps, tasks, steps, counters."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.message import message
from core.models.description import ModelDescription
from core.order import stable_argsort
from core.plan.plan import Role
from core.plan.specification import Specification
from core.plan.task import ABSENT, IS_COMMUNICATION, KINDS, Kind
from core.recording.importers.imported_events import (
    MOST_NAME_LENGTH,
    ImportedEvents,
    ImportedTrack,
)
from core.recording.importers.lanes import lanes_of_tracks
from core.recording.importers.overlaps import cut_slight_overlaps
from core.recording.importers.pipelines import with_pipeline_dependencies
from core.recording.importers.step_plans import plans_of_steps
from core.recording.index import Progress, report_progress
from core.recording.limits import MOST_EVENTS, check_count
from core.trace.event_rows import Counter, Counters
from core.trace.header import MOST_LANES as MOST_REPLICAS
from core.trace.header import Header
from core.trace.import_issue import ImportIssue
from core.trace.imported import Imported
from core.trace.source import Source
from core.trace.spans import LATEST, TaskTable, blank_rows
from core.trace.step_bounds import StepBounds
from core.trace.trace import Trace

OTHER = KINDS.index(Kind.OTHER)


def trace_of_events(
    imported: ImportedEvents, title: str, progress: Progress | None = None
) -> Trace:
    """Return the trace of imported events; it begins at 0.

    A track is a lane, with a nested lane below it for each depth of calls. Each event is a task of
    one plan, in the order of starts; events of a pipeline get dependencies, and numbers within
    their step. Raises ValueError if a limit is exceeded, and Cancelled if `progress` returns False.
    """
    check_count(imported, MOST_EVENTS)
    check_names(imported)
    imported = with_pipeline_dependencies(imported)
    first_start = int(imported.start.min())
    imported = imported.shifted(-first_start)
    imported = _with_steps_from_0(imported)
    _check_times(imported)
    imported = replace(imported, tracks=_with_served_tracks(imported))
    issues = Counts(imported.issues)
    report_progress(progress, 1, 1)
    order = _order_by_track(imported.track, imported.start, imported.end)
    report_progress(progress, 1, 1)
    rows = _rows_of_tracks(imported, order)
    imported = _without_slight_overlaps(imported, rows, issues)
    report_progress(progress, 1, 1)
    if imported.pipeline is None or imported.step is None:
        table, row = _one_plan(imported)
    else:
        table, row = plans_of_steps(imported, issues)
    lanes, spans = lanes_of_tracks(
        imported=imported,
        rows=rows,
        task=row,
        table=table,
        issues=issues,
        progress=progress,
    )
    header = Header(
        specification=Specification(warmup=0),
        model=ModelDescription(title, (), 0),
        lanes=tuple(lanes),
        replicas=_count_replicas(imported),
        source=Source.IMPORTED,
    )
    first_start = int(imported.start.min())
    last_end = int(imported.end.max())
    bounds = first_start, last_end
    counters, counter_places = _counters(imported)
    # Only used for tables with a row for each event: a permutation.
    event_of_row = np.argsort(row, kind="stable")
    colours = imported.colours
    if colours is not None:
        colours = colours[event_of_row].astype(np.int8)
    arguments = imported.arguments
    if arguments is not None:
        arguments = arguments.ordered(event_of_row)
    data = Imported(
        issues={issue: count for issue, count in issues.items() if count},
        colours=colours,
        counter_places=counter_places,
        arguments=arguments,
        exchanges=imported.exchanges_of_buckets,
        pauses=_pauses(imported),
    )
    steps = StepBounds.of(lanes, spans, imported.steps.number, bounds)
    return Trace(
        header=header,
        table=table,
        lanes=spans,
        step_table=steps,
        counters=counters,
        imported=data,
    )


def check_names(imported: ImportedEvents) -> None:
    """Raise ValueError if the name of an event, a row or a rank is too long."""
    longest = max(map(len, imported.names), default=0)
    for track in imported.tracks:
        longest = max(longest, len(track.name), len(track.place))
    if longest > MOST_NAME_LENGTH:
        raise ValueError(
            message(
                "a name has more than {most:,} characters",
                most=MOST_NAME_LENGTH,
            )
        )


def _check_times(imported: ImportedEvents) -> None:
    """Raise ValueError if times relative to the first event are out of bounds."""
    first = 0
    for counter in imported.counters:
        first_count = int(counter.times.min(initial=0))
        first = min(first, first_count)
    if max(imported.latest, -first) > LATEST:
        raise ValueError(message("its times lie more than 73 years apart"))


def _count_replicas(imported: ImportedEvents) -> int:
    """Return the number of ranks of the job: the file's, or the largest rank plus 1 if larger."""
    rank = imported.attributes.get("replica")
    last_rank = 0
    if rank is not None:
        last_rank = int(rank.max(initial=0))
    ranks = max(imported.world_size, last_rank + 1)
    return min(ranks, MOST_REPLICAS)


def _with_served_tracks(imported: ImportedEvents) -> tuple[ImportedTrack, ...]:
    """Return the tracks; those of a device that only communicate serve the busiest of their place.

    Tracks of the host, tracks that serve another one, and tracks with another role are unchanged.
    """
    count = len(imported.tracks)
    is_moving = IS_COMMUNICATION[imported.kind]
    # Plus 1, so that events without a length count too: a track with such work does more than
    # communicate.
    time = imported.end - imported.start + 1
    working_time = np.where(is_moving, 0, time)
    working = np.bincount(imported.track, working_time, count)
    moving = np.bincount(imported.track, is_moving, count)
    busiest: dict[str, int] = {}
    for number in np.argsort(working, kind="stable").tolist():
        track = imported.tracks[number]
        if _is_unassigned(track) and working[number]:
            # Tracks are in order of work, so the busiest one of a place is assigned last.
            busiest[track.place] = number
    tracks = []
    for number, track in enumerate(imported.tracks):
        only_moves = bool(moving[number]) and not working[number]
        served = busiest.get(track.place)
        if served is not None and only_moves and _is_unassigned(track):
            track = replace(track, role=Role.COMMUNICATION, serves=served)
        tracks.append(track)
    return tuple(tracks)


def _is_unassigned(track: ImportedTrack) -> bool:
    """Return True for a track of a device whose role the importer has left open."""
    serves_itself = track.serves == ABSENT
    is_on_device = track.cores == 0
    return track.role is Role.COMPUTE and serves_itself and is_on_device


def _with_steps_from_0(imported: ImportedEvents) -> ImportedEvents:
    """Return the events with all step numbers reduced by 1, unless there is a step 0.

    Steps are shown with their number plus 1, so this shows the numbers in the file.
    """
    step = imported.step
    numbers = imported.steps.number
    if step is None or not len(numbers):
        return imported
    if numbers[0] == 0:
        return imported
    has_no_step = step == ABSENT
    step = np.where(has_no_step, ABSENT, step - 1)
    steps = replace(imported.steps, number=numbers - 1)
    return replace(imported, step=step, steps=steps)


def _counters(imported: ImportedEvents) -> tuple[Counters, dict[str, str]]:
    """Return the counters, and the rank or process of each by its name.

    If several counters have one name, the place is added to it, and a number if needed.
    """
    counters: Counters = {}
    places: dict[str, str] = {}
    uses = Counts(counter.name for counter in imported.counters)
    seen: Counts[str] = Counts()
    for counter in imported.counters:
        name = counter.name
        if uses[name] > 1:
            name = f"{name} ({counter.place})"
        seen[name] += 1
        if seen[name] > 1:
            name = f"{name} #{seen[name]}"
        order = np.argsort(counter.times, kind="stable")
        times = counter.times[order]
        arrays: dict[str, NDArray[Any]] = {
            "times": times,
            "values": counter.values[order],
            "steps": imported.steps.at(times),
        }
        counters[name, None] = Counter(name, None, arrays)
        places[name] = counter.place
    return counters, places


def _pauses(imported: ImportedEvents) -> tuple[tuple[int, int], ...]:
    """Return the intervals between files of a folder in which no file has events, in ns."""
    recorded = sorted(imported.recorded)
    found = []
    reach = recorded[0][1] if recorded else 0
    for start, end in recorded:
        if start > reach:
            found.append((reach, start))
        reach = max(reach, end)
    return tuple(found)


def _one_plan(imported: ImportedEvents) -> tuple[TaskTable, NDArray[np.int32]]:
    """Return a table with a task for each event, in the order of starts, and each event's row."""
    by_start = np.argsort(imported.start, kind="stable")
    count = len(imported)
    task = np.empty(count, np.int32)
    task[by_start] = np.arange(count, dtype=np.int32)
    table = TaskTable()
    rows = blank_rows(count)
    places = [table.names.place(name) for name in imported.names]
    names = np.array(places or [0], np.int32)
    rows["name"] = names[imported.name[by_start]]
    rows["kind"] = imported.kind[by_start]
    for name, column in imported.attributes.items():
        rows[name] = column[by_start]
    tasks_of_links = task[imported.links]
    before, after = tasks_of_links.T
    # A task may only wait for earlier tasks, but arrows of a file may lead back in time.
    is_forward = before < after
    before = before[is_forward]
    after = after[is_forward]
    rows["after_count"] = np.bincount(after, minlength=count)
    # The table has the dependencies of all tasks in one array, in the order of the tasks.
    by_waiting_task = stable_argsort(after)
    table.add(rows, before[by_waiting_task])
    return table, task


def _order_by_track(track: NDArray[np.int32], start: Ints, end: Ints) -> Ints:
    """Return the events by track and start; of two with the same start, the longer is first."""
    order = stable_argsort(track)
    sorted_track = track[order]
    is_next_track = sorted_track[1:] > sorted_track[:-1]
    start_steps = np.diff(start[order])
    end_steps = np.diff(end[order])
    is_later = start_steps > 0
    is_shorter = (start_steps == 0) & (end_steps <= 0)
    is_sorted = is_next_track | is_later | is_shorter
    # Most files have the events of each thread in this order. Sorting by three keys takes longer.
    if is_sorted.all():
        return order
    return np.lexsort((-end, start, track))


def _rows_of_tracks(imported: ImportedEvents, order: Ints) -> list[Ints]:
    """Return the events of each track, in the given order."""
    numbers = np.arange(len(imported.tracks) + 1)
    sorted_track = imported.track[order]
    bounds = np.searchsorted(sorted_track, numbers)
    return [order[first:last] for first, last in pairwise(bounds.tolist())]


def _without_slight_overlaps(
    imported: ImportedEvents, rows: Sequence[Ints], issues: Counts[ImportIssue]
) -> ImportedEvents:
    """Return the events with slight overlaps cut, and count the cuts."""
    end = imported.end.copy()
    for row in rows:
        start = imported.start[row]
        end[row] = cut_slight_overlaps(start, imported.end[row])
    is_cut = end != imported.end
    issues[ImportIssue.CUT_OVERLAP] += int(is_cut.sum())
    return replace(imported, end=end)
