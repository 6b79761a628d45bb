"""The bubble of a step by both definitions, and what the literature says that it should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.plan.division import Pipeline
from core.plan.plan import Lane, Role
from core.plan.schedules import SCHEDULES
from core.plan.task import KINDS, Kind
from core.trace.step import StepColumns


@dataclass(frozen=True, slots=True)
class Bubble:
    """The idle fraction, 0 to 1, of a step's compute lanes.

    `by_makespan`: their idle time over lanes times makespan. `by_lane_span`: of the lane whose own
    span (its first start to its last end) is longest, the idle part of that span; so the Zero
    Bubble paper (arXiv 2401.10241, section 5) counts. Idle is neither computing nor communicating.
    """

    by_makespan: float
    by_lane_span: float


def bubble_of(
    columns: StepColumns, every: Sequence[Lane], lengths: NDArray[np.int64] | None = None
) -> Bubble:
    """Return the bubble of a step, run or predicted, on `every` lane.

    The step lasts from its first start to its last end, or as many ns on each lane as `lengths`
    has for it.
    """
    begin = int(columns.start.min()) if len(columns) else 0
    finish = int(columns.end.max()) if len(columns) else 0
    lanes = [lane.index for lane in every if lane.role is Role.COMPUTE]
    count = len(every)
    worked = np.zeros(count, np.int64)
    np.add.at(worked, columns.lane, columns.duration)
    # The other way round, for lanes without tasks: they have a span below 0, and so never the
    # longest.
    first = np.full(count, finish)
    last = np.full(count, begin)
    np.minimum.at(first, columns.lane, columns.start)
    np.maximum.at(last, columns.lane, columns.end)
    whole = (finish - begin) * len(lanes) if lengths is None else int(lengths[lanes].sum())
    spans = last[lanes] - first[lanes]
    longest = int(np.argmax(spans)) if len(lanes) else 0
    span = int(spans[longest]) if len(lanes) else 0
    return Bubble(
        (whole - int(worked[lanes].sum())) / whole if whole else 0.0,
        (span - int(worked[lanes[longest]])) / span if span > 0 else 0.0,
    )


def closed_form(columns: StepColumns, pipeline: Pipeline | None) -> float | None:
    """The bubble by the schedule's formula, of the makespan, for the mean costs of the passes.

    None without a pipeline whose numbers the formulas go by, for a schedule that has no formula,
    outside the formula's domain, and for passes that took no time.
    """
    schedule = SCHEDULES.get(pipeline.schedule) if pipeline is not None else None
    if pipeline is None or schedule is None:
        return None
    means = _means(columns)
    forward, back, weight = (
        means[KINDS.index(kind)]
        for kind in (Kind.FORWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
    )
    # Without passes for the weights alone a backward is one pass: then that is what the formula's
    # backward costs, and nothing is left for W.
    if not weight:
        back = means[KINDS.index(Kind.BACKWARD)]
    if forward + back + weight == 0:
        return None
    return schedule.closed_form(
        pipeline.ranks, pipeline.microbatches, pipeline.chunks, forward, back, weight
    )


def _means(columns: StepColumns) -> list[float]:
    """The mean duration in ns of each of KINDS; 0 where there is none."""
    totals = np.bincount(columns.kind, columns.duration, len(KINDS))
    counts = np.bincount(columns.kind, minlength=len(KINDS))
    means: list[float] = (totals / np.maximum(1, counts)).tolist()
    return means
