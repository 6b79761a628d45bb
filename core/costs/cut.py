"""Cuts of a model into stages: the cost of each lane's blocks, and balanced borders."""

from __future__ import annotations

import math
from collections import Counter
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


@dataclass(frozen=True, slots=True)
class MeasuredBlocks:
    """Measured costs of a model's blocks for micro-batches of `rows` rows."""

    costs: tuple[BlockCost, ...]
    rows: int

    def of_rows(self, rows: int) -> tuple[BlockCost, ...]:
        """Return the costs for micro-batches of `rows` rows, in proportion."""
        share = rows / self.rows
        found: list[BlockCost] = []
        for cost in self.costs:
            scaled = replace(
                cost,
                forward_ns=round(share * cost.forward_ns),
                backward_ns=round(share * cost.backward_ns),
                input_ns=round(share * cost.input_ns),
                weight_ns=round(share * cost.weight_ns),
                saved_bytes=round(share * cost.saved_bytes),
            )
            found.append(scaled)
        return tuple(found)

    def cost_model(self, specification: Specification, lanes: Sequence[Lane]) -> CostModel:
        """Return the costs of passes on a run's lanes; loss and optimizer step take no time.

        Transfers use the link of virtual lanes; between real lanes they take no time.
        """
        link = read_link(specification.link or DEFAULT_LINK) if lanes[0].is_virtual else None
        return CostModel(
            {
                Kind.FORWARD: self._curves(lambda cost: cost.forward_ns),
                Kind.BACKWARD: self._curves(lambda cost: cost.backward_ns),
                Kind.BACKWARD_INPUT: self._curves(lambda cost: cost.input_ns),
                Kind.BACKWARD_WEIGHT: self._curves(lambda cost: cost.weight_ns),
                Kind.LOSS: (((1.0, 0.0),),),
                Kind.STEP: (((1.0, 0.0),),),
            },
            link=link,
            transfer_ns=None if link else 0.0,
            by_rows=True,
            by_block=True,
        )

    def _curves(self, time: Callable[[BlockCost], int]) -> Curves:
        curves: list[Curve] = []
        for cost in self.costs:
            point = (float(self.rows), float(time(cost)))
            curves.append((point,))
        return tuple(curves)


@dataclass(frozen=True, slots=True)
class LaneSum:
    """Totals of a lane's stages: a micro-batch's time and the most bytes held; None if unknown."""

    lane: int
    stages: tuple[int, ...]
    parameters: int
    time_ns: int | None
    held_bytes: int | None


def takes_borders(specification: Specification) -> bool:
    """Return True if a run's strategy has an option for the borders of stages."""
    return BORDERS in STRATEGIES[specification.strategy].options


def borders_of(plan: Plan) -> tuple[int, ...]:
    """Return the first block of each stage but the first stage."""
    return tuple(stage.first for stage in plan.stages[1:])


def moved(borders: Sequence[int], which: int, to: int, blocks: int) -> tuple[int, ...]:
    """Return borders with one moved as close to `to` as possible; every stage keeps a block."""
    edges = (0, *borders, blocks)
    lowest = edges[which] + 1
    highest = edges[which + 2] - 1
    nearest = min(max(to, lowest), highest)
    return (*borders[:which], nearest, *borders[which + 1 :])


def lane_of_stage(plan: Plan) -> tuple[int, ...]:
    """Return the lane of each stage in the first replica that holds it."""
    found = dict[int, int]()
    for place in plan.placements:
        found.setdefault(place.stage, place.lane)
    return tuple(found[stage.index] for stage in plan.stages)


def lane_sums(
    plan: Plan, model: ModelDescription, costs: Sequence[BlockCost] = ()
) -> list[LaneSum]:
    """Return the totals of each compute lane's stages for a micro-batch of the size of `costs`."""
    waiting = waiting_microbatches(plan)
    in_parts = cuts_backward(plan)
    found = []
    for lane in plan.lanes:
        if lane.role is not Role.COMPUTE:
            continue
        stages = []
        parameters = time = held = 0
        for place in plan.placements:
            if place.lane != lane.index:
                continue
            stages.append(place.stage)
            stage = plan.stages[place.stage]
            for block in range(stage.first, stage.last):
                parameters += model.blocks[block].parameter_count
                if costs:
                    cost = costs[block]
                    time += cost.duration_ns(in_parts)
                    held += cost.kept_bytes + waiting[place.stage] * cost.saved_bytes
        if costs:
            found.append(LaneSum(lane.index, tuple(stages), parameters, time, held))
        else:
            found.append(LaneSum(lane.index, tuple(stages), parameters, None, None))
    return found


def balanced(
    specification: Specification,
    model: ModelDescription,
    lanes: Sequence[Lane],
    measured: MeasuredBlocks,
) -> Specification:
    """Return the run with `borders` set so that measured times are balanced.

    Each stage on a lane has an equal share of the lane's memory. The borders by parameters are kept
    unless the predicted step becomes faster by LEAST_GAIN: a faster slowest stage does not imply a
    faster step. Raises PlanError if no cut is within a lane's memory.
    """
    before = specification.having(balance=False, lane_memory=None)
    plan = _largest_plan(before, model, lanes)
    costs = measured.of_rows(plan.parts[0].rows)
    memory = specification[LANE_MEMORY]
    stages_of_lanes = Counter(place.lane for place in plan.placements)
    most = math.inf
    if memory is not None:
        most = 1e6 * memory / max(stages_of_lanes.values())
    found = _with_borders(before, balanced_borders(costs, plan, most))
    held = [total.held_bytes or 0 for total in lane_sums(plan, model, costs)]
    if max(held) > most:
        return found
    prices = measured.cost_model(before, lanes)
    balanced_plan = _largest_plan(found, model, lanes)
    now = predict_times(plan, prices).end.max()
    then = predict_times(balanced_plan, prices).end.max()
    if then > (1 - LEAST_GAIN) * now:
        return _with_borders(before, borders_of(plan))
    return found


def _with_borders(specification: Specification, borders: Sequence[int]) -> Specification:
    text = ",".join(map(str, borders))
    return specification.having(borders=text or None, stages=None)


def _largest_plan(
    specification: Specification, model: ModelDescription, lanes: Sequence[Lane]
) -> Plan:
    plans = plans_of(specification, model, list(lanes))
    return plans[max(plans)]
