"""Figures of a step, run or predicted, which the summary and the window show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.arrays import Ints
from core.explain.arrivals import Arrivals, arrivals, sum_by_collective
from core.explain.bubble import Bubble, bubble_of, closed_form
from core.explain.causes import CAUSES
from core.explain.critical import critical_path, path_shares
from core.explain.explanation import Explanation, cause_totals
from core.plan.division import Pipeline
from core.predict.replan import RunPlans
from core.report.waterfall import waterfall


@dataclass(frozen=True, slots=True)
class StepFigures:
    """Figures of a step, or means of several; all names are keys of the summary.

    `idle_by_cause` has for every lane the ns of each cause, which add up to its idle time.
    `closed_form` is the formula's bubble as a fraction of the makespan, None without a formula.
    `ladder` and `critical_path` hold ns that add up to the makespan. `collectives` are those in
    which ranks met; for several steps they are sums, not means.
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
        """Makespan in ns: the sum of the ladder."""
        return sum(self.ladder.values())


def step_figures(
    explanation: Explanation,
    pipeline: Pipeline | None = None,
    costs: Ints | None = None,
    disagreement_ns: float = 0.0,
) -> StepFigures:
    """Sum up an explained step.

    `pipeline` has the numbers of its plan, for the closed form; `costs` (ns of each task,
    calibrated) let the ladder separate contention. The clocks of two lanes may disagree by
    `disagreement_ns`. A step that lacks spans is not analysed: its
    ladder has the single bar `incomplete`, and its bubbles are NaN.
    """
    columns = explanation.columns
    bubbles = Bubble(math.nan, math.nan)
    form = None
    bars = {"incomplete": explanation.makespan}
    collectives: tuple[Arrivals, ...] = ()
    if not explanation.fault:
        bubbles = bubble_of(columns, explanation.lanes, explanation.lengths)
        form = closed_form(columns, pipeline)
        bars = waterfall(explanation, costs)
        collectives = arrivals(explanation, disagreement_ns)
    shares = path_shares(critical_path(explanation))
    return StepFigures(
        idle_by_cause=_idle_by_cause(explanation),
        bubble_by_makespan=bubbles.by_makespan,
        bubble_by_lane_span=bubbles.by_lane_span,
        closed_form=form,
        ladder=bars,
        critical_path={str(share): ns for share, ns in shares.items()},
        collectives=collectives,
    )


def _idle_by_cause(explanation: Explanation) -> tuple[dict[str, int], ...]:
    """Return the idle ns of each lane by cause, without zeros."""
    found: list[dict[str, int]] = []
    for totals in cause_totals(explanation).tolist():
        of_lane: dict[str, int] = {}
        for cause, ns in zip(CAUSES, totals, strict=True):
            if ns:
                of_lane[str(cause)] = ns
        found.append(of_lane)
    return tuple(found)


def figures_of_step(plans: RunPlans, step: int, explanation: Explanation) -> StepFigures:
    """Sum up an explained step of a run with its plan and measured costs, as far as it has them."""
    plan = plans.plan(step)
    pipeline = plan.pipeline if plan is not None else None
    costs = plans.costs(step, explanation)
    return step_figures(
        explanation=explanation,
        pipeline=pipeline,
        costs=costs,
        disagreement_ns=plans.clock_disagreement_ns(step),
    )


def mean_figures(figures: Sequence[StepFigures]) -> StepFigures:
    """Return the means of the figures of one or more steps of a run.

    Ns are rounded so that ladder and path still add up to the mean makespan, rounded down. The
    closed form is None if a step has none.
    """
    count = len(figures)
    forms: list[float] = []
    collectives: list[Arrivals] = []
    for one in figures:
        collectives += one.collectives
        if one.closed_form is not None:
            forms.append(one.closed_form)
    closed_form = sum(forms) / count if len(forms) == count else None
    idle_of_lanes = zip(*(one.idle_by_cause for one in figures), strict=True)
    return StepFigures(
        idle_by_cause=tuple(_means(idle) for idle in idle_of_lanes),
        bubble_by_makespan=sum(one.bubble_by_makespan for one in figures) / count,
        bubble_by_lane_span=sum(one.bubble_by_lane_span for one in figures) / count,
        closed_form=closed_form,
        ladder=_means([one.ladder for one in figures]),
        critical_path=_means([one.critical_path for one in figures]),
        collectives=sum_by_collective(collectives),
    )


def _means(parts: Sequence[dict[str, int]]) -> dict[str, int]:
    """Return the mean of each name's ns; they add up to the mean of the sums, rounded down."""
    names: dict[str, None] = {}
    for part in parts:
        names.update(dict.fromkeys(part))
    means: dict[str, int] = {}
    before = 0
    total = 0
    for name in names:
        total += sum(part.get(name, 0) for part in parts)
        # Rounds the running total, because rounded parts would not add up.
        means[name] = total // len(parts) - before
        before += means[name]
    return means
