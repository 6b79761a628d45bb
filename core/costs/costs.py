"""Costs: the time of each task from its kind, stage or block, rows and bytes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import PlanError
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


class _Where(NamedTuple):
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
) -> NDArray[np.int64]:
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
    groups, which = _cost_groups(columns, costs)
    times = np.array([price.of(where) for where in groups], np.float64)[which]
    # `not <` instead of `>=`, to refuse NaN too.
    if not times.sum() < MOST_NS:
        raise CostError(
            f"the tasks of a step would take {times.sum() / NS_PER_YEAR:.2g} years together; "
            "use smaller costs"
        )
    return np.rint(times).astype(np.int64)


def _members(columns: TaskColumns) -> int:
    """Return the number of members of a collective: replicas, or lanes that share a stage.

    Uses only the tasks, because recordings do not have shards.
    """
    replicas = int(columns.replica.max()) + 1
    shared = np.flatnonzero(IS_COLLECTIVE[columns.kind] & (columns.stage != ABSENT))
    if not len(shared):
        return replicas
    places = np.stack([columns.replica[shared], columns.stage[shared], columns.lane[shared]])
    # Unique (replica, stage, lane) triples, then the number of lanes of each (replica, stage).
    _, lanes = np.unique(np.unique(places, axis=1)[:2], axis=1, return_counts=True)
    return max(replicas, int(lanes.max()))


def _cost_groups(columns: TaskColumns, costs: CostModel) -> tuple[list[_Where], NDArray[np.int64]]:
    """Return the distinct inputs of the costs of n tasks, and each task's index among them."""
    sizes = columns.rows if costs.by_rows else _microbatches(columns)
    paired = columns.paired_rows if costs.by_rows else sizes
    further = _adds_gradients(columns) if costs.further else np.zeros(len(columns), np.int8)
    code = np.zeros(len(columns), np.int64)
    small: tuple[NDArray[Any], ...] = (columns.kind, columns.stage, columns.block)
    small += (columns.paired_stage, further)
    for column in small:
        if (column == column[0]).all():
            continue  # a constant column does not distinguish tasks
        # Mixed radix: a column has max + 2 values, from ABSENT (-1) to max.
        code = code * (int(column.max()) + 2) + column + 1
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    large = [sizes, columns.bytes]
    if paired is not sizes:
        large.append(paired)
    for column in large:
        if (column != column[first][which]).any():  # rare: usually determined by the other columns
            each, place = np.unique(column, return_inverse=True)
            code = which * len(each) + place
            _, first, which = np.unique(code, return_index=True, return_inverse=True)
    taken = (column[first].tolist() for column in (*small, sizes, paired, columns.bytes))
    rows = zip(*taken, strict=True)
    return [_Where(*row) for row in rows], which


