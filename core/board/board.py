"""A board: the order of the passes of each lane, and the moves that keep it legal.

    lane 0  F0 F1  .  . B0
    lane 1   . F0 B0

A board has the order in which lanes run passes, not their times: every pass starts as early as its
lane and its inputs allow (core.board.timing). A board is legal if each pass is on the lane of its
stage and occurs once, and if everything that it needs is on the board and can run before it. So an
incomplete board is legal if all its passes can run, and `Schedule` accepts a complete one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.board.rules import BoardRules
from core.message import Message, Text, message
from core.plan.schedules.schedule import Action, StagePlacement
from core.plan.task import Kind

Orders = tuple[tuple[Action, ...], ...]
_PARTS = (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
_KINDS = (Kind.FORWARD, Kind.BACKWARD, *_PARTS)


class IllegalMoveError(ValueError):
    """A move whose result would not be a legal board; the message says why."""


@dataclass(frozen=True, slots=True)
class Board:
    """The passes of each lane in order. The moves return another board."""

    rules: BoardRules
    orders: Orders

    @classmethod
    def empty(cls, rules: BoardRules) -> Board:
        """Return a board without passes."""
        return cls(rules, ((),) * rules.lanes)

    @classmethod
    def of(cls, rules: BoardRules, orders: Iterable[Iterable[Action]]) -> Board:
        """Return a board with these passes of each lane. Raises IllegalMoveError."""
        of_lanes = tuple(map(tuple, orders))
        return _legal(cls(rules, of_lanes))

    @property
    def placed(self) -> set[Action]:
        """The passes that are on the board."""
        return {action for order in self.orders for action in order}

    @property
    def complete(self) -> bool:
        """True if every micro-batch has its forward and its backward in every stage."""
        placed = self.placed
        for stage in range(self.rules.stages):
            for microbatch in range(self.rules.microbatches):
                forward = Action(stage, Kind.FORWARD, microbatch)
                backward = Action(stage, Kind.BACKWARD, microbatch)
                parts = {Action(stage, kind, microbatch) for kind in _PARTS}
                has_backward = backward in placed or parts <= placed
                if forward not in placed or not has_backward:
                    return False
        return True

    def lane_of(self, action: Action) -> int:
        """Return the lane that holds a pass's stage."""
        return self.rules.stage_lanes[action.stage]

    def missing(self) -> list[Action]:
        """Return the passes that are not on the board yet, by stage, kind and micro-batch."""
        placed = self.placed
        found: list[Action] = []
        for action in self.rules.passes():
            is_replaced = any(other in placed for other in _exclusive(action))
            if action not in placed and not is_replaced:
                found.append(action)
        return found

    def ready(self) -> list[Action]:
        """Return the passes that can be placed at the end of their lanes now."""
        placed = self.placed
        found: list[Action] = []
        for action in self.missing():
            needed = needs(self.rules, action, placed)
            if placed.issuperset(needed):
                found.append(action)
        return found

    def place(self, action: Action, at: int | None = None) -> Board:
        """Return the board with a pass added to its lane, at a position or at the end.

        Raises IllegalMoveError.
        """
        lane = self._lane(action)
        order = list(self.orders[lane])
        if at is None:
            order.append(action)
        else:
            order.insert(at, action)
        return self._with(lane, order)

    def remove(self, actions: Iterable[Action]) -> Board:
        """Return the board without some passes. Raises IllegalMoveError."""
        removed = set(actions)
        orders = []
        for order in self.orders:
            kept = [action for action in order if action not in removed]
            orders.append(tuple(kept))
        changed = replace(self, orders=tuple(orders))
        return _legal(changed)

    def move(self, action: Action, at: int) -> Board:
        """Return the board with a pass moved to a position of its lane. Raises IllegalMoveError.

        The position counts the lane's other passes.
        """
        lane = self._lane(action)
        order = [other for other in self.orders[lane] if other != action]
        order.insert(at, action)
        return self._with(lane, order)

    def swap(self, first: Action, second: Action) -> Board:
        """Return the board with two passes of one lane exchanged. Raises IllegalMoveError."""
        lane = self._lane(first)
        if self._lane(second) != lane:
            raise IllegalMoveError(
                message(
                    "{first} and {second} are on different lanes and cannot be exchanged",
                    first=first,
                    second=second,
                )
            )
        exchanged = {first: second, second: first}
        order = [exchanged.get(action, action) for action in self.orders[lane]]
        return self._with(lane, order)

    def stamp(self, pattern: Iterable[Action], times: int | None = None) -> Board:
        """Return the board with a pattern of its passes repeated for the next micro-batches.

        Each repetition adds the pattern's passes to the end of their lanes, in their order on the
        board and with micro-batches that are one higher; those of micro-batches beyond the last
        one are omitted. Without `times`, it is repeated up to the last micro-batch. Raises
        IllegalMoveError, also if there is nothing to add.
        """
        chosen = set(pattern)
        microbatches = [action.microbatch or 0 for action in chosen]
        lowest = min(microbatches, default=0)
        repetitions = self.rules.microbatches - 1 - lowest
        if times is not None:
            repetitions = min(times, repetitions)
        orders = [list(order) for order in self.orders]
        added = 0
        for shift in range(1, 1 + repetitions):
            for order, before in zip(orders, self.orders, strict=True):
                for action in before:
                    microbatch = (action.microbatch or 0) + shift
                    if action in chosen and microbatch < self.rules.microbatches:
                        order.append(action._replace(microbatch=microbatch))
                        added += 1
        if not added:
            raise IllegalMoveError(
                message("there is no later micro-batch for which this could be repeated")
            )
        return Board.of(self.rules, orders)

    def problem(self) -> Text:
        """Return why the board is not legal, naming the first bad pass; "" if it is."""
        return _misplaced(self) or _blocked(self)

    def placement(self) -> list[StagePlacement]:
        """Return the lanes of the stages in the form that schedules use."""
        placement = []
        for stage, lane in enumerate(self.rules.stage_lanes):
            placement.append(StagePlacement(0, stage, lane))
        return placement

    def _lane(self, action: Action) -> int:
        if not 0 <= action.stage < self.rules.stages:
            raise IllegalMoveError(_no_such(action))
        return self.lane_of(action)

    def _with(self, lane: int, order: Sequence[Action]) -> Board:
        orders = list(self.orders)
        orders[lane] = tuple(order)
        changed = replace(self, orders=tuple(orders))
        return _legal(changed)


