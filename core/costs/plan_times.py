"""Predicted times of a plan's tasks from their costs."""

from __future__ import annotations

from core.costs.costs import CostModel
from core.costs.durations import durations, gaps
from core.costs.meetings import meeting
from core.costs.simulate import simulate
from core.plan.faults import NO_FAULTS, Faults
from core.plan.plan import Plan
from core.trace.step import StepColumns


def predict_times(
    plan: Plan, costs: CostModel, faults: Faults = NO_FAULTS, step: int = 0
) -> StepColumns:
    """Return the tasks of `plan` with their starts and ends in ns, from 0 on.

    `faults` lengthen tasks as in step number `step` of a recording. Raises CostError if the costs
    do not cover a task of the plan.
    """
    columns = StepColumns.of_plan(plan)
    without_faults = durations(columns, costs, plan.stages, plan.lanes)
    times = faults.durations(columns, plan.lanes, step, without_faults)
    return simulate(columns, times, meeting(columns, plan.lanes), gaps(columns, costs))
