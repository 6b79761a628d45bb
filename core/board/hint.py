"""Hints: the pass to place next, found by finishing the board in several greedy ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf

from core.board.board import Board
from core.board.rules import BoardRules
from core.board.timing import timed_board
from core.plan.schedules.schedule import Action
from core.plan.task import Kind

_KINDS = (Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
_F, _B, _I, _W = range(4)
_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}
_WAYS = ((_B, _I, _F, _W), (_F, _B, _I, _W), (_B, _I, _W, _F))
"""Orders in which kinds of passes that could start at the same time are preferred."""


MOST_TRIED = 3000
"""The most passes that could be next, times passes to place: for a hint in a second or so."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A pass to place next at the end of its lane, its start, and the board that it leads to."""

    action: Action
    start: float
    finished: Board


def hint(board: Board) -> Hint | None:
    """Return the next pass of the best way to finish a legal board; None if there is no way.

    The board is finished greedily after each pass that could be next; of a large board, only after
    those with which the greedy ways themselves go on. The shortest step within the memory limit is
    best. None if the board is complete, or if every way that was tried exceeds the limit.
    """
    # Room for later stages matters only where there is a limit, and a lane has several stages.
    has_limit = board.rules.limit is not None
    reserves = (False, True) if has_limit and board.rules.chunks > 1 else (False,)
    ways = list(product(_WAYS, reserves))
    state = _State.of(board)
    candidates = list(_candidates(board))
    if len(candidates) * len(board.missing()) > MOST_TRIED:
        candidates = _greedy_candidates(state, ways)
    best: tuple[float, float, int] | None = None
    found: tuple[Action, float, _State] | None = None
    for turn, action in enumerate(candidates):
        begun = state.copy()
        start = begun.run(action.stage, _NUMBERS[action.kind], action.microbatch or 0)
        for way, reserve in ways:
            finished = begun.finished(way, reserve)
            if finished is None:
                continue
            # Of equally good ways, the one whose next pass starts first.
            rank = (max(finished.free), start, turn)
            if best is None or rank < best:
                best = rank
                found = (action, start, finished)
    if found is None:
        return None
    action, start, finished = found
    return Hint(action, start, finished.board())


