"""Simulation of a step with many sets of durations at once.

The simulation of core.costs.simulate takes one set of durations at a time. Here the order of the
tasks is determined once: a task's level is the length of the longest chain of tasks before it. All
tasks of a level start after the tasks of lower levels, so that a level is a few operations on
arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats, Ints
from core.errors import PlanError
from core.message import message
from core.plan.task import ABSENT
from core.trace.step import StepColumns

MOST_TIMES = 8_000_000
"""Limit on the times in memory; more sets of durations are simulated in several parts."""


@dataclass(frozen=True, slots=True)
class _Level:
    """Nodes that can be timed together; node i waits for `needs[first[i]:first[i + 1]]`."""

    nodes: Ints
    needs: Ints
    first: Ints


@dataclass(frozen=True, slots=True)
class Replay:
    """The order of the n tasks of a step, for simulations of the step with other durations.

    Every task starts when the task before it on its lane and all that it waits for have ended. A
    member of a collective of ranks ends its duration after the last member is ready.
    """

    tasks: int
    nodes: int
    levels: tuple[_Level, ...]

    @classmethod
    def of(cls, columns: StepColumns, meets: Ints) -> Replay:
        """Determine the order of a step's tasks; `meets` is as in `core.costs.simulate`.

        Raises PlanError if lanes reach their collectives in orders that deadlock.
        """
        count = len(columns)
        meetings, meeting = np.unique(meets[meets != ABSENT], return_inverse=True)
        # A collective is a separate node: it needs all that its members need, and they need it.
        entry = np.arange(count)
        members = np.flatnonzero(meets != ABSENT)
        entry[members] = count + meeting
        waiter = columns.waiters
        before, after = lane_pairs(columns.lane)
        needed = np.concatenate([columns.after, before, entry[members]])
        needing = np.concatenate([entry[waiter], entry[after], members])
        nodes = count + len(meetings)
        level = _levels(needed, needing, nodes)
        if level is None:
            raise PlanError(message("the collectives of this step deadlock"))
        return cls(count, nodes, tuple(_grouped(level, needed, needing)))

    def makespans(self, durations: NDArray[np.number]) -> Floats:
        """Return the makespan in ns for each of v sets of durations, shape (v, n)."""
        at_once = max(1, MOST_TIMES // max(1, self.nodes))
        found = [np.empty(0)]
        for first in range(0, len(durations), at_once):
            part = durations[first : first + at_once]
            found.append(self._makespans_of_part(part))
        return np.concatenate(found)

    def _makespans_of_part(self, durations: NDArray[np.number]) -> Floats:
        # A row for each node, so that the times of a node lie next to each other.
        ends = np.zeros((self.nodes, len(durations)))
        ends[: self.tasks] = durations.T
        for level in self.levels:
            starts = np.maximum.reduceat(ends[level.needs], level.first, axis=0)
            ends[level.nodes] += starts
        lengths: Floats = ends.max(axis=0, initial=0.0)
        return lengths


def lane_pairs(lane: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """Return pairs of tasks that follow each other on a lane, in the order of the columns."""
    order = np.argsort(lane, kind="stable")
    before = order[:-1]
    after = order[1:]
    same_lane = lane[before] == lane[after]
    return before[same_lane], after[same_lane]


def _levels(needed: Ints, needing: Ints, nodes: int) -> Ints | None:
    """Return the length of the longest chain before each node; None if nodes need each other."""
    missing = np.bincount(needing, minlength=nodes)
    order = np.argsort(needed, kind="stable")
    followers = needing[order]
    first = np.searchsorted(needed[order], np.arange(nodes + 1))
    level = np.full(nodes, ABSENT, np.int64)
    ready = np.flatnonzero(missing == 0)
    number = 0
    while len(ready):
        level[ready] = number
        # The followers of all ready nodes, which are a slice of `followers` for each node.
        counts = first[ready + 1] - first[ready]
        earlier = np.cumsum(counts) - counts
        shifts = np.repeat(first[ready] - earlier, counts)
        met = followers[shifts + np.arange(len(shifts))]
        each, times = np.unique(met, return_counts=True)
        missing[each] -= times
        ready = each[missing[each] == 0]
        number += 1
    return None if (level == ABSENT).any() else level


def _grouped(level: Ints, needed: Ints, needing: Ints) -> Sequence[_Level]:
    """Return the nodes of each level above the lowest, with the nodes that they need."""
    order = np.lexsort((needing, level[needing]))
    needed = needed[order]
    needing = needing[order]
    highest = int(level.max(initial=0))
    bounds = np.searchsorted(level[needing], np.arange(1, highest + 2))
    levels = []
    for begin, end in pairwise(bounds.tolist()):
        nodes, first = np.unique(needing[begin:end], return_index=True)
        levels.append(_Level(nodes, needed[begin:end], first))
    return levels
