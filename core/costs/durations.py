"""Durations of a step's tasks, from their costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Floats, Ints
from core.costs.costs import (
    CostError,
    CostModel,
    Curve,
    ReadCurve,
    cost_at,
    cost_name,
    is_constant,
)
from core.message import counted, message
from core.plan.division import Stage
from core.plan.plan import Lane, Role
from core.plan.task import (
    ABSENT,
    ENTERS,
    IS_COLLECTIVE,
    IS_COMMUNICATION,
    KIND_CODES,
    KINDS,
    Kind,
    TaskColumns,
    among,
)
from core.plan.transfers import links_of

MOST_NS = 2.0**62  # of all tasks of a step: times are whole ns of 64 bits
NS_PER_YEAR = 365.25 * 24 * 3600 * 1e9
_MAKES_GRADIENTS = among(Kind.BACKWARD, Kind.BACKWARD_WEIGHT, Kind.OVERLAP)
_BACKWARD_PARTS = (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)


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


class _CostInput(NamedTuple):
    """The values that determine a task's cost; absent numbers are -1.

    `further` is 1 for a backward that adds to gradients of an earlier micro-batch, else 0.
    """

    kind: int
    stage: int
    block: int
    paired_stage: int
    further: int
    microbatch: int
    paired_microbatch: int
    size: int
    paired_size: int
    bytes: int


def durations(
    columns: TaskColumns,
    costs: CostModel,
    stages: Sequence[Stage] = (),
    lanes: Sequence[Lane] = (),
    read: ReadCurve | None = None,
) -> Ints:
    """Return the time in ns of each task of a step, shape (n,); see `task_costs`."""
    return task_costs(columns, costs, stages, lanes, read).ns


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
    stage_count = max(len(stages), int(columns.stage.max()) + 1)
    block_count = int(columns.block.max()) + 1
    members = _members(columns)
    price = _Price(costs, stages, stage_count, block_count, members, read or cost_at)
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
        factors[(columns.lane == lane) & computes] = factor
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
        sizes, which = np.unique(columns.bytes[links.task[chosen]], return_inverse=True)
        of_size = [cost_at(curve, max(1, size)) for size in sizes.tolist()]
        at_points = [_is_point(curve, max(1, size)) for size in sizes.tolist()]
        each[chosen] = np.array(of_size, np.float64)[which]
        is_known[chosen] = np.array(at_points, np.bool_)[which]
    count = len(columns)
    used = np.bincount(links.task, minlength=count)
    mean = np.bincount(links.task, each, count) / np.maximum(1, used)
    unknown = np.bincount(links.task, ~is_known, count)
    is_moved = (used > 0) & ~IS_COLLECTIVE[columns.kind]
    return np.where(is_moved, mean, times), np.where(is_moved, unknown == 0, measured)


def _is_point(curve: Curve, size: float) -> bool:
    """Return True if a curve has a point at a size, or does not depend on the size."""
    return is_constant(curve) or any(at == size for at, _ in curve)


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


def _cost_inputs(columns: TaskColumns, costs: CostModel) -> tuple[list[_CostInput], Ints]:
    """Return the distinct inputs of the costs of n tasks, and each task's index among them."""
    if costs.by_rows:
        sizes, paired = columns.rows, columns.paired_rows
    else:
        sizes = paired = _microbatches(columns)
    further = _adds_gradients(columns) if costs.further else np.zeros(len(columns), np.int8)
    microbatch, paired_microbatch = columns.microbatch, columns.paired_microbatch
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
    inputs = [_CostInput(*row) for row in zip(*values, strict=True)]
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


