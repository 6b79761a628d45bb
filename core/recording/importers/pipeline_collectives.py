"""Dependencies of the collectives in the events of a pipeline, inferred from their times.

A collective waits for the task of its rank before it. If the rank computes nothing meanwhile, its
next task waits for the collective; otherwise its next update does. The first forward of a chunk
waits for an all-gather of this chunk's parameters. A wait that most steps show holds in all steps
in which it can, because clocks err by more in some of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.order import groups, row_keys, turns
from core.plan.plan import Role
from core.plan.task import ABSENT, IS_COLLECTIVE, IS_COMMUNICATION, KIND_CODES, Kind, among
from core.recording.importers.imported_events import ImportedEvents
from core.recording.importers.overlaps import SLIGHT_SHARE

_MAY_BE_HALF = among(Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
"""Kinds of passes that may be half of an overlap."""
_FOLLOWS_COLLECTIVES = among(Kind.STEP, Kind.OTHER)
"""Kinds of a rank's tasks that wait for collectives which ran during its passes."""


def compute_events(imported: ImportedEvents) -> list[Ints]:
    """Return the positions of the computing events of each rank of each replica, by start.

    Moments, and events inside others, are notes on what runs: nothing waits for them.
    """
    places = imported.pipeline
    assert places is not None
    roles = [track.role is Role.COMPUTE for track in imported.tracks]
    computes = np.array(roles, np.bool_)
    is_computing = computes[imported.track]
    is_computing &= ~IS_COMMUNICATION[imported.kind]
    is_computing &= imported.end > imported.start
    is_computing &= places.rank >= 0
    mine = np.flatnonzero(is_computing)
    # By start; of two events with one start, the longer is first.
    order = np.lexsort((-imported.end[mine], imported.start[mine]))
    lane = row_keys(places.replica, places.rank)
    lanes = []
    for tasks in groups(lane, mine[order]):
        end = imported.end[tasks]
        latest_ends = np.maximum.accumulate(end)
        is_inside = np.zeros(len(tasks), np.bool_)
        is_inside[1:] = end[1:] <= latest_ends[:-1]
        # Both halves of an overlap have the same times.
        is_half = _MAY_BE_HALF[imported.kind[tasks]]
        is_counted = ~is_inside | is_half
        lanes.append(tasks[is_counted])
    return lanes


def collective_links(imported: ImportedEvents, compute: list[Ints]) -> Ints:
    """Return the dependencies of collectives and of the tasks that wait for them, shape (k, 2)."""
    places = imported.pipeline
    step = imported.step
    assert places is not None and step is not None
    lane = row_keys(places.replica, places.rank)
    is_collective = IS_COLLECTIVE[imported.kind] & (places.rank >= 0)
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
    is_within: NDArray[np.bool_] = step[links[:, 0]] == step[links[:, 1]]
    links = np.unique(links[is_within], axis=0)
    events = np.concatenate([*compute, collectives])
    return np.concatenate([links, _usual_links(imported, events, links)])


def _usual_links(imported: ImportedEvents, events: Ints, links: Ints) -> Ints:
    """Return the waits that more than half of the steps show, in the steps that do not show them.

    `events` are the positions of the tasks and collectives of all ranks. A wait is added if the
    task that is waited for ends before the waiting one starts, or later by a slight share of the
    longer of the two.
    """
    step = imported.step
    assert step is not None
    steps = np.unique(step[links[:, 0]])
    if len(steps) < 3:
        return np.empty((0, 2), np.int64)
    number = _numbers_in_step(imported, events)
    # Each wait as the numbers of its tasks, which are the same in all steps.
    pairs, count = np.unique(number[links], axis=0, return_counts=True)
    usual = pairs[2 * count > len(steps)]
    used = np.unique(usual)
    events = events[np.isin(number[events], used)]
    place = np.searchsorted(used, usual)
    candidates = [np.empty((0, 2), np.int64)]
    for each in steps.tolist():
        mine = events[step[events] == each]
        event_of = np.full(len(used), ABSENT, np.int64)
        event_of[np.searchsorted(used, number[mine])] = mine
        candidates.append(event_of[place])
    found = np.concatenate(candidates)
    found = found[(found != ABSENT).all(axis=1)]
    before, after = found.T
    length = imported.end - imported.start
    slack = np.maximum(length[before], length[after]) // SLIGHT_SHARE
    holds = imported.end[before] - slack <= imported.start[after]
    holds &= imported.end[before] <= imported.end[after]
    added: Ints = found[holds]
    return added


