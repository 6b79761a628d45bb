"""From each rank's order to one order of all actions, or a refusal that names the deadlock."""

from __future__ import annotations

from collections.abc import Sequence

from core.plan.schedules.schedule import Action, ScheduleError
from core.plan.task import Kind

Result = tuple[Kind, int, int, int | None]
"""What a pass leaves for others: (forward or backward, replica, stage, micro-batch)."""

_FORWARD, _BACKWARD, _WEIGHT = Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_WEIGHT
_BACKWARDS = (_BACKWARD, Kind.BACKWARD_INPUT)


def merge(
    orders: Sequence[Sequence[Action]], lanes: Sequence[int], stages: int, pieces: Sequence[int]
) -> list[Action]:
    """All actions in an order in which each comes after what it needs.

    `orders[r]` is rank r's order and `lanes[r]` its lane; `stages` is the number of stages and
    `pieces` the micro-batches that a pass over all of them covers. Actions that could run at the
    same time come together, as if every action took one tick: in a tick a lane runs one ready
    action, a backward before a forward. Raises ScheduleError, naming the first blocked action
    and the cycle, if no order exists.
    """
    heads = [0] * len(orders)
    done: set[Result] = set()
    waiting: dict[Result, list[int]] = {}
    merged: list[Action] = []
    awake = [rank for rank, order in enumerate(orders) if order]
    shared = len(set(lanes)) < len(lanes)
    while awake:
        ready: list[int] = []
        for rank in awake:
            missing = _missing(orders[rank][heads[rank]], stages, pieces, done)
            if missing is None:
                ready.append(rank)
            else:
                waiting.setdefault(missing, []).append(rank)
        chosen = _one_a_lane(ready, orders, heads, lanes) if shared else ready
        awake = sorted(set(ready) - set(chosen)) if shared else []
        for rank in chosen:
            action = orders[rank][heads[rank]]
            merged.append(action)
            heads[rank] += 1
            if heads[rank] < len(orders[rank]):
                awake.append(rank)
            for result in _results_of(action, pieces):
                done.add(result)
                if result in waiting:
                    awake += waiting.pop(result)
        awake.sort()
    if len(merged) < sum(map(len, orders)):
        raise ScheduleError(_deadlock(orders, heads, done, stages, pieces))
    return merged


def _one_a_lane(
    ready: list[int], orders: Sequence[Sequence[Action]], heads: list[int], lanes: Sequence[int]
) -> list[int]:
    """Of the ranks that could act, one for each lane: the first that can act back, else forward."""
    chosen: dict[int, int] = {}
    for rank in ready:
        held = chosen.setdefault(lanes[rank], rank)
        kinds = [orders[r][heads[r]].kind for r in (held, rank)]
        if kinds[0] is _FORWARD and kinds[1] is not _FORWARD:
            chosen[lanes[rank]] = rank
    return list(chosen.values())


def _results_of(action: Action, pieces: Sequence[int]) -> Sequence[Result]:
    """What an action leaves, both halves of an overlap."""
    stage, kind, m, replica, paired = action
    if paired is None and m is not None:  # nearly all are so
        return ((_BACKWARD if kind in _BACKWARDS else kind, replica, stage, m),)
    return [result for half in action.halves for result in _results(half, pieces)]


def _results(half: Action, pieces: Sequence[int]) -> list[Result]:
    """What a pass leaves. A pass over all micro-batches leaves each one's result too."""
    stage, kind, m, replica, _ = half
    if kind in _BACKWARDS:
        kind = _BACKWARD
    one: Result = (kind, replica, stage, m)
    return [one] if m is not None else [one, *((kind, replica, stage, p) for p in pieces)]


def _missing(
    action: Action, stages: int, pieces: Sequence[int], done: set[Result]
) -> Result | None:
    """The first result that an action still waits for."""
    if action.paired is None:
        return _missing_of_half(action, stages, pieces, done)
    found = (_missing_of_half(half, stages, pieces, done) for half in action.halves)
    return next(filter(None, found), None)


def _missing_of_half(
    half: Action, stages: int, pieces: Sequence[int], done: set[Result]
) -> Result | None:
    """The first result that a pass takes and that is not done."""
    stage, kind, m, replica, _ = half
    if kind is _FORWARD:
        last: Result = (_FORWARD, replica, stage - 1, m)
        return None if stage == 0 or last in done else last
    if kind is _WEIGHT:
        last = (_BACKWARD, replica, stage, m)
        return None if last in done else last
    for piece in pieces if m is None else (m,):
        own: Result = (_FORWARD, replica, stage, piece)
        if own not in done:
            return own
    last = (_BACKWARD, replica, stage + 1, m)
    return None if stage == stages - 1 or last in done else last


def _deadlock(
    orders: Sequence[Sequence[Action]],
    heads: list[int],
    done: set[Result],
    stages: int,
    pieces: Sequence[int],
) -> str:
    """Follow what the first blocked action waits for until it repeats or is never planned."""
    makers: dict[Result, tuple[int, Action]] = {}
    for rank, order in enumerate(orders):
        for action in order[heads[rank] :]:
            for half in action.halves:
                for result in _results(half, pieces):
                    makers.setdefault(result, (rank, action))
    blocked = {r: o[head] for r, (o, head) in enumerate(zip(orders, heads, strict=True))
               if head < len(o)}  # fmt: skip
    action = next(iter(blocked.values()))
    first, path = action, [action]
    while True:
        missing = _missing(action, stages, pieces, done)
        assert missing is not None
        if missing not in makers:
            kind, replica, stage, m = missing
            return (
                f"the schedule misses {Action(stage, kind, m, replica)}, which {action} waits for"
            )
        rank, maker = makers[missing]
        if maker != blocked[rank]:
            # The maker stands behind its rank's head, which waits for something itself.
            path.append(maker)
        action = blocked[rank]
        if action in path:
            cycle = " -> ".join(map(str, [*path[path.index(action) :], action]))
            return f"the schedule deadlocks at {first}: {cycle}"
        path.append(action)
