"""The spans or idle pieces that a row of differences sums up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.compare.differences import Difference, Group
from core.explain.arrivals import waiting_ns
from core.explain.causes import CAUSES, Cause, Explanation
from core.plan.plan import Role
from core.plan.task import KINDS, Kind
from core.trace.step import StepColumns


@dataclass(frozen=True, slots=True)
class Pieces:
    """n pieces of time, sorted by lane and start: arrays of shape (n,), times in ns."""

    lane: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lane)


NO_PIECES = Pieces(np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int64))


def pieces_of(row: Difference, explanation: Explanation) -> Pieces:
    """Return the pieces that a row sums up in an explained step of one of its two runs."""
    # Overlap is only a remainder and has no position in time.
    if row.group is Group.OVERLAP:
        return NO_PIECES
    lanes = explanation.lanes
    compute = np.array([lane.role is Role.COMPUTE for lane in lanes], np.bool_)
    if row.place >= 0:
        own = np.flatnonzero(compute)[row.place : row.place + 1]
    else:
        # Rows of Group.BESIDE are about copy and communication lanes, the others about compute.
        own = np.flatnonzero(compute != (row.group is Group.BESIDE))
    if row.group in (Group.CAUSE, Group.LANE_IDLE):
        times: Explanation | StepColumns = explanation
        chosen = np.isin(explanation.lane, own)
        if row.group is Group.CAUSE:
            chosen &= explanation.cause == CAUSES.index(Cause(row.name))
    else:
        times = explanation.columns
        chosen = np.isin(times.lane, own)
        if row.group is not Group.LANE_WORK:
            chosen &= times.kind == KINDS.index(Kind(row.name))
    starts = times.start
    if row.group is Group.BESIDE:
        # Nothing moves until all ranks have reached the collective (see `Spent.beside`).
        starts = starts + waiting_ns(explanation.columns, explanation.waits)
    lane, start, end = times.lane[chosen], starts[chosen], times.end[chosen]
    order = np.lexsort((start, lane))
    return Pieces(lane[order], start[order], end[order])
