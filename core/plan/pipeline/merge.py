"""One order of all actions, merged from the order of each rank, unless they deadlock."""

from __future__ import annotations

import numpy as np

from core.message import Message, message
from core.plan.pipeline.actions import FORWARD, ActionColumns, Ints, Needs
from core.plan.schedules.schedule import ScheduleError
from core.plan.task import ABSENT


def merge(actions: ActionColumns, needs: Needs, lanes: Ints) -> Ints:
    """Return the positions of all n actions in an order that respects their dependencies.

    `lanes[r]` is rank r's lane. The order simulates ticks: in each tick every lane runs one ready
    action, a backward before a forward. Raises ScheduleError, naming the first blocked action and
    the cycle, if the schedule deadlocks.
    """
    # A loop over ticks with all ranks at once, because a plan may have a million actions. GPipe on
    # 2 ranks with 2 micro-batches:
    #     tick      0     1     2     3     4     5
    #     rank 0   0F0   0F1    .     .    0B0   0B1
    #     rank 1    .    1F0   1F1   1B0   1B1    .       -> 0F0 0F1 1F0 1F1 1B0 0B0 1B1 0B1
    count = len(actions)
    needed = np.full((3, count + 1), count)  # the last entry is for ranks that have ended
    for row, column in zip(needed, (needs.own, needs.output, needs.gradient), strict=True):
        row[:count] = np.where(column == ABSENT, count, column)
    done = np.zeros(count + 1, np.bool_)
    done[count] = True  # the dependency of actions that have none
    shared = len(np.unique(lanes)) < len(lanes)
    # The next action of each rank; `head < last` excludes ranks that have ended.
    head, last = actions.first[:-1].copy(), actions.first[1:]
    ticks: list[Ints] = []
    while True:
        is_ready = done[needed[:, head]].all(axis=0) & (head < last)
        ready = np.flatnonzero(is_ready)
        if not len(ready):
            break
        if shared:
            ready = _one_a_lane(ready, lanes[ready], actions.kind[head[ready]] == FORWARD)
        ticks.append(head[ready])
        done[ticks[-1]] = True
        head[ready] += 1
    if not done.all():
        raise ScheduleError(_deadlock(actions, needed, done, head))
    return np.concatenate([np.zeros(0, np.int64), *ticks])


def _one_a_lane(ranks: Ints, lanes: Ints, forward: np.ndarray) -> Ints:
    """Choose one of the ready ranks for each lane: the first with a backward, else the first."""
    _, first, which = np.unique(lanes, return_index=True, return_inverse=True)
    # Sort by the lane, named by its first ready rank, and then backwards first.
    lane_key = first[which]
    order = np.lexsort((forward, lane_key))
    _, first_of_lane = np.unique(lane_key[order], return_index=True)
    chosen: Ints = ranks[order[first_of_lane]]
    return chosen


def _deadlock(actions: ActionColumns, needed: Ints, done: np.ndarray, head: Ints) -> Message:
    """Return the message of a deadlock: follows dependencies of a blocked action to a cycle."""
    rank_of = np.repeat(np.arange(len(head)), np.diff(actions.first))
    action = int(head[head < actions.first[1:]][0])
    path = [action]
    while True:
        maker = next(other for other in needed[:, action].tolist() if not done[other])
        blocked = int(head[rank_of[maker]])
        if maker != blocked:
            # The maker has to wait for its rank's head, which is blocked too.
            path.append(maker)
        action = blocked
        if action in path:
            repeated = [*path[path.index(action) :], action]
            cycle = " -> ".join(str(actions[place]) for place in repeated)
            return message(
                "the schedule deadlocks at {action}: {cycle}", action=actions[path[0]], cycle=cycle
            )
        path.append(action)
