"""The last wait of each task of a step: the links along which idle time is explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.order import row_keys, stable_argsort, turns
from core.plan.plan import Lane, lane_ranks
from core.plan.task import ABSENT, IS_COLLECTIVE
from core.trace.step import StepColumns

_LONG_AGO = np.iinfo(np.int64).min

Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Waits:
    """Waits of a step's n tasks: arrays of shape (n,) whose entries are positions in its columns.

    `order` lists all positions by lane and then by time. `before` is the task that a task waited
    for last: among the tasks in `after` and the previous task on its lane, the one with the latest
    end; -1 for none. `slowest` is the last member to arrive at a collective of ranks; for any other
    task it is the task itself. `begun`, in ns, is the start of a task or, for a collective of
    ranks, the arrival of the slowest member (until then the others wait). `meets` is the number of
    the collective of ranks that a task is a member of, or -1.

    Walks from a task to `before[slowest[task]]`, and so on, never visit a task twice, for any times
    and dependencies: every walk ends.
    """

    order: Positions
    before: Positions
    slowest: Positions
    begun: NDArray[np.int64]
    meets: Positions


def waits_of(columns: StepColumns, lanes: Sequence[Lane]) -> Waits:
    """Return the waits of a step's tasks, found from their times."""
    order = np.lexsort((columns.start, columns.lane))
    meets = meeting(columns, lanes)
    slowest, came = _slowest(columns, meets)
    begun = came[slowest]
    before = _before(columns, order, came)
    _cut_circles(before, slowest, begun)
    return Waits(order, before, slowest, begun, meets)


def meeting(columns: StepColumns, lanes: Sequence[Lane]) -> Positions:
    """Return the number of each task's collective of ranks, shape (n,); -1 for other tasks.

    The k-th tasks of a kind, stage, block, bucket and process group of each rank form one
    collective, on any of the rank's lanes (two lanes may run collectives at once). If a member
    waits for tasks of other ranks, the collective is not one of ranks: the plan has its
    dependencies, and members do not wait for each other. A thread that launches a member belongs
    to the same rank.
    """
    group = np.full(len(columns), ABSENT, np.int64)
    members = np.flatnonzero(IS_COLLECTIVE[columns.kind])
    if len(members):
        rank = np.array(lane_ranks(lanes))[columns.lane]
        group[members] = _turns(columns, members, rank[members])
        place = np.array(_places(lanes))[columns.lane]
        # Remove all members of such a collective, not only those that wait for other ranks.
        planned = members[_names_others(columns, place)[members]]
        group[np.isin(group, group[planned])] = ABSENT
    return group


def _before(columns: StepColumns, order: Positions, came: NDArray[np.int64]) -> Positions:
    """Return for each task its dependency with the latest end; ties go to the lane's previous task.

    A previous task that had not ended when the task arrived does not count: both ran at once.
    """
    before = np.full(len(columns), ABSENT, np.int64)
    previous, task = order[:-1], order[1:]
    follows = columns.lane[previous] == columns.lane[task]
    follows &= columns.end[previous] <= came[task]
    before[task[follows]] = previous[follows]
    own = np.where(before >= 0, columns.end[before], _LONG_AGO)
    waiter = _waiter(columns)
    ends = columns.end[columns.after]
    latest = own.copy()
    np.maximum.at(latest, waiter, ends)
    decisive = (ends == latest[waiter]) & (ends > own[waiter])
    before[waiter[decisive]] = columns.after[decisive]
    return before


def _cut_circles(before: Positions, slowest: Positions, begun: NDArray[np.int64]) -> None:
    """Break each cycle of links by removing its links that do not lead back in time.

    Links outside of cycles are kept: the clocks of two devices differ by some µs, so a short task
    may seem to begin later than a task that waited for it.
    """
    count = len(before)
    link = before[slowest]
    if not ((link >= 0) & (begun[link] >= begun)).any():
        return
    # Position `count` is the end of a walk and links to itself. Each doubling squares the map, so
    # in the end it follows more than n links: walks that have not ended are in a cycle.
    ahead = np.append(np.where(link >= 0, link, count), count)
    for _ in range(count.bit_length()):
        ahead = ahead[ahead]
    in_cycle = np.unique(ahead[ahead < count])
    cut = in_cycle[begun[link[in_cycle]] >= begun[in_cycle]]
    before[slowest[cut]] = ABSENT


def _waiter(columns: StepColumns) -> Positions:
    """Return the waiting task of each entry of `after`."""
    return np.repeat(np.arange(len(columns)), np.diff(columns.after_first))


def _slowest(columns: StepColumns, group: Positions) -> tuple[Positions, NDArray[np.int64]]:
    """Return the last member to arrive of each task's collective, and each task's arrival in ns."""
    slowest, came = np.arange(len(columns)), columns.start.copy()
    members = np.flatnonzero(group >= 0)
    if not len(members):
        return slowest, came
    members = members[stable_argsort(group[members])]
    first = np.flatnonzero(np.diff(group[members], prepend=ABSENT))
    counts = np.diff(first, append=len(members))
    ended = np.repeat(np.minimum.reduceat(columns.end[members], first), counts)
    came[members] = _came(columns, members, ended)
    # Sorted by group and then by arrival, so the last entry of each group is its slowest member.
    last = members[np.lexsort((came[members], group[members]))][first + counts - 1]
    slowest[members] = np.repeat(last, counts)
    return slowest, came


def _came(columns: StepColumns, members: Positions, ended: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the arrivals in ns of members, given the earliest end (`ended`) of each collective.

    No member can arrive after this end. A member with a later start was queued after others on its
    lane, because collectives ended in another order than they were launched: its arrival is its
    launch, if known.
    """
    start, launched = columns.start[members], columns.launched[members]
    known = np.where(launched == ABSENT, start, np.maximum(launched, columns.start.min()))
    return np.where(start <= ended, start, np.minimum(known, ended))


def _turns(columns: StepColumns, members: Positions, rank: NDArray[np.int64]) -> Positions:
    """Return the number of each member's collective."""
    columns_of_name = columns.kind, columns.stage, columns.block, columns.bucket, columns.group
    names = row_keys(*(column[members] for column in columns_of_name))
    return row_keys(names, turns(row_keys(names, rank)))


def _places(lanes: Sequence[Lane]) -> list[int]:
    """Return a number for each lane: its rank's, or one for all lanes of a recorded process."""
    recorded = {lane.device for lane in lanes if lane.stream_of}
    first: dict[str, int] = {}
    numbers = []
    for lane, rank in zip(lanes, lane_ranks(lanes), strict=True):
        shared = lane.device in recorded
        numbers.append(first.setdefault(lane.device, lane.index) if shared else rank)
    return numbers


def _names_others(columns: StepColumns, place: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each task whether it waits for a task of another rank's place."""
    waiter = _waiter(columns)
    names = np.zeros(len(columns), np.bool_)
    names[waiter[place[columns.after] != place[waiter]]] = True
    return names
