"""Makes the members of a collective start together, on any engine that follows a plan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.order import groups, row_keys, stable_argsort, turns
from core.plan.task import ABSENT, IS_COLLECTIVE, TaskColumns

Positions = NDArray[np.int64]


def start_together(columns: TaskColumns) -> TaskColumns:
    """The same n tasks; members of a collective also wait for what comes before the other members.

    A collective moves data from when its last member has arrived. Lanes that follow a plan know
    nothing of one another, so the plan has to say it: every member waits for the task before each
    member on that one's lane. As all members then wait for the same tasks, they start at the same
    time, wherever lanes start what they can as soon as they can.

    Members are the k-th of a kind, payload, stage, block and bucket of each lane of every replica.
    They have to follow one another in the columns, so that nothing waits for a later task.
    """
    members = np.flatnonzero(IS_COLLECTIVE[columns.kind])
    if not len(members):
        return columns
    before = _before_on_lane(columns)
    waiters, needed = [_waiters(columns)], [columns.after]
    for places in groups(_collective_of(columns, members)):
        mine = members[places]
        # Of several members on one lane the first has another lane's task or nothing before it.
        arrivals = np.setdiff1d(before[mine], [*mine, ABSENT])
        waiters.append(np.repeat(mine, len(arrivals)))
        needed.append(np.tile(arrivals, len(mine)))
    return _waiting(columns, np.concatenate(waiters), np.concatenate(needed))


def _collective_of(columns: TaskColumns, members: Positions) -> NDArray[np.int64]:
    """A number for each of the collectives' members, the same for those of one collective."""
    about = (columns.kind, columns.payload, columns.stage, columns.block, columns.bucket)
    names = row_keys(*(column[members] for column in about))
    member = row_keys(names, columns.lane[members], columns.replica[members])
    return row_keys(names, turns(member))


def _before_on_lane(columns: TaskColumns) -> Positions:
    """The task before each one on its lane; ABSENT for the first of a lane."""
    order = stable_argsort(columns.lane)
    before = np.full(len(columns), ABSENT, np.int64)
    follows = columns.lane[order[1:]] == columns.lane[order[:-1]]
    before[order[1:][follows]] = order[:-1][follows]
    return before


def _waiters(columns: TaskColumns) -> Positions:
    """The task that each entry of `after` belongs to."""
    return np.repeat(np.arange(len(columns)), np.diff(columns.after_first))


def _waiting(columns: TaskColumns, waiters: Positions, needed: Positions) -> TaskColumns:
    """The same tasks with other waits, each pair of which counts once, in the order of pairs."""
    _, first = np.unique(row_keys(waiters, needed), return_index=True)
    first.sort()
    waiters, needed = waiters[first], needed[first]
    counts = np.bincount(waiters, minlength=len(columns))
    return replace(
        columns,
        after_first=np.concatenate([[0], np.cumsum(counts)]),
        after=needed[stable_argsort(waiters)],
    )