class _Price:
    """Computes the costs in ns of the tasks of one step.

    `is_measured` says how the last computed cost is known; see TaskCosts.
    """

    def __init__(
        self,
        costs: CostModel,
        stages: Sequence[Stage],
        count: int,
        blocks: int,
        members: int,
        read: ReadCurve,
    ) -> None:
        self._costs = costs
        self._stages = stages
        self._evaluate = read
        self._count = max(1, count)
        self._blocks = blocks
        self._members = max(1, members)
        self.is_measured = True

    def of(self, task: _CostInput) -> float:
        """Return the cost in ns of a task with these values. Raises CostError."""
        self.is_measured = True
        kind = KINDS[task.kind]
        further = bool(task.further)
        if kind.is_communication:
            return self._transfer(kind, task.bytes)
        if kind is Kind.STEP:
            return self._pass(kind, task.stage, task.block, 1)
        factor = self._factor(task.microbatch)
        if kind is Kind.OVERLAP:
            forward = self._pass(Kind.FORWARD, task.stage, task.block, task.size)
            backward = self._backward(task.paired_stage, ABSENT, task.paired_size, further)
            return factor * forward + self._factor(task.paired_microbatch) * backward
        if kind is Kind.BACKWARD:
            return factor * self._backward(task.stage, task.block, task.size, further)
        return factor * self._pass(kind, task.stage, task.block, task.size, further)

    def _factor(self, microbatch: int) -> float:
        """Return the factor of a micro-batch; the mean if a task covers all of them."""
        factors = self._costs.microbatch_factors
        if not factors:
            return 1.0
        if microbatch == ABSENT:
            self.is_measured = False
            return sum(factors) / len(factors)
        return factors[microbatch]

    def _read(self, curve: Curve, size: float) -> float:
        if size and not _is_point(curve, size):
            self.is_measured = False
        return self._evaluate(curve, size)

    def _backward(self, stage: int, block: int, size: int, further: bool) -> float:
        if Kind.BACKWARD in self._costs.passes:
            return self._pass(Kind.BACKWARD, stage, block, size, further)
        # Only the parts are known: a full backward takes about as long as both together.
        of_input = self._pass(Kind.BACKWARD_INPUT, stage, block, size, further)
        of_weight = self._pass(Kind.BACKWARD_WEIGHT, stage, block, size, further)
        return of_input + of_weight

    def _pass(self, kind: Kind, stage: int, block: int, size: int, further: bool = False) -> float:
        curves = self._costs.passes.get(kind)
        if curves is None:
            raise CostError(
                message("the costs have no {cost}, which the plan needs", cost=cost_name(kind))
            )
        if further:
            curves = self._costs.further.get(kind, curves)
        if kind is Kind.LOSS:
            return self._read(curves[0], size)
        if self._costs.by_block:
            return self._pass_of_blocks(kind, curves, stage, block, size)
        total = 0.0
        for curve in self._of_stages(kind, curves, stage):
            total += self._read(curve, size)
        total *= self._part_of_stage(curves, stage)
        if block != ABSENT:
            self.is_measured = self.is_measured and self._blocks == 1
            total /= self._blocks
        return total + self._head(kind, stage, block, size)

    def _part_of_stage(self, curves: tuple[Curve, ...], stage: int) -> float:
        """Return the part of a curve's stage that one of the plan's stages has, 1 for all of it."""
        if len(curves) == 1 or stage == ABSENT or len(curves) == self._count:
            return 1.0
        self.is_measured = False
        return len(curves) / self._count

    def _head(self, kind: Kind, stage: int, block: int, size: int) -> float:
        """Return the ns that the model's head adds to a task; 0 if the task is without the head."""
        head = self._costs.head
        if not head or stage not in (ABSENT, self._count - 1):
            return 0.0
        if block not in (ABSENT, self._blocks - 1):
            return 0.0
        if kind in head:
            return self._read(head[kind], size)
        # Only the whole backward or only its parts may be known.
        if kind is Kind.BACKWARD:
            parts = [head[part] for part in _BACKWARD_PARTS if part in head]
            return sum(self._read(part, size) for part in parts)
        if kind in _BACKWARD_PARTS and Kind.BACKWARD in head:
            self.is_measured = False
            return self._read(head[Kind.BACKWARD], size) / len(_BACKWARD_PARTS)
        return 0.0

    def _pass_of_blocks(
        self, kind: Kind, curves: tuple[Curve, ...], stage: int, block: int, size: int
    ) -> float:
        """Return the cost in ns of a task through one block, a stage's blocks, or all blocks."""
        held = self._held(stage, block)
        if not size:
            return 0.0
        begins_with_data = self._costs.input_is_data and held[0][0] == 0
        if kind is Kind.BACKWARD_INPUT and begins_with_data:
            held = held[:1]
        of_blocks = self._of_each_block(kind, curves)
        joined = self._costs.joined.get(kind, 0.0)
        total = self._sum_at(of_blocks, held, size) - joined * (len(held) - 1)
        inputs = self._costs.passes.get(Kind.BACKWARD_INPUT)
        if kind is Kind.BACKWARD_WEIGHT and begins_with_data and inputs is not None:
            rest = held[1:]
            of_inputs = self._of_each_block(Kind.BACKWARD_INPUT, inputs)
            joined_inputs = self._costs.joined.get(Kind.BACKWARD_INPUT, 0.0)
            total += self._sum_at(of_inputs, rest, size)
            total -= joined_inputs * len(rest)
        factor = 1.0
        if any(share < 1 for _, share in held):
            self.is_measured = False
            factor = self._costs.divided.get(kind, 1.0)
        return factor * max(0.0, total)

    def _of_stages(self, kind: Kind, curves: tuple[Curve, ...], stage: int) -> Iterable[Curve]:
        """Return the curve of a stage; all curves if the task covers the whole model."""
        if len(curves) == 1:
            return curves
        cut = self._count // len(curves)
        is_cut = self._costs.head is not None and cut * len(curves) == self._count
        if len(curves) != self._count and not is_cut:
            raise CostError(
                counted(
                    "{cost} has {given} entries, but the plan has {n} stage; "
                    "use one for each, or one number for all",
                    "{cost} has {given} entries, but the plan has {n} stages; "
                    "use one for each, or one number for all",
                    self._count,
                    cost=cost_name(kind),
                    given=len(curves),
                )
            )
        return curves if stage == ABSENT else [curves[stage // cut]]

    def _sum_at(
        self, curves: Sequence[Curve], held: Sequence[tuple[int, float]], size: float
    ) -> float:
        """Return the sum of the costs in ns of `size` rows through each of the `held` blocks."""
        total = 0.0
        for block, share in held:
            # A fraction of a layer does as much arithmetic for all rows as the whole layer does
            # for the same fraction of the rows.
            total += self._read(curves[block], share * size)
        return total

    def _of_each_block(self, kind: Kind, curves: tuple[Curve, ...]) -> tuple[Curve, ...]:
        """Return a curve for each block of the model."""
        blocks = self._block_count
        if len(curves) == 1:
            return curves * blocks
        if len(curves) != blocks:
            raise CostError(
                counted(
                    "{cost} has {given} entries, but the model has {n} block",
                    "{cost} has {given} entries, but the model has {n} blocks",
                    blocks,
                    cost=cost_name(kind),
                    given=len(curves),
                )
            )
        return curves

    def _held(self, stage: int, block: int) -> Sequence[tuple[int, float]]:
        """Return the blocks that a task passes through, each with the fraction that it computes."""
        if block != ABSENT:
            return [(block, 1.0)]
        if stage == ABSENT or not self._stages:
            return [(index, 1.0) for index in range(self._block_count)]
        return self._stages[stage].held

    @property
    def _block_count(self) -> int:
        return self._stages[-1].last if self._stages else self._blocks

    def _transfer(self, kind: Kind, size: int) -> float:
        costs = self._costs
        if kind in costs.transfers:
            # Calibration records tasks without bytes at the size 1.
            curve = costs.transfers[kind]
            self.is_measured = _is_point(curve, max(1, size))
            return cost_at(curve, max(1, size))
        if size == 0 and not kind.is_collective:
            return 0.0  # rows that stay on their lane use no link
        if costs.link is not None:
            self.is_measured = False
            return costs.link.transfer_ns(kind, size, self._members)
        if costs.transfer_ns is None:
            raise CostError(
                message(
                    "the costs do not give the time of a {kind}; they need transfer_ms, or "
                    "link_latency_us and link_bandwidth_gb_s",
                    kind=str(kind),
                )
            )
        return costs.transfer_ns


def _microbatches(columns: TaskColumns) -> Ints:
    """Return how many micro-batches each pass covers: all of its replica's if it names none."""
    has_rows = columns.rows > 0
    sizes = has_rows.astype(np.int64)
    covers_all = has_rows & (columns.microbatch == ABSENT)
    if not covers_all.any():
        return sizes
    enters = ENTERS[columns.kind]
    entering = np.stack([columns.replica[enters], columns.microbatch[enters]]).astype(np.int64)
    replicas, _ = np.unique(entering, axis=1)
    for task in np.flatnonzero(covers_all).tolist():
        replica = columns.replica[task]
        mine = (replicas == replica) | (replica == ABSENT)
        sizes[task] = max(1, int(np.count_nonzero(mine)))
    return sizes
