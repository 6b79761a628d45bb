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
    header = trace.header
    costs = header.block_costs
    plan = RunPlans(trace).plan(0)
    # A file's header may have costs of another number of blocks than its model has.
    if plan is None or not costs or len(costs) != len(header.model.blocks):
        return None
    return MeasuredBlocks(costs, plan.parts[0].rows)


def is_of_model(trace: Trace, specification: Specification) -> bool:
    """Return True if a run has the model of a specification."""
    header = trace.header
    if header.source is not Source.RUN:
        return False
    return header.specification.model.filled() == specification.model.filled()


def measures_for(trace: Trace, specification: Specification, lanes: Sequence[Lane]) -> bool:
    """Return True if a run measured the specification's blocks and optimizer on such lanes."""
    header = trace.header
    if not header.block_costs or not is_of_model(trace, specification):
        return False
    measured = header.lanes[0]
    wanted = lanes[0]
    same_optimizer = header.specification.optimizer == specification.optimizer
    same_hardware = (measured.runs_on, measured.cores) == (wanted.runs_on, wanted.cores)
    return same_optimizer and same_hardware
