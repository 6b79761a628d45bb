"""Idle time by the lane that is waited for, for labels on a timeline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.explain.causes import ACTIONS, CAUSES, Cause, Explanation
from core.plan.task import ABSENT

WAITS_FOR_PASS = frozenset(
    {Cause.FILL, Cause.DRAIN, Cause.COMPUTE, Cause.IMBALANCE, Cause.SLOWEST_RANK}
)
"""Causes in which a lane waits for what another lane computes."""
_HAS_BLOCKER = WAITS_FOR_PASS | frozenset(ACTIONS) | {Cause.TRANSFER, Cause.COLLECTIVE}
_HAS_BLOCKER_BY_CODE = np.array([cause in _HAS_BLOCKER for cause in CAUSES])
# Pieces of these causes may share a label: one wait for a lane is both "pipeline fills" and
# "other lane computes" where the lane's first pass lies in between.
_GROUP_BY_CODE = np.array(
    [-1 if cause in WAITS_FOR_PASS else code for code, cause in enumerate(CAUSES)]
)


@dataclass(frozen=True, slots=True)
class BlockerWaits:
    """Idle time of a step's compute lanes by whom they wait for; columns of k entries.

    Sorted by lane, then by time; `lane_first[l] : lane_first[l + 1]` are lane l's. From `start` to
    `end` (ns) a lane is idle, as part of a `gap`; for `waited` ns of that its `cause` (an index
    into CAUSES) is a wait for one lane. `blocking` is the position of the longest of `count`
    blocking tasks in the step's columns, ABSENT for causes without such a task.
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
    """Join neighbouring pieces of a gap in which the lane waits for one and the same lane."""
    gap, group, holder = explanation.gap, _GROUP_BY_CODE[explanation.cause], _holders(explanation)
    begins = np.ones(len(gap), np.bool_)
    begins[1:] = np.diff(gap) != 0
    begins[1:] |= np.diff(group) != 0
    begins[1:] |= np.diff(holder) != 0
    first = np.flatnonzero(begins)
    return _joined(explanation, first, np.cumsum(begins) - 1, np.ones(len(gap), np.bool_))


def main_waits(explanation: Explanation) -> BlockerWaits:
    """Each gap as one entry: the wait for the lane that holds it up longest."""
    gaps, first, place = np.unique(explanation.gap, return_index=True, return_inverse=True)
    length = explanation.end - explanation.start
    # Number the pairs of gap and blocker, and add up what each pair waits.
    keys = np.stack([place, _GROUP_BY_CODE[explanation.cause], _holders(explanation)], axis=1)
    pairs, pair = np.unique(keys, axis=0, return_inverse=True)
    pair = pair.reshape(-1)
    totals = np.bincount(pair, weights=length, minlength=len(pairs))
    # The last of each gap when sorted by gap and total is the longest.
    order = np.lexsort((totals, pairs[:, 0]))
    longest = order[np.searchsorted(pairs[order, 0], np.arange(len(gaps)), "right") - 1]
    return _joined(explanation, first, place, np.isin(pair, longest))


def _holders(explanation: Explanation) -> NDArray[np.int64]:
    """Lane of each piece's blocking task; ABSENT for causes without one."""
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
    """Entries that begin with the pieces `first`.

    `entry` is each piece's entry; of its pieces, those that are `counted` are the wait it shows.
    """
    length = np.where(counted, explanation.end - explanation.start, -1)
    # Sorted by entry and length, the last piece of an entry is its longest.
    order = np.lexsort((length, entry))
    longest = order[np.searchsorted(entry[order], np.arange(len(first)), "right") - 1]
    last = np.append(first[1:], len(explanation.gap))[: len(first)] - 1
    has_blocker = _HAS_BLOCKER_BY_CODE[explanation.cause[longest]]
    tasks = np.stack([entry[counted], explanation.blocking[counted]], axis=1)
    return BlockerWaits(
        explanation.start[first],
        explanation.end[last],
        np.bincount(entry[counted], length[counted], len(first)).astype(np.int64),
        explanation.cause[longest],
        np.where(has_blocker, explanation.blocking[longest], ABSENT),
        np.bincount(np.unique(tasks, axis=0)[:, 0], minlength=len(first)),
        explanation.gap[first],
        np.searchsorted(first, explanation.lane_first),
    )
