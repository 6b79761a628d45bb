"""What tasks cost: the time of each, from its kind, stage or block, rows and bytes."""

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
"""Points (size, ns) with growing sizes above 0. Between two points a cost is read off the line
through them; outside it is in proportion to the size, from the nearest point."""

ReadCurve = Callable[[Curve, float], float]
"""Reads the cost in ns of a size off a curve."""

STAGED = (Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT, Kind.STEP)
"""The kinds whose costs go by stage or block; a loss has one, an overlap those of its halves."""

_MAKES_GRADIENTS = among(Kind.BACKWARD, Kind.BACKWARD_WEIGHT, Kind.OVERLAP)

MOST_PASSES = 20
"""How often tasks are gone through at most to measure what they cost; less often if time is up."""
MOST_NS = 2.0**62  # of all tasks of a step: times are whole ns of 64 bits
NS_PER_YEAR = 365.25 * 24 * 3600 * 1e9


class CostError(PlanError):
    """Costs that cannot be read, or that say nothing of a task; the message names what."""


@dataclass(frozen=True, slots=True)
class CostModel:
    """What the tasks of any plan cost.

    `passes` has for each of STAGED that is known a curve of each stage (with `by_block`, of each
    block); a single one holds for every stage alike, the first and the last too. It has one curve
    for the loss. The sizes are rows; without `by_rows` they are numbers of micro-batches, each of
    which then costs the same whatever its rows. A step's size is 1.

    A full backward that is not known costs its two parts, an overlap its forward and its backward.
    A kind in `transfers` costs what its curve over bytes says; another transfer goes over `link`,
    or takes `transfer_ns` whatever it moves.

    `further` has the backward passes of all micro-batches of a stage but the first: these add to
    gradients that exist already. A kind that is absent there costs the same for every micro-batch.

    By block, a curve is of a task that passes through this block alone. A task through several
    blocks costs their sum, less `joined` ns for each block but the first: what starting a task of
    that kind costs, whatever its rows. With `input_is_data` the first block's input needs no
    gradient, as in training: a stage that begins with it has nothing to do in a backward for the
    input beyond that block's own, and leaves the gradients of its other blocks' inputs to the
    backward for the weights.

    A task that has parts of blocks costs as much as whole blocks do of rows with as much
    arithmetic, times the factor of its kind in `divided`.

    `scatter` is by how much a pass's time differs from one measurement to the next, as a fraction.
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
        """The same with every transfer over `link`, whatever was known of transfers."""
        return replace(self, link=link, transfer_ns=None, transfers={})


class _Where(NamedTuple):
    """The values that the cost of a task depends on; absent numbers are -1.

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
    """The time in ns of each task of a step, n entries.

    `read` is how a cost is read off a pass's curve: `cost_at` unless given.

    `stages` says which blocks make a stage, for costs by block. Costs by stage are shared equally
    by the blocks of a stage where tasks are blocks (ddp, fsdp). Passes without rows take no time.
    Raises CostError naming what the costs do not say.
    """
    if not len(columns):
        return np.zeros(0, np.int64)
    price = _Price(
        costs,
        stages,
        max(len(stages), int(columns.stage.max()) + 1),
        int(columns.block.max()) + 1,
        _members(columns),
        read or cost_at,
    )
    # A plan of a hundred thousand tasks has some dozens of different costs: each is worked out
    # once.
    groups, which = _cost_groups(columns, costs)
    times = np.array([price.of(where) for where in groups], np.float64)[which]
    # Not `>=`, so that NaN is refused as well.
    if not times.sum() < MOST_NS:
        raise CostError(
            f"the tasks of a step would take {times.sum() / NS_PER_YEAR:.2g} years together; "
            "use smaller costs"
        )
    return np.rint(times).astype(np.int64)


def _members(columns: TaskColumns) -> int:
    """How many take part in a collective: the replicas, or the lanes that share a stage.

    Told by the tasks alone, for what was recorded says nothing of shards.
    """
    replicas = int(columns.replica.max()) + 1
    shared = np.flatnonzero(IS_COLLECTIVE[columns.kind] & (columns.stage != ABSENT))
    if not len(shared):
        return replicas
    places = np.stack([columns.replica[shared], columns.stage[shared], columns.lane[shared]])
    # Each (replica, stage, lane) once, then how many lanes there are for each (replica, stage).
    _, lanes = np.unique(np.unique(places, axis=1)[:2], axis=1, return_counts=True)
    return max(replicas, int(lanes.max()))


