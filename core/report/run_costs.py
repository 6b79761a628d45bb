"""The costs that a run leaves for other predictions, and what they are costs of."""

from __future__ import annotations

from dataclasses import dataclass

from core.plan.division import Stage
from core.predict.compare import CostSource, costs_of_step, known_costs
from core.predict.costs import CostModel
from core.report.replan import RunPlans
from core.trace.complete import completed_steps
from core.trace.step import StepColumns
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class RunCosts:
    """What a run's tasks cost, how that is known, and the stages that it is known for.

    There are no stages where the run's plan cannot be made again.
    """

    costs: CostModel
    source: CostSource
    stages: tuple[Stage, ...]


def run_costs(trace: Trace) -> RunCosts | None:
    """The costs of a run as they are known best; None of one that has no whole step, or never ran.

    Measured beforehand; else of a later warm-up step than the first; else of the last measured one.
    """
    steps = completed_steps(trace)
    if trace.header.predicted or not steps:
        return None
    known = known_costs(trace)
    if known is None:
        columns = StepColumns.of_trace(trace, steps[-1])
        known = costs_of_step(columns, trace.header.lanes), CostSource.MEASURED
    plan = RunPlans(trace).plan(steps[-1])
    return RunCosts(*known, () if plan is None else plan.stages)