def _adds_gradients(columns: TaskColumns) -> NDArray[np.int8]:
    """Return 1 for each task that adds to the gradients of an earlier micro-batch, else 0."""
    makes = np.flatnonzero(_MAKES_GRADIENTS[columns.kind])
    overlaps = columns.kind[makes] == KIND_CODES[Kind.OVERLAP]
    stages = np.where(overlaps, columns.paired_stage[makes], columns.stage[makes])
    replicas, shards = columns.replica[makes], columns.shard[makes]
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
        self._costs, self._stages, self._read = costs, stages, read
        self._count, self._blocks, self._members = max(1, count), blocks, max(1, members)

    def of(self, where: _Where) -> float:
        """Return the cost in ns of a task with these values. Raises CostError."""
        kind, further = KINDS[where.kind], bool(where.further)
        if kind.is_communication:
            return self._transfer(kind, where.bytes)
        if kind is Kind.STEP:
            return self._pass(kind, where.stage, where.block, 1)
        if kind is Kind.OVERLAP:
            forward = self._pass(Kind.FORWARD, where.stage, where.block, where.size)
            return forward + self._backward(where.paired_stage, ABSENT, where.paired_size, further)
        if kind is Kind.BACKWARD:
            return self._backward(where.stage, where.block, where.size, further)
        return self._pass(kind, where.stage, where.block, where.size, further)

    def _backward(self, stage: int, block: int, size: int, further: bool) -> float:
        if Kind.BACKWARD in self._costs.passes:
            return self._pass(Kind.BACKWARD, stage, block, size, further)
        # Only the parts are known: a full backward takes about as long as both together.
        parts = (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
        return sum(self._pass(part, stage, block, size, further) for part in parts)

    def _pass(self, kind: Kind, stage: int, block: int, size: int, further: bool = False) -> float:
        curves = self._costs.passes.get(kind)
        if curves is None:
            raise CostError(f"the costs have no {cost_name(kind)}, which the plan needs")
        if further:
            curves = self._costs.further.get(kind, curves)
        if kind is Kind.LOSS:
            return self._read(curves[0], size)
        if self._costs.by_block:
            return self._pass_of_blocks(kind, curves, stage, block, size)
        share = 1.0 if block == ABSENT else 1 / self._blocks
        stage_curves = self._of_stages(kind, curves, stage)
        return share * sum(self._read(curve, size) for curve in stage_curves)

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
        joined = self._costs.joined
        whole = self._each(kind, curves)
        total = self._sum_at(whole, held, size) - joined.get(kind, 0.0) * (len(held) - 1)
        inputs = self._costs.passes.get(Kind.BACKWARD_INPUT)
        if kind is Kind.BACKWARD_WEIGHT and begins_with_data and inputs is not None:
            rest = held[1:]
            total += self._sum_at(self._each(Kind.BACKWARD_INPUT, inputs), rest, size)
            total -= joined.get(Kind.BACKWARD_INPUT, 0.0) * len(rest)
        is_divided = any(share < 1 for _, share in held)
        factor = self._costs.divided.get(kind, 1.0) if is_divided else 1.0
        return factor * max(0.0, total)

    def _of_stages(self, kind: Kind, curves: tuple[Curve, ...], stage: int) -> Iterable[Curve]:
        """Return the curve of a stage; all curves if the task covers the whole model."""
        if len(curves) == 1:
            return curves
        if len(curves) != self._count:
            raise CostError(
                f"{cost_name(kind)} has {len(curves)} entries, but the plan has "
                f"{self._count} stages; use one for each, or one number for all"
            )
        return curves if stage == ABSENT else [curves[stage]]

    def _sum_at(
        self, curves: Sequence[Curve], held: Sequence[tuple[int, float]], size: float
    ) -> float:
        """Return the sum of the costs in ns of `size` rows through each of the `held` blocks."""
        # A fraction of a layer does as much arithmetic for all rows as the whole layer does for
        # the same fraction of the rows.
        return sum(self._read(curves[block], share * size) for block, share in held)

    def _each(self, kind: Kind, curves: tuple[Curve, ...]) -> tuple[Curve, ...]:
        """Return a curve for each block of the model."""
        blocks = self._block_count
        if len(curves) == 1:
            return curves * blocks
        if len(curves) != blocks:
            raise CostError(
                f"{cost_name(kind)} has {len(curves)} entries, but the model has {blocks} blocks"
            )
        return curves

    def _held(self, stage: int, block: int) -> Sequence[tuple[int, float]]:
        """Return the blocks that a task passes through, each with the fraction that it computes."""
        if block != ABSENT:
            return [(block, 1.0)]
        if stage == ABSENT or not self._stages:
            return [(every, 1.0) for every in range(self._block_count)]
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
                f"the costs say nothing of the time of a {kind}; they need transfer_ms, or "
                "link_latency_us and link_bandwidth_gb_s"
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
    (low, least), (high, most) = below, above
    return least if low == high else least + (most - least) * (size - low) / (high - low)


def least_cost_at(curve: Curve, size: float) -> float:
    """Return a lower bound in ns of the cost of a size.

    Assumes that with more rows the cost never falls, and the cost of a row never rises.
    """
    below, above = _neighbours(curve, size)
    at_least = 0.0 if below is None else below[1]
    in_proportion = 0.0 if above is None else above[1] * size / above[0]
    return min(cost_at(curve, size), max(at_least, in_proportion))


def most_cost_at(curve: Curve, size: float) -> float:
    """Return an upper bound in ns of the cost of a size; see `least_cost_at`."""
    below, above = _neighbours(curve, size)
    known = [above[1]] if above is not None else []
    known += [below[1] * size / below[0]] if below is not None else []
    return max(cost_at(curve, size), min(known))


def _neighbours(
    curve: Curve, size: float
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Return the nearest points below and above a size; the same point twice if it has the size."""
    at = bisect_left(curve, size, key=lambda point: point[0])
    above = curve[at] if at < len(curve) else None
    if above is not None and above[0] == size:
        return above, above
    return (curve[at - 1] if at else None), above


def _microbatches(columns: TaskColumns) -> NDArray[np.int64]:
    """Return how many micro-batches each pass covers: all of its replica's if it names none."""
    sizes = (columns.rows > 0).astype(np.int64)
    whole = np.flatnonzero((columns.microbatch == ABSENT) & (columns.rows > 0))
    if len(whole):
        begun = ENTERS[columns.kind]
        pieces = np.unique(
            np.stack([columns.replica[begun], columns.microbatch[begun]]).astype(np.int64), axis=1
        )
        for task in whole.tolist():
            replica = columns.replica[task]
            mine = (pieces[0] == replica) | (replica == ABSENT)
            sizes[task] = max(1, int(np.count_nonzero(mine)))
    return sizes
