"""Reasons why the prediction of a run is far off."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from core.message import N_
from core.plan.plan import Role, lane_indices
from core.predict.compare import Comparison
from core.trace.trace import Trace

FAR = 0.25  # of the measured step
TINY_NS = 100_000  # the launch of a task takes about as long


class Doubt(StrEnum):
    """Reasons not to trust a prediction, as sentences."""

    SHARED = N_("It is off by more than a quarter: lanes share cores and slow each other down.")
    TINY = N_(
        "It is off by more than a quarter: these tasks are so short that launching them matters."
    )
    UNKNOWN = N_(
        "It is off by more than a quarter: the times of the tasks differ from their costs."
    )


def doubt(trace: Trace, comparison: Comparison) -> Doubt | None:
    """Return the reason why the prediction of a run is off by more than FAR; None if it is not."""
    if abs(comparison.makespan_error) <= FAR:
        return None
    lanes = [lane for lane in trace.header.lanes if lane.role is Role.COMPUTE]
    columns = comparison.steps[-1].columns
    indices = lane_indices(lanes)
    work = columns.duration[np.isin(columns.lane, indices)]
    if len(work) and np.median(work) < TINY_NS:
        return Doubt.TINY
    shared = any(lane.sharing and not lane.is_virtual for lane in lanes)
    return Doubt.SHARED if shared else Doubt.UNKNOWN
