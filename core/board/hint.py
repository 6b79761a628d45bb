"""Hints: the pass to place next, found by finishing the board in several greedy ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from core.board.board import Board
from core.board.rules import BoardRules
from core.board.timing import timed_board
from core.plan.schedules.schedule import Action
from core.plan.task import Kind

_KINDS = (Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
_F, _B, _I, _W = range(4)
_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}
_ORDERS = (
    (_B, _I, _F, _W),
    (_F, _B, _I, _W),
    (_B, _I, _W, _F),
)
"""Orders of preference of the kinds, for passes that could start at the same time."""
_PassKey = tuple[int, int, int]
"""Stage, kind (a position in _KINDS) and micro-batch of a pass."""

MOST_TRIED = 3000
"""Limit of candidates for the next pass times missing passes, so that a hint takes about 1 s."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A pass to place next at the end of its lane, its start, and the board that it leads to."""

    action: Action
    start: float
    finished: Board


def hint(board: Board) -> Hint | None:
    """Return the next pass of the best way to finish a legal board; None if there is no way.

    The board is finished greedily after each candidate for the next pass. On a large board, only
    the passes that the greedy ways place next are candidates. The best way has the shortest step
    within the memory limit. Returns None if the board is complete, or if every way that was tried
    exceeds the limit.
    """
    ways = _greedy_ways(board.rules)
    state = _State.of(board)
    candidates = list(_candidates(board))
    missing_count = len(board.missing())
    if len(candidates) * missing_count > MOST_TRIED:
        candidates = _greedy_candidates(state, ways)
    best: tuple[float, float, int] | None = None
    found: tuple[Action, float, _State] | None = None
    for turn, action in enumerate(candidates):
        begun = state.copy()
        start = begun.run(*_key_of(action))
        for way in ways:
            finished = begun.finished(way)
            if finished is None:
                continue
            # Of equally good ways, take the one whose next pass starts first.
            step_end = max(finished.free)
            rank = (step_end, start, turn)
            if best is None or rank < best:
                best = rank
                found = (action, start, finished)
    if found is None:
        return None
    action, start, finished = found
    return Hint(action, start, finished.board())


@dataclass(frozen=True, slots=True)
class _GreedyWay:
    """A greedy way to finish a board.

    Of passes that can start at the same time, the one whose kind is first in `order` is next. With
    `reserve`, a forward leaves room within the limit for the forwards of its micro-batch in later
    stages of its lane.
    """

    order: tuple[int, ...]
    reserve: bool


def _greedy_ways(rules: BoardRules) -> list[_GreedyWay]:
    """Return the greedy ways in which a board is finished."""
    reserves = [False]
    # Room for later stages matters only where there is a limit, and a lane has several stages.
    if rules.limit is not None and rules.chunks > 1:
        reserves.append(True)
    ways = []
    for order in _ORDERS:
        for reserve in reserves:
            ways.append(_GreedyWay(order, reserve))
    return ways


def _key_of(action: Action) -> _PassKey:
    """Return the key of a pass."""
    kind = _NUMBERS[action.kind]
    microbatch = action.microbatch or 0
    return action.stage, kind, microbatch


class _State:
    """A board that is being finished, as plain numbers because a hint tries thousands of passes."""

    def __init__(self, rules: BoardRules) -> None:
        self.rules = rules
        self.free: list[float] = [0] * rules.lanes
        self.held = [0] * rules.lanes
        self.peak = 0
        # The end of each pass that was placed.
        self.ends: dict[_PassKey, float] = {}
        self.orders: list[list[_PassKey]] = [[] for _ in range(rules.lanes)]
        # For each stage and kind the micro-batches to place, the lowest one last.
        self.queues: dict[tuple[int, int], list[int]] = {}
        times = rules.times
        self.times = (times.forward, times.backward, times.backward_input, times.backward_weight)

    @classmethod
    def of(cls, board: Board) -> _State:
        """Return the state of a legal board."""
        state = cls(board.rules)
        for action in reversed(board.missing()):
            stage, kind, microbatch = _key_of(action)
            queue = state.queues.setdefault((stage, kind), [])
            queue.append(microbatch)
        timed = timed_board(board)
        for timed_pass in timed.passes:
            key = _key_of(timed_pass.action)
            lane = timed_pass.lane
            state.ends[key] = timed_pass.end
            state.orders[lane].append(key)
            state.free[lane] = timed_pass.end
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
        """Return the state as a Board."""
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
            if own is None:
                return None
            return max(start, own)
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
            arrival = ends.get((other, _B, microbatch))
            if arrival is None:
                arrival = ends.get((other, _I, microbatch))
        if arrival is None:
            return None
        stage_lanes = self.rules.stage_lanes
        if stage_lanes[other] != stage_lanes[stage]:
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

    def finished(self, way: _GreedyWay) -> _State | None:
        """Return the state with all missing passes placed greedily; None if the limit forbids it.

        Next is always the pass that can start first; of several, the one whose kind is first in
        the way's order, then the lowest micro-batch.
        """
        rules = self.rules
        state = self.copy()
        limit = inf if rules.limit is None else rules.limit
        if state.peak > limit:
            return None
        room: list[float] = []
        for stage, lane in enumerate(rules.stage_lanes):
            reserved = 0
            if way.reserve:
                later_lanes = rules.stage_lanes[stage + 1 :]
                reserved = later_lanes.count(lane)
            room.append(limit - reserved)
        while state.queues:
            best: tuple[float, int, int, int] | None = None
            chosen: _PassKey | None = None
            for (stage, kind), queue in state.queues.items():
                if kind == _F:
                    lane = rules.stage_lanes[stage]
                    if state.held[lane] >= room[stage]:
                        continue
                microbatch = queue[-1]
                start = state.start(stage, kind, microbatch)
                if start is None:
                    continue
                # Later stages first: their backwards free memory sooner.
                rank = (start, way.order.index(kind), microbatch, -stage)
                if best is None or rank < best:
                    best = rank
                    chosen = (stage, kind, microbatch)
            if chosen is None:
                return None
            state.run(*chosen)
        return state


def _greedy_candidates(state: _State, ways: Sequence[_GreedyWay]) -> list[Action]:
    """Return the pass that each greedy way places next."""
    placed_count = len(state.ends)
    found: dict[Action, None] = {}
    for way in ways:
        finished = state.finished(way)
        if finished is not None and state.queues:
            # The passes are in the order in which they were placed.
            placed = list(finished.ends)
            stage, kind, microbatch = placed[placed_count]
            action = Action(stage, _KINDS[kind], microbatch)
            found[action] = None
    return list(found)


def _candidates(board: Board) -> Iterator[Action]:
    """Yield the ready passes; of each stage and kind only the lowest micro-batch."""
    seen: set[tuple[int, Kind]] = set()
    for action in board.ready():
        key = (action.stage, action.kind)
        if key not in seen:
            seen.add(key)
            yield action
