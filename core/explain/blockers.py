"""Idle time by blocking lane, for labels on a timeline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.explain.causes import ACTIONS, CAUSES, Cause
from core.explain.explanation import Explanation
from core.plan.task import ABSENT

WAITS_FOR_PASS = frozenset(
    {Cause.FILL, Cause.DRAIN, Cause.COMPUTE, Cause.IMBALANCE, Cause.SLOWEST_RANK}
)
"""Causes in which a lane waits for computation on another lane."""
_WITH_BLOCKER = WAITS_FOR_PASS | frozenset(ACTIONS) | {Cause.TRANSFER, Cause.COLLECTIVE}
_HAS_BLOCKER = np.array([cause in _WITH_BLOCKER for cause in CAUSES])  # by code
_WAITS_FOR_PASS = np.array([cause in WAITS_FOR_PASS for cause in CAUSES])  # by code
# Pieces of one group may share a label. One wait for a lane can have two causes: it is "pipeline
# fills" before the lane's first pass and "other lane computes" after it.
_GROUP = np.where(_WAITS_FOR_PASS, -1, np.arange(len(CAUSES)))  # by code


@dataclass(frozen=True, slots=True)
class BlockerWaits:
    """Idle time of a step's compute lanes by blocking lane; columns of k entries.

    Entries are sorted by lane, then by time; `lane_first[l] : lane_first[l + 1]` are lane l's. From
    `start` to `end` (ns) a lane is idle, as part of a `gap`. For `waited` ns of that it waits for
    one lane, with a `cause` (index into CAUSES). `blocking` is the position in the step's columns
    of the longest of `count` blocking tasks, ABSENT for causes without such a task.
    """

    start: Ints
    end: Ints
    waited: Ints
    cause: NDArray[np.int8]
    blocking: Ints
    count: Ints
    gap: Ints
    lane_first: Ints

    def of_lane(self, lane: int) -> slice:
        """Return the positions of a lane's waits."""
        first = int(self.lane_first[lane])
        last = int(self.lane_first[lane + 1])
        return slice(first, last)


def waits_by_blocker(explanation: Explanation) -> BlockerWaits:
    """Join neighbouring pieces of a gap that have the same blocking lane."""
    gap = explanation.gap
    group = _GROUP[explanation.cause]
    blocker = _blocking_lanes(explanation)
    begins = np.ones(len(gap), np.bool_)
    begins[1:] = np.diff(gap) != 0
    begins[1:] |= np.diff(group) != 0
    begins[1:] |= np.diff(blocker) != 0
    first = np.flatnonzero(begins)
    entry = np.cumsum(begins) - 1
    all_pieces = np.ones(len(gap), np.bool_)
    return _joined(explanation, first, entry, all_pieces)


def main_waits(explanation: Explanation) -> BlockerWaits:
    """Return one entry for each gap: the wait for the lane that blocks it longest."""
    gaps, first, place = np.unique(explanation.gap, return_index=True, return_inverse=True)
    length = explanation.end - explanation.start
    # Number the pairs of gap and blocking lane, and add up the wait of each pair.
    group = _GROUP[explanation.cause]
    blocker = _blocking_lanes(explanation)
    keys = np.stack([place, group, blocker], axis=1)
    pairs, pair = np.unique(keys, axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    totals = np.bincount(pair, weights=length, minlength=len(pairs))
    longest = _largest_of_groups(pairs[:, 0], totals, len(gaps))
    return _joined(explanation, first, place, np.isin(pair, longest))


def _largest_of_groups(group: Ints, size: NDArray[np.number], count: int) -> Ints:
    """Return the position of the largest entry of each of `count` groups; the last one on a tie."""
    order = np.lexsort((size, group))
    # Sorted by group and size, the last entry of a group is its largest.
    sorted_group = group[order]
    ends = np.searchsorted(sorted_group, np.arange(count), "right")
    return order[ends - 1]


def _blocking_lanes(explanation: Explanation) -> Ints:
    """Return the lane of each piece's blocking task, ABSENT for causes without one."""
    blocker = np.full(len(explanation.gap), ABSENT, np.int64)
    has_blocker = _HAS_BLOCKER[explanation.cause]
    blocking = explanation.blocking[has_blocker]
    blocker[has_blocker] = explanation.columns.lane[blocking]
    return blocker


def _joined(
    explanation: Explanation,
    first: Ints,
    entry: Ints,
    counted: Bools,
) -> BlockerWaits:
    """Return the entries that begin with the pieces `first`.

    `entry` is the entry of each piece. Pieces that are `counted` belong to the wait that is shown.
    """
    count = len(first)
    length = explanation.end - explanation.start
    counted_length = np.where(counted, length, -1)
    longest = _largest_of_groups(entry, counted_length, count)
    cause = explanation.cause[longest]
    longest_task = explanation.blocking[longest]
    blocking = np.where(_HAS_BLOCKER[cause], longest_task, ABSENT)
    next_first = np.append(first[1:], len(explanation.gap))
    # Without idle time `next_first` has one entry too many; the slice drops it.
    last = next_first[:count] - 1
    entry_of_counted = entry[counted]
    waited = np.bincount(entry_of_counted, length[counted], count)
    tasks = np.stack([entry_of_counted, explanation.blocking[counted]], axis=1)
    distinct = np.unique(tasks, axis=0)
    return BlockerWaits(
        start=explanation.start[first],
        end=explanation.end[last],
        waited=waited.astype(np.int64),
        cause=cause,
        blocking=blocking,
        count=np.bincount(distinct[:, 0], minlength=count),
        gap=explanation.gap[first],
        lane_first=np.searchsorted(first, explanation.lane_first),
    )
