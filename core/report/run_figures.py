"""Figures of a run for a comparison: those that the summary and the window show for its step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from core.errors import PlanError
from core.explain.balance import lane_balances
from core.explain.run_step import explain_run_step
from core.message import message
from core.plan.plan import lane_indices, working_lanes
from core.predict.replan import RunPlans
from core.report.step_figures import StepFigures, figures_of_step
from core.report.summary import rows_by_replica
from core.trace.median_step import median_step, whole_steps
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Figures of a step, or means of several steps.

    - `step_ns`: the makespan in ns
    - `bubble_by_makespan`, `bubble_by_lane_span`: fractions by both definitions
      (core.explain.bubble); NaN for an incomplete step
    - `closed_form`: the schedule's formula for the bubble by makespan; None if a step has none
    - `peak_bytes`: the most bytes that any lane held; None if memory was not recorded
    - `rows`: rows of the batch; None if they were not recorded
    - `row_tokens`: tokens in a row; None for models without sequences
    """

    step_ns: float
    bubble_by_makespan: float
    bubble_by_lane_span: float
    closed_form: float | None
    peak_bytes: int | None
    rows: float | None
    row_tokens: int | None = None

    @property
    def rows_a_second(self) -> float | None:
        """Rows of the batch over the makespan; None if they were not recorded."""
        if self.rows is None or not self.step_ns:
            return None
        return self.rows / self.step_ns * 1e9

    @property
    def tokens_a_second(self) -> float | None:
        """Tokens of the batch over the makespan; None for models without sequences."""
        rows = self.rows_a_second
        if rows is None or self.row_tokens is None:
            return None
        return rows * self.row_tokens


def run_figures(trace: Trace, steps: Sequence[int], figures: Sequence[StepFigures]) -> RunFigures:
    """Return the means over some of a run's steps, which have these `figures`; at least one."""
    lengths = []
    for step in steps:
        start, end = trace.step_bounds(step)
        lengths.append(end - start)
    forms = [one.closed_form for one in figures if one.closed_form is not None]
    lanes = lane_indices(working_lanes(trace.header.lanes))
    peaks = [balance.peak_bytes for balance in lane_balances(trace, lanes, steps)]
    rows = fmean(sum(rows_by_replica(trace, step)) for step in steps)
    header = trace.header
    # A mean over some of the steps would describe other steps than the bubble next to it.
    closed_form = fmean(forms) if len(forms) == len(figures) else None
    row_tokens = header.specification.row_tokens if header.source.has_plan else None
    return RunFigures(
        step_ns=fmean(lengths),
        bubble_by_makespan=fmean(one.bubble_by_makespan for one in figures),
        bubble_by_lane_span=fmean(one.bubble_by_lane_span for one in figures),
        closed_form=closed_form,
        peak_bytes=max(peaks, default=0) or None,
        rows=rows or None,
        row_tokens=row_tokens,
    )


def median_figures(trace: Trace, name: str) -> RunFigures:
    """Return the figures of a run's median step. Raises PlanError for a run without one."""
    steps = whole_steps(trace)
    if not steps or steps[0] < trace.header.specification.warmup:
        raise PlanError(message("{name} has no measured step", name=name))
    step = median_step(trace, steps)
    figures = figures_of_step(RunPlans(trace), step, explain_run_step(trace, step))
    return run_figures(trace, [step], [figures])
