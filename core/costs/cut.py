"""Cuts of a model into stages: the cost of each lane's blocks, and balanced borders."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.costs.costs import CostModel, Curve, Curves
from core.costs.plan_times import predict_times
from core.models.description import ModelDescription
from core.plan.balance import (
    LEAST_GAIN,
    BlockCost,
    balanced_borders,
    cuts_backward,
    waiting_microbatches,
)
from core.plan.link import DEFAULT_LINK, read_link
from core.plan.pipeline.options import BORDERS, LANE_MEMORY
from core.plan.plan import Lane, Plan, Role
from core.plan.planning import plans_of
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.plan.task import Kind

FREE: Curves = (((1.0, 0.0),),)
"""The cost of a task that takes no time."""


@dataclass(frozen=True, slots=True)
class MeasuredBlocks:
    """Costs of a model's blocks, measured with micro-batches of `rows` rows."""

    costs: tuple[BlockCost, ...]
    rows: int

    def of_rows(self, rows: int) -> tuple[BlockCost, ...]:
        """Return the costs scaled to micro-batches of `rows` rows."""
        factor = rows / self.rows
        found: list[BlockCost] = []
        for cost in self.costs:
            scaled = replace(
                cost,
                forward_ns=round(factor * cost.forward_ns),
                backward_ns=round(factor * cost.backward_ns),
                input_ns=round(factor * cost.input_ns),
                weight_ns=round(factor * cost.weight_ns),
                saved_bytes=round(factor * cost.saved_bytes),
            )
            found.append(scaled)
        return tuple(found)

    def cost_model(self, specification: Specification, lanes: Sequence[Lane]) -> CostModel:
        """Return the costs of the passes of a run; the loss and the optimizer's step take no time.

        Transfers between virtual lanes take the time of the run's link, others take none.
        """
        link = None
        if lanes[0].is_virtual:
            link = read_link(specification.link or DEFAULT_LINK)
        transfer_ns = None if link else 0.0
        return CostModel(
            {
                Kind.FORWARD: self._curves(lambda cost: cost.forward_ns),
                Kind.BACKWARD: self._curves(lambda cost: cost.backward_ns),
                Kind.BACKWARD_INPUT: self._curves(lambda cost: cost.input_ns),
                Kind.BACKWARD_WEIGHT: self._curves(lambda cost: cost.weight_ns),
                Kind.LOSS: FREE,
                Kind.STEP: FREE,
            },
            link=link,
            transfer_ns=transfer_ns,
            by_rows=True,
            by_block=True,
        )

    def _curves(self, time: Callable[[BlockCost], int]) -> Curves:
        """Return a curve of one point for each block: `rows`, and the `time` of its cost in ns."""
        curves: list[Curve] = []
        for cost in self.costs:
            point = (float(self.rows), float(time(cost)))
            curves.append((point,))
        return tuple(curves)


@dataclass(frozen=True, slots=True)
class LaneSum:
    """Totals of a lane's stages: the time of one micro-batch, and the most bytes held at once.

    Both are None without measured costs.
    """

    lane: int
    stages: tuple[int, ...]
    parameters: int
    time_ns: int | None
    held_bytes: int | None


def takes_borders(specification: Specification) -> bool:
    """Return True if a run's strategy has the option `borders`."""
    return BORDERS in STRATEGIES[specification.strategy].options


def borders_of(plan: Plan) -> tuple[int, ...]:
    """Return the first block of each stage except the first."""
    return tuple(stage.first for stage in plan.stages[1:])


def moved(borders: Sequence[int], which: int, to: int, blocks: int) -> tuple[int, ...]:
    """Return borders with number `which` moved to block `to`, or as close as possible.

    Every stage keeps at least one of the model's `blocks` blocks.
    """
    edges = (0, *borders, blocks)
    # Border `which` is edge `which + 1`, so these are the edges on both sides of it.
    lowest = edges[which] + 1
    highest = edges[which + 2] - 1
    nearest = min(max(to, lowest), highest)
    return (*borders[:which], nearest, *borders[which + 1 :])


