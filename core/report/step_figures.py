"""What a step comes to, run or predicted: the figures that a summary and the window show of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.explain.arrivals import Arrivals, arrivals, sum_by_collective
from core.explain.bubble import Bubble, bubble_of, closed_form
from core.explain.causes import CAUSES, Explanation, cause_totals
from core.explain.critical import critical_path, path_shares
from core.plan.division import Pipeline
from core.predict.replan import RunPlans
from core.report.waterfall import waterfall


@dataclass(frozen=True, slots=True)
class StepFigures:
    """Figures of a step; all names are keys of the summary.

    `idle_by_cause` has for every lane the ns of each cause that there is; they add up to its idle
    time. `closed_form` is the formula's bubble as a fraction of the makespan, None where there is
    none. `ladder` and `critical_path` hold ns that add up to the makespan. `collectives` are those
    in which ranks met: of several steps the sums, where all else is a mean.
    """

    idle_by_cause: tuple[dict[str, int], ...]
    bubble_by_makespan: float
    bubble_by_lane_span: float
    closed_form: float | None
    ladder: dict[str, int]
    critical_path: dict[str, int]
    collectives: tuple[Arrivals, ...] = ()

    @property
    def makespan_ns(self) -> int:
        """What the bars of the ladder add up to."""
        return sum(self.ladder.values())


def step_figures(
    explanation: Explanation,
    pipeline: Pipeline | None = None,
    costs: NDArray[np.int64] | None = None,
) -> StepFigures:
    """Sum up an explained step.

    `pipeline` are the numbers of its plan, for the closed form; `costs` (ns of each task,
    calibrated) let the ladder tell contention from the rest. Of a step that lacks spans nothing is
    worked out: all of it is incomplete, and its bubbles are no numbers.
    """
    bubbles, form, bars = Bubble(math.nan, math.nan), None, {"incomplete": explanation.makespan}
    if not explanation.fault:
        bubbles = bubble_of(explanation.columns, explanation.lanes, explanation.lengths)
        form = closed_form(explanation.columns, pipeline)
        bars = waterfall(explanation, costs)
    return StepFigures(
        tuple(
            {str(cause): int(ns) for cause, ns in zip(CAUSES, row, strict=True) if ns}
            for row in cause_totals(explanation)
        ),
        bubbles.by_makespan,
        bubbles.by_lane_span,
        form,
        bars,
        {str(share): ns for share, ns in path_shares(critical_path(explanation)).items()},
        () if explanation.fault else arrivals(explanation),
    )


def figures_of_step(plans: RunPlans, step: int, explanation: Explanation) -> StepFigures:
    """Sum up an explained step of a run, with all that its plan and measured costs say."""
    plan = plans.plan(step)
    pipeline = plan.pipeline if plan is not None else None
    return step_figures(explanation, pipeline, plans.costs(step, explanation))


def mean_figures(figures: Sequence[StepFigures]) -> StepFigures:
    """The means of the figures of several steps of one run, at least one.

    Ns are rounded so that ladder and path still add up to one makespan, the mean one rounded down.
    A formula that not every step has is None.
    """
    count = len(figures)
    forms = [f.closed_form for f in figures if f.closed_form is not None]
    return StepFigures(
        tuple(_means(lane) for lane in zip(*(f.idle_by_cause for f in figures), strict=True)),
        sum(f.bubble_by_makespan for f in figures) / count,
        sum(f.bubble_by_lane_span for f in figures) / count,
        sum(forms) / count if len(forms) == count else None,
        _means([f.ladder for f in figures]),
        _means([f.critical_path for f in figures]),
        sum_by_collective(one for f in figures for one in f.collectives),
    )


def _means(parts: Sequence[dict[str, int]]) -> dict[str, int]:
    """The mean of each name's ns; they add up to the mean of the sums, rounded down."""
    means: dict[str, int] = {}
    before = total = 0
    for name in dict.fromkeys(name for part in parts for name in part):
        total += sum(part.get(name, 0) for part in parts)
        # The running total is rounded, not each part: roundings do not add up.
        means[name] = total // len(parts) - before
        before += means[name]
    return means
