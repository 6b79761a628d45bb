"""The costs that a run leaves for other predictions, and what they are costs of."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from core.costs.costs import CostModel
from core.costs.costs_file import reported_costs
from core.plan.division import Stage
from core.predict.compare import CostSource, costs_of_step, known_costs
from core.predict.replan import RunPlans
from core.trace.complete import completed_steps
from core.trace.source import Source
from core.trace.step import StepColumns
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class RunCosts:
    """What a run's tasks cost, how that is known, and the stages that it is known for.

    There are no stages where costs are by block, or the run's plan cannot be made again. `step_ns`
    is what the run's median step took.
    """

    costs: CostModel
    source: CostSource
    stages: tuple[Stage, ...]
    step_ns: int


def run_costs(trace: Trace) -> RunCosts | None:
    """The costs of a run as they are known best; None of one that has no whole step, or never ran.

    Measured beforehand, of the model's blocks in micro-batches of several sizes, else of the run's
    own tasks; else of a later warm-up step than the first; else of the last measured one.
    """
    steps = completed_steps(trace)
    if trace.header.source is Source.PREDICTED or not steps:
        return None
    bounds = map(trace.step_bounds, steps)
    step_ns = statistics.median_low(end - start for start, end in bounds)
    by_size = reported_costs(trace.size_costs)
    if by_size is not None:
        return RunCosts(by_size, CostSource.BY_SIZE, (), step_ns)
    known = known_costs(trace)
    if known is None:
        columns = StepColumns.of_trace(trace, steps[-1])
        known = costs_of_step(columns, trace.header.lanes), CostSource.MEASURED
    plan = RunPlans(trace).plan(steps[-1])
    return RunCosts(*known, () if plan is None else plan.stages, step_ns)
