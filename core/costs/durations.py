"""Durations of a step's tasks, from their costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Floats, Ints
from core.costs.costs import (
    CostError,
    CostModel,
    ReadCurve,
    cost_at,
)
from core.costs.covered import backward_passes, covered_microbatches
from core.costs.task_price import CostInput, TaskPrice, is_point
from core.message import counted, message
from core.plan.division import Stage
from core.plan.plan import Lane, Role
from core.plan.task import (
    ABSENT,
    IS_COLLECTIVE,
    IS_COMMUNICATION,
    KIND_CODES,
    Kind,
    TaskColumns,
    among,
)
from core.plan.transfers import links_of

MOST_NS = 2.0**62  # of all tasks of a step: times are whole ns of 64 bits
NS_PER_YEAR = 365.25 * 24 * 3600 * 1e9
_MAKES_GRADIENTS = among(Kind.BACKWARD, Kind.BACKWARD_WEIGHT, Kind.OVERLAP)


@dataclass(frozen=True, slots=True)
class TaskCosts:
    """Costs of the n tasks of a step; both arrays have shape (n,).

    `ns` is a task's duration, and `measured` is True if it follows from costs that are known for
    the same kind of task, the same stage or blocks, and the same size. It is False if a cost is
    interpolated or scaled to another size, if it is a part of a cost (a stage divided into chunks
    or blocks, a block divided among lanes), or if a model of the link gives it.
    """

    ns: Ints
    measured: Bools


def durations(
    columns: TaskColumns,
    costs: CostModel,
    stages: Sequence[Stage] = (),
    lanes: Sequence[Lane] = (),
    read: ReadCurve | None = None,
) -> Ints:
    """Return the time in ns of each task of a step, shape (n,); see `task_costs`."""
    return task_costs(
        columns=columns,
        costs=costs,
        stages=stages,
        lanes=lanes,
        read=read,
    ).ns


def task_costs(
    columns: TaskColumns,
    costs: CostModel,
    stages: Sequence[Stage] = (),
    lanes: Sequence[Lane] = (),
    read: ReadCurve | None = None,
) -> TaskCosts:
    """Return the costs of the tasks of a step.

    `stages` gives the blocks of each stage, for costs by block. `lanes` are all of the plan's, for
    costs by lane. Costs by stage are divided equally among the blocks if tasks are of blocks (ddp,
    fsdp). Passes without rows take no time. `read` evaluates the curves of passes, by default with
    `cost_at`. Raises CostError naming a missing cost, or costs of a lane or micro-batch that the
    step does not have.
    """
    if not len(columns):
        return TaskCosts(np.zeros(0, np.int64), np.zeros(0, np.bool_))
    _check_microbatches(columns, costs)
    stages_of_tasks = int(columns.stage.max()) + 1
    stage_count = max(len(stages), stages_of_tasks)
    block_count = int(columns.block.max()) + 1
    members = _members(columns)
    price = TaskPrice(
        costs=costs,
        stages=stages,
        count=stage_count,
        blocks=block_count,
        members=members,
        read=read or cost_at,
    )
    # Even plans of a hundred thousand tasks have only dozens of different costs: compute each once.
    inputs, which = _cost_inputs(columns, costs)
    prices: list[float] = []
    exact: list[bool] = []
    for each in inputs:
        prices.append(price.of(each))
        exact.append(price.is_measured)
    times = np.array(prices, np.float64)[which]
    measured = np.array(exact, np.bool_)[which]
    times *= _lane_factors(columns, costs, lanes)
    if costs.pairs:
        times, measured = _over_pairs(columns, costs, lanes, times, measured)
    total = times.sum() + costs.gap_ns * len(columns)
    # `not <` instead of `>=`, to refuse NaN too.
    if not total < MOST_NS:
        raise CostError(
            message(
                "the tasks of a step would take {years:.2g} years together; use smaller costs",
                years=float(total / NS_PER_YEAR),
            )
        )
    return TaskCosts(np.rint(times).astype(np.int64), measured)


def gaps(columns: TaskColumns, costs: CostModel) -> Ints:
    """Return the ns after each task in which its lane cannot start the next one, shape (n,)."""
    computes = ~IS_COMMUNICATION[columns.kind]
    return np.where(computes, round(costs.gap_ns), 0).astype(np.int64)


def _check_microbatches(columns: TaskColumns, costs: CostModel) -> None:
    """Raise CostError unless there is a factor for each micro-batch of a step, or none at all."""
    given = len(costs.microbatch_factors)
    count = int(columns.microbatch.max()) + 1
    if given and count not in (0, given):
        raise CostError(
            counted(
                "microbatch_factors has {given} entries, but the plan has {n} micro-batch; "
                "use one for each",
                "microbatch_factors has {given} entries, but the plan has {n} micro-batches; "
                "use one for each",
                count,
                given=given,
            )
        )


def _check_lane(name: str, lane: int, lanes: Sequence[Lane]) -> None:
    """Raise CostError if a cost names a compute lane that the plan does not have."""
    count = sum(each.role is Role.COMPUTE for each in lanes)
    if lane >= count:
        raise CostError(
            counted(
                "{name} has lane {lane}, but the plan has {n} lane, which is lane 0",
                "{name} has lane {lane}, but the plan has {n} lanes, from 0 to {last}",
                count,
                name=name,
                lane=lane,
                last=count - 1,
            )
        )


def _lane_factors(columns: TaskColumns, costs: CostModel, lanes: Sequence[Lane]) -> Floats:
    """Return the factor of each task's lane, shape (n,); 1 for transfers. Raises CostError."""
    factors = np.ones(len(columns))
    computes = ~IS_COMMUNICATION[columns.kind]
    for lane, factor in costs.lane_factors.items():
        _check_lane("lane_factors", lane, lanes)
        is_on_lane = columns.lane == lane
        factors[is_on_lane & computes] = factor
    return factors


