"""The last wait of each task of a step: the links along which idle time is explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Ints, Positions
from core.costs.meetings import Meetings
from core.plan.plan import Lane
from core.plan.task import ABSENT
from core.trace.step import StepColumns

_LONG_AGO = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Waits:
    """Waits of a step's n tasks: arrays of shape (n,) whose entries are positions in its columns.

    `order` lists all positions by lane and then by time. `before` is the task that a task waited
    for last: among the tasks in `after` and the previous task on its lane, the one with the latest
    end; -1 for none. `slowest` is the last member to arrive at a task's meetings (see
    core.costs.meetings); for a task without one it is the task itself. `begun`, in ns, is the start
    of a task or, if it meets others, the arrival of the slowest member (until then the others
    wait). `meets` is the number of the only meeting of a task and of all its members, or -1.
    `is_member` is True for tasks with one or several meetings.

    Walks from a task to `before[slowest[task]]`, and so on, never visit a task twice, for any times
    and dependencies: every walk ends.
    """

    order: Positions
    before: Positions
    slowest: Positions
    begun: Ints
    meets: Positions
    is_member: Bools


def waits_of(columns: StepColumns, lanes: Sequence[Lane]) -> Waits:
    """Return the waits of a step's tasks, found from their times."""
    order = np.lexsort((columns.start, columns.lane))
    meetings = Meetings.of(columns, lanes)
    slowest, arrived = _slowest(columns, meetings)
    begun = arrived[slowest]
    before = _before(columns, order, arrived)
    _cut_circles(before, slowest, begun)
    is_member = np.zeros(len(columns), np.bool_)
    is_member[meetings.member] = True
    return Waits(
        order=order,
        before=before,
        slowest=slowest,
        begun=begun,
        meets=meetings.only,
        is_member=is_member,
    )


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
    waiter = columns.waiters
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


def _slowest(columns: StepColumns, meetings: Meetings) -> tuple[Positions, Ints]:
    """Return the last member to arrive at each task's meetings, and each task's arrival in ns."""
    count = len(columns)
    slowest = np.arange(count)
    arrived = columns.start.copy()
    member = meetings.member
    if not len(member):
        return slowest, arrived
    first = np.flatnonzero(np.diff(meetings.number, prepend=ABSENT))
    members = np.diff(first, append=len(member))
    earliest_end = np.minimum.reduceat(columns.end[member], first)
    # The earliest end in any meeting of each task.
    ended = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(ended, member, np.repeat(earliest_end, members))
    tasks = np.unique(member)
    arrived[tasks] = _arrivals(columns, tasks, ended[tasks])
    # Sorted by meeting and then by arrival: the last entry of each meeting is its slowest member.
    by_arrival = member[np.lexsort((arrived[member], meetings.number))]
    last = by_arrival[first + members - 1]
    slowest_of_meeting = np.repeat(last, members)
    # In order of arrival: if a task has several meetings, the last assignment wins, which is the
    # meeting whose last member arrives last.
    order = np.argsort(arrived[slowest_of_meeting], kind="stable")
    slowest[member[order]] = slowest_of_meeting[order]
    return slowest, arrived


def _arrivals(columns: StepColumns, members: Positions, ended: Ints) -> Ints:
    """Return the arrivals in ns of members, given the earliest end (`ended`) of their meetings.

    No member can arrive after this end. A member with a later start was queued after others on its
    lane, because collectives ended in another order than they were launched: its arrival is its
    launch, if known.
    """
    start = columns.start[members]
    launched = columns.launched[members]
    step_start = columns.start.min()
    launch = np.where(launched == ABSENT, start, np.maximum(launched, step_start))
    return np.where(start <= ended, start, np.minimum(launch, ended))
