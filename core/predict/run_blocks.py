"""Costs that a recorded run measured for the blocks of its model."""

from __future__ import annotations

from collections.abc import Sequence

from core.costs.cut import MeasuredBlocks
from core.plan.plan import Lane
from core.plan.specification import Specification
from core.predict.replan import RunPlans
from core.trace.source import Source
from core.trace.trace import Trace


def measured_blocks(trace: Trace) -> MeasuredBlocks | None:
    """Return the costs of blocks that a run measured before its first step; None if it did not."""
    costs, plan = trace.header.block_costs, RunPlans(trace).plan(0)
    # A recording's header is a file's: it may have costs of other blocks than its model's.
    if plan is None or not costs or len(costs) != len(trace.header.model.blocks):
        return None
    return MeasuredBlocks(costs, plan.parts[0].rows)


def is_of_model(trace: Trace, specification: Specification) -> bool:
    """Return True if a run has the model that a specification asks for."""
    header = trace.header
    if header.source is not Source.RUN:
        return False
    return header.specification.model.filled() == specification.model.filled()


def measures_for(trace: Trace, specification: Specification, lanes: Sequence[Lane]) -> bool:
    """Return True if the blocks were measured on such lanes, for the model and optimizer asked."""
    header, lane = trace.header, lanes[0]
    return bool(
        header.block_costs
        and is_of_model(trace, specification)
        and header.specification.optimizer == specification.optimizer
        and (header.lanes[0].runs_on, header.lanes[0].cores) == (lane.runs_on, lane.cores)
    )
