"""Measures the cost of each block of a model in micro-batches of several sizes.

The costs of a run apply to its own stages and its own size of micro-batches. They are of little use
for another strategy: a part of a task's cost does not depend on its rows, and some sizes suit the
processor better than others. Here the model is cut into one stage for each block, on one lane.
Three micro-batches pass through it: two with whole backward passes, of which the second adds to the
gradients of the first, and one with a split backward. At every size the model is also cut into two
stages, which shows the part of the cost that is paid once per task. That part depends on the size:
at the start of a task the processor's caches hold the data of another task.

Everything runs on copies of the modules, and the random state is restored. Short tasks are
rehearsed, as in the steps of a run.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from threading import Event

from core.costs.costs import STAGED, CostModel, Curve, Curves, cost_at
from core.costs.durations import durations
from core.engine.lanes.devices import kept_random_state
from core.engine.lanes.isolated import IsolatedLane
from core.engine.models.modules import Batch
from core.engine.models.workload import check_ties
from core.engine.prepare import Prepared
from core.engine.virtual.size_measurement import (
    ADDING,
    MedianTimes,
    PassTimes,
    SizeMeasurement,
    is_divided,
)
from core.errors import PlanError
from core.plan.division import Stage
from core.plan.plan import Plan
from core.plan.planning import job_of
from core.plan.strategies import STRATEGIES
from core.plan.task import Kind

MOST_PIECES = 64
"""The smallest size is the batch divided by this number: smaller sizes only have fixed costs."""


def block_costs_by_size(
    prepared: Prepared, isolated: IsolatedLane, stop: Event, batch: Batch, costs: CostModel
) -> CostModel | None:
    """Return the costs of the model by block and rows, with the transfers of `costs`.

    Takes about BUDGET_SECONDS, or longer if passes are long. Returns None if blocks share
    parameters, because such blocks cannot be measured separately. Raises RunStopped on request, or
    the exception of a task.
    """
    assert prepared.workload is not None
    blocks = len(prepared.model.blocks)
    fine = _stages(range(blocks + 1))
    try:
        check_ties(prepared.workload, fine)
    except PlanError:
        return None
    measurement = SizeMeasurement(prepared, batch, isolated, stop)
    batch_rows = len(batch[0])
    lane_rows = max(part.rows for part in prepared.plans[batch_rows].parts)
    sizes = sizes_of(batch_rows, len(prepared.lanes), lane_rows)
    with kept_random_state([isolated.device]):
        measurement.run(fine, _coarse(blocks), sizes)
        measured = _cost_model(measurement.times, blocks, costs)
        plan = divided_plan(prepared, batch_rows)
        if plan is None:
            return measured
        factors = _factors(measurement.divided_ns(plan), plan, measured)
        return replace(measured, divided=factors)


def sizes_of(batch: int, lanes: int, lane_rows: int) -> list[int]:
    """Return numbers of rows to measure, the most important first.

    These are `lane_rows`, the rows of a lane in this run; an equal part for each lane, and the
    batch, which several strategies need; then the halves of the batch, their halves and so on, by
    their distance from `lane_rows`.
    """
    least = max(1, batch // MOST_PIECES)
    halves = []
    size = batch
    while size >= least:
        halves.append(size)
        size //= 2

    def distance(size: int) -> float:
        return abs(math.log(size / lane_rows))

    nearest = sorted(halves, key=distance)
    even_rows = max(1, batch // lanes)
    sizes = [lane_rows, even_rows, batch, *nearest]
    return list(dict.fromkeys(sizes))


def divided_plan(prepared: Prepared, rows: int) -> Plan | None:
    """Return the plan of a strategy that divides blocks over lanes; None if none is possible."""
    for strategy in STRATEGIES.values():
        if strategy.options:
            continue
        specification = prepared.specification.having(strategy=strategy.name)
        job = job_of(specification, prepared.model, list(prepared.lanes), rows)
        try:
            plan = strategy.plan(job)
        except PlanError:
            continue
        if any(is_divided(stage) for stage in plan.stages):
            return plan
    return None


def _factors(taken: Mapping[Kind, float], plan: Plan, costs: CostModel) -> dict[Kind, float]:
    """Return, by kind, the measured time of divided passes relative to the time in `costs`."""
    expected: dict[Kind, float] = defaultdict(float)
    # Only passes are compared, and these costs may not contain the transfers of this plan.
    passes = replace(costs, transfers={}, link=None, transfer_ns=0.0)
    times = durations(plan.columns, passes, plan.stages)
    for task, ns in zip(plan.tasks, times.tolist(), strict=True):
        stage = plan.stages[task.place.stage]
        if task.kind in STAGED and task.shard == 0 and is_divided(stage):
            expected[task.kind] += ns
    factors: dict[Kind, float] = {}
    for kind, ns in expected.items():
        if ns:
            factors[kind] = taken[kind] / ns
    return factors


def _stages(borders: Iterable[int]) -> tuple[Stage, ...]:
    stages = []
    for index, (first, last) in enumerate(pairwise(borders)):
        stages.append(Stage(index, first, last))
    return tuple(stages)


def _coarse(blocks: int) -> tuple[Stage, ...]:
    """Return two stages, or one for a model of two blocks, so that the last has several blocks."""
    borders = [0, blocks]
    if blocks > 2:
        borders.insert(1, blocks // 2)
    return _stages(borders)


def _cost_model(times: PassTimes, blocks: int, costs: CostModel) -> CostModel:
    """Return the cost model of measured times: medians over rounds.

    The first backward for the weights is not measured. Its difference from later ones is assumed to
    be the same as for whole backward passes.
    """
    medians = {key: statistics.median(taken) for key, taken in times.items()}
    first: dict[Kind, Curves] = {}
    for kind in STAGED:
        first[kind] = _curves(medians, kind, False, blocks)
    first[Kind.LOSS] = _curves(medians, Kind.LOSS, False, blocks)[:1]
    further: dict[Kind, Curves] = {}
    for kind in ADDING:
        further[kind] = _curves(medians, kind, True, blocks)
    if further[Kind.BACKWARD]:
        curves_of_blocks = zip(
            further[Kind.BACKWARD_WEIGHT],
            first[Kind.BACKWARD],
            further[Kind.BACKWARD],
            strict=True,
        )
        weight_curves: list[Curve] = []
        for later_weight, first_whole, later_whole in curves_of_blocks:
            weight_curves.append(_shifted(later_weight, first_whole, later_whole))
        first[Kind.BACKWARD_WEIGHT] = tuple(weight_curves)
    return replace(
        costs,
        passes=_measured_kinds(first),
        by_rows=True,
        by_block=True,
        further=_measured_kinds(further),
        joined=_joined(medians, blocks),
        input_is_data=True,
        scatter=_scatter(times, blocks),
    )


def _measured_kinds(curves: Mapping[Kind, Curves]) -> dict[Kind, Curves]:
    """Return the kinds that have curves."""
    return {kind: of_blocks for kind, of_blocks in curves.items() if of_blocks}


def _curves(medians: MedianTimes, kind: Kind, adds: bool, blocks: int) -> Curves:
    """Return a curve for each block, from passes through single blocks; empty without any."""
    points: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for key, taken in medians.items():
        if (key.kind, key.adds, key.stages) == (kind, adds, blocks):
            points[key.stage].append((float(key.rows), taken))
    curves: list[Curve] = []
    for block in sorted(points):
        curves.append(tuple(sorted(points[block])))
    return tuple(curves)


def _shifted(curve: Curve, first: Curve, later: Curve) -> Curve:
    """Return a curve plus the difference of two others, at the sizes of the curve."""
    points = []
    for size, cost in curve:
        difference = cost_at(first, size) - cost_at(later, size)
        points.append((size, max(0.0, cost + difference)))
    return tuple(points)


def _joined(medians: MedianTimes, blocks: int) -> dict[Kind, Curve]:
    """Return the ns by which a task through several blocks is shorter than separate tasks.

    The savings are by kind and rows, for each block after the first, and are measured in the last
    stage of the coarse cut. A saving may be below 0: then the blocks of one task use up the caches
    that separate tasks find warm. A limit of 0 would also turn the scatter of measurements around 0
    into a saving.
    """
    last = _coarse(blocks)[-1]
    count = last.last - last.first
    saved: dict[Kind, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for key, taken in medians.items():
        # The loss always belongs to the whole model.
        if key.stages == blocks or key.kind is Kind.LOSS:
            continue
        if (key.stages, key.stage) == (last.index + 1, last.index):
            separate = 0.0
            for block, _ in last.held:
                of_block = key._replace(stage=block, stages=blocks)
                separate += medians[of_block]
            saved_per_block = (separate - taken) / (count - 1)
            saved[key.kind][float(key.rows)].append(saved_per_block)
    joined: dict[Kind, Curve] = {}
    for kind, by_rows in saved.items():
        points: list[tuple[float, float]] = []
        for rows in sorted(by_rows):
            points.append((rows, statistics.fmean(by_rows[rows])))
        joined[kind] = tuple(points)
    return joined


def _scatter(times: PassTimes, blocks: int) -> float:
    """Return half of the range of a size's total over rounds, relative to its median."""
    by_rows: dict[int, list[list[float]]] = defaultdict(list)
    for key, taken in times.items():
        if key.stages == blocks and key.kind is not Kind.STEP:
            by_rows[key.rows].append(taken)
    scatters: list[float] = []
    for rounds in by_rows.values():
        totals = [sum(taken) for taken in zip(*rounds, strict=True)]
        if len(totals) > 1:
            half_range = (max(totals) - min(totals)) / 2
            scatters.append(half_range / max(1.0, statistics.median(totals)))
    return statistics.median(scatters) if scatters else 0.0
