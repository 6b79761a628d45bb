"""From each stage's order to one order of all actions, or a refusal that names the deadlock."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.plan.schedules.schedule import Action
from core.plan.task import Kind, PlanError

Needs = Callable[[Action], Sequence[Action]]


def merge(orders: Sequence[Sequence[Action]], lanes: Sequence[int], needs: Needs) -> list[Action]:
    """All actions in an order in which each comes after what it needs.

    `orders[s]` is stage s's order and `lanes[s]` its lane. Actions that could run at the same time
    come together, as if every action took one tick: in a tick a lane runs one ready action, a
    backward before a forward. Raises PlanError, naming the cycle, if no order exists.
    """
    heads = [0] * len(orders)
    done: set[Action] = set()
    merged: list[Action] = []
    total = sum(map(len, orders))
    while len(merged) < total:
        tick: dict[int, Action] = {}
        for stage, actions in enumerate(orders):
            if heads[stage] == len(actions):
                continue
            action = actions[heads[stage]]
            if all(need in done for need in needs(action)):
                held = tick.get(lanes[stage])
                if held is None or (held.kind, action.kind) == (Kind.FORWARD, Kind.BACKWARD):
                    tick[lanes[stage]] = action
        if not tick:
            raise PlanError(_deadlock(orders, heads, done, needs))
        for action in tick.values():
            heads[action.stage] += 1
            done.add(action)
            merged.append(action)
    return merged


def _deadlock(
    orders: Sequence[Sequence[Action]], heads: list[int], done: set[Action], needs: Needs
) -> str:
    """Follow what the first blocked action waits for until it repeats or is never planned."""
    blocked = {s: order[head] for s, (order, head) in enumerate(zip(orders, heads, strict=True))
               if head < len(order)}  # fmt: skip
    action = next(iter(blocked.values()))
    first, path = action, [action]
    while True:
        need = next(need for need in needs(action) if need not in done)
        if need not in orders[need.stage][heads[need.stage] :]:
            return f"the schedule misses {need}, which {action} waits for"
        action = blocked[need.stage]
        if action in path:
            cycle = " -> ".join(map(str, [*path[path.index(action) :], action]))
            return f"the schedule deadlocks at {first}: {cycle}"
        path.append(action)
