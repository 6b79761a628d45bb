"""Meetings of a step: tasks of several ranks that wait for each other.

All members of a collective of ranks wait for the last one to arrive, and so do a send and its
receive. These are one meeting. A kernel that exchanges data with several ranks at once has a
meeting with each of them: it waits for all of these ranks, but they do not wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Ints, Positions
from core.order import groups, row_keys, row_numbers, turns
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
        k-th tasks are not the same collective. There, members run at the same time.

        If a member waits for tasks of other ranks, this is not a meeting: the plan has its
        dependencies, and members do not wait for each other. A thread that launches a member
        belongs to the same rank.
        """
        tasks = _RankedTasks.of(columns, lanes)
        is_collective = IS_COLLECTIVE[columns.kind]
        found = [np.flatnonzero(is_collective), tasks.paired_copies()]
        members = np.sort(np.concatenate(found))
        halves, transfer = tasks.transfers()
        member = np.concatenate([members, halves])
        if not len(member):
            none = np.empty(0, np.int64)
            return cls(np.full(len(columns), ABSENT, np.int64), none, none)
        # Numbers of transfers follow those of the other meetings.
        meeting_of_half = transfer + len(members)
        number = np.concatenate([tasks.numbers(members), meeting_of_half])
        place_of_lane = np.array(_places(lanes))
        waits_for_others = _waits_for_others(columns, place_of_lane[columns.lane])
        planned = number[waits_for_others[member]]
        # Remove all members of a planned meeting, not only those that wait for other ranks.
        is_kept = ~np.isin(number, planned)
        return _of_members(len(columns), member[is_kept], number[is_kept])


def meeting(columns: StepColumns, lanes: Sequence[Lane]) -> Positions:
    """Return the number of each task's only meeting, shape (n,); -1 as in `Meetings.only`."""
    return Meetings.of(columns, lanes).only


def _of_members(count: int, member: Positions, number: Ints) -> Meetings:
    """Return the meetings of `count` tasks, given their memberships in any order."""
    number = _with_merged_pairs(member, number)
    # Sorted by meeting and member, each membership once.
    _, place = np.unique(row_keys(number, member), return_index=True)
    member = member[place]
    number = number[place]
    meetings_of_task = np.bincount(member, minlength=count)
    # The largest number of meetings that a member of each meeting has.
    highest = int(number.max(initial=ABSENT))
    most = np.zeros(highest + 1, np.int64)
    np.maximum.at(most, number, meetings_of_task[member])
    is_only = most[number] == 1
    only = np.full(count, ABSENT, np.int64)
    only[member[is_only]] = number[is_only]
    return Meetings(only, member, number)