class _State:
    """A board that is being finished: plain numbers, because a hint tries thousands of passes."""

    def __init__(self, rules: BoardRules) -> None:
        self.rules = rules
        self.free: list[float] = [0] * rules.lanes
        self.held = [0] * rules.lanes
        self.peak = 0
        # The end of each pass that was placed, by (stage, kind, micro-batch).
        self.ends: dict[tuple[int, int, int], float] = {}
        self.orders: list[list[tuple[int, int, int]]] = [[] for _ in range(rules.lanes)]
        # For each stage and kind the micro-batches to place, the lowest one last.
        self.queues: dict[tuple[int, int], list[int]] = {}
        times = rules.times
        self.times = (times.forward, times.backward, times.backward_input, times.backward_weight)

    @classmethod
    def of(cls, board: Board) -> _State:
        """Return the state of a legal board."""
        state = cls(board.rules)
        for action in reversed(board.missing()):
            key = (action.stage, _NUMBERS[action.kind])
            state.queues.setdefault(key, []).append(action.microbatch or 0)
        timed = timed_board(board)
        for one in timed.passes:
            action = one.action
            place = (action.stage, _NUMBERS[action.kind], action.microbatch or 0)
            state.ends[place] = one.end
            state.orders[one.lane].append(place)
            state.free[one.lane] = one.end
        state.held = [lane.left for lane in timed.lanes]
        state.peak = timed.peak
        return state

    def copy(self) -> _State:
        """Return a state that changes independently of this one."""
        other = _State(self.rules)
        other.free = self.free.copy()
        other.held = self.held.copy()
        other.peak = self.peak
        other.ends = self.ends.copy()
        other.orders = [order.copy() for order in self.orders]
        other.queues = {key: queue.copy() for key, queue in self.queues.items()}
        return other

    def board(self) -> Board:
        """Return the board."""
        orders = []
        for order in self.orders:
            actions = [Action(stage, _KINDS[kind], number) for stage, kind, number in order]
            orders.append(tuple(actions))
        return Board(self.rules, tuple(orders))

    def start(self, stage: int, kind: int, microbatch: int) -> float | None:
        """Return the earliest start of a pass; None if a pass that it needs is not placed."""
        ends = self.ends
        start = self.free[self.rules.stage_lanes[stage]]
        if kind == _W:
            own = ends.get((stage, _I, microbatch))
            return None if own is None else max(start, own)
        other = stage - 1
        if kind != _F:
            own = ends.get((stage, _F, microbatch))
            if own is None:
                return None
            start = max(start, own)
            other = stage + 1
        if not 0 <= other < self.rules.stages:
            return start
        if kind == _F:
            arrival = ends.get((other, _F, microbatch))
        else:
            arrival = ends.get((other, _B, microbatch), ends.get((other, _I, microbatch)))
        if arrival is None:
            return None
        if self.rules.stage_lanes[other] != self.rules.stage_lanes[stage]:
            arrival += self.rules.times.copy
        return max(start, arrival)

    def run(self, stage: int, kind: int, microbatch: int) -> float:
        """Place a pass that is ready at the end of its lane, and return its start."""
        start = self.start(stage, kind, microbatch)
        assert start is not None
        lane = self.rules.stage_lanes[stage]
        end = start + self.times[kind][stage]
        self.ends[stage, kind, microbatch] = end
        self.free[lane] = end
        self.orders[lane].append((stage, kind, microbatch))
        self.held[lane] += kind == _F
        self.peak = max(self.peak, self.held[lane])
        self.held[lane] -= kind in (_B, _W)
        queue = self.queues[stage, kind]
        queue.remove(microbatch)
        if not queue:
            del self.queues[stage, kind]
        return start

    def finished(self, way: tuple[int, ...], reserve: bool) -> _State | None:
        """Return the state with all missing passes placed greedily; None if the limit forbids it.

        Next is always the pass that can start first; of several, the one whose kind is first in
        `way`, then the lowest micro-batch. With `reserve`, a forward leaves room within the limit
        for the forwards of its micro-batch in later stages of the lane.
        """
        rules = self.rules
        state = self.copy()
        limit = inf if rules.limit is None else rules.limit
        if state.peak > limit:
            return None
        room: list[float] = []
        for stage, lane in enumerate(rules.stage_lanes):
            later = rules.stage_lanes[stage + 1 :].count(lane)
            room.append(limit - later if reserve else limit)
        while state.queues:
            best: tuple[float, int, int, int] | None = None
            chosen: tuple[int, int, int] | None = None
            for (stage, kind), queue in state.queues.items():
                if kind == _F and state.held[rules.stage_lanes[stage]] >= room[stage]:
                    continue
                start = state.start(stage, kind, queue[-1])
                if start is None:
                    continue
                # Later stages first: their backwards free memory sooner.
                rank = (start, way.index(kind), queue[-1], -stage)
                if best is None or rank < best:
                    best = rank
                    chosen = (stage, kind, queue[-1])
            if chosen is None:
                return None
            state.run(*chosen)
        return state


def _greedy_candidates(state: _State, ways: Sequence[tuple[tuple[int, ...], bool]]) -> list[Action]:
    """Return the pass that each greedy way places next."""
    found: dict[Action, None] = {}
    for way, reserve in ways:
        finished = state.finished(way, reserve)
        if finished is not None and state.queues:
            # The passes are in the order in which they were placed.
            stage, kind, microbatch = list(finished.ends)[len(state.ends)]
            found[Action(stage, _KINDS[kind], microbatch)] = None
    return list(found)


def _candidates(board: Board) -> Iterator[Action]:
    """Yield the ready passes; of each stage and kind only the lowest micro-batch."""
    seen: set[tuple[int, Kind]] = set()
    for action in board.ready():
        key = (action.stage, action.kind)
        if key not in seen:
            seen.add(key)
            yield action
