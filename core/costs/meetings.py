"""Meetings of a step: tasks of several ranks that wait for each other.

All members of a collective of ranks wait for the last one to arrive, and so do a send and its
receive. These are one meeting. A kernel that exchanges data with several ranks at once has a
meeting with each of them: it waits for all of these ranks, but they do not wait for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Ints, Positions
from core.order import groups, row_keys, turns
from core.plan.plan import Lane, lane_ranks
from core.plan.task import ABSENT, IS_COLLECTIVE, KIND_CODES, Kind
from core.trace.step import StepColumns

_COPY = KIND_CODES[Kind.COPY]


@dataclass(frozen=True, slots=True)
class Meetings:
    """The meetings of a step's n tasks, and the k memberships of tasks in them.

    `only`, shape (n,), is the number of a task's meeting if all members have no other one; -1 for
    other tasks. The task at position `member[i]` takes part in meeting `number[i]`; both have shape
    (k,), contain all meetings, and are sorted by number.
    """

    only: Positions
    member: Positions
    number: Positions

    @classmethod
    def of(cls, columns: StepColumns, lanes: Sequence[Lane]) -> Meetings:
        """Find the meetings of a step's tasks.

        The k-th tasks of a kind, stage, block, bucket and process group of each rank form one
        collective, on any of the rank's lanes (two lanes may run collectives at once). Copies of
        one bucket are sends and receives that wait for each other, if two ranks have equal numbers
        of them: other programs record both halves of a transfer. In `columns.exchanges` a bucket
        stands for several transfers; then the k-th send from one rank to another meets the k-th
        receive.

        A step that is a range of a trace may begin between the arrivals of two ranks, so that their
        k-th tasks are not the same collective. There, members run at the same time
        (`_turns_by_overlap`).

        If a member waits for tasks of other ranks, the meeting is none: the plan has its
        dependencies, and members do not wait for each other. A thread that launches a member
        belongs to the same rank.
        """
        rank = np.array(lane_ranks(lanes))[columns.lane]
        members = np.flatnonzero(IS_COLLECTIVE[columns.kind])
        members = np.sort(np.concatenate([members, _paired_copies(columns, rank)]))
        halves, transfer = _transfers(columns, rank)
        member = np.concatenate([members, halves])
        if not len(member):
            none = np.empty(0, np.int64)
            return cls(np.full(len(columns), ABSENT, np.int64), none, none)
        number = _numbers(columns, members, rank[members])
        number = np.concatenate([number, transfer + len(members)])
        place = np.array(_places(lanes))[columns.lane]
        waits_for_others = _waits_for_others(columns, place)
        planned = number[waits_for_others[member]]
        # Remove all members of such a meeting, not only those that wait for other ranks.
        is_kept = ~np.isin(number, planned)
        return _of_members(len(columns), member[is_kept], number[is_kept])


def meeting(columns: StepColumns, lanes: Sequence[Lane]) -> Positions:
    """Return the number of each task's meeting, shape (n,); -1 for tasks without just one."""
    return Meetings.of(columns, lanes).only


def _of_members(count: int, member: Positions, number: Ints) -> Meetings:
    """Return the meetings of `count` tasks, given their memberships in any order."""
    number = _with_merged_pairs(member, number)
    # Sorted by meeting and member, each membership once.
    place = np.unique(row_keys(number, member), return_index=True)[1]
    member = member[place]
    number = number[place]
    meetings_of_task = np.bincount(member, minlength=count)
    # The largest number of meetings that a member of each meeting has.
    most = np.zeros(int(number.max(initial=ABSENT)) + 1, np.int64)
    np.maximum.at(most, number, meetings_of_task[member])
    is_only = most[number] == 1
    only = np.full(count, ABSENT, np.int64)
    only[member[is_only]] = number[is_only]
    return Meetings(only, member, number)


def _paired_copies(columns: StepColumns, rank: Ints) -> Positions:
    """Return the copies whose bucket has the same number of them on two ranks."""
    is_copy = (columns.kind == _COPY) & (columns.bucket != ABSENT)
    found = [np.empty(0, np.int64)]
    for copies in groups(columns.bucket, np.flatnonzero(is_copy)):
        bucket = int(columns.bucket[copies[0]])
        if bucket not in columns.exchanges and _is_of_two_ranks(rank[copies]):
            found.append(copies)
    return np.concatenate(found)


