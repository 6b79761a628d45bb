"""Bubble of a step by both definitions, and by the closed form of its schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Ints
from core.plan.division import Pipeline
from core.plan.plan import Lane, Role, lane_indices
from core.plan.schedules import SCHEDULES
from core.plan.task import KINDS, Kind
from core.trace.step import StepColumns


@dataclass(frozen=True, slots=True)
class Bubble:
    """Idle fraction, 0 to 1, of a step's compute lanes by two definitions.

    `by_makespan` is the idle time of all compute lanes over lanes times makespan. `by_lane_span` is
    the idle part of the longest lane span (first start to last end on a lane), as the Zero Bubble
    paper defines it (arXiv 2401.10241, section 5). Idle means neither computing nor communicating.
    """

    by_makespan: float
    by_lane_span: float


def bubble_of(columns: StepColumns, every: Sequence[Lane], lengths: Ints | None = None) -> Bubble:
    """Return the bubble of a step, run or predicted, on all its lanes.

    The step lasts from its first start to its last end, or for the ns of `lengths` on each lane.
    """
    lanes = lane_indices(every, Role.COMPUTE)
    begin = 0
    finish = 0
    if len(columns):
        begin = int(columns.start.min())
        finish = int(columns.end.max())
    worked = np.zeros(len(every), np.int64)
    np.add.at(worked, columns.lane, columns.duration)
    # Reversed initial values: a lane without tasks has a negative span, which is never the longest.
    first = np.full(len(every), finish)
    last = np.full(len(every), begin)
    np.minimum.at(first, columns.lane, columns.start)
    np.maximum.at(last, columns.lane, columns.end)
    whole = (finish - begin) * len(lanes)
    if lengths is not None:
        whole = int(lengths[lanes].sum())
    longest_span = 0
    its_work = 0
    for lane in lanes:
        span = int(last[lane] - first[lane])
        if span > longest_span:
            longest_span = span
            its_work = int(worked[lane])
    work_of_lanes = int(worked[lanes].sum())
    return Bubble(
        by_makespan=_idle_fraction(work_of_lanes, whole),
        by_lane_span=_idle_fraction(its_work, longest_span),
    )


def _idle_fraction(worked: int, whole: int) -> float:
    if whole <= 0:
        return 0.0
    return (whole - worked) / whole


def closed_form(columns: StepColumns, pipeline: Pipeline | None) -> float | None:
    """Return the schedule's formula for the bubble by makespan, at the mean costs of the passes.

    None without a pipeline, for a schedule without a formula, outside the formula's domain, and if
    the passes took no time. The formulas and their sources are in core.plan.schedules.
    """
    if pipeline is None:
        return None
    schedule = SCHEDULES.get(pipeline.schedule)
    if schedule is None:
        return None
    means = _means(columns)
    forward = means[KINDS.index(Kind.FORWARD)]
    back = means[KINDS.index(Kind.BACKWARD_INPUT)]
    weight = means[KINDS.index(Kind.BACKWARD_WEIGHT)]
    # Schedules that do not split the backward pass have no W: the whole pass is the formula's B.
    if not weight:
        back = means[KINDS.index(Kind.BACKWARD)]
    if forward + back + weight == 0:
        return None
    return schedule.closed_form(
        ranks=pipeline.ranks,
        microbatches=pipeline.microbatches,
        chunks=pipeline.chunks,
        f=forward,
        b=back,
        w=weight,
    )


def _means(columns: StepColumns) -> list[float]:
    """Return the mean duration of each of KINDS in ns, 0 for kinds without tasks."""
    totals = np.bincount(columns.kind, columns.duration, len(KINDS))
    counts = np.bincount(columns.kind, minlength=len(KINDS))
    means = totals / np.maximum(1, counts)
    found: list[float] = means.tolist()
    return found
