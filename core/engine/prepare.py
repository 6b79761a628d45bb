"""From a specification to everything that a run needs, or a refusal in one line."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from core.costs.cut import MeasuredBlocks, balanced
from core.engine.hardware import meeting_place, versions
from core.engine.models.block_costs import block_costs
from core.engine.models.workload import Workload, build_workload, check_block_ties, check_ties
from core.engine.rank_models.model import rank_model
from core.errors import PlanError
from core.files import check_writable
from core.models.description import ModelDescription
from core.plan.balance import BlockCost
from core.plan.devices import Hardware
from core.plan.nested import Nested, nested_lanes, nested_tasks
from core.plan.pipeline.options import BALANCE
from core.plan.plan import Lane, Plan, Strategy
from core.plan.planning import plan_run, plans_of
from core.plan.specification import TORCHRUN, Specification, describe
from core.plan.strategies import STRATEGIES
from core.trace.header import Header


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can begin. `plans` has a plan for every number of rows that a step has.

    `nested` has the blocks inside their tasks in the same way, and nothing where these are not
    recorded. `workload` is None where other processes build it: for strategies that torch runs in
    ranks, on real lanes.
    """

    specification: Specification
    strategy: Strategy
    model: ModelDescription
    lanes: tuple[Lane, ...]
    plans: dict[int, Plan]
    nested: dict[int, Nested]
    workload: Workload | None
    header: Header

    @property
    def plan_list(self) -> list[Plan]:
        """The plans, the first step's first."""
        return list(self.plans.values())

    @property
    def backend(self) -> str:
        """The process group that ranks meet in. Raises PlanError if there is none."""
        return meeting_place(self.lanes)


def prepare(specification: Specification, hardware: Hardware) -> Prepared:
    """Check, describe, plan and build. Raises PlanError in one line if something is wrong."""
    if specification.launcher == TORCHRUN:
        raise PlanError("--launcher torchrun: `run` and the window start it, one job at a time")
    if specification.gradients is not None:
        check_writable("--gradients", specification.gradients)
    workload = None

    def describe_model(filled: Specification) -> ModelDescription:
        nonlocal workload
        if not filled.own_model:
            # Not built yet: a model that memory has no room for is refused, not tried.
            return describe(filled)
        workload = build_workload(filled)
        return workload.description

    planned = plan_run(specification, hardware, describe_model)
    specification, model, lanes = planned.specification, planned.model, planned.lanes
    plans, strategy = planned.plans, STRATEGIES[specification.strategy]
    if strategy.on_ranks and not lanes[0].is_virtual:
        meeting_place(lanes)  # refuses now what could not begin
    if workload is None and (not strategy.on_ranks or lanes[0].is_virtual):
        workload = build_workload(specification)
    # The first plan, with equal parameters, says how many rows a micro-batch has; then blocks are
    # measured, the borders moved, and the plans made again.
    costs = tuple[BlockCost, ...]()
    if specification[BALANCE]:
        assert workload is not None  # only plans on lanes cut a model
        first = next(iter(plans.values()))
        costs = tuple(block_costs(workload, lanes[0], first.parts[0].rows, specification.optimizer))
        measured = MeasuredBlocks(costs, first.parts[0].rows)
        specification = balanced(specification, model, lanes, measured)
        plans = plans_of(specification, model, list(lanes))
    first = next(iter(plans.values()))
    if workload is not None:
        _check_workload(workload, strategy, first)
    nested = {}
    if specification.blocks and not strategy.on_ranks:
        nested = {rows: nested_tasks(plan) for rows, plan in plans.items()}
    header = Header(
        specification,
        model,
        (*first.lanes, *(nested_lanes(first.lanes) if nested else ())),
        replicas=first.replicas,
        origin_ns=time.perf_counter_ns(),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        hardware=asdict(hardware),
        versions=versions(),
        block_costs=costs,
    )
    return Prepared(specification, strategy, model, lanes, plans, nested, workload, header)


def _check_workload(workload: Workload, strategy: Strategy, plan: Plan) -> None:
    """Raise PlanError for a model that cannot be divided as its plan has it."""
    check_ties(workload, plan.stages)
    if strategy.on_ranks:
        rank_model(strategy).check(workload)
        if plan.lanes[0].is_virtual:
            check_block_ties(workload)
