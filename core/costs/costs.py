"""Costs: the time of each task from its kind, stage or block, rows and bytes."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.errors import PlanError
from core.message import counted, message
from core.plan.division import Stage
from core.plan.link import Link
from core.plan.task import (
    ABSENT,
    ENTERS,
    IS_COLLECTIVE,
    KIND_CODES,
    KINDS,
    Kind,
    TaskColumns,
    among,
)

Curve = tuple[tuple[float, float], ...]
"""Points (size, ns) with increasing sizes above 0. Costs between two points are interpolated;
outside they are proportional to the size, from the nearest point."""

ReadCurve = Callable[[Curve, float], float]
"""A function that returns the cost in ns of a size on a curve."""

STAGED = (Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT, Kind.STEP)
"""Kinds with costs by stage or block. A loss has one cost; an overlap has those of its halves."""

_MAKES_GRADIENTS = among(Kind.BACKWARD, Kind.BACKWARD_WEIGHT, Kind.OVERLAP)

MOST_PASSES = 20
"""The most passes over a step's tasks to measure their costs; a time limit may end it sooner."""
MOST_NS = 2.0**62  # of all tasks of a step: times are whole ns of 64 bits
NS_PER_YEAR = 365.25 * 24 * 3600 * 1e9


class CostError(PlanError):
    """Costs that cannot be read or that lack a task; the message names the value or kind."""


@dataclass(frozen=True, slots=True)
class CostModel:
    """Costs of the tasks of any plan.

    `passes` has curves for the known kinds of STAGED: one for each stage (with `by_block`, for each
    block), or a single one for all. The loss has one curve. Sizes are rows with `by_rows`;
    otherwise they are numbers of micro-batches, whose costs do not depend on their rows. The size
    of a step is 1.

    A full backward without a curve costs the sum of its two parts, and an overlap the sum of its
    forward and backward. A transfer costs its kind's curve over bytes in `transfers`; other kinds
    use `link`, or else take a constant `transfer_ns`.

    `further` has the backward passes of all micro-batches of a stage except the first, which add to
    existing gradients. Kinds that are absent cost the same for every micro-batch.

    With `by_block`, a curve is of a task through a single block. A task through several blocks
    costs their sum, minus `joined` ns for each block after the first: the cost of starting a task
    of this kind, independent of its rows. With `input_is_data` the first block's input needs no
    gradient, as in training. The backward-input of a stage that begins with this block then runs
    only that block's part; the gradients of its other blocks' inputs are computed in the
    backward-weight.

    A task with fractions of blocks costs as much as whole blocks with fewer rows and the same
    arithmetic, times the factor of its kind in `divided`.

    `scatter` is the relative scatter (0 to 1) of a pass's time between measurements.
    """

    passes: Mapping[Kind, tuple[Curve, ...]]
    transfers: Mapping[Kind, Curve] = field(default_factory=dict)
    link: Link | None = None
    transfer_ns: float | None = None
    by_rows: bool = False
    by_block: bool = False
    further: Mapping[Kind, tuple[Curve, ...]] = field(default_factory=dict)
    joined: Mapping[Kind, float] = field(default_factory=dict)
    divided: Mapping[Kind, float] = field(default_factory=dict)
    input_is_data: bool = False
    scatter: float = 0.0

    def over(self, link: Link) -> CostModel:
        """Return a copy in which every transfer uses `link`, without measured transfers."""
        return replace(self, link=link, transfer_ns=None, transfers={})


class _CostInput(NamedTuple):
    """The values that determine a task's cost; absent numbers are -1.

    `further` is 1 for a backward that adds to gradients of an earlier micro-batch, else 0.
    """

    kind: int
    stage: int
    block: int
    paired_stage: int
    further: int
    size: int
    paired_size: int
    bytes: int


