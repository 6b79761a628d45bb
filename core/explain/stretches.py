"""Idle time in stretches of one cause, for pictures: who held a lane up is left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.explain.causes import Explanation


@dataclass(frozen=True, slots=True)
class Stretches:
    """The idle time of a step's compute lanes, by lane and then by time; columns of k entries.

    From `start` to `end` (ns) a lane is idle for one `cause` (index into CAUSES), as part of a
    `gap`. `lane_first[l] : lane_first[l + 1]` are lane l's.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    cause: NDArray[np.int8]
    gap: NDArray[np.int64]
    lane_first: NDArray[np.int64]

    def of_lane(self, lane: int) -> slice:
        """Where a lane's stretches stand."""
        return slice(int(self.lane_first[lane]), int(self.lane_first[lane + 1]))


def stretches(explanation: Explanation) -> Stretches:
    """Join neighbouring pieces of a gap that have the same cause, whatever their blocking tasks."""
    gap, cause = explanation.gap, explanation.cause
    begins = np.ones(len(gap), np.bool_)
    begins[1:] = (gap[1:] != gap[:-1]) | (cause[1:] != cause[:-1])
    first = np.flatnonzero(begins)
    # The slice is for a step without idle time.
    last = np.append(first[1:], len(gap))[: len(first)] - 1
    return Stretches(
        explanation.start[first],
        explanation.end[last],
        cause[first],
        gap[first],
        np.searchsorted(first, explanation.lane_first),
    )
