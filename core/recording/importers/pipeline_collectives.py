"""Dependencies of the collectives in the events of a pipeline, inferred from their times.

A collective waits for the task of its rank before it. If the rank computes nothing meanwhile, its
next task waits for the collective; otherwise its next update does. The first forward of a chunk
waits for an all-gather of this chunk's parameters. A wait that is seen in most steps
is assumed in all steps whose times allow it, because clock errors may hide it in some of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.order import find_keys, groups, row_keys, turns
from core.plan.plan import Role
from core.plan.task import ABSENT, IS_COLLECTIVE, IS_COMMUNICATION, KIND_CODES, Kind, among
from core.recording.importers.imported_events import ImportedEvents
from core.recording.importers.overlaps import SLIGHT_SHARE

_ALL_GATHER = KIND_CODES[Kind.ALL_GATHER]
_FORWARD = KIND_CODES[Kind.FORWARD]
_MAY_BE_HALF = among(Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
"""Kinds of passes that may be half of an overlap."""
_FOLLOWS_COLLECTIVES = among(Kind.STEP, Kind.OTHER)
"""Kinds of a rank's tasks that wait for collectives which ran during its passes."""


def compute_events(imported: ImportedEvents) -> list[Ints]:
    """Return the positions of the computing events of each rank of each replica, by start.

    Moments, and events inside others, only annotate the work: nothing waits for them.
    """
    places = imported.pipeline
    assert places is not None
    is_compute_track = [track.role is Role.COMPUTE for track in imported.tracks]
    computes = np.array(is_compute_track, np.bool_)
    is_computing = computes[imported.track]
    is_computing &= ~IS_COMMUNICATION[imported.kind]
    is_computing &= imported.end > imported.start
    is_computing &= places.rank >= 0
    computing = np.flatnonzero(is_computing)
    start = imported.start[computing]
    end = imported.end[computing]
    # By start; of two events with one start, the longer is first.
    order = np.lexsort((-end, start))
    computing = computing[order]
    lane = row_keys(places.replica, places.rank)
    lanes = []
    for tasks in groups(lane, computing):
        ends = imported.end[tasks]
        latest_ends = np.maximum.accumulate(ends)
        is_inside = np.zeros(len(tasks), np.bool_)
        is_inside[1:] = ends[1:] <= latest_ends[:-1]
        # Both halves of an overlap have the same times.
        kind = imported.kind[tasks]
        is_half = _MAY_BE_HALF[kind]
        is_counted = ~is_inside | is_half
        lanes.append(tasks[is_counted])
    return lanes


def collective_links(imported: ImportedEvents, compute: list[Ints]) -> Ints:
    """Return the dependencies of collectives and of the tasks that wait for them, shape (k, 2)."""
    places = imported.pipeline
    step = imported.step
    assert places is not None and step is not None
    lane = row_keys(places.replica, places.rank)
    is_collective = IS_COLLECTIVE[imported.kind]
    is_collective &= places.rank >= 0
    collectives = np.flatnonzero(is_collective)
    of_lane: dict[int, Ints] = {}
    for mine in groups(lane, collectives):
        number = int(lane[mine[0]])
        of_lane[number] = mine
    found = [np.empty((0, 2), np.int64)]
    for tasks in compute:
        number = int(lane[tasks[0]])
        if number in of_lane:
            found += _links_of_lane(imported, tasks, of_lane[number])
    links = np.concatenate(found)
    before, after = links.T
    is_within = step[before] == step[after]
    links = np.unique(links[is_within], axis=0)
    events = np.concatenate([*compute, collectives])
    usual = _usual_links(imported, events, links)
    return np.concatenate([links, usual])


def _usual_links(imported: ImportedEvents, events: Ints, links: Ints) -> Ints:
    """Return the waits seen in more than half of the steps, for the steps that lack them.

    `events` are the positions of the tasks and collectives of all ranks. A wait is added if the
    task that is waited for ends before the waiting one starts, or later by a slight share of the
    longer of the two.
    """
    step = imported.step
    assert step is not None
    waiting_for = links[:, 0]
    steps = np.unique(step[waiting_for])
    if len(steps) < 3:
        return np.empty((0, 2), np.int64)
    number = _numbers_in_step(imported, events)
    # Each wait as the numbers of its tasks, which are the same in all steps.
    pairs, count = np.unique(number[links], axis=0, return_counts=True)
    is_usual = 2 * count > len(steps)
    usual = pairs[is_usual]
    used = np.unique(usual)
    is_used = np.isin(number[events], used)
    events = events[is_used]
    step_of_event = step[events]
    place_of_event = np.searchsorted(used, number[events])
    place_of_usual = np.searchsorted(used, usual)
    candidates = [np.empty((0, 2), np.int64)]
    for each in steps.tolist():
        is_of_step = step_of_event == each
        own_places = place_of_event[is_of_step]
        event_of_place = np.full(len(used), ABSENT, np.int64)
        event_of_place[own_places] = events[is_of_step]
        candidates.append(event_of_place[place_of_usual])
    waits = np.concatenate(candidates)
    is_there = waits != ABSENT
    has_both = is_there.all(axis=1)
    waits = waits[has_both]
    before, after = waits.T
    length = imported.end - imported.start
    longer = np.maximum(length[before], length[after])
    slack = longer // SLIGHT_SHARE
    end = imported.end[before]
    holds = end - slack <= imported.start[after]
    holds &= end <= imported.end[after]
    added: Ints = waits[holds]
    return added


