"""The last wait of each task of a step: the links along which idle time is explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Ints, Positions
from core.order import groups, row_keys, stable_argsort, turns
from core.plan.plan import Lane, lane_ranks
from core.plan.task import ABSENT, IS_COLLECTIVE, KIND_CODES, Kind
from core.trace.step import StepColumns

_COPY = KIND_CODES[Kind.COPY]
_LONG_AGO = np.iinfo(np.int64).min


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
    begun: Ints
    meets: Positions


def waits_of(columns: StepColumns, lanes: Sequence[Lane]) -> Waits:
    """Return the waits of a step's tasks, found from their times."""
    order = np.lexsort((columns.start, columns.lane))
    meets = meeting(columns, lanes)
    slowest, arrived = _slowest(columns, meets)
    begun = arrived[slowest]
    before = _before(columns, order, arrived)
    _cut_circles(before, slowest, begun)
    return Waits(order, before, slowest, begun, meets)


def meeting(columns: StepColumns, lanes: Sequence[Lane]) -> Positions:
    """Return the number of each task's collective of ranks, shape (n,); -1 for other tasks.

    The k-th tasks of a kind, stage, block, bucket and process group of each rank form one
    collective, on any of the rank's lanes (two lanes may run collectives at once). Copies of one
    bucket are sends and receives that wait for each other, if two ranks have equal numbers of them:
    other programs record both halves of a transfer. If a member waits for tasks of other ranks, the
    collective is not one of ranks: the plan has its dependencies, and members do not wait for each
    other. A thread that launches a member belongs to the same rank.
    """
    group = np.full(len(columns), ABSENT, np.int64)
    rank = np.array(lane_ranks(lanes))[columns.lane]
    members = np.flatnonzero(IS_COLLECTIVE[columns.kind])
    members = np.sort(np.concatenate([members, _paired_copies(columns, rank)]))
    if not len(members):
        return group
    group[members] = _collective_numbers(columns, members, rank[members])
    place = np.array(_places(lanes))[columns.lane]
    waits_for_others = _waits_for_others(columns, place)
    planned = members[waits_for_others[members]]
    # Remove all members of such a collective, not only the members that wait for other ranks.
    is_planned = np.isin(group[members], group[planned])
    group[members[is_planned]] = ABSENT
    return group


def _paired_copies(columns: StepColumns, rank: Ints) -> Positions:
    """Return the copies whose bucket has the same number of them on two ranks."""
    copies = np.flatnonzero((columns.kind == _COPY) & (columns.bucket != ABSENT))
    found = [np.empty(0, np.int64)]
    for bucket in groups(columns.bucket, copies):
        ranks, counts = np.unique(rank[bucket], return_counts=True)
        if len(ranks) == 2 and counts[0] == counts[1]:
            found.append(bucket)
    return np.concatenate(found)


def _before(columns: StepColumns, order: Positions, arrived: Ints) -> Positions:
    """Return for each task its dependency with the latest end; ties go to the lane's previous task.

    A previous task that had not ended when the task arrived does not count: both ran at once.
    """
    before = np.full(len(columns), ABSENT, np.int64)
    previous = order[:-1]
    task = order[1:]
    same_lane = columns.lane[previous] == columns.lane[task]
    had_ended = columns.end[previous] <= arrived[task]
    follows = same_lane & had_ended
    before[task[follows]] = previous[follows]
    lane_free = np.where(before >= 0, columns.end[before], _LONG_AGO)
    waiter = _waiter(columns)
    ends = columns.end[columns.after]
    latest = lane_free.copy()
    np.maximum.at(latest, waiter, ends)
    is_latest = ends == latest[waiter]
    is_later = ends > lane_free[waiter]
    decisive = is_latest & is_later
    before[waiter[decisive]] = columns.after[decisive]
    return before


def _cut_circles(before: Positions, slowest: Positions, begun: Ints) -> None:
    """Break each cycle of links by removing its links that do not lead back in time.

    Links outside of cycles are kept: the clocks of two devices differ by some µs, so a short task
    may seem to begin later than a task that waited for it.
    """
    count = len(before)
    link = before[slowest]
    has_link = link >= 0
    leads_back = begun[link] < begun
    if not (has_link & ~leads_back).any():
        return
    # Position `count` is the end of a walk and links to itself. Each doubling squares the map, so
    # in the end it follows more than n links: walks that have not ended are in a cycle.
    next_position = np.where(has_link, link, count)
    ahead = np.append(next_position, count)
    for _ in range(count.bit_length()):
        ahead = ahead[ahead]
    in_cycle = np.unique(ahead[ahead < count])
    cut = in_cycle[~leads_back[in_cycle]]
    before[slowest[cut]] = ABSENT


def _waiter(columns: StepColumns) -> Positions:
    """Return the waiting task of each entry of `after`."""
    counts = np.diff(columns.after_first)
    return np.repeat(np.arange(len(columns)), counts)


def _slowest(columns: StepColumns, group: Positions) -> tuple[Positions, Ints]:
    """Return the last member to arrive of each task's collective, and each task's arrival in ns."""
    slowest = np.arange(len(columns))
    arrived = columns.start.copy()
    members = np.flatnonzero(group >= 0)
    if not len(members):
        return slowest, arrived
    members = members[stable_argsort(group[members])]
    groups = group[members]
    first = np.flatnonzero(np.diff(groups, prepend=ABSENT))
    counts = np.diff(first, append=len(members))
    earliest_end = np.minimum.reduceat(columns.end[members], first)
    ended = np.repeat(earliest_end, counts)
    arrived[members] = _arrivals(columns, members, ended)
    # Sorted by group and then by arrival, so the last entry of each group is its slowest member.
    by_arrival = members[np.lexsort((arrived[members], groups))]
    last = by_arrival[first + counts - 1]
    slowest[members] = np.repeat(last, counts)
    return slowest, arrived


def _arrivals(columns: StepColumns, members: Positions, ended: Ints) -> Ints:
    """Return the arrivals in ns of members, given the earliest end (`ended`) of each collective.

    No member can arrive after this end. A member with a later start was queued after others on its
    lane, because collectives ended in another order than they were launched: its arrival is its
    launch, if known.
    """
    start = columns.start[members]
    launched = columns.launched[members]
    step_start = columns.start.min()
    launch = np.where(launched == ABSENT, start, np.maximum(launched, step_start))
    return np.where(start <= ended, start, np.minimum(launch, ended))


def _collective_numbers(columns: StepColumns, members: Positions, rank: Ints) -> Positions:
    """Return the number of each member's collective."""
    names = row_keys(
        columns.kind[members],
        columns.stage[members],
        columns.block[members],
        columns.bucket[members],
        columns.group[members],
    )
    turn = turns(row_keys(names, rank))
    return row_keys(names, turn)


def _places(lanes: Sequence[Lane]) -> list[int]:
    """Return a number for each lane: its rank's, or one for all lanes of a recorded process."""
    recorded = {lane.device for lane in lanes if lane.stream_of}
    first: dict[str, int] = {}
    numbers = []
    for lane, rank in zip(lanes, lane_ranks(lanes), strict=True):
        number = rank
        if lane.device in recorded:
            number = first.setdefault(lane.device, lane.index)
        numbers.append(number)
    return numbers


def _waits_for_others(columns: StepColumns, place: Ints) -> Bools:
    """Return True for each task that waits for a task of another rank's place."""
    waiter = _waiter(columns)
    elsewhere = place[columns.after] != place[waiter]
    found = np.zeros(len(columns), np.bool_)
    found[waiter[elsewhere]] = True
    return found