@dataclass(frozen=True, slots=True)
class _RankedTasks:
    """The n tasks of a step, and the rank of each, shape (n,)."""

    columns: StepColumns
    rank: Ints

    @classmethod
    def of(cls, columns: StepColumns, lanes: Sequence[Lane]) -> _RankedTasks:
        """Find the rank of each task of a step on these lanes."""
        rank_of_lane = np.array(lane_ranks(lanes))
        return cls(columns, rank_of_lane[columns.lane])

    def paired_copies(self) -> Positions:
        """Return the copies whose bucket has the same number of them on two ranks."""
        found = [np.empty(0, np.int64)]
        for bucket, copies in self._copies_of_buckets():
            if bucket not in self.columns.exchanges and _is_of_two_ranks(self.rank[copies]):
                found.append(copies)
        return np.concatenate(found)

    def transfers(self) -> tuple[Positions, Ints]:
        """Return the two tasks of each transfer of `columns.exchanges`, and the transfer's number.

        If sender and receiver have different numbers of tasks in a direction, it is not known which
        of them belong together.
        """
        member, direction = self._members_by_direction()
        turn = self._turns(direction, member)
        is_known = np.zeros(len(member), np.bool_)
        for mine in groups(direction):
            tasks = member[mine]
            is_known[mine] = _is_of_two_ranks(self.rank[tasks])
        number = row_keys(direction, turn)
        return member[is_known], number[is_known]

    def numbers(self, members: Positions) -> Ints:
        """Return the number of the meeting of each member, less than the number of members."""
        columns = self.columns
        names = row_keys(
            columns.kind[members],
            columns.stage[members],
            columns.block[members],
            columns.bucket[members],
            columns.group[members],
        )
        return row_numbers(names, self._turns(names, members))

    def _copies_of_buckets(self) -> Iterator[tuple[int, Positions]]:
        """Yield each bucket with its copies, the smallest number first."""
        bucket = self.columns.bucket
        is_copy = self.columns.kind == _COPY
        has_bucket = bucket != ABSENT
        for copies in groups(bucket, np.flatnonzero(is_copy & has_bucket)):
            yield int(bucket[copies[0]]), copies

    def _members_by_direction(self) -> tuple[Positions, Ints]:
        """Return tasks of `columns.exchanges` by start, and the number of each one's direction.

        A direction is a pair of ranks, the sender and the receiver. A task that represents
        transfers in several directions occurs once for each.
        """
        numbers: dict[tuple[int, int], int] = {}
        found = [np.empty(0, np.int64)]
        directions = [np.empty(0, np.int64)]
        exchanges = self.columns.exchanges
        if exchanges:
            for bucket, copies in self._copies_of_buckets():
                for pair in exchanges.get(bucket, ()):
                    number = numbers.setdefault(pair, len(numbers))
                    found.append(copies)
                    directions.append(np.full(len(copies), number))
        member = np.concatenate(found)
        direction = np.concatenate(directions)
        # Columns are sorted by start, so this is the order of the starts.
        order = np.argsort(member, kind="stable")
        return member[order], direction[order]

    def _turns(self, names: Ints, members: Positions) -> Ints:
        """Return the number of each member's meeting among the meetings with its name."""
        if self.columns.is_range:
            return self._turns_by_overlap(names, members)
        return turns(row_keys(names, self.rank[members]))

    def _turns_by_overlap(self, names: Ints, members: Positions) -> Ints:
        """Return numbers that are equal for members of one name that run at the same time.

        A member gets a separate number unless every other rank with its name has one at that time.
        """
        found = np.arange(len(members))
        order = np.lexsort((self.columns.start[members], names))
        for own in groups(names[order]):
            every = order[own]
            tasks = members[every]
            ranks = self.rank[tasks].tolist()
            starts = self.columns.start[tasks].tolist()
            ends = self.columns.end[tasks].tolist()
            for places in _simultaneous(ranks, starts, ends):
                together = every[places]
                found[together] = together[0]
        return found


def _simultaneous(
    ranks: Sequence[int], starts: Sequence[int], ends: Sequence[int]
) -> Iterator[list[int]]:
    """Yield the places of tasks that run at the same time, one of each rank.

    The tasks must be sorted by start. `starts` and `ends` are in ns.
    """
    count = len(set(ranks))
    together: list[int] = []
    met: set[int] = set()
    first_end = 0
    for place, rank in enumerate(ranks):
        start = starts[place]
        end = ends[place]
        if together and (start > first_end or rank in met):
            together = []
            met = set()
        first_end = min(end, first_end) if together else end
        together.append(place)
        met.add(rank)
        if len(met) == count:
            yield together


def _is_of_two_ranks(rank: Ints) -> bool:
    """Return True if there are two ranks, and each occurs equally often."""
    ranks, counts = np.unique(rank, return_counts=True)
    if len(ranks) != 2:
        return False
    first, second = counts.tolist()
    return bool(first == second)


def _with_merged_pairs(member: Positions, number: Ints) -> Ints:
    """Return the numbers of meetings, the same one for meetings of the same two tasks.

    Two tasks that send to each other meet once, not once for each direction.
    """
    if not len(member):
        return number
    order = np.lexsort((member, number))
    in_order = number[order]
    first = np.flatnonzero(np.diff(in_order, prepend=ABSENT))
    count = np.diff(first, append=len(order))
    members = member[order]
    least = np.minimum.reduceat(members, first)
    most = np.maximum.reduceat(members, first)
    # Larger meetings have different members: a task is in one collective.
    meetings = np.arange(len(first))
    distinct = np.where(count == 2, ABSENT, meetings)
    merged = row_numbers(least, most, distinct)
    found = np.empty_like(number)
    found[order] = np.repeat(merged, count)
    return found


def _places(lanes: Sequence[Lane]) -> list[int]:
    """Return a number for each lane: its rank's, or one for all lanes of a recorded process."""
    recorded: set[str] = set()
    for lane in lanes:
        if lane.stream_of:
            recorded.add(lane.device)
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
    waiter = columns.waiters
    elsewhere = place[columns.after] != place[waiter]
    found = np.zeros(len(columns), np.bool_)
    found[waiter[elsewhere]] = True
    return found
