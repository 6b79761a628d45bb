"""Which links between compute lanes the transfers of a step go over."""

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
    """The links of a step's transfers: m entries, one for each task and link that it goes over.

    `task` are positions in the step's columns; a link is between the compute lanes `low` and
    `high`. A copy goes over one link; a gather or reduce from several lanes over one after the
    other; a collective over all links of its ring at a time.
    """

    task: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    def over(self, link: LanePair) -> NDArray[np.bool_]:
        """Which of the m entries go over a link."""
        chosen: NDArray[np.bool_] = (self.low == link[0]) & (self.high == link[1])
        return chosen

    def factors(self, columns: TaskColumns, each: NDArray[np.float64]) -> NDArray[np.float64]:
        """By how much each task of a step takes longer if each of the m entries does by `each`.

        n entries. A ring is as fast as its slowest link; what goes over several links in turn
        takes as long as they do on average.
        """
        count = len(columns)
        used = np.bincount(self.task, minlength=count)
        # Of several links in turn each is taken to carry as much as the others.
        mean = np.bincount(self.task, each, count) / np.maximum(1, used)
        slowest = np.zeros(count)
        np.maximum.at(slowest, self.task, each)
        factors: NDArray[np.float64] = np.where(IS_COLLECTIVE[columns.kind], slowest, mean)
        return np.where(used > 0, factors, 1.0)


def links_of(columns: TaskColumns, lanes: Sequence[Lane]) -> Links:
    """The links of the transfers of a step on `lanes`, the helpers among them.

    A transfer is between the compute lane that it works for and those of the tasks that it waits
    for or that wait for it. A collective's ring goes through the lanes of its members in their
    order and back to the first.
    """
    serves = np.array([lane.serves for lane in lanes], np.int64)
    lane = serves[columns.lane]
    waiter = np.repeat(np.arange(len(columns)), np.diff(columns.after_first))
    # Every wait twice, seen from either end: a copy is between the lane that it waits for and those
    # that wait for it, whichever of the two is not its own.
    task = np.concatenate([waiter, columns.after])
    other = lane[np.concatenate([columns.after, waiter])]
    kept = (IS_COMMUNICATION & ~IS_COLLECTIVE)[columns.kind[task]] & (lane[task] != other)
    # Pairs (task, other lane) packed into one number each, so that a pair counts once.
    ends = np.stack(np.divmod(np.unique(task[kept] * len(lanes) + other[kept]), len(lanes)))
    near = np.stack([lane[ends[0]], ends[1]])
    ring_task, ring = _rings(columns, lane)
    both = np.concatenate([np.sort(near, axis=0), ring], axis=1)
    return Links(np.concatenate([ends[0], ring_task]), both[0], both[1])


def _rings(
    columns: TaskColumns, lane: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Tasks of collectives, and the links of their rings: m entries, and shape (2, m)."""
    members = np.flatnonzero(IS_COLLECTIVE[columns.kind])
    about = (columns.kind, columns.payload, columns.stage, columns.block, columns.bucket)
    name = np.stack([column[members].astype(np.int64) for column in about])
    _, group = np.unique(name, axis=1, return_inverse=True)
    tasks, links = [np.empty(0, np.int64)], [np.empty((2, 0), np.int64)]
    for number in range(int(group.max(initial=-1)) + 1):
        mine = members[group.ravel() == number]
        ring = np.unique(lane[mine])
        if len(ring) > 1:
            # A ring of two lanes is one link, there and back.
            pairs = np.unique(np.sort(np.stack([ring, np.roll(ring, -1)]), axis=0), axis=1)
            tasks.append(np.repeat(mine, pairs.shape[1]))
            links.append(np.tile(pairs, len(mine)))
    return np.concatenate(tasks), np.concatenate(links, axis=1)