def _numbers_in_step(imported: ImportedEvents, events: Ints) -> Ints:
    """Number the given events so that the same task has the same number in all steps.

    Returns an array of shape (n,), ABSENT for all other events. The k-th event of a rank with the
    same name, kind, chunk and micro-batch is the same task in every step.
    """
    places = imported.pipeline
    step = imported.step
    assert places is not None and step is not None
    events = imported.by_start(events)
    columns: list[NDArray[Any]] = [
        places.replica,
        places.rank,
        places.chunk,
        imported.name,
        imported.kind,
    ]
    microbatch = imported.attributes.get("microbatch")
    if microbatch is not None:
        columns.append(microbatch)
    own_columns = [column[events] for column in columns]
    keys = row_keys(*own_columns)
    _, alike = np.unique(keys, return_inverse=True)
    keys_in_step = row_keys(alike, step[events])
    turn = turns(keys_in_step)
    keys = row_keys(alike, turn)
    _, number = np.unique(keys, return_inverse=True)
    found = np.full(len(imported), ABSENT, np.int64)
    found[events] = number
    return found


def _links_of_lane(imported: ImportedEvents, tasks: Ints, collectives: Ints) -> list[Ints]:
    """Return the dependencies between a rank's computing `tasks`, by start, and `collectives`."""
    # A task may seem to overlap a collective by a small share of its length.
    start = imported.start[tasks]
    end = imported.end[tasks]
    slack = (end - start) // SLIGHT_SHARE
    sure_start = start + slack
    sure_end = end - slack
    by_start = np.argsort(sure_start, kind="stable")
    by_end = np.argsort(sure_end, kind="stable")
    tasks_by_start = tasks[by_start]
    tasks_by_end = tasks[by_end]
    sure_start = sure_start[by_start]
    sure_end = sure_end[by_end]
    # For each collective, the number of tasks that ended before it, and that began before its end.
    collective_start = imported.start[collectives]
    collective_end = imported.end[collectives]
    ended = np.searchsorted(sure_end, collective_start, "right")
    begun = np.searchsorted(sure_start, collective_end, "left")
    has_before = ended > 0
    last_ended = ended[has_before] - 1
    before = tasks_by_end[last_ended]
    waits_before = _pairs(before, collectives[has_before])
    # Nothing ran during the collective: the next task waits for it.
    is_alone = ended == begun
    is_alone &= begun < len(tasks)
    next_place = begun[is_alone]
    waits_of_next = _pairs(collectives[is_alone], tasks_by_start[next_place])
    # If passes ran meanwhile, the next update waits for it.
    kind = imported.kind[tasks_by_start]
    updates = np.flatnonzero(_FOLLOWS_COLLECTIVES[kind])
    update_place = np.searchsorted(updates, begun)
    is_hidden = update_place < len(updates)
    is_hidden &= ~is_alone
    hidden_places = update_place[is_hidden]
    next_update = updates[hidden_places]
    waits_of_updates = _pairs(collectives[is_hidden], tasks_by_start[next_update])
    waits_of_chunks = _gathered_chunks(imported, tasks, collectives)
    return [waits_before, waits_of_next, waits_of_updates, waits_of_chunks]


def _pairs(before: Ints, after: Ints) -> Ints:
    """Return k dependencies as an array of shape (k, 2)."""
    return np.stack([before, after], axis=1)


def _gathered_chunks(imported: ImportedEvents, tasks: Ints, collectives: Ints) -> Ints:
    """Return the first forward of each chunk with the all-gather of its parameters."""
    places = imported.pipeline
    step = imported.step
    assert places is not None and step is not None
    is_gather = imported.kind[collectives] == _ALL_GATHER
    is_gather &= places.chunk[collectives] >= 0
    gathers = collectives[is_gather]
    is_forward = imported.kind[tasks] == _FORWARD
    forwards = tasks[is_forward]
    if len(gathers) == 0 or len(forwards) == 0:
        return np.empty((0, 2), np.int64)
    both = np.concatenate([forwards, gathers])
    keys = row_keys(step[both], places.chunk[both])
    forward_keys, gather_keys = np.split(keys, [len(forwards)])
    place = first_with_key(forward_keys, gather_keys)
    is_found = place != ABSENT
    found_places = place[is_found]
    gathers = gathers[is_found]
    consumer = forwards[found_places]
    start = imported.start[gathers]
    end = imported.end[gathers]
    slack = (end - start) // SLIGHT_SHARE
    needed = imported.start[consumer]
    holds = end - slack <= needed
    return _pairs(gathers[holds], consumer[holds])


def first_with_key(keys: Ints, wanted: Ints) -> Ints:
    """Return the first position in `keys`, which is not empty, of each wanted key, or ABSENT."""
    # Of several equal keys, `unique` returns the first one.
    distinct, first = np.unique(keys, return_index=True)
    place, is_found = find_keys(distinct, wanted)
    return np.where(is_found, first[place], ABSENT)
