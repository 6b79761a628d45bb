"""Times and memory of a board: starts and ends of passes, idle time and held activations."""

from __future__ import annotations

from dataclasses import dataclass

from core.board.board import Board, needs
from core.plan.schedules.schedule import Action
from core.plan.task import Kind

_FREES = (Kind.BACKWARD, Kind.BACKWARD_WEIGHT)


@dataclass(frozen=True, slots=True)
class TimedPass:
    """A pass with its start and end, in the unit of the rules' times."""

    action: Action
    lane: int
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class LaneFigures:
    """A lane's busy time, and the activations that it holds.

    `held` has the number of activations while each of its passes runs, in order; see
    core.costs.peaks. `left` is the number after the last pass.
    """

    busy: float
    held: tuple[int, ...]
    left: int

    @property
    def peak(self) -> int:
        """The largest number of activations that are held at once."""
        return max(self.held, default=0)


@dataclass(frozen=True, slots=True)
class MemoryStep:
    """The number of activations that a lane holds from a start to an end."""

    start: float
    end: float
    count: int


@dataclass(frozen=True, slots=True)
class TimedBoard:
    """The passes of a legal board with their times, in the order of lanes and positions."""

    passes: tuple[TimedPass, ...]
    lanes: tuple[LaneFigures, ...]

    @property
    def makespan(self) -> float:
        """End of the last pass."""
        return max((timed.end for timed in self.passes), default=0)

    @property
    def bubble(self) -> float:
        """Idle share (0 to 1) of all lanes' time until the makespan."""
        whole = len(self.lanes) * self.makespan
        busy = sum(lane.busy for lane in self.lanes)
        if not whole:
            return 0.0
        return 1 - busy / whole

    @property
    def peak(self) -> int:
        """The most activations that any lane holds at once."""
        return max(lane.peak for lane in self.lanes)

    def memory_steps(self, lane: int) -> list[MemoryStep]:
        """Return the activations that a lane holds, from its first pass to the makespan."""
        steps: list[MemoryStep] = []
        since: float = 0
        count = 0
        for timed in self.passes:
            if timed.lane != lane:
                continue
            if timed.action.kind is Kind.FORWARD:
                steps.append(MemoryStep(since, timed.start, count))
                since = timed.start
                count += 1
            elif timed.action.kind in _FREES:
                steps.append(MemoryStep(since, timed.end, count))
                since = timed.end
                count -= 1
        steps.append(MemoryStep(since, self.makespan, count))
        return [step for step in steps if step.count and step.end > step.start]


def timed_board(board: Board) -> TimedBoard:
    """Return the times of a legal board: every pass starts as early as it can."""
    rules = board.rules
    placed = board.placed
    found: dict[Action, TimedPass] = {}
    heads = [0] * rules.lanes
    free: list[float] = [0] * rules.lanes
    remaining = len(placed)
    while remaining:
        for lane, order in enumerate(board.orders):
            while heads[lane] < len(order):
                action = order[heads[lane]]
                start = start_of(board, action, found, placed, free[lane])
                if start is None:
                    break
                end = start + rules.times.of(action)
                found[action] = TimedPass(
                    action=action,
                    lane=lane,
                    start=start,
                    end=end,
                )
                free[lane] = end
                heads[lane] += 1
                remaining -= 1
    passes: list[TimedPass] = []
    lanes: list[LaneFigures] = []
    for order in board.orders:
        mine = [found[action] for action in order]
        passes += mine
        lanes.append(_figures(mine))
    return TimedBoard(tuple(passes), tuple(lanes))


def start_of(
    board: Board,
    action: Action,
    found: dict[Action, TimedPass],
    placed: set[Action],
    free: float,
) -> float | None:
    """Return the earliest start of a pass whose lane is free from the time `free` on.

    Returns None if a pass that it needs is not in `found`.
    """
    start = free
    lane = board.lane_of(action)
    for need in needs(board.rules, action, placed):
        maker = found.get(need)
        if maker is None:
            return None
        arrival = maker.end
        if maker.lane != lane:
            arrival += board.rules.times.copy
        start = max(start, arrival)
    return start


def _figures(passes: list[TimedPass]) -> LaneFigures:
    busy: float = 0
    count = 0
    held: list[int] = []
    for timed in passes:
        busy += timed.end - timed.start
        if timed.action.kind is Kind.FORWARD:
            count += 1
        held.append(count)
        if timed.action.kind in _FREES:
            count -= 1
    return LaneFigures(busy, tuple(held), count)
