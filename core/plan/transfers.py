"""The links between compute lanes that the transfers of a step use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Floats, Ints
from core.order import groups, row_keys
from core.plan.plan import Lane
from core.plan.task import IS_COLLECTIVE, IS_COMMUNICATION, TaskColumns

LanePair = tuple[int, int]
"""Two compute lanes, the lower one first."""


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The links of a step's transfers: arrays of shape (m,), an entry for each task and its link.

    `task` is a position in the step's columns; the link connects the compute lanes `low` and
    `high`. A copy uses one link, a gather or reduce from several lanes uses several in turn, and a
    collective uses all links of its ring at once.
    """

    task: Ints
    low: Ints
    high: Ints

    def over(self, link: LanePair) -> Bools:
        """Return a mask of shape (m,): entries that use a link."""
        low, high = link
        chosen: Bools = (self.low == low) & (self.high == high)
        return chosen

    def factors(self, columns: TaskColumns, each: Floats) -> Floats:
        """Return the factor, shape (n,), of each task's duration, given the factor of each entry.

        `each` has shape (m,). A ring is as slow as its slowest link. A transfer over several links
        in turn has the mean of their factors.
        """
        count = len(columns)
        used = np.bincount(self.task, minlength=count)
        total = np.bincount(self.task, each, count)
        # Assumes that links used in turn carry equal amounts.
        mean = total / np.maximum(1, used)
        slowest = np.zeros(count)
        np.maximum.at(slowest, self.task, each)
        factors = np.where(IS_COLLECTIVE[columns.kind], slowest, mean)
        return np.where(used > 0, factors, 1.0)


def links_of(columns: TaskColumns, lanes: Sequence[Lane]) -> Links:
    """Return the links of the transfers of a step on `lanes`, which include helper lanes.

    A transfer connects the compute lane that it serves with the lanes of the tasks that it waits
    for or that use its data. A collective's ring visits the lanes of its members in order and
    returns to the first.
    """
    serves = np.array([lane.serves for lane in lanes], np.int64)
    lane = serves[columns.lane]
    task, other = _moves(columns, lane)
    ends = np.sort(np.stack([lane[task], other]), axis=0)
    ring_task, ring_ends = _rings(columns, lane)
    all_tasks = np.concatenate([task, ring_task])
    low, high = np.concatenate([ends, ring_ends], axis=1)
    return Links(all_tasks, low, high)


def _moves(columns: TaskColumns, lane: Ints) -> tuple[Ints, Ints]:
    """Return the tasks that move data between two lanes, and the other lane of each, shape (m,).

    A task with several other lanes has an entry for each.
    """
    waiter = columns.waiters
    # A collective that waits for a transfer does not use its data: start_together adds these waits.
    uses_data = ~IS_COLLECTIVE[columns.kind[waiter]]
    # The other dependencies twice, seen from either end: the other lane of a copy may be the lane
    # that it waits for or the lane that waits for it.
    task = np.concatenate([waiter, columns.after[uses_data]])
    partner = np.concatenate([columns.after, waiter[uses_data]])
    other = lane[partner]
    kind = columns.kind[task]
    moves = IS_COMMUNICATION[kind] & ~IS_COLLECTIVE[kind]
    is_link = moves & (lane[task] != other)
    pairs = np.stack([task[is_link], other[is_link]])
    # Sorted by row_keys, which is faster than np.unique of columns.
    _, first = np.unique(row_keys(*pairs), return_index=True)
    distinct_task, distinct_other = pairs[:, first]
    return distinct_task, distinct_other


def _rings(columns: TaskColumns, lane: Ints) -> tuple[Ints, Ints]:
    """Return the tasks of collectives and the links of their rings, shapes (m,) and (2, m)."""
    members = np.flatnonzero(IS_COLLECTIVE[columns.kind])
    names = row_keys(
        columns.kind[members],
        columns.payload[members],
        columns.stage[members],
        columns.block[members],
        columns.bucket[members],
    )
    tasks = [np.empty(0, np.int64)]
    links = [np.empty((2, 0), np.int64)]
    for places in groups(names):
        mine = members[places]
        ring = np.unique(lane[mine])
        if len(ring) > 1:
            neighbours = np.stack([ring, np.roll(ring, -1)])
            # A ring of two lanes uses a single link in both directions.
            pairs = np.unique(np.sort(neighbours, axis=0), axis=1)
            tasks.append(np.repeat(mine, pairs.shape[1]))
            links.append(np.tile(pairs, len(mine)))
    return np.concatenate(tasks), np.concatenate(links, axis=1)
