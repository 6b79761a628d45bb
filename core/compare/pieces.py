"""The spans or idle pieces that a row of differences sums up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.compare.differences import Difference, RowGroup
from core.explain.arrivals import waiting_ns
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import Explanation
from core.plan.plan import Role
from core.plan.task import KINDS, Kind
from core.trace.step import StepColumns


@dataclass(frozen=True, slots=True)
class RowPieces:
    """n pieces of time, sorted by lane and start: arrays of shape (n,), times in ns."""

    lane: NDArray[np.int32]
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.lane)


_NO_TIMES = np.empty(0, np.int64)
NO_PIECES = RowPieces(np.empty(0, np.int32), _NO_TIMES, _NO_TIMES)


def pieces_of(row: Difference, explanation: Explanation) -> RowPieces:
    """Return the pieces that a row sums up in an explained step of one of its two runs."""
    # Overlap is only a remainder and has no position in time.
    if row.group is RowGroup.OVERLAP:
        return NO_PIECES
    has_role = [lane.role is Role.COMPUTE for lane in explanation.lanes]
    compute = np.array(has_role, np.bool_)
    if row.place >= 0:
        compute_lanes = np.flatnonzero(compute)
        own = compute_lanes[row.place : row.place + 1]
    else:
        # OTHER_LANES has copy and communication lanes; other groups have compute lanes.
        is_own = compute
        if row.group is RowGroup.OTHER_LANES:
            is_own = ~compute
        own = np.flatnonzero(is_own)
    if row.group in (RowGroup.CAUSE, RowGroup.LANE_IDLE):
        times: Explanation | StepColumns = explanation
        chosen = np.isin(explanation.lane, own)
        if row.group is RowGroup.CAUSE:
            cause = CAUSES.index(Cause(row.name))
            chosen &= explanation.cause == cause
    else:
        times = explanation.columns
        chosen = np.isin(times.lane, own)
        if row.group is not RowGroup.LANE_WORK:
            kind = KINDS.index(Kind(row.name))
            chosen &= times.kind == kind
    starts = times.start
    if row.group is RowGroup.OTHER_LANES:
        # Nothing moves until all ranks have reached the collective (see `TimeTotals.other_lanes`).
        starts = starts + waiting_ns(explanation.columns, explanation.waits)
    lane = times.lane[chosen]
    start = starts[chosen]
    end = times.end[chosen]
    order = np.lexsort((start, lane))
    return RowPieces(lane[order], start[order], end[order])
