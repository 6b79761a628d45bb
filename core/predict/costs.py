"""What tasks cost: the time of each, from its kind, stage or block, rows and bytes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import PlanError
from core.plan.division import Stage
from core.plan.link import Link
from core.plan.task import ABSENT, ENTERS, IS_COLLECTIVE, KINDS, Kind, TaskColumns

Curve = tuple[tuple[float, float], ...]
"""Points (size, ns) with growing sizes above 0. Between two points a cost is read off the line
through them; outside it is in proportion to the size, from the nearest point."""

STAGED = (Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT, Kind.STEP)
"""The kinds whose costs go by stage or block; a loss has one, an overlap those of its halves."""


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
    """

    passes: Mapping[Kind, tuple[Curve, ...]]
    transfers: Mapping[Kind, Curve] = field(default_factory=dict)
    link: Link | None = None
    transfer_ns: float | None = None
    by_rows: bool = False
    by_block: bool = False

    def over(self, link: Link) -> CostModel:
        """The same with every transfer over `link`, whatever was known of transfers."""
        return replace(self, link=link, transfer_ns=None, transfers={})


class _Where(NamedTuple):
    """What the cost of a task depends on; absent numbers are -1."""

    kind: int
    stage: int
    block: int
    paired_stage: int
    size: int
    paired_size: int
    bytes: int


def durations(
    columns: TaskColumns, costs: CostModel, stages: Sequence[Stage] = ()
) -> NDArray[np.int64]:
    """The time in ns of each task of a step, n entries.

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
    )
    # A plan of a hundred thousand tasks has some dozens of different costs: each is worked out
    # once.
    groups, which = _cost_groups(columns, costs.by_rows)
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


def _cost_groups(columns: TaskColumns, by_rows: bool) -> tuple[list[_Where], NDArray[np.int64]]:
    """What the costs of n tasks depend on, each combination once; each task's index among them."""
    sizes = columns.rows if by_rows else _microbatches(columns)
    paired = columns.paired_rows if by_rows else sizes
    code = np.zeros(len(columns), np.int64)
    small: tuple[NDArray[Any], ...] = (
        columns.kind, columns.stage, columns.block, columns.paired_stage,
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


class _Price:
    """The cost of a task of one step, with its numbers of stages, blocks and members."""

    def __init__(
        self, costs: CostModel, stages: Sequence[Stage], count: int, blocks: int, members: int
    ) -> None:
        self._costs, self._stages = costs, stages
        self._count, self._blocks, self._members = max(1, count), blocks, max(1, members)

    def of(self, where: _Where) -> float:
        kind = KINDS[where.kind]
        if kind.is_communication:
            return self._transfer(kind, where.bytes)
        if kind is Kind.STEP:
            return self._pass(kind, where.stage, where.block, 1)
        if kind is Kind.OVERLAP:
            forward = self._pass(Kind.FORWARD, where.stage, where.block, where.size)
            return forward + self._backward(where.paired_stage, ABSENT, where.paired_size)
        if kind is Kind.BACKWARD:
            return self._backward(where.stage, where.block, where.size)
        return self._pass(kind, where.stage, where.block, where.size)

    def _backward(self, stage: int, block: int, size: int) -> float:
        if Kind.BACKWARD in self._costs.passes:
            return self._pass(Kind.BACKWARD, stage, block, size)
        # Costs of split backward passes alone: a full one is about as long as both together.
        parts = (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
        return sum(self._pass(part, stage, block, size) for part in parts)

    def _pass(self, kind: Kind, stage: int, block: int, size: int) -> float:
        curves = self._costs.passes.get(kind)
        if curves is None:
            raise CostError(f"the costs have no {cost_name(kind)}, which the plan needs")
        if kind is Kind.LOSS:
            return cost_at(curves[0], size)
        if self._costs.by_block:
            held = self._of_blocks(kind, stage, block)
            return sum(share * cost_at(curve, size) for curve, share in held)
        share = 1.0 if block == ABSENT else 1 / self._blocks
        return share * sum(cost_at(curve, size) for curve in self._of_stages(kind, stage))

    def _of_stages(self, kind: Kind, stage: int) -> Iterable[Curve]:
        """The curve of a stage; of all of them for what covers the whole model."""
        curves = self._costs.passes[kind]
        if len(curves) == 1:
            return curves
        if len(curves) != self._count:
            raise CostError(
                f"{cost_name(kind)} has {len(curves)} entries, but the plan has "
                f"{self._count} stages; use one for each, or one number for all"
            )
        return curves if stage == ABSENT else [curves[stage]]

    def _of_blocks(self, kind: Kind, stage: int, block: int) -> Iterable[tuple[Curve, float]]:
        """The curves of a block, of a stage's blocks, or of all; and how much of each it takes."""
        curves = self._costs.passes[kind]
        blocks = self._stages[-1].last if self._stages else self._blocks
        if len(curves) == 1:
            curves = curves * blocks
        if len(curves) != blocks:
            raise CostError(
                f"{cost_name(kind)} has {len(curves)} entries, but the model has {blocks} blocks"
            )
        if block != ABSENT:
            return [(curves[block], 1.0)]
        if stage == ABSENT or not self._stages:
            return [(curve, 1.0) for curve in curves]
        return [(curves[block], share) for block, share in self._stages[stage].held]

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


def cost_at(curve: Curve, size: float) -> float:
    """The cost in ns that a curve gives for a size."""
    at = bisect_left(curve, size, key=lambda point: point[0])
    if 0 < at < len(curve):
        (low, below), (high, above) = curve[at - 1], curve[at]
        return below + (above - below) * (size - low) / (high - low)
    nearest, cost = curve[min(at, len(curve) - 1)]
    # Outside what was measured in proportion: a line through two near points could go below zero.
    return cost * size / nearest


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