def needs(rules: BoardRules, action: Action, placed: Iterable[Action] = ()) -> list[Action]:
    """Return the passes whose results a pass needs.

    A backward needs the gradient of the next stage. This comes from I of that stage if its backward
    is on the board in two parts, or is not on the board whole and the rules split backwards.
    Otherwise it comes from the whole backward.
    """
    stage = action.stage
    microbatch = action.microbatch
    if action.kind is Kind.FORWARD:
        if stage == 0:
            return []
        return [Action(stage - 1, Kind.FORWARD, microbatch)]
    if action.kind is Kind.BACKWARD_WEIGHT:
        return [Action(stage, Kind.BACKWARD_INPUT, microbatch)]
    found = [Action(stage, Kind.FORWARD, microbatch)]
    if stage + 1 < rules.stages:
        whole = Action(stage + 1, Kind.BACKWARD, microbatch)
        part = Action(stage + 1, Kind.BACKWARD_INPUT, microbatch)
        in_parts = part in placed or (rules.split and whole not in placed)
        found.append(part if in_parts else whole)
    return found


def pass_text(action: Action) -> str:
    """Return a pass without its stage: `B2`."""
    return f"{action.kind.letter}{action.microbatch}"


def _legal(board: Board) -> Board:
    problem = board.problem()
    if problem:
        raise IllegalMoveError(problem)
    return board


def _exclusive(action: Action) -> list[Action]:
    """Return the passes that cannot be on a board with this one."""
    if action.kind is Kind.FORWARD:
        return []
    others = _PARTS if action.kind is Kind.BACKWARD else (Kind.BACKWARD,)
    return [action._replace(kind=kind) for kind in others]


def _misplaced(board: Board) -> Text:
    """Return why a pass is unknown, on a wrong lane or on the board twice; "" if none is."""
    rules = board.rules
    seen: set[Action] = set()
    for lane, order in enumerate(board.orders):
        for action in order:
            is_known = (
                0 <= action.stage < rules.stages
                and action.kind in _KINDS
                and action.microbatch in range(rules.microbatches)
                and not action.replica
            )
            if not is_known:
                return _no_such(action)
            if board.lane_of(action) != lane:
                return message(
                    "stage {stage} is on lane {lane}, so {action} cannot be on lane {other}",
                    stage=action.stage,
                    lane=board.lane_of(action),
                    action=action,
                    other=lane,
                )
            if action in seen:
                return message("{action} is on the board already", action=action)
            for other in _exclusive(action):
                if other in seen:
                    return message(
                        "{other} and {action} exclude each other: a backward is whole or in parts",
                        other=other,
                        action=action,
                    )
            seen.add(action)
    return ""


def _needs_first(action: Action, need: Action) -> Message:
    return message(
        "{action} on stage {stage} needs {need} of stage {other} first",
        action=pass_text(action),
        stage=action.stage,
        need=pass_text(need),
        other=need.stage,
    )


def _no_such(action: Action) -> Message:
    return message("this board has no {action}", action=action)


def _blocked(board: Board) -> Text:
    """Return why a pass can never start; "" if all can."""
    placed = board.placed
    ran: set[Action] = set()
    heads = [0] * board.rules.lanes
    progress = True
    while progress:
        progress = False
        for lane, order in enumerate(board.orders):
            while heads[lane] < len(order):
                action = order[heads[lane]]
                if not ran.issuperset(needs(board.rules, action, placed)):
                    break
                ran.add(action)
                heads[lane] += 1
                progress = True
    blocked: dict[int, Action] = {}
    for lane, order in enumerate(board.orders):
        if heads[lane] < len(order):
            blocked[lane] = order[heads[lane]]
    if not blocked:
        return ""
    return _out_of_order(board, placed) or _reason(board, blocked, ran, placed)


def _out_of_order(board: Board, placed: set[Action]) -> Text:
    """Return why a pass cannot precede a pass that it needs on its own lane; "" if none does."""
    for order in board.orders:
        before: set[Action] = set()
        for action in order:
            for need in needs(board.rules, action, placed):
                is_same_lane = board.lane_of(need) == board.lane_of(action)
                if is_same_lane and need in placed and need not in before:
                    return _needs_first(action, need)
            before.add(action)
    return ""


def _reason(
    board: Board, blocked: dict[int, Action], ran: set[Action], placed: set[Action]
) -> Message:
    """Return why the first of the lanes' blocked passes can never start.

    Follows the waits from pass to pass, until one is missing or the waits form a cycle.
    """
    action = next(iter(blocked.values()))
    path = [action]
    while True:
        wanted = [need for need in needs(board.rules, action, placed) if need not in ran]
        need = wanted[0]
        lane = board.lane_of(need)
        if need not in placed:
            return _needs_first(action, need)
        head = blocked[lane]
        if head != need:
            path.append(need)
        if head in path:
            cycle = [*path[path.index(head) :], head]
            return message(
                "{action} would wait for itself: {cycle}",
                action=head,
                cycle=" → ".join(map(str, cycle)),
            )
        path.append(head)
        action = head