def lane_of_stage(plan: Plan) -> tuple[int, ...]:
    """Return the lane of each stage, in the first replica that has the stage."""
    lanes: dict[int, int] = {}
    for place in plan.placements:
        lanes.setdefault(place.stage, place.lane)
    return tuple(lanes[stage.index] for stage in plan.stages)


def lane_sums(
    plan: Plan, model: ModelDescription, costs: Sequence[BlockCost] = ()
) -> list[LaneSum]:
    """Return the totals of each compute lane's stages for a micro-batch of the size of `costs`.

    Without costs, times and bytes are unknown.
    """
    waiting = waiting_microbatches(plan)
    in_parts = cuts_backward(plan)
    sums: list[LaneSum] = []
    for lane in plan.lanes:
        if lane.role is not Role.COMPUTE:
            continue
        stages: list[int] = []
        parameters = 0
        time_ns = 0
        held_bytes = 0
        for place in plan.placements:
            if place.lane != lane.index:
                continue
            stages.append(place.stage)
            stage = plan.stages[place.stage]
            for block in range(stage.first, stage.last):
                parameters += model.blocks[block].parameter_count
                if costs:
                    cost = costs[block]
                    time_ns += cost.duration_ns(in_parts)
                    held_bytes += cost.kept_bytes
                    held_bytes += waiting[place.stage] * cost.saved_bytes
        if costs:
            lane_sum = LaneSum(
                lane=lane.index,
                stages=tuple(stages),
                parameters=parameters,
                time_ns=time_ns,
                held_bytes=held_bytes,
            )
        else:
            lane_sum = LaneSum(
                lane=lane.index,
                stages=tuple(stages),
                parameters=parameters,
                time_ns=None,
                held_bytes=None,
            )
        sums.append(lane_sum)
    return sums


def balanced(
    specification: Specification,
    model: ModelDescription,
    lanes: Sequence[Lane],
    measured: MeasuredBlocks,
) -> Specification:
    """Return the run with `borders` set so that measured times are balanced.

    The stages on one lane have equal shares of the lane's memory. The borders by parameters are
    kept if they are within it, unless the predicted step becomes faster by LEAST_GAIN: a faster
    slowest stage does not imply a faster step. Raises PlanError if no cut is within the memory.
    """
    original = specification.having(balance=False, lane_memory=None)
    original_plan = _largest_plan(original, model, lanes)
    costs = measured.of_rows(original_plan.parts[0].rows)
    memory_mb = specification[LANE_MEMORY]
    most_bytes = math.inf if memory_mb is None else 1e6 * memory_mb
    borders = balanced_borders(costs, original_plan, most_bytes)
    changed = _with_borders(original, borders)
    held_bytes = [total.held_bytes or 0 for total in lane_sums(original_plan, model, costs)]
    if max(held_bytes) > most_bytes:
        return changed
    prices = measured.cost_model(original, lanes)
    changed_plan = _largest_plan(changed, model, lanes)
    original_ns = predict_times(original_plan, prices).end.max()
    changed_ns = predict_times(changed_plan, prices).end.max()
    if changed_ns > (1 - LEAST_GAIN) * original_ns:
        return _with_borders(original, borders_of(original_plan))
    return changed


def _with_borders(specification: Specification, borders: Sequence[int]) -> Specification:
    """Return a run with its stages cut at `borders`, in place of its own stages.

    Without borders there is one stage, as the run's own settings ask for.
    """
    if not borders:
        return specification
    text = ",".join(map(str, borders))
    return specification.having(borders=text, stages=None)


def _largest_plan(
    specification: Specification, model: ModelDescription, lanes: Sequence[Lane]
) -> Plan:
    """Return the plan of the step with the most rows."""
    plans = plans_of(specification, model, list(lanes))
    most_rows = max(plans)
    return plans[most_rows]
