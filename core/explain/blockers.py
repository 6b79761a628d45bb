"""Idle time by blocking lane, for labels on a timeline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.explain.causes import ACTIONS, CAUSES, Cause, Explanation
from core.plan.task import ABSENT

WAITS_FOR_PASS = frozenset(
    {Cause.FILL, Cause.DRAIN, Cause.COMPUTE, Cause.IMBALANCE, Cause.SLOWEST_RANK}
)
"""Causes in which a lane waits for computation on another lane."""
_HAS_BLOCKER = WAITS_FOR_PASS | frozenset(ACTIONS) | {Cause.TRANSFER, Cause.COLLECTIVE}
_HAS_BLOCKER_BY_CODE = np.array([cause in _HAS_BLOCKER for cause in CAUSES])
# Pieces of these causes may share a label: one wait for a lane is both "pipeline fills" and
# "other lane computes" where the lane's first pass lies in between.
_GROUP_BY_CODE = np.array(
    [-1 if cause in WAITS_FOR_PASS else code for code, cause in enumerate(CAUSES)]
)


@dataclass(frozen=True, slots=True)
class BlockerWaits:
    """Idle time of a step's compute lanes by blocking lane; columns of k entries.

    Entries are sorted by lane, then by time; `lane_first[l] : lane_first[l + 1]` are lane l's. From
    `start` to `end` (ns) a lane is idle, as part of a `gap`. For `waited` ns of that it waits for
    one lane, with a `cause` (index into CAUSES). `blocking` is the position in the step's columns
    of the longest of `count` blocking tasks, ABSENT for causes without such a task.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    waited: NDArray[np.int64]
    cause: NDArray[np.int8]
    blocking: NDArray[np.int64]
    count: NDArray[np.int64]
    gap: NDArray[np.int64]
    lane_first: NDArray[np.int64]

    def of_lane(self, lane: int) -> slice:
        """Return the positions of a lane's waits."""
        return slice(int(self.lane_first[lane]), int(self.lane_first[lane + 1]))


def waits_by_blocker(explanation: Explanation) -> BlockerWaits:
    """Join neighbouring pieces of a gap that have the same blocking lane."""
    gap, group = explanation.gap, _GROUP_BY_CODE[explanation.cause]
    holder = _blocking_lanes(explanation)
    begins = np.ones(len(gap), np.bool_)
    begins[1:] = np.diff(gap) != 0
    begins[1:] |= np.diff(group) != 0
    begins[1:] |= np.diff(holder) != 0
    first = np.flatnonzero(begins)
    return _joined(explanation, first, np.cumsum(begins) - 1, np.ones(len(gap), np.bool_))


def main_waits(explanation: Explanation) -> BlockerWaits:
    """Return one entry for each gap: the wait for the lane that blocks it longest."""
    gaps, first, place = np.unique(explanation.gap, return_index=True, return_inverse=True)
    length = explanation.end - explanation.start
    # Number the pairs of gap and blocking lane, and add up the wait of each pair.
    group, holder = _GROUP_BY_CODE[explanation.cause], _blocking_lanes(explanation)
    keys = np.stack([place, group, holder], axis=1)
    pairs, pair = np.unique(keys, axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    totals = np.bincount(pair, weights=length, minlength=len(pairs))
    # Sorted by gap and total, the last pair of a gap is its longest.
    order = np.lexsort((totals, pairs[:, 0]))
    last_of_gap = np.searchsorted(pairs[order, 0], np.arange(len(gaps)), "right") - 1
    longest = order[last_of_gap]
    return _joined(explanation, first, place, np.isin(pair, longest))


def _blocking_lanes(explanation: Explanation) -> NDArray[np.int64]:
    """Return the lane of each piece's blocking task, ABSENT for causes without one."""
    holder = np.full(len(explanation.gap), ABSENT, np.int64)
    has = _HAS_BLOCKER_BY_CODE[explanation.cause]
    holder[has] = explanation.columns.lane[explanation.blocking[has]]
    return holder


def _joined(
    explanation: Explanation,
    first: NDArray[np.int64],
    entry: NDArray[np.int64],
    counted: NDArray[np.bool_],
) -> BlockerWaits:
    """Return the entries that begin with the pieces `first`.

    `entry` is the entry of each piece. Pieces that are `counted` belong to the wait that is shown.
    """
    length = np.where(counted, explanation.end - explanation.start, -1)
    # Sorted by entry and length, the last piece of an entry is its longest.
    order = np.lexsort((length, entry))
    last_of_entry = np.searchsorted(entry[order], np.arange(len(first)), "right") - 1
    longest = order[last_of_entry]
    # The slice is for a step without idle time.
    last = np.append(first[1:], len(explanation.gap))[: len(first)] - 1
    waited = np.bincount(entry[counted], length[counted], len(first)).astype(np.int64)
    has_blocker = _HAS_BLOCKER_BY_CODE[explanation.cause[longest]]
    blocking = np.where(has_blocker, explanation.blocking[longest], ABSENT)
    tasks = np.stack([entry[counted], explanation.blocking[counted]], axis=1)
    entry_of_task = np.unique(tasks, axis=0)[:, 0]
    return BlockerWaits(
        start=explanation.start[first],
        end=explanation.end[last],
        waited=waited,
        cause=explanation.cause[longest],
        blocking=blocking,
        count=np.bincount(entry_of_task, minlength=len(first)),
        gap=explanation.gap[first],
        lane_first=np.searchsorted(first, explanation.lane_first),
    )
