"""What a step comes to, run or predicted: the figures that a summary and the window show of it."""

from __future__ import annotations

from dataclasses import dataclass

from core.explain.bubble import bubble, closed_form
from core.explain.causes import CAUSES, Explanation, cause_totals
from core.explain.critical import critical_path, path_shares
from core.explain.ladder import ladder
from core.plan.task import Pipeline


@dataclass(frozen=True, slots=True)
class StepFigures:
    """Figures of a step; all names are keys of the summary.

    `idle_by_cause` has for every lane the ns of each cause that there is; they add up to its idle
    time. `closed_form` is the formula's bubble as a fraction of the makespan, None where there is
    none. `ladder` and `critical_path` hold ns that add up to the makespan.
    """

    idle_by_cause: tuple[dict[str, int], ...]
    bubble_by_makespan: float
    bubble_by_lane_span: float
    closed_form: float | None
    ladder: dict[str, int]
    critical_path: dict[str, int]


def step_figures(explanation: Explanation, pipeline: Pipeline | None = None) -> StepFigures:
    """Sum up an explained step; `pipeline` are the numbers of its plan, for the closed form."""
    bubbles = bubble(explanation)
    form = closed_form(explanation.columns, pipeline)
    return StepFigures(
        tuple(
            {str(cause): int(ns) for cause, ns in zip(CAUSES, row, strict=True) if ns}
            for row in cause_totals(explanation)
        ),
        bubbles.by_makespan,
        bubbles.by_lane_span,
        form.fraction if form is not None else None,
        ladder(explanation).rungs,
        {str(share): ns for share, ns in path_shares(critical_path(explanation)).items()},
    )
