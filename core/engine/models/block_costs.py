"""What each block of a model costs, measured alone on a lane's hardware."""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from core.costs.footprint import OPTIMIZER_STATES
from core.engine.lanes.alone import Alone
from core.engine.lanes.lane import Stamps
from core.engine.models.split_backward import WeightPass, backward_input, backward_weight
from core.engine.models.workload import Workload
from core.plan.balance import BlockCost
from core.plan.plan import Lane
from core.recorder.memory import extra_bytes, saved_tensors

WARMUP = 1
PASSES = 5
BUDGET_SECONDS = 10.0
"""After which no further pass is begun, if one behind the warm-up is there."""


def block_costs(workload: Workload, lane: Lane, rows: int, optimizer: str) -> list[BlockCost]:
    """The median times of each block for `rows` rows, on copies of the blocks.

    Each pass goes through the whole model, forward and back, so that a block finds the caches as it
    does in a run.
    """
    device = torch.device(lane.runs_on)
    blocks = [copy.deepcopy(block).to(device) for block in workload.blocks]
    x = workload.input[:rows].to(device)
    passes = list[list[list[int]]]()
    until = time.monotonic() + BUDGET_SECONDS
    with Alone(lane) as alone:
        # The first pass allocates. Of five the median, as a
        # single pass meets whatever else the machine does.
        while len(passes) < WARMUP + (1 if time.monotonic() > until else PASSES):
            passes.append(_one_pass(blocks, x, alone))
        saved = _saved_bytes(blocks, x)
    copies = 2 + OPTIMIZER_STATES[optimizer]
    costs = []
    for index, (block, held) in enumerate(zip(blocks, saved, strict=True)):
        described = workload.description.blocks[index]
        parts = zip(*(one[index] for one in passes[WARMUP:]), strict=True)
        forward, backward, inputs, weights = (round(statistics.median(part)) for part in parts)
        kept = copies * sum(parameter.nbytes for parameter in block.parameters())
        numbers = (forward, backward, inputs, weights, kept, held)
        costs.append(BlockCost(described.name, described.parameter_count, *numbers))
    return costs


def _one_pass(blocks: Sequence[nn.Module], x: Tensor, alone: Alone) -> list[list[int]]:
    """For each block what forward, backward, and its two parts alone take, in ns."""
    whole, parts = list[_Passed](), list[_Passed]()
    times = list[list[int]]()
    # Twice through the model: a graph can be run backward once, as a whole or in its two parts.
    for passed in (whole, parts):
        entering = x
        for block in blocks:
            passed.append(_Passed(block, entering))
            taken = alone.time(passed[-1].forward)
            left = passed[-1].left
            entering = left.detach().requires_grad_(left.is_floating_point())
            if passed is whole:
                times.append([taken])
        for one, found in zip(reversed(passed), reversed(times), strict=True):
            if passed is whole:
                found.append(alone.time(one.backward))
            else:
                # In this order: the parts run one behind the
                # other for each block, on the same graph.
                found += [alone.time(one.inputs), alone.time(one.weights)]
    return times


def _saved_bytes(blocks: Sequence[nn.Module], x: Tensor) -> list[int]:
    """What each block's forward leaves for its backward, its input with it."""
    found = []
    for block in blocks:
        with saved_tensors() as saved:
            y = block(x.clone())
        # Of one storage that several blocks save each counts it, as each may be a stage's first.
        found.append(extra_bytes([x, *saved], [*block.parameters(), *block.buffers()]))
        x = y.detach().requires_grad_(y.is_floating_point())
    return found


class _Passed:
    """A forward and a backward of a block, as a whole or in two parts, that set their stamps.

    A copy of the input enters, which the block may write to.
    """

    left: Tensor
    rest: WeightPass

    def __init__(self, block: nn.Module, x: Tensor) -> None:
        self._block, self._x = block, x
        # Within the graph of x, so that x gets the gradient
        # also where the block has written to its input.
        self._entered = x.clone()

    def forward(self, stamps: Stamps) -> None:
        """The block's output."""
        stamps.begin()
        self.left = self._block(self._entered)
        stamps.finish()

    def backward(self, stamps: Stamps) -> None:
        """The gradients of the input, where that is no data, and of the parameters."""
        gradient = torch.ones_like(self.left)
        stamps.begin()
        if self.left.requires_grad:
            self.left.backward(gradient)
        stamps.finish()

    def inputs(self, stamps: Stamps) -> None:
        """The gradient of the input, where that is no data."""
        gradient = torch.ones_like(self.left)
        wanted = [self._x] if self._x.requires_grad else []
        stamps.begin()
        _, self.rest = backward_input([self.left], [gradient], wanted)
        stamps.finish()

    def weights(self, stamps: Stamps) -> None:
        """The gradients of the parameters."""
        stamps.begin()
        backward_weight(self.rest)
        stamps.finish()
