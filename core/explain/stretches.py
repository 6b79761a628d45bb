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
    last = np.append(first[1:], len(gap)) - 1 if len(first) else first
    return Stretches(
        explanation.start[first],
        explanation.end[last],
        cause[first],
        gap[first],
        np.searchsorted(first, explanation.lane_first),
    )


def main_causes(explanation: Explanation) -> Stretches:
    """Every gap as one stretch, with the cause of most of it; of equals the first in CAUSES."""
    gaps, first = np.unique(explanation.gap, return_index=True)
    last = np.append(first[1:], len(explanation.gap)) - 1 if len(first) else first
    length = explanation.end - explanation.start
    totals = np.zeros((len(gaps), len(CAUSES)), np.int64)
    place = np.searchsorted(gaps, explanation.gap)
    np.add.at(totals, (place, explanation.cause.astype(np.int64)), length)
    return Stretches(
        explanation.start[first],
        explanation.end[last],
        totals.argmax(axis=1).astype(np.int8),
        gaps,
        np.searchsorted(first, explanation.lane_first),
    )
