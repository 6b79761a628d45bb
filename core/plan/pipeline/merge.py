"""One order of all actions, merged from the order of each rank, unless they deadlock."""

from __future__ import annotations

import numpy as np

from core.arrays import Bools, Ints
from core.message import Message, message
from core.plan.pipeline.actions import FORWARD, ActionColumns, Needs
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
    done[count] = True  # for actions without a dependency
    ranks_share_lanes = len(np.unique(lanes)) < len(lanes)
    head = actions.first[:-1].copy()  # the next action of each rank
    last = actions.first[1:]
    ticks: list[Ints] = [np.zeros(0, np.int64)]
    while True:
        has_inputs = done[needed[:, head]].all(axis=0)
        has_action = head < last
        ready = np.flatnonzero(has_inputs & has_action)
        if not len(ready):
            break
        if ranks_share_lanes:
            is_forward = actions.kind[head[ready]] == FORWARD
            ready = _one_per_lane(ready, lanes[ready], is_forward)
        begun = head[ready]
        ticks.append(begun)
        done[begun] = True
        head[ready] += 1
    if not done.all():
        raise ScheduleError(_deadlock(actions, needed, done, head))
    return np.concatenate(ticks)


def _one_per_lane(ranks: Ints, lanes: Ints, forward: Bools) -> Ints:
    """Choose one of the ready ranks for each lane: the first with a backward, else the first."""
    _, first, which = np.unique(lanes, return_index=True, return_inverse=True)
    # Sort by lane, identified by its first ready rank; within a lane, backwards first.
    lane_key = first[which]
    order = np.lexsort((forward, lane_key))
    _, first_of_lane = np.unique(lane_key[order], return_index=True)
    chosen: Ints = ranks[order[first_of_lane]]
    return chosen


def _deadlock(actions: ActionColumns, needed: Ints, done: Bools, head: Ints) -> Message:
    """Return the message for a deadlock: follow dependencies from a blocked action to a cycle."""
    rank_of = np.repeat(np.arange(len(head)), np.diff(actions.first))
    blocked_heads = head[head < actions.first[1:]]
    action = int(blocked_heads[0])
    path = [action]
    while True:
        needs = needed[:, action]
        missing = needs[~done[needs]]
        maker = int(missing[0])
        blocked = int(head[rank_of[maker]])
        if maker != blocked:
            # The needed action waits for its rank's head, which is blocked too.
            path.append(maker)
        action = blocked
        if action in path:
            repeated = [*path[path.index(action) :], action]
            cycle = " -> ".join(str(actions[place]) for place in repeated)
            return message(
                "the schedule deadlocks at {action}: {cycle}", action=actions[path[0]], cycle=cycle
            )
        path.append(action)