def _cost_groups(columns: TaskColumns, costs: CostModel) -> tuple[list[_Where], NDArray[np.int64]]:
    """What the costs of n tasks depend on, each combination once; each task's index among them."""
    sizes = columns.rows if costs.by_rows else _microbatches(columns)
    paired = columns.paired_rows if costs.by_rows else sizes
    further = _adds_gradients(columns) if costs.further else np.zeros(len(columns), np.int8)
    code = np.zeros(len(columns), np.int64)
    small: tuple[NDArray[Any], ...] = (
        columns.kind, columns.stage, columns.block, columns.paired_stage, further,
    )  # fmt: skip
    for column in small:
        if (column == column[0]).all():
            continue
        # Mixed radix: + 1 for ABSENT, so a column has max + 2 values. Columns in which all are the
        # same tell nothing apart.
        code = code * (int(column.max()) + 2) + column + 1
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    for column in (sizes, columns.bytes, *(() if paired is sizes else (paired,))):
        if (column != column[first][which]).any():  # seldom: most are alike if all else is
            each, place = np.unique(column, return_inverse=True)
            code = which * len(each) + place
            _, first, which = np.unique(code, return_index=True, return_inverse=True)
    taken = (column[first].tolist() for column in (*small, sizes, paired, columns.bytes))
    rows = zip(*taken, strict=True)
    return [_Where(*row) for row in rows], which


def _adds_gradients(columns: TaskColumns) -> NDArray[np.int8]:
    """1 for each task whose gradients are added to those of a micro-batch before it, else 0."""
    makes = np.flatnonzero(_MAKES_GRADIENTS[columns.kind])
    overlaps = columns.kind[makes] == KIND_CODES[Kind.OVERLAP]
    stages = np.where(overlaps, columns.paired_stage[makes], columns.stage[makes])
    replicas, shards = columns.replica[makes], columns.shard[makes]
    places = np.stack([replicas, stages, shards, columns.block[makes]])
    # A lane's tasks are in the order in which they run, and each place is on one lane.
    _, first = np.unique(places, axis=1, return_index=True)
    found = np.zeros(len(columns), np.int8)
    found[makes] = 1
    found[makes[first]] = 0
    return found


class _Price:
    """The cost of a task of one step, with its numbers of stages, blocks and members."""

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
        # Costs of split backward passes alone: a full one is about as long as both together.
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
        return share * sum(
            self._read(curve, size) for curve in self._of_stages(kind, curves, stage)
        )

    def _pass_of_blocks(
        self, kind: Kind, curves: tuple[Curve, ...], stage: int, block: int, size: int
    ) -> float:
        """The cost of a task through one block, a stage's, or all of them."""
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
        """The curve of a stage; of all of them for what covers the whole model."""
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
        """The cost in ns of `size` rows through the parts of blocks that are held, each alone."""
        # A part of a layer does as much arithmetic for all rows as the whole layer does for that
        # part of them, and is started as often.
        return sum(self._read(curves[block], share * size) for block, share in held)

    def _each(self, kind: Kind, curves: tuple[Curve, ...]) -> tuple[Curve, ...]:
        """A curve for each block of the model."""
        blocks = self._block_count
        if len(curves) == 1:
            return curves * blocks
        if len(curves) != blocks:
            raise CostError(
                f"{cost_name(kind)} has {len(curves)} entries, but the model has {blocks} blocks"
            )
        return curves

    def _held(self, stage: int, block: int) -> Sequence[tuple[int, float]]:
        """The blocks that a task passes through, and how much of each it takes."""
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
            # Calibration files a task that moves nothing under 1 byte.
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
    """What a kind's cost is called in files and messages: `backward_input_ms`."""
    return f"{kind.replace('-', '_')}_ms"


def further_name(kind: Kind) -> str:
    """The name of the costs of all micro-batches but the first: `backward_further_ms`."""
    return f"{kind.replace('-', '_')}_further_ms"


def cost_at(curve: Curve, size: float) -> float:
    """The cost in ns that a curve gives for a size."""
    below, above = _neighbours(curve, size)
    if below is None or above is None:
        # Outside what was measured in proportion: a line through two near points could go below 0.
        nearest, cost = below or above or (1.0, 0.0)
        return cost * size / nearest
    (low, least), (high, most) = below, above
    return least if low == high else least + (most - least) * (size - low) / (high - low)


def least_cost_at(curve: Curve, size: float) -> float:
    """The least that a size may cost, in ns.

    More rows never cost less, nor more for each row, than fewer ones do.
    """
    below, above = _neighbours(curve, size)
    at_least = 0.0 if below is None else below[1]
    in_proportion = 0.0 if above is None else above[1] * size / above[0]
    return min(cost_at(curve, size), max(at_least, in_proportion))


def most_cost_at(curve: Curve, size: float) -> float:
    """The most that a size may cost, in ns: see `least_cost_at`."""
    below, above = _neighbours(curve, size)
    known = [above[1]] if above is not None else []
    known += [below[1] * size / below[0]] if below is not None else []
    return max(cost_at(curve, size), min(known))


def _neighbours(
    curve: Curve, size: float
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """The points of a curve next to a size, below and above; both are the one at that size."""
    at = bisect_left(curve, size, key=lambda point: point[0])
    above = curve[at] if at < len(curve) else None
    if above is not None and above[0] == size:
        return above, above
    return (curve[at - 1] if at else None), above


def _microbatches(columns: TaskColumns) -> NDArray[np.int64]:
    """How many micro-batches each pass covers: those of its replica if it names none."""
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
