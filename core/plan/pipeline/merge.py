"""From each rank's order to one order of all actions, or a refusal that names the deadlock."""

from __future__ import annotations

import numpy as np

from core.plan.pipeline.actions import FORWARD, ActionColumns, Ints, Needs
from core.plan.schedules.schedule import ScheduleError
from core.plan.task import ABSENT


def merge(actions: ActionColumns, needs: Needs, lanes: Ints) -> Ints:
    """The places of all n actions in an order in which each comes after what it needs.

    `lanes[r]` is rank r's lane. Actions that could run at the same time come together, as if every
    action took one tick: in a tick a lane runs one ready action, a backward before a forward.
    Raises ScheduleError, naming the first blocked action and the cycle, if no order exists.
    """
    # A tick at a time, all ranks at once: a plan may have a million actions, too many for a loop
    # over each. GPipe on 2 ranks with 2 micro-batches:
    #     tick      0     1     2     3     4     5
    #     rank 0   0F0   0F1    .     .    0B0   0B1
    #     rank 1    .    1F0   1F1   1B0   1B1    .       -> 0F0 0F1 1F0 1F1 1B0 0B0 1B1 0B1
    count = len(actions)
    needed = np.full((3, count + 1), count)  # the last entry stands for ranks that have ended
    for row, column in zip(needed, (needs.own, needs.output, needs.gradient), strict=True):
        row[:count] = np.where(column == ABSENT, count, column)
    done = np.zeros(count + 1, np.bool_)
    done[count] = True  # what an action without a need waits for
    shared = len(np.unique(lanes)) < len(lanes)
    # The next action of each rank. That of a rank that has ended is the next rank's first (or the
    # extra entry), which `head < last` leaves out.
    head, last = actions.first[:-1].copy(), actions.first[1:]
    ticks: list[Ints] = []
    while len(
        ready := np.flatnonzero(np.logical_and.reduce(done[needed[:, head]]) & (head < last))
    ):
        if shared:
            ready = _one_a_lane(ready, lanes[ready], actions.kind[head[ready]] == FORWARD)
        ticks.append(head[ready])
        done[ticks[-1]] = True
        head[ready] += 1
    if not done.all():
        raise ScheduleError(_deadlock(actions, needed, done, head))
    return np.concatenate([np.zeros(0, np.int64), *ticks])


def _one_a_lane(ranks: Ints, lanes: Ints, forward: np.ndarray) -> Ints:
    """Of the ranks that could act, one for each lane: the first that can act back, else forward."""
    _, first, which = np.unique(lanes, return_index=True, return_inverse=True)
    # The first ready rank of each rank's lane stands for that lane: sorted
    # by it, then backwards first.
    turn = first[which]
    order = np.lexsort((forward, turn))
    chosen: Ints = ranks[order[np.unique(turn[order], return_index=True)[1]]]
    return chosen


def _deadlock(actions: ActionColumns, needed: Ints, done: np.ndarray, head: Ints) -> str:
    """Follow what the first blocked action waits for until it repeats."""
    rank_of = np.repeat(np.arange(len(head)), np.diff(actions.first))
    action = int(head[head < actions.first[1:]][0])
    path = [action]
    while True:
        maker = next(other for other in needed[:, action].tolist() if not done[other])
        blocked = int(head[rank_of[maker]])
        if maker != blocked:
            # The maker stands behind its rank's head, which waits for something itself.
            path.append(maker)
        action = blocked
        if action in path:
            cycle = " -> ".join(str(actions[a]) for a in [*path[path.index(action) :], action])
            return f"the schedule deadlocks at {actions[path[0]]}: {cycle}"
        path.append(action)
