"""The cost of one task of a plan, read from the curves of a cost model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from core.costs.costs import (
    CostError,
    CostModel,
    Curve,
    Curves,
    ReadCurve,
    cost_at,
    cost_name,
    is_constant,
)
from core.message import Message, counted, message
from core.plan.division import Stage
from core.plan.task import ABSENT, KINDS, Kind

_BACKWARD_PARTS = (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)


class CostInput(NamedTuple):
    """The values that determine a task's cost; absent numbers are -1.

    `further` is 1 for a backward that adds to gradients of an earlier micro-batch, else 0. `passes`
    is the number of backward passes that a task runs one after another, usually 1.
    """

    kind: int
    stage: int
    block: int
    paired_stage: int
    further: int
    passes: int
    microbatch: int
    paired_microbatch: int
    size: int
    paired_size: int
    bytes: int


class TaskPrice:
    """Computes the costs in ns of the tasks of one step.

    `is_measured` is True if the last computed cost was measured; see TaskCosts.
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

    def of(self, task: CostInput) -> float:
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
            return factor * self._backward_passes(task)
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
        if size and not is_point(curve, size):
            self.is_measured = False
        return self._evaluate(curve, size)

    def _backward_passes(self, task: CostInput) -> float:
        """Return the cost in ns of a backward task, which may run several passes."""
        size = task.size / task.passes
        total = self._backward(task.stage, task.block, size, bool(task.further))
        if task.passes > 1:
            # All passes but the first add to gradients that already exist.
            later = self._backward(task.stage, task.block, size, further=True)
            total += (task.passes - 1) * later
        return total

    def _backward(self, stage: int, block: int, size: float, further: bool) -> float:
        if Kind.BACKWARD in self._costs.passes:
            return self._pass(Kind.BACKWARD, stage, block, size, further)
        # Only the parts are known: a full backward takes about as long as both together.
        of_input = self._pass(Kind.BACKWARD_INPUT, stage, block, size, further)
        of_weight = self._pass(Kind.BACKWARD_WEIGHT, stage, block, size, further)
        return of_input + of_weight

    def _without(self, kind: Kind) -> Message:
        """Return the error text for a plan with passes of a kind without costs."""
        if kind in _BACKWARD_PARTS and Kind.BACKWARD in self._costs.passes:
            return message(
                "the costs have backward_ms, but not {cost}: the schedule splits backward passes. "
                "Use costs with backward_input_ms and backward_weight_ms, such as those of a run "
                "that splits them, or a schedule that does not",
                cost=cost_name(kind),
            )
        return message("the costs have no {cost}, which the plan needs", cost=cost_name(kind))

    def _pass(
        self, kind: Kind, stage: int, block: int, size: float, further: bool = False
    ) -> float:
        curves = self._costs.passes.get(kind)
        if curves is None:
            raise CostError(self._without(kind))
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

    def _part_of_stage(self, curves: Curves, stage: int) -> float:
        """Return one of the plan's stages as a fraction (0 to 1) of a curve's stage."""
        if stage == ABSENT or len(curves) in (1, self._count):
            return 1.0
        self.is_measured = False
        return len(curves) / self._count

    def _head(self, kind: Kind, stage: int, block: int, size: float) -> float:
        """Return the ns that the model's head adds to a task; 0 for tasks without the head."""
        head = self._costs.head
        if not head or stage not in (ABSENT, self._count - 1):
            return 0.0
        if block not in (ABSENT, self._blocks - 1):
            return 0.0
        if kind in head:
            return self._read(head[kind], size)
        # Only the whole backward or only its parts may be known.
        if kind is Kind.BACKWARD:
            total = 0.0
            for part in _BACKWARD_PARTS:
                if part in head:
                    total += self._read(head[part], size)
            return total
        if kind in _BACKWARD_PARTS and Kind.BACKWARD in head:
            self.is_measured = False
            return self._read(head[Kind.BACKWARD], size) / len(_BACKWARD_PARTS)
        return 0.0

    def _pass_of_blocks(
        self, kind: Kind, curves: Curves, stage: int, block: int, size: float
    ) -> float:
        """Return the cost in ns of a task through one block, a stage's blocks, or all blocks."""
        held = self._held(stage, block)
        if not size:
            return 0.0
        known = self._costs.estimated_from
        if known and tuple(held) not in known:
            self.is_measured = False
        begins_with_data = self._costs.input_is_data and held[0][0] == 0
        if kind is Kind.BACKWARD_INPUT and begins_with_data:
            held = held[:1]
        of_blocks = self._of_each_block(kind, curves)
        if kind is Kind.STEP:
            total = self._sum_of_steps(of_blocks, held)
        else:
            total = self._sum_at(of_blocks, held, size)
        further_blocks = len(held) - 1
        total -= self._joined(kind, size) * further_blocks
        inputs = self._costs.passes.get(Kind.BACKWARD_INPUT)
        if kind is Kind.BACKWARD_WEIGHT and begins_with_data and inputs is not None:
            rest = held[1:]
            of_inputs = self._of_each_block(Kind.BACKWARD_INPUT, inputs)
            total += self._sum_at(of_inputs, rest, size)
            total -= self._joined(Kind.BACKWARD_INPUT, size) * len(rest)
        factor = 1.0
        if any(share < 1 for _, share in held):
            self.is_measured = False
            factor = self._costs.divided.get(kind, 1.0)
        return factor * max(0.0, total)

    def _of_stages(self, kind: Kind, curves: Curves, stage: int) -> Iterable[Curve]:
        """Return the curve of a stage; all curves if the task covers the whole model."""
        if len(curves) == 1:
            return curves
        cut = self._count // len(curves)
        is_divisible = cut * len(curves) == self._count
        is_cut = is_divisible and self._costs.head is not None
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
        if stage == ABSENT:
            return curves
        return [curves[stage // cut]]

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

    def _sum_of_steps(self, curves: Sequence[Curve], held: Sequence[tuple[int, float]]) -> float:
        """Return the sum of the costs in ns of optimizer steps of each of the `held` blocks.

        An optimizer step has no rows. The cost of starting it is the same for a part of a block as
        for the whole block; the rest is in proportion.
        """
        start = max(0.0, self._joined(Kind.STEP, 1))
        total = 0.0
        for block, share in held:
            whole = self._read(curves[block], 1)
            divisible = max(0.0, whole - start)
            total += whole - (1 - share) * divisible
        return total

    def _joined(self, kind: Kind, size: float) -> float:
        """Return the ns by which each further block of a task costs less than a separate task.

        It is constant outside the measured sizes: the start of a task costs something at any size.
        """
        curve = self._costs.joined.get(kind)
        if curve is None:
            return 0.0
        smallest, _ = curve[0]
        largest, _ = curve[-1]
        return cost_at(curve, min(max(size, smallest), largest))

    def _of_each_block(self, kind: Kind, curves: Curves) -> Curves:
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
        if not self._stages:
            return self._blocks
        return self._stages[-1].last

    def _transfer(self, kind: Kind, size: int) -> float:
        costs = self._costs
        if kind in costs.transfers:
            # Calibration records tasks without bytes at the size 1.
            curve = costs.transfers[kind]
            known_size = max(1, size)
            self.is_measured = is_point(curve, known_size)
            return cost_at(curve, known_size)
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


def is_point(curve: Curve, size: float) -> bool:
    """Return True if a curve has a point at a size, or does not depend on the size."""
    return is_constant(curve) or any(at == size for at, _ in curve)
