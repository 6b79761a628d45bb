"""Prepares a run: turns a specification into all objects that the run needs, or refuses it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from core.costs.cut import MeasuredBlocks, balanced
from core.engine.hardware import rank_backend, versions
from core.engine.models.block_costs import block_costs
from core.engine.models.workload import Workload, build_workload, check_block_ties, check_ties
from core.engine.rank_models.model import rank_model
from core.errors import PlanError
from core.files import check_writable
from core.message import message
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
    """A run that is ready to start. `plans` maps each number of rows of a step to a plan.

    `nested` has the tasks of blocks in the same way, and is empty if blocks are not recorded.
    `workload` is None if other processes build it: on real lanes, for strategies that torch runs in
    ranks.
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
        """The plans; the plan of the first step is the first."""
        return list(self.plans.values())

    @property
    def backend(self) -> str:
        """The process-group backend for the ranks. Raises PlanError if there is none."""
        return rank_backend(self.lanes)


def prepare(specification: Specification, hardware: Hardware) -> Prepared:
    """Check a specification and build its plans and model. Raises PlanError if it is refused."""
    if specification.launcher == TORCHRUN:
        raise PlanError(
            message("--launcher torchrun: only `run` and the window start it, one job at a time")
        )
    if specification.gradients is not None:
        check_writable("--gradients", specification.gradients)
    workload = None

    def describe_model(filled: Specification) -> ModelDescription:
        nonlocal workload
        if not filled.own_model:
            # Built only after planning, which refuses models that are too large for the memory.
            return describe(filled)
        workload = build_workload(filled)
        return workload.description

    planned = plan_run(specification, hardware, describe_model)
    specification = planned.specification
    model = planned.model
    lanes = planned.lanes
    plans = planned.plans
    strategy = STRATEGIES[specification.strategy]
    if strategy.on_ranks and not lanes[0].is_virtual:
        rank_backend(lanes)  # refuses a run that could not start
    if workload is None and (not strategy.on_ranks or lanes[0].is_virtual):
        workload = build_workload(specification)
    costs = tuple[BlockCost, ...]()
    if specification[BALANCE]:
        assert workload is not None  # only plans on lanes cut a model into stages
        # The first plan, with equal parameters in all stages, defines the rows of a micro-batch.
        # With the measured costs of blocks the model is cut again, and the plans are made again.
        rows = next(iter(plans.values())).parts[0].rows
        costs = tuple(block_costs(workload, lanes[0], rows, specification.optimizer))
        specification = balanced(specification, model, lanes, MeasuredBlocks(costs, rows))
        plans = plans_of(specification, model, list(lanes))
    first = next(iter(plans.values()))
    if workload is not None:
        _check_workload(workload, strategy, first)
    nested: dict[int, Nested] = {}
    if specification.blocks and not strategy.on_ranks:
        nested = {count: nested_tasks(plan) for count, plan in plans.items()}
    block_lanes = nested_lanes(first.lanes) if nested else ()
    header = Header(
        specification,
        model,
        (*first.lanes, *block_lanes),
        replicas=first.replicas,
        origin_ns=time.perf_counter_ns(),
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        hardware=asdict(hardware),
        versions=versions(),
        block_costs=costs,
    )
    return Prepared(
        specification=specification,
        strategy=strategy,
        model=model,
        lanes=lanes,
        plans=plans,
        nested=nested,
        workload=workload,
        header=header,
    )


def _check_workload(workload: Workload, strategy: Strategy, plan: Plan) -> None:
    """Raise PlanError if the model cannot be divided as the plan requires."""
    check_ties(workload, plan.stages)
    if strategy.on_ranks:
        rank_model(strategy).check(workload)
        if plan.lanes[0].is_virtual:
            check_block_ties(workload)
