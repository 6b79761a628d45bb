"""What a recorded run measured of its model's blocks."""

from __future__ import annotations

from collections.abc import Sequence

from core.costs.cut import MeasuredBlocks
from core.plan.plan import Lane
from core.plan.specification import Specification
from core.predict.replan import RunPlans
from core.trace.trace import Trace


def measured_blocks(trace: Trace) -> MeasuredBlocks | None:
    """What a run measured of its blocks before it began, if it did."""
    costs, plan = trace.header.block_costs, RunPlans(trace).plan(0)
    # A recording's header is a file's: it may have costs of other blocks than its model's.
    if plan is None or not costs or len(costs) != len(trace.header.model.blocks):
        return None
    return MeasuredBlocks(costs, plan.parts[0].rows)


def is_of_model(trace: Trace, specification: Specification) -> bool:
    """Whether a run knows the blocks of the model that another one asks for."""
    header = trace.header
    if header.foreign or header.predicted:
        return False
    return header.specification.model.filled() == specification.model.filled()


def measures_for(trace: Trace, specification: Specification, lanes: Sequence[Lane]) -> bool:
    """Whether what a run measured of its blocks holds on such lanes, with such an optimizer."""
    header, lane = trace.header, lanes[0]
    return bool(
        header.block_costs
        and is_of_model(trace, specification)
        and header.specification.optimizer == specification.optimizer
        and (header.lanes[0].runs_on, header.lanes[0].cores) == (lane.runs_on, lane.cores)
    )
