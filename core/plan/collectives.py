"""Dependencies that make the members of a collective start together on any engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.arrays import Ints, Positions
from core.order import groups, row_keys, stable_argsort, turns
from core.plan.task import ABSENT, IS_COLLECTIVE, TaskColumns


def start_together(columns: TaskColumns) -> TaskColumns:
    """Return the same n tasks, with waits added so that members of a collective start together.

    A collective moves data only once its last member has arrived. Lanes have no information about
    each other, so the plan has to encode this: every member waits for the predecessor of each
    member on that member's lane. All members then wait for the same tasks, so they start at the
    same time if lanes start tasks as soon as they can.

    The k-th tasks with the same kind, payload, stage, block and bucket on each lane of every
    replica form one collective. They must be adjacent in the columns: no task may wait for a later
    one.
    """
    members = np.flatnonzero(IS_COLLECTIVE[columns.kind])
    if not len(members):
        return columns
    before = _before_on_lane(columns)
    waiters = [columns.waiters]
    needed = [columns.after]
    for places in groups(_collective_of(columns, members)):
        mine = members[places]
        # If several members share a lane, the predecessor of a later one is a member too: drop it.
        arrivals = np.setdiff1d(before[mine], [*mine, ABSENT])
        waiters.append(np.repeat(mine, len(arrivals)))
        needed.append(np.tile(arrivals, len(mine)))
    return _waiting(columns, np.concatenate(waiters), np.concatenate(needed))


def _collective_of(columns: TaskColumns, members: Positions) -> Ints:
    """Return a number for each member; members of one collective have the same number."""
    names = row_keys(
        columns.kind[members],
        columns.payload[members],
        columns.stage[members],
        columns.block[members],
        columns.bucket[members],
    )
    places = row_keys(names, columns.lane[members], columns.replica[members])
    return row_keys(names, turns(places))


def _before_on_lane(columns: TaskColumns) -> Positions:
    """Return the predecessor of each task on its lane; ABSENT for the first of a lane."""
    order = stable_argsort(columns.lane)
    previous = order[:-1]
    task = order[1:]
    same_lane = columns.lane[previous] == columns.lane[task]
    before = np.full(len(columns), ABSENT, np.int64)
    before[task[same_lane]] = previous[same_lane]
    return before


def _waiting(columns: TaskColumns, waiters: Positions, needed: Positions) -> TaskColumns:
    """Return the same tasks with these waits, in order and without duplicate pairs."""
    _, first = np.unique(row_keys(waiters, needed), return_index=True)
    first.sort()
    waiters = waiters[first]
    needed = needed[first]
    counts = np.bincount(waiters, minlength=len(columns))
    by_waiter = stable_argsort(waiters)
    return replace(columns, after_first=np.append(0, np.cumsum(counts)), after=needed[by_waiter])
