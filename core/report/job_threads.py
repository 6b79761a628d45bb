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
    if start < first:
        yield _Interval(start, min(end, first), BETWEEN_STEPS, needs, requested)
        needs = requested = ()
    if end > first or start >= first:
        since = max(start, min(end, first))
        yield _Interval(since, end, HOST_CODE, needs, requested)


class GraphBuilder:
    """Makes nodes of an explained step: threads of ranks first, then their communication."""

    def __init__(self, explanation: Explanation) -> None:
        self._explanation = explanation
        self._columns = explanation.columns
        lanes = explanation.lanes
        self._computing = [lane.index for lane in lanes if lane.role is Role.COMPUTE]
        rank_of = {main: rank for rank, main in enumerate(self._computing)}
        serves = np.array([rank_of.get(lane.serves, ABSENT) for lane in lanes], np.int64)
        kind = self._columns.kind
        self._rank = serves[self._columns.lane]
        self._moves = IS_COMMUNICATION[kind] & (kind != _DATA)
        launched = self._columns.launched
        self._request_time = np.where(launched == ABSENT, self._columns.start, launched)
        self._graph = JobGraph()
        self._node_of: dict[int, int] = {}
        self._needing: list[tuple[int, tuple[int, ...]]] = []
        self._released: list[tuple[int, tuple[int, ...]]] = []
        self._first: list[int] = []
        for rank in range(len(self._computing)):
            starts = self._columns.start[self._rank == rank]
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
        for node, needs in self._needing:
            self._graph.needs[node] += [self._node_of[task] for task in needs]
        for node, requested in self._released:
            self._graph.needs[node] += [requesting[task] for task in requested]
        return self._graph, first, last

    def _add_thread(self, rank: int, requesting: dict[int, int]) -> tuple[int, int]:
        """Add a rank's thread; `requesting` gets the node after which each move was requested."""
        moves = np.flatnonzero(self._moves & (self._rank == rank))
        moves = moves[np.argsort(self._request_time[moves], kind="stable")]
        moments = self._request_time[moves].tolist()
        graph = self._graph
        # A first node of no length, for moves that are requested at once.
        first = node = graph.add(HOST_CODE, rank, 0, ())
        place = 0
        for interval in self._intervals(rank, moves):
            start = interval.start
            needs = interval.needs
            if interval.requested:
                # An empty node at the end of the wait.
                node = graph.add(interval.part, rank, 0, [node])
                self._released.append((node, interval.requested))
            while place < len(moments) and moments[place] < interval.end:
                cut = max(moments[place], start)
                if cut > start:
                    node = self._add_part(interval.part, rank, cut - start, node, needs)
                    start = cut
                    needs = ()
                requesting[int(moves[place])] = node
                place += 1
            node = self._add_part(interval.part, rank, interval.end - start, node, needs)
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
        tasks = np.flatnonzero(~self._moves & (self._rank == rank))
        tasks = tasks[np.argsort(columns.start[tasks], kind="stable")]
        ends = columns.end[moves]
        asked = self._request_time[moves]
        until = int(self._explanation.begins[self._computing[rank]])
        for task in tasks.tolist():
            start = max(until, int(columns.start[task]))
            end = int(columns.end[task])
            needs = self._needed(task)
            ends_of_needs = [int(columns.end[need]) for need in needs]
            ready = max(ends_of_needs, default=until)
            # A wait begins with the last request before its end, or at once.
            before_wait = asked[(asked >= until) & (asked < min(ready, start))]
            since = int(before_wait.max()) if len(before_wait) else until
            if ready > until:
                yield from self._code_between_waits(rank, moves, needs, until, since)
                goes_on = min(max(ready, since), start)
                yield _Interval(goes_on, start, HOST_CODE, needs)
            else:
                yield from self._code_between_transfers(rank, until, start, needs)
            part = self._part(task)
            asked_inside = (asked >= start) & (asked < end)
            inside = moves[asked_inside & (ends <= end)]
            if part.kind is Kind.STEP and len(inside):
                # An update that moves data, as of sharded parameters, waits for it.
                since = int(self._request_time[inside].max())
                ready = max(since, int(columns.end[inside].max()))
                yield _Interval(start, since, part)
                yield _Interval(ready, end, part, tuple(inside.tolist()))
            else:
                yield _Interval(start, end, part)
            until = max(until, end)
        finish = int(self._explanation.finishes[self._computing[rank]])
        yield from self._code_between_transfers(rank, until, max(until, finish))

    def _code_between_waits(
        self, rank: int, moves: Ints, needs: Sequence[int], start: int, end: int
    ) -> Iterator[_Interval]:
        """Yield a thread's code that is not recorded, without its waits for moves.

        `end` is the last request. Ranks often meet several times in a row:

            code | request, wait | code | request, wait | code | request

        A move that is needed, and that has ended before the next request, has been waited for.
        """
        asked = self._request_time[moves]
        requests = moves[(asked >= start) & (asked <= end)].tolist()
        at = start
        awaited: tuple[int, ...] = ()
        for move, following in pairwise(requests):
            request = int(self._request_time[move])
            ended = int(self._columns.end[move])
            if move in needs and ended <= self._request_time[following]:
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
        for receive in np.flatnonzero(self._columns.kind == _COPY).tolist():
            for send in self._needed(receive):
                rank = int(self._rank[send])
                is_other_rank = rank not in (ABSENT, self._rank[receive])
                if is_other_rank and self._columns.kind[send] == _COPY:
                    sent = int(self._request_time[send])
                    requested = int(self._request_time[receive])
                    found[rank].append(_Transfer(sent, requested, receive))
        for transfers in found:
            transfers.sort(key=_receiver_request)
        return found

    def _needed(self, task: int) -> tuple[int, ...]:
        """Return the moves that a task waited for."""
        columns = self._columns
        first, last = columns.after_first[task : task + 2].tolist()
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
        moves = np.flatnonzero(self._moves & (self._rank >= 0)).tolist()
        meetings = {}
        for meeting in dict.fromkeys(waits.meets[moves].tolist()):
            if meeting != ABSENT:
                meetings[meeting] = self._graph.add(COMMUNICATION, 0, 0, ())
        for move in moves:
            taken = int(columns.end[move] - waits.begun[move])
            rank = int(self._rank[move])
            self._node_of[move] = self._graph.add(COMMUNICATION, rank, taken, ())
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
                self._graph.needs[node] += needs
            else:
                self._graph.needs[meetings[meeting]] += needs
                self._graph.needs[node].append(meetings[meeting])