def _numbers_in_step(imported: ImportedEvents, events: Ints) -> Ints:
    """Return a number for each event, shape (n,), that is the same in all steps; ABSENT for others.

    The k-th of the events of a rank that have the same name, kind, chunk and micro-batch is the
    same in every step.
    """
    places = imported.pipeline
    step = imported.step
    assert places is not None and step is not None
    events = events[np.argsort(imported.start[events], kind="stable")]
    columns: list[NDArray[Any]] = [places.replica, places.rank, places.chunk]
    columns += [imported.name, imported.kind]
    microbatch = imported.attributes.get("microbatch")
    if microbatch is not None:
        columns.append(microbatch)
    keys = row_keys(*(column[events] for column in columns))
    keys = np.unique(keys, return_inverse=True)[1]
    turn = turns(row_keys(keys, step[events]))
    found = np.full(len(imported), ABSENT, np.int64)
    found[events] = np.unique(row_keys(keys, turn), return_inverse=True)[1]
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
    # For each collective, how many tasks had ended before it, and had begun before its end.
    ended = np.searchsorted(sure_end[by_end], imported.start[collectives], "right")
    begun = np.searchsorted(sure_start[by_start], imported.end[collectives], "left")
    has_before = ended > 0
    last_ended = ended[has_before] - 1
    before = tasks_by_end[last_ended]
    waits_before = np.stack([before, collectives[has_before]], axis=1)
    # Nothing ran during the collective: the next task waits for it.
    is_alone = (ended == begun) & (begun < len(tasks))
    following = tasks_by_start[begun[is_alone]]
    waits_of_next = np.stack([collectives[is_alone], following], axis=1)
    # The next update, if passes ran meanwhile.
    is_update = _FOLLOWS_COLLECTIVES[imported.kind[tasks_by_start]]
    updates = np.flatnonzero(is_update)
    place = np.searchsorted(updates, begun)
    is_hidden = ~is_alone & (place < len(updates))
    next_update = tasks_by_start[updates[place[is_hidden]]]
    waits_of_updates = np.stack([collectives[is_hidden], next_update], axis=1)
    waits_of_chunks = _gathered_chunks(imported, tasks, collectives)
    return [waits_before, waits_of_next, waits_of_updates, waits_of_chunks]


def _gathered_chunks(imported: ImportedEvents, tasks: Ints, collectives: Ints) -> Ints:
    """Return the first forward of each chunk with the all-gather of its parameters."""
    places = imported.pipeline
    step = imported.step
    assert places is not None and step is not None
    is_gather = imported.kind[collectives] == KIND_CODES[Kind.ALL_GATHER]
    has_chunk = places.chunk[collectives] >= 0
    gathers = collectives[is_gather & has_chunk]
    is_forward = imported.kind[tasks] == KIND_CODES[Kind.FORWARD]
    forwards = tasks[is_forward]
    if not len(gathers) or not len(forwards):
        return np.empty((0, 2), np.int64)
    both = np.concatenate([forwards, gathers])
    keys = row_keys(step[both], places.chunk[both])
    place = first_with_key(keys[: len(forwards)], keys[len(forwards) :])
    gathers = gathers[place != ABSENT]
    consumer = forwards[place[place != ABSENT]]
    end = imported.end[gathers]
    slack = (end - imported.start[gathers]) // SLIGHT_SHARE
    holds = end - slack <= imported.start[consumer]
    return np.stack([gathers[holds], consumer[holds]], axis=1)


def first_with_key(keys: Ints, wanted: Ints) -> Ints:
    """Return the first position in `keys`, which is not empty, of each wanted key, or ABSENT."""
    # Of several equal keys, `unique` returns the first one.
    distinct, first = np.unique(keys, return_index=True)
    place = np.searchsorted(distinct, wanted)
    place = np.minimum(place, len(distinct) - 1)
    is_found = distinct[place] == wanted
    return np.where(is_found, first[place], ABSENT)