def _over_pairs(
    columns: TaskColumns,
    costs: CostModel,
    lanes: Sequence[Lane],
    times: Floats,
    measured: Bools,
) -> tuple[Floats, Bools]:
    """Return the times and `measured` of tasks with the costs of transfers between lane pairs.

    A transfer over several links in turn takes the mean of what it would take over each, assuming
    that they carry equal amounts. Collectives are unchanged. Raises CostError.
    """
    links = links_of(columns, lanes)
    is_direct = ~IS_COLLECTIVE[columns.kind[links.task]]
    each = times[links.task]
    is_known = measured[links.task]
    for pair, curve in costs.pairs.items():
        _check_lane("pairs", max(pair), lanes)
        chosen = np.flatnonzero(links.over(pair) & is_direct)
        tasks = links.task[chosen]
        sizes, which = np.unique(columns.bytes[tasks], return_inverse=True)
        of_size: list[float] = []
        at_points: list[bool] = []
        for size in sizes.tolist():
            # Transfers without bytes have the size 1, as in calibration.
            known_size = max(1, size)
            of_size.append(cost_at(curve, known_size))
            at_points.append(is_point(curve, known_size))
        each[chosen] = np.array(of_size, np.float64)[which]
        is_known[chosen] = np.array(at_points, np.bool_)[which]
    count = len(columns)
    used = np.bincount(links.task, minlength=count)
    sums = np.bincount(links.task, each, count)
    mean = sums / np.maximum(1, used)
    unknown = np.bincount(links.task, ~is_known, count)
    is_moved = (used > 0) & ~IS_COLLECTIVE[columns.kind]
    times = np.where(is_moved, mean, times)
    measured = np.where(is_moved, unknown == 0, measured)
    return times, measured


def _members(columns: TaskColumns) -> int:
    """Return the number of members of a collective: replicas, or lanes that share a stage.

    Uses only the tasks, because recordings do not have shards.
    """
    replicas = int(columns.replica.max()) + 1
    is_shared = IS_COLLECTIVE[columns.kind] & (columns.stage != ABSENT)
    shared = np.flatnonzero(is_shared)
    if not len(shared):
        return replicas
    places = np.stack([columns.replica[shared], columns.stage[shared], columns.lane[shared]])
    distinct = np.unique(places, axis=1)
    # The number of lanes of each (replica, stage).
    _, lanes = np.unique(distinct[:2], axis=1, return_counts=True)
    return max(replicas, int(lanes.max()))


def _cost_inputs(columns: TaskColumns, costs: CostModel) -> tuple[list[CostInput], Ints]:
    """Return the distinct inputs of the costs of n tasks, and each task's index among them."""
    if costs.by_rows:
        sizes = columns.rows
        paired = columns.paired_rows
    else:
        sizes = paired = covered_microbatches(columns)
    further = np.zeros(len(columns), np.int8)
    if costs.further:
        further = _adds_gradients(columns)
    microbatch = columns.microbatch
    paired_microbatch = columns.paired_microbatch
    if not costs.microbatch_factors:
        # The number of a micro-batch does not matter.
        microbatch = paired_microbatch = np.full(len(columns), ABSENT, np.int32)
    code = np.zeros(len(columns), np.int64)
    small: list[NDArray[Any]] = [
        columns.kind,
        columns.stage,
        columns.block,
        columns.paired_stage,
        further,
        backward_passes(columns),
        microbatch,
        paired_microbatch,
    ]
    for column in small:
        if (column == column[0]).all():
            continue  # a constant column does not distinguish tasks
        # Mixed radix: a column has max + 2 values, from ABSENT (-1) to max.
        width = int(column.max()) + 2
        code = code * width + column + 1
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    large = [sizes, columns.bytes]
    if paired is not sizes:
        large.append(paired)
    for column in large:
        of_group = column[first]
        if (column != of_group[which]).any():  # rare: usually determined by the other columns
            each, place = np.unique(column, return_inverse=True)
            code = which * len(each) + place
            _, first, which = np.unique(code, return_index=True, return_inverse=True)
    values: list[list[int]] = []
    for column in (*small, sizes, paired, columns.bytes):
        values.append(column[first].tolist())
    inputs = [CostInput(*row) for row in zip(*values, strict=True)]
    return inputs, which


def _adds_gradients(columns: TaskColumns) -> NDArray[np.int8]:
    """Return 1 for each task that adds to the gradients of an earlier micro-batch, else 0."""
    makes = np.flatnonzero(_MAKES_GRADIENTS[columns.kind])
    overlaps = columns.kind[makes] == KIND_CODES[Kind.OVERLAP]
    stages = np.where(overlaps, columns.paired_stage[makes], columns.stage[makes])
    replicas = columns.replica[makes]
    shards = columns.shard[makes]
    places = np.stack([replicas, stages, shards, columns.block[makes]])
    # Each place is on one lane, whose tasks are in the order in which they run.
    _, first = np.unique(places, axis=1, return_index=True)
    found = np.zeros(len(columns), np.int8)
    found[makes] = 1
    found[makes[first]] = 0
    return found
