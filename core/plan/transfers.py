"""The links between compute lanes that the transfers of a step use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

    task: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    def over(self, link: LanePair) -> NDArray[np.bool_]:
        """Return a mask of shape (m,): entries that use a link."""
        chosen: NDArray[np.bool_] = (self.low == link[0]) & (self.high == link[1])
        return chosen

    def factors(self, columns: TaskColumns, each: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the factor, shape (n,), of each task's duration, given the factor of each entry.

        `each` has shape (m,). A ring is as slow as its slowest link. A transfer over several links
        in turn has the mean of their factors.
        """
        count = len(columns)
        used = np.bincount(self.task, minlength=count)
        # Assumes that links used in turn carry equal amounts.
        mean = np.bincount(self.task, each, count) / np.maximum(1, used)
        slowest = np.zeros(count)
        np.maximum.at(slowest, self.task, each)
        factors: NDArray[np.float64] = np.where(IS_COLLECTIVE[columns.kind], slowest, mean)
        return np.where(used > 0, factors, 1.0)


def links_of(columns: TaskColumns, lanes: Sequence[Lane]) -> Links:
    """Return the links of the transfers of a step on `lanes`, which include helper lanes.

    A transfer connects the compute lane that it serves with the lanes of the tasks that it waits
    for or that wait for it. A collective's ring visits the lanes of its members in order and
    returns to the first.
    """
    serves = np.array([lane.serves for lane in lanes], np.int64)
    lane = serves[columns.lane]
    waiter = np.repeat(np.arange(len(columns)), np.diff(columns.after_first))
    # Every dependency twice, seen from either end: the other lane of a copy may be the one that it
    # waits for or the one that waits for it.
    task = np.concatenate([waiter, columns.after])
    other = lane[np.concatenate([columns.after, waiter])]
    kept = (IS_COMMUNICATION & ~IS_COLLECTIVE)[columns.kind[task]] & (lane[task] != other)
    # Each pair (task, other lane) packed into one number, to remove duplicates.
    ends = np.stack(np.divmod(np.unique(task[kept] * len(lanes) + other[kept]), len(lanes)))
    near = np.stack([lane[ends[0]], ends[1]])
    ring_task, ring = _rings(columns, lane)
    both = np.concatenate([np.sort(near, axis=0), ring], axis=1)
    return Links(np.concatenate([ends[0], ring_task]), both[0], both[1])


def _rings(
    columns: TaskColumns, lane: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the tasks of collectives and the links of their rings, shapes (m,) and (2, m)."""
    members = np.flatnonzero(IS_COLLECTIVE[columns.kind])
    about = (columns.kind, columns.payload, columns.stage, columns.block, columns.bucket)
    name = np.stack([column[members].astype(np.int64) for column in about])
    _, group = np.unique(name, axis=1, return_inverse=True)
    tasks, links = [np.empty(0, np.int64)], [np.empty((2, 0), np.int64)]
    for number in range(int(group.max(initial=-1)) + 1):
        mine = members[group.ravel() == number]
        ring = np.unique(lane[mine])
        if len(ring) > 1:
            # A ring of two lanes uses a single link in both directions.
            pairs = np.unique(np.sort(np.stack([ring, np.roll(ring, -1)]), axis=0), axis=1)
            tasks.append(np.repeat(mine, pairs.shape[1]))
            links.append(np.tile(pairs, len(mine)))
    return np.concatenate(tasks), np.concatenate(links, axis=1)
