"""Idle time as intervals of one cause each, for pictures: blocking tasks are left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.explain.explanation import Explanation


@dataclass(frozen=True, slots=True)
class CauseIntervals:
    """The idle time of a step's compute lanes, by lane and then by time; columns of k entries.

    From `start` to `end` (ns) a lane is idle for one `cause` (index into CAUSES), as part of a
    `gap`. `lane_first[l] : lane_first[l + 1]` are the entries of lane l.
    """

    start: Ints
    end: Ints
    cause: NDArray[np.int8]
    gap: Ints
    lane_first: Ints

    def of_lane(self, lane: int) -> slice:
        """Return the positions of a lane's intervals."""
        first = int(self.lane_first[lane])
        last = int(self.lane_first[lane + 1])
        return slice(first, last)


def cause_intervals(explanation: Explanation) -> CauseIntervals:
    """Join neighbouring pieces of a gap that have the same cause, whatever their blocking tasks."""
    gap = explanation.gap
    cause = explanation.cause
    other_gap = gap[1:] != gap[:-1]
    other_cause = cause[1:] != cause[:-1]
    begins = np.ones(len(gap), np.bool_)
    begins[1:] = other_gap | other_cause
    first = np.flatnonzero(begins)
    # Without idle time there is one entry too many; the slice drops it.
    next_first = np.append(first[1:], len(gap))[: len(first)]
    return CauseIntervals(
        start=explanation.start[first],
        end=explanation.end[next_first - 1],
        cause=cause[first],
        gap=gap[first],
        lane_first=np.searchsorted(first, explanation.lane_first),
    )
