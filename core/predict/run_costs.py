"""Costs of a run that predictions of other runs can use."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from core.costs.costs import CostModel
from core.costs.costs_file import reported_costs
from core.plan.division import Stage
from core.predict.compare import CostSource, known_costs
from core.predict.replan import RunPlans
from core.predict.step_costs import costs_of_step
from core.trace.complete import completed_steps
from core.trace.source import Source
from core.trace.step import StepColumns
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class RunCosts:
    """Costs of a run's tasks, their source, and the stages that they are for.

    `stages` is empty if the costs are by block, or if the run's plan cannot be rebuilt. `step_ns`
    is the length of the run's median step. `own` has the costs of the run's own tasks, from which a
    run with its settings is predicted everywhere; None if they were not measured separately.
    `has_faults` is True if `costs` were taken from steps with the run's injected faults, which a
    prediction must not add again.
    """

    costs: CostModel
    source: CostSource
    stages: tuple[Stage, ...]
    step_ns: int
    own: CostModel | None = None
    has_faults: bool = False


def run_costs(trace: Trace) -> RunCosts | None:
    """Return the best costs of a run; None for a prediction, and without a whole step.

    In this order: costs of the model's blocks for several sizes of micro-batches; costs of the
    run's tasks (core.predict.compare.known_costs); the durations in its last measured step.
    """
    steps = completed_steps(trace)
    if trace.header.source is Source.PREDICTED or not steps:
        return None
    lengths: list[int] = []
    for step in steps:
        start, end = trace.step_bounds(step)
        lengths.append(end - start)
    step_ns = statistics.median_low(lengths)
    by_size = reported_costs(trace.size_costs)
    known = known_costs(trace)
    # Steps of a warm-up contain the run's faults, which a prediction would add again.
    own = None
    if known is not None:
        known_model, known_source = known
        if known_source is not CostSource.WARMUP:
            own = known_model
    if by_size is not None:
        return RunCosts(
            costs=by_size,
            source=CostSource.BY_SIZE,
            stages=(),
            step_ns=step_ns,
            own=own,
        )
    if known is None:
        columns = StepColumns.of_trace(trace, steps[-1])
        known = costs_of_step(columns, trace.header.lanes), CostSource.MEASURED
    costs, source = known
    plan = RunPlans(trace).plan(steps[-1])
    stages = () if plan is None else plan.stages
    return RunCosts(
        costs=costs,
        source=source,
        stages=stages,
        step_ns=step_ns,
        own=own,
        has_faults=source in (CostSource.WARMUP, CostSource.MEASURED),
    )
