"""Idle time in stretches of one cause, for pictures: who held a lane up is left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.explain.causes import CAUSES, Explanation


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
    """Neighbouring pieces of a gap of one cause as one, whichever their blocking tasks are."""
    gap, cause = explanation.gap, explanation.cause
    begins = np.ones(len(gap), np.bool_)
    begins[1:] = (gap[1:] != gap[:-1]) | (cause[1:] != cause[:-1])
    first = np.flatnonzero(begins)
    return _joined(explanation, first, cause[first])


def main_causes(explanation: Explanation) -> Stretches:
    """Every gap as one stretch, with the cause of most of it; of equals the first in CAUSES."""
    gaps, first, place = np.unique(explanation.gap, return_index=True, return_inverse=True)
    totals = np.zeros((len(gaps), len(CAUSES)), np.int64)
    length = explanation.end - explanation.start
    np.add.at(totals, (place, explanation.cause.astype(np.int64)), length)
    return _joined(explanation, first, totals.argmax(axis=1).astype(np.int8))


def _joined(
    explanation: Explanation, first: NDArray[np.int64], cause: NDArray[np.int8]
) -> Stretches:
    """Pieces joined to stretches: each begins with the piece `first` and has a `cause`."""
    # The slice is for a step without idle time.
    last = np.append(first[1:], len(explanation.gap))[: len(first)] - 1
    return Stretches(
        explanation.start[first],
        explanation.end[last],
        cause,
        explanation.gap[first],
        np.searchsorted(first, explanation.lane_first),
    )