def _is_of_two_ranks(rank: Ints) -> bool:
    """Return True if there are two ranks, and each occurs equally often."""
    ranks, counts = np.unique(rank, return_counts=True)
    return len(ranks) == 2 and bool(counts[0] == counts[1])


def _numbers(columns: StepColumns, members: Positions, rank: Ints) -> Ints:
    """Return the number of the meeting of each member, less than the number of members."""
    names = row_keys(
        columns.kind[members],
        columns.stage[members],
        columns.block[members],
        columns.bucket[members],
        columns.group[members],
    )
    turn = _turns(columns, names, members, rank)
    return np.unique(row_keys(names, turn), return_inverse=True)[1]


def _turns(columns: StepColumns, names: Ints, members: Positions, rank: Ints) -> Ints:
    """Return for each member which of the meetings with its name it belongs to."""
    if columns.is_range:
        return _turns_by_overlap(columns, names, members, rank)
    return turns(row_keys(names, rank))


def _turns_by_overlap(columns: StepColumns, names: Ints, members: Positions, rank: Ints) -> Ints:
    """Return numbers that are equal for members of one name that run at the same time.

    A member without one of every other rank of its name has a number of its own.
    """
    found = np.arange(len(members))
    order = np.lexsort((columns.start[members], names))
    for own in groups(names[order]):
        every = order[own]
        ranks = len(np.unique(rank[every]))
        together: list[int] = []
        met: set[int] = set()
        first_end = 0
        places = members[every]
        starts = columns.start[places].tolist()
        ends = columns.end[places].tolist()
        for one, own_rank, start, end in zip(
            every.tolist(), rank[every].tolist(), starts, ends, strict=True
        ):
            if together and (start > first_end or own_rank in met):
                together = []
                met = set()
            first_end = min(end, first_end) if together else end
            together.append(one)
            met.add(own_rank)
            if len(met) == ranks:
                found[together] = together[0]
    return found


def _transfers(columns: StepColumns, rank: Ints) -> tuple[Positions, Ints]:
    """Return the two tasks of each transfer of `columns.exchanges`, and the transfer's number.

    If sender and receiver have different numbers of tasks in a direction, it is not known which of
    them belong together.
    """
    directions: dict[tuple[int, int], int] = {}
    found = [np.empty(0, np.int64)]
    codes = [np.empty(0, np.int64)]
    is_copy = (columns.kind == _COPY) & (columns.bucket != ABSENT)
    copies = np.flatnonzero(is_copy) if columns.exchanges else found[0]
    for own in groups(columns.bucket, copies):
        bucket = int(columns.bucket[own[0]])
        for direction in columns.exchanges.get(bucket, ()):
            code = directions.setdefault(direction, len(directions))
            found.append(own)
            codes.append(np.full(len(own), code))
    member = np.concatenate(found)
    direction_of = np.concatenate(codes)
    # Columns are sorted by start, so this is the order of the starts.
    order = np.argsort(member, kind="stable")
    member = member[order]
    direction_of = direction_of[order]
    turn = _turns(columns, direction_of, member, rank[member])
    is_known = np.zeros(len(member), np.bool_)
    for mine in groups(direction_of):
        is_known[mine] = _is_of_two_ranks(rank[member[mine]])
    number = row_keys(direction_of, turn)
    return member[is_known], number[is_known]


def _with_merged_pairs(member: Positions, number: Ints) -> Ints:
    """Return the numbers of meetings, the same one for meetings of the same two tasks.

    Two tasks that send to each other meet once, not once for each direction.
    """
    if not len(member):
        return number
    order = np.lexsort((member, number))
    first = np.flatnonzero(np.diff(number[order], prepend=ABSENT))
    count = np.diff(first, append=len(order))
    least = np.minimum.reduceat(member[order], first)
    most = np.maximum.reduceat(member[order], first)
    # Larger meetings have different members: a task is in one collective.
    distinct = np.where(count == 2, ABSENT, np.arange(len(first)))
    merged = np.unique(row_keys(least, most, distinct), return_inverse=True)[1]
    found = np.empty_like(number)
    found[order] = np.repeat(merged, count)
    return found


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
    waiter = np.repeat(np.arange(len(columns)), np.diff(columns.after_first))
    elsewhere = place[columns.after] != place[waiter]
    found = np.zeros(len(columns), np.bool_)
    found[waiter[elsewhere]] = True
    return found
