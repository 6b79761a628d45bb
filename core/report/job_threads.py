"""Makes the graph of a job's step from the tasks that the threads of its ranks recorded.

A rank's thread does one thing at a time: it computes, updates, waits for data, or runs other code
of the job (HOST_CODE, and BETWEEN_STEPS before the first recorded task of the step). It requests
communication at some moment, and waits for it before a task that needs it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from core.arrays import Bools, Ints
from core.explain.explanation import Explanation
from core.plan.plan import Role, lane_indices
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


class _Moves(NamedTuple):
    """Moves of a rank in the order of their requests: tasks and times in ns, of shape (n,)."""

    task: Ints
    requested: Ints
    ended: Ints

    def picked(self, places: Ints | Bools) -> _Moves:
        """Return some of the moves."""
        return _Moves._make(column[places] for column in self)


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
        self._computing = lane_indices(lanes, Role.COMPUTE)
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
        moves = self._moves_of_rank(rank)
        pending = deque(zip(moves.task.tolist(), moves.requested.tolist(), strict=True))
        graph = self._graph
        # A first node of no length, for moves that are requested at once.
        first = graph.add(HOST_CODE, rank, 0, ())
        node = first
        for interval in self._intervals(rank, moves):
            part = interval.part
            start = interval.start
            needs = interval.needs
            if interval.requested:
                # An empty node at the end of the wait.
                node = graph.add(part, rank, 0, [node])
                self._released.append((node, interval.requested))
            while pending:
                move, request = pending[0]
                if request >= interval.end:
                    break
                if request > start:
                    node = self._add_part(part, rank, request - start, node, needs)
                    start = request
                    needs = ()
                requesting[move] = node
                pending.popleft()
            node = self._add_part(part, rank, interval.end - start, node, needs)
        for move, _ in pending:
            requesting[move] = node
        return first, node

    def _moves_of_rank(self, rank: int) -> _Moves:
        is_own_move = self._moves & (self._rank == rank)
        task = np.flatnonzero(is_own_move)
        moves = _Moves(
            task=task,
            requested=self._request_time[task],
            ended=self._columns.end[task],
        )
        by_request = np.argsort(moves.requested, kind="stable")
        return moves.picked(by_request)

    def _add_part(
        self, part: StepPart, rank: int, taken: int, before: int, needs: tuple[int, ...]
    ) -> int:
        node = self._graph.add(part, rank, taken, [before])
        if needs:
            self._needing.append((node, needs))
        return node

    def _intervals(self, rank: int, moves: _Moves) -> Iterator[_Interval]:
        """Yield a rank's activities in order of time, from its last update to the next."""
        columns = self._columns
        is_own_task = ~self._moves & (self._rank == rank)
        tasks = np.flatnonzero(is_own_task)
        in_order = np.argsort(columns.start[tasks], kind="stable")
        tasks = tasks[in_order]
        lane = self._computing[rank]
        until = int(self._explanation.begins[lane])
        for task in tasks.tolist():
            start = max(until, int(columns.start[task]))
            end = int(columns.end[task])
            needs = self._needed(task)
            yield from self._code_before_task(rank, moves, needs, until, start)
            yield from self._work(moves, self._part(task), start, end)
            until = max(until, end)
        finish = max(until, int(self._explanation.finishes[lane]))
        yield from self._code_between_transfers(rank, until, finish)

    def _code_before_task(
        self, rank: int, moves: _Moves, needs: tuple[int, ...], start: int, end: int
    ) -> Iterator[_Interval]:
        """Yield a thread's code that is not recorded, before a task that begins at `end`.

        Without the thread's waits for the moves that the task needs.
        """
        ends_of_needs = [int(self._columns.end[need]) for need in needs]
        ready = max(ends_of_needs, default=start)
        if ready <= start:
            yield from self._code_between_transfers(rank, start, end, needs)
            return
        # A wait begins with the last request before its end, or at once.
        end_of_wait = min(ready, end)
        is_in_wait = (moves.requested >= start) & (moves.requested < end_of_wait)
        last_request = int(moves.requested[is_in_wait].max(initial=start))
        yield from self._code_between_waits(rank, moves, needs, start, last_request)
        goes_on = min(max(ready, last_request), end)
        yield _Interval(
            start=goes_on,
            end=end,
            part=HOST_CODE,
            needs=needs,
        )

    def _work(self, moves: _Moves, part: StepPart, start: int, end: int) -> Iterator[_Interval]:
        """Yield the work of a task; an update waits for the moves that it requests itself."""
        if part.kind is Kind.STEP:
            is_requested = (moves.requested >= start) & (moves.requested < end)
            inside = moves.picked(is_requested & (moves.ended <= end))
            if len(inside.task):
                # An update that moves data, such as one of sharded parameters.
                last_request = int(inside.requested.max())
                last_end = int(inside.ended.max())
                ready = max(last_request, last_end)
                yield _Interval(start, last_request, part)
                yield _Interval(
                    start=ready,
                    end=end,
                    part=part,
                    needs=tuple(inside.task.tolist()),
                )
                return
        yield _Interval(start, end, part)

    def _code_between_waits(
        self, rank: int, moves: _Moves, needs: Sequence[int], start: int, end: int
    ) -> Iterator[_Interval]:
        """Yield a thread's code that is not recorded, without its waits for moves.

        `end` is the last request. Ranks often meet several times in a row:

            code | request, wait | code | request, wait | code | request

        A move that is needed, and that has ended before the next request, has been waited for.
        """
        is_inside = (moves.requested >= start) & (moves.requested <= end)
        inside = moves.picked(is_inside)
        requests = zip(
            inside.task.tolist(), inside.requested.tolist(), inside.ended.tolist(), strict=True
        )
        at = start
        awaited: tuple[int, ...] = ()
        for (move, request, ended), (_, next_request, _) in pairwise(requests):
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
                    transfer = _Transfer(
                        sent=sent,
                        requested=requested,
                        receive=receive,
                    )
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
        return StepPart(
            kind=kind,
            stage=stage,
            block=block,
        )

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
