"""Makes the graph of a job's step from the tasks that the threads of its ranks recorded.

A rank's thread does one thing at a time: it computes, updates, waits for data, or runs other code
of the job (HOST_CODE, and BETWEEN_STEPS before the first recorded task of the step). It requests
communication at some moment, and waits for it before a task that needs it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from core.arrays import Ints
from core.explain.explanation import Explanation
from core.plan.plan import Role
from core.plan.task import ABSENT, IS_COMMUNICATION, KIND_CODES, KINDS, Kind
from core.report.job_graph import (
    BETWEEN_STEPS,
    COMMUNICATION,
    HOST_CODE,
    JobGraph,
    StepPart,
)

_DATA = KIND_CODES[Kind.DATA]
_COPY = KIND_CODES[Kind.COPY]
_LATE = np.iinfo(np.int64).max


class _Interval(NamedTuple):
    """A thread's activity from `start` to `end` (ns), which depends on the tasks `needs`.

    It also waits until the moves `requested` have been requested.
    """

    start: int
    end: int
    part: StepPart
    needs: tuple[int, ...] = ()
    requested: tuple[int, ...] = ()


class _Transfer(NamedTuple):
    """Data that a rank sends to another one, whose task is `receive`.

    `sent` and `requested` are the times of the requests of the sender and of the receiver, in ns.
    """

    sent: int
    requested: int
    receive: int


def _receiver_request(transfer: _Transfer) -> int:
    return transfer.requested


def _unrecorded(
    start: int,
    end: int,
    first: int,
    needs: tuple[int, ...] = (),
    requested: tuple[int, ...] = (),
) -> Iterator[_Interval]:
    """Yield code that is not recorded; until the `first` recorded task it is BETWEEN_STEPS."""
    border = min(end, first)
    if start < first:
        yield _Interval(start, border, BETWEEN_STEPS, needs, requested)
        needs = ()
        requested = ()
    if end > first or start >= first:
        since = max(start, border)
        yield _Interval(since, end, HOST_CODE, needs, requested)


class GraphBuilder:
    """Makes nodes of an explained step: threads of ranks first, then their communication."""

    def __init__(self, explanation: Explanation) -> None:
        self._explanation = explanation
        self._columns = explanation.columns
        lanes = explanation.lanes
        self._computing = [lane.index for lane in lanes if lane.role is Role.COMPUTE]
        rank_of_main = {main: rank for rank, main in enumerate(self._computing)}
        rank_of_lane = np.full(len(lanes), ABSENT, np.int64)
        for place, lane in enumerate(lanes):
            rank_of_lane[place] = rank_of_main.get(lane.serves, ABSENT)
        kind = self._columns.kind
        start = self._columns.start
        launched = self._columns.launched
        self._rank = rank_of_lane[self._columns.lane]
        self._moves = IS_COMMUNICATION[kind] & (kind != _DATA)
        self._request_time = np.where(launched == ABSENT, start, launched)
        self._graph = JobGraph()
        self._node_of: dict[int, int] = {}
        # Nodes with the moves whose nodes they need, and with the moves that must be requested.
        self._needing: list[tuple[int, tuple[int, ...]]] = []
        self._released: list[tuple[int, tuple[int, ...]]] = []
        self._first: list[int] = []
        for rank in range(len(self._computing)):
            starts = start[self._rank == rank]
            self._first.append(int(starts.min(initial=_LATE)))
        self._transfers = self._transfers_of_ranks()

    def build(self) -> tuple[JobGraph, list[int], list[int]]:
        """Return the graph, and the nodes with which each rank's thread begins and ends."""
        first = []
        last = []
        requesting: dict[int, int] = {}
        for rank in range(len(self._computing)):
            begin, end = self._add_thread(rank, requesting)
            first.append(begin)
            last.append(end)
        self._add_moves(requesting)
        needs_of_node = self._graph.needs
        for node, needs in self._needing:
            needs_of_node[node] += [self._node_of[task] for task in needs]
        for node, requested in self._released:
            needs_of_node[node] += [requesting[task] for task in requested]
        return self._graph, first, last

    def _add_thread(self, rank: int, requesting: dict[int, int]) -> tuple[int, int]:
        """Add a rank's thread; `requesting` gets the node after which each move was requested."""
        is_own_move = self._moves & (self._rank == rank)
        moves = np.flatnonzero(is_own_move)
        in_order = np.argsort(self._request_time[moves], kind="stable")
        moves = moves[in_order]
        moments = self._request_time[moves].tolist()
        graph = self._graph
        # A first node of no length, for moves that are requested at once.
        first = node = graph.add(HOST_CODE, rank, 0, ())
        place = 0
        for interval in self._intervals(rank, moves):
            part = interval.part
            start = interval.start
            needs = interval.needs
            if interval.requested:
                # An empty node at the end of the wait.
                node = graph.add(part, rank, 0, [node])
                self._released.append((node, interval.requested))
            while place < len(moments) and moments[place] < interval.end:
                cut = max(moments[place], start)
                if cut > start:
                    node = self._add_part(part, rank, cut - start, node, needs)
                    start = cut
                    needs = ()
                move = int(moves[place])
                requesting[move] = node
                place += 1
            node = self._add_part(part, rank, interval.end - start, node, needs)
        for move in moves[place:].tolist():
            requesting[move] = node
        return first, node

    def _add_part(
        self, part: StepPart, rank: int, taken: int, before: int, needs: tuple[int, ...]
    ) -> int:
        node = self._graph.add(part, rank, taken, [before])
        if needs:
            self._needing.append((node, needs))
        return node

    def _intervals(self, rank: int, moves: Ints) -> Iterator[_Interval]:
        """Yield a rank's activities in order of time, from its last update to the next."""
        columns = self._columns
        is_own_task = ~self._moves & (self._rank == rank)
        tasks = np.flatnonzero(is_own_task)
        in_order = np.argsort(columns.start[tasks], kind="stable")
        tasks = tasks[in_order]
        ends = columns.end[moves]
        asked = self._request_time[moves]
        lane = self._computing[rank]
        until = int(self._explanation.begins[lane])
        for task in tasks.tolist():
            start = max(until, int(columns.start[task]))
            end = int(columns.end[task])
            needs = self._needed(task)
            ends_of_needs = [int(columns.end[need]) for need in needs]
            ready = max(ends_of_needs, default=until)
            # A wait begins with the last request before its end, or at once.
            end_of_wait = min(ready, start)
            is_in_wait = (asked >= until) & (asked < end_of_wait)
            since = int(asked[is_in_wait].max(initial=until))
            if ready > until:
                yield from self._code_between_waits(rank, moves, needs, until, since)
                goes_on = min(max(ready, since), start)
                yield _Interval(goes_on, start, HOST_CODE, needs)
            else:
                yield from self._code_between_transfers(rank, until, start, needs)
            part = self._part(task)
            is_inside = (asked >= start) & (asked < end) & (ends <= end)
            inside = moves[is_inside]
            if part.kind is Kind.STEP and len(inside):
                # An update that moves data, as of sharded parameters, waits for it.
                since = int(asked[is_inside].max())
                last_end = int(ends[is_inside].max())
                ready = max(since, last_end)
                moved = tuple(inside.tolist())
                yield _Interval(start, since, part)
                yield _Interval(ready, end, part, moved)
            else:
                yield _Interval(start, end, part)
            until = max(until, end)
        finish = max(until, int(self._explanation.finishes[lane]))
        yield from self._code_between_transfers(rank, until, finish)

    def _code_between_waits(
        self, rank: int, moves: Ints, needs: Sequence[int], start: int, end: int
    ) -> Iterator[_Interval]:
        """Yield a thread's code that is not recorded, without its waits for moves.

        `end` is the last request. Ranks often meet several times in a row:

            code | request, wait | code | request, wait | code | request

        A move that is needed, and that has ended before the next request, has been waited for.
        """
        asked = self._request_time[moves]
        is_inside = (asked >= start) & (asked <= end)
        requests = moves[is_inside].tolist()
        at = start
        awaited: tuple[int, ...] = ()
        for move, following in pairwise(requests):
            request = int(self._request_time[move])
            next_request = int(self._request_time[following])
            ended = int(self._columns.end[move])
            if move in needs and ended <= next_request:
                yield from self._code_between_transfers(rank, at, request, awaited)
                at = ended
                awaited = (move,)
        yield from self._code_between_transfers(rank, at, end, awaited)

    def _code_between_transfers(
        self, rank: int, start: int, end: int, needs: tuple[int, ...] = ()
    ) -> Iterator[_Interval]:
        """Yield a thread's code that is not recorded, without its waits for receiving ranks.

        Data leaves when its receiver has requested it. If that happens while nothing is recorded of
        the sender, the sender is assumed to have waited for it.
        """
        first = self._first[rank]
        transfers = self._transfers[rank]
        begin = bisect_right(transfers, start, key=_receiver_request)
        at = start
        requested: tuple[int, ...] = ()
        for transfer in transfers[begin:]:
            if transfer.requested >= end:
                break
            since = max(at, transfer.sent)
            if since < transfer.requested:
                yield from _unrecorded(at, since, first, needs, requested)
                at = transfer.requested
                needs = ()
                requested = (transfer.receive,)
        yield from _unrecorded(at, end, first, needs, requested)

    def _transfers_of_ranks(self) -> list[list[_Transfer]]:
        """Return the transfers that each rank sends, in the order of the receivers' requests."""
        found: list[list[_Transfer]] = [[] for _ in self._computing]
        is_copy = self._columns.kind == _COPY
        for receive in np.flatnonzero(is_copy).tolist():
            receiver = int(self._rank[receive])
            requested = int(self._request_time[receive])
            for send in self._needed(receive):
                sender = int(self._rank[send])
                is_other_rank = sender not in (ABSENT, receiver)
                if is_other_rank and is_copy[send]:
                    sent = int(self._request_time[send])
                    transfer = _Transfer(sent, requested, receive)
                    found[sender].append(transfer)
        for transfers in found:
            transfers.sort(key=_receiver_request)
        return found

    def _needed(self, task: int) -> tuple[int, ...]:
        """Return the moves that a task waited for."""
        columns = self._columns
        first = columns.after_first[task]
        last = columns.after_first[task + 1]
        needs = columns.after[first:last].tolist()
        return tuple(need for need in needs if self._moves[need])

    def _part(self, task: int) -> StepPart:
        columns = self._columns
        kind = KINDS[columns.kind[task]]
        if kind in (Kind.DATA, Kind.STEP):
            return StepPart(kind)
        stage = int(columns.stage[task])
        block = int(columns.block[task])
        return StepPart(kind, stage, block)

    def _add_moves(self, requesting: dict[int, int]) -> None:
        """Add communication; a collective begins when the last rank has requested it."""
        columns = self._columns
        waits = self._explanation.waits
        graph = self._graph
        is_of_rank = self._moves & (self._rank >= 0)
        moves = np.flatnonzero(is_of_rank).tolist()
        meetings: dict[int, int] = {}
        for meeting in waits.meets[moves].tolist():
            if meeting != ABSENT and meeting not in meetings:
                meetings[meeting] = graph.add(COMMUNICATION, 0, 0, ())
        for move in moves:
            taken = int(columns.end[move] - waits.begun[move])
            rank = int(self._rank[move])
            self._node_of[move] = graph.add(COMMUNICATION, rank, taken, ())
        previous: dict[int, int] = {}
        for move in sorted(moves, key=lambda one: int(columns.start[one])):
            node = self._node_of[move]
            lane = int(columns.lane[move])
            needs = [requesting[move]]
            needs += [self._node_of[need] for need in self._needed(move)]
            if lane in previous:
                needs.append(previous[lane])
            previous[lane] = node
            meeting = int(waits.meets[move])
            if meeting == ABSENT:
                graph.needs[node] += needs
            else:
                meeting_node = meetings[meeting]
                graph.needs[meeting_node] += needs
                graph.needs[node].append(meeting_node)