def durations(
    columns: TaskColumns,
    costs: CostModel,
    stages: Sequence[Stage] = (),
    read: ReadCurve | None = None,
) -> Ints:
    """Return the time in ns of each task of a step, shape (n,).

    `stages` gives the blocks of each stage, for costs by block. Costs by stage are divided equally
    among the blocks if tasks are of blocks (ddp, fsdp). Passes without rows take no time. `read`
    evaluates the curves of passes, by default with `cost_at`. Raises CostError naming a missing
    cost.
    """
    if not len(columns):
        return np.zeros(0, np.int64)
    stage_count = max(len(stages), int(columns.stage.max()) + 1)
    block_count = int(columns.block.max()) + 1
    members = _members(columns)
    price = _Price(costs, stages, stage_count, block_count, members, read or cost_at)
    # Even plans of a hundred thousand tasks have only dozens of different costs: compute each once.
    inputs, which = _cost_inputs(columns, costs)
    prices = np.array([price.of(each) for each in inputs], np.float64)
    times = prices[which]
    total = times.sum()
    # `not <` instead of `>=`, to refuse NaN too.
    if not total < MOST_NS:
        raise CostError(
            message(
                "the tasks of a step would take {years:.2g} years together; use smaller costs",
                years=float(total / NS_PER_YEAR),
            )
        )
    return np.rint(times).astype(np.int64)


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
    code = np.zeros(len(columns), np.int64)
    small: list[NDArray[Any]] = [
        columns.kind,
        columns.stage,
        columns.block,
        columns.paired_stage,
        further,
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
    """Computes the costs in ns of the tasks of one step."""

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
        self._read = read
        self._count = max(1, count)
        self._blocks = blocks
        self._members = max(1, members)

    def of(self, task: _CostInput) -> float:
        """Return the cost in ns of a task with these values. Raises CostError."""
        kind = KINDS[task.kind]
        further = bool(task.further)
        if kind.is_communication:
            return self._transfer(kind, task.bytes)
        if kind is Kind.STEP:
            return self._pass(kind, task.stage, task.block, 1)
        if kind is Kind.OVERLAP:
            forward = self._pass(Kind.FORWARD, task.stage, task.block, task.size)
            backward = self._backward(task.paired_stage, ABSENT, task.paired_size, further)
            return forward + backward
        if kind is Kind.BACKWARD:
            return self._backward(task.stage, task.block, task.size, further)
        return self._pass(kind, task.stage, task.block, task.size, further)

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
        share = 1.0 if block == ABSENT else 1 / self._blocks
        total = 0.0
        for curve in self._of_stages(kind, curves, stage):
            total += self._read(curve, size)
        return share * total

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
            factor = self._costs.divided.get(kind, 1.0)
        return factor * max(0.0, total)

    def _of_stages(self, kind: Kind, curves: tuple[Curve, ...], stage: int) -> Iterable[Curve]:
        """Return the curve of a stage; all curves if the task covers the whole model."""
        if len(curves) == 1:
            return curves
        if len(curves) != self._count:
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
        return curves if stage == ABSENT else [curves[stage]]

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
            return cost_at(costs.transfers[kind], max(1, size))
        if size == 0 and not kind.is_collective:
            return 0.0  # rows that stay on their lane use no link
        if costs.link is not None:
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


def cost_name(kind: Kind) -> str:
    """Return the name of a kind's cost in files and messages: `backward_input_ms`."""
    return f"{kind.replace('-', '_')}_ms"


def further_name(kind: Kind) -> str:
    """Return the name of the costs of micro-batches after the first: `backward_further_ms`."""
    return f"{kind.replace('-', '_')}_further_ms"


def cost_at(curve: Curve, size: float) -> float:
    """Return the cost in ns of a size on a curve."""
    below, above = _neighbours(curve, size)
    if below is None or above is None:
        # Proportional, because extrapolating a line through two near points could go below 0.
        nearest, cost = below or above or (1.0, 0.0)
        return cost * size / nearest
    low, least = below
    high, most = above
    if low == high:
        return least
    return least + (most - least) * (size - low) / (high - low)


def least_cost_at(curve: Curve, size: float) -> float:
    """Return a lower bound in ns of the cost of a size.

    Assumes that with more rows the cost never falls, and the cost of a row never rises.
    """
    below, above = _neighbours(curve, size)
    least = 0.0
    if below is not None:
        least = below[1]
    if above is not None:
        in_proportion = above[1] * size / above[0]
        least = max(least, in_proportion)
    return min(cost_at(curve, size), least)


def most_cost_at(curve: Curve, size: float) -> float:
    """Return an upper bound in ns of the cost of a size; see `least_cost_at`."""
    below, above = _neighbours(curve, size)
    most = math.inf
    if above is not None:
        most = above[1]
    if below is not None:
        in_proportion = below[1] * size / below[0]
        most = min(most, in_proportion)
    return max(cost_at(curve, size), most)


def _neighbours(
    curve: Curve, size: float
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Return the nearest points below and above a size; the same point twice if it has the size."""
    at = bisect_left(curve, size, key=itemgetter(0))
    below = curve[at - 1] if at else None
    if at == len(curve):
        return below, None
    above = curve[at]
    if above[0] == size:
        return above, above
    return below, above


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
