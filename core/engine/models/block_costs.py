"""Measures the cost of each block of a model, one at a time, on the hardware of a lane."""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.costs.footprint import OPTIMIZER_STATES
from core.engine.lanes.isolated import IsolatedLane
from core.engine.lanes.lane import Stamps
from core.engine.models.split_backward import (
    WeightPass,
    stage_backward_input,
    stage_backward_weight,
)
from core.engine.models.workload import Workload
from core.plan.balance import BlockCost
from core.plan.plan import Lane
from core.recorder.memory import extra_bytes, saved_tensors

_WARMUP_PASSES = 1
_COUNTED_PASSES = 5
_BUDGET_SECONDS = 10.0
"""After this time no further pass starts, once one pass after the warm-up is done."""


@dataclass(frozen=True, slots=True)
class _BlockTimes:
    """Durations of one block in one pass, in ns; `inputs` and `weights` are a split backward."""

    forward: int
    backward: int
    inputs: int
    weights: int


def block_costs(workload: Workload, lane: Lane, rows: int, optimizer: str) -> list[BlockCost]:
    """Return the median times of each block for `rows` rows, measured on copies of the blocks.

    Each pass runs the whole model forward and backward, so that the caches have the same contents
    as in a run.
    """
    device = torch.device(lane.runs_on)
    blocks = [copy.deepcopy(block).to(device) for block in workload.blocks]
    x = workload.input[:rows].to(device)
    passes: list[list[_BlockTimes]] = []
    until = time.monotonic() + _BUDGET_SECONDS
    with IsolatedLane(lane) as isolated:
        # The first pass allocates. The median of several is robust against other programs.
        while True:
            is_late = time.monotonic() > until
            if len(passes) >= _WARMUP_PASSES + (1 if is_late else _COUNTED_PASSES):
                break
            passes.append(_one_pass(blocks, x, isolated))
        saved = _saved_bytes(blocks, x)
    # Parameters, gradients, and the optimizer's state.
    copies = 2 + OPTIMIZER_STATES[optimizer]
    costs = []
    for index, block in enumerate(blocks):
        times = [block_times[index] for block_times in passes[_WARMUP_PASSES:]]
        described = workload.description.blocks[index]
        forward = statistics.median(each.forward for each in times)
        backward = statistics.median(each.backward for each in times)
        inputs = statistics.median(each.inputs for each in times)
        weights = statistics.median(each.weights for each in times)
        parameter_bytes = sum(parameter.nbytes for parameter in block.parameters())
        cost = BlockCost(
            name=described.name,
            parameters=described.parameter_count,
            forward_ns=round(forward),
            backward_ns=round(backward),
            input_ns=round(inputs),
            weight_ns=round(weights),
            kept_bytes=copies * parameter_bytes,
            saved_bytes=saved[index],
        )
        costs.append(cost)
    return costs


def _one_pass(blocks: Sequence[nn.Module], x: Tensor, isolated: IsolatedLane) -> list[_BlockTimes]:
    """Run forward and backward twice, with a whole and with a split backward; return all times."""
    # Twice, because a graph can run backward only once, either as a whole or in two parts.
    forwards, whole = _run_forward(blocks, x, isolated)
    backwards = [isolated.time(block_pass.backward) for block_pass in reversed(whole)]
    backwards.reverse()
    _, split = _run_forward(blocks, x, isolated)
    inputs = []
    weights = []
    for block_pass in reversed(split):
        # In this order: the second part of a block needs the result of the first.
        inputs.append(isolated.time(block_pass.inputs))
        weights.append(isolated.time(block_pass.weights))
    inputs.reverse()
    weights.reverse()
    return [_BlockTimes(*times) for times in zip(forwards, backwards, inputs, weights, strict=True)]


def _run_forward(
    blocks: Sequence[nn.Module], x: Tensor, isolated: IsolatedLane
) -> tuple[list[int], list[_BlockPass]]:
    """Run the blocks forward; return the time of each in ns, and the passes for the backward."""
    times = []
    passes = []
    for block in blocks:
        block_pass = _BlockPass(block, x)
        times.append(isolated.time(block_pass.forward))
        passes.append(block_pass)
        output = block_pass.output
        x = output.detach().requires_grad_(output.is_floating_point())
    return times, passes


def _saved_bytes(blocks: Sequence[nn.Module], x: Tensor) -> list[int]:
    """Return the bytes that each block's forward keeps for its backward, including its input."""
    found = []
    for block in blocks:
        y = block(x.clone())
        # A storage that several blocks save counts for each of them, because each of them may be
        # the first block of a stage.
        kept = [*block.parameters(), *block.buffers()]
        found.append(extra_bytes([x, *saved_tensors([y])], kept))
        x = y.detach().requires_grad_(y.is_floating_point())
    return found


class _BlockPass:
    """A forward and a backward of a block, in one part or two; each method sets its stamps.

    The block gets a copy of the input, because a block may write to its input.
    """

    output: Tensor
    weight_pass: WeightPass

    def __init__(self, block: nn.Module, x: Tensor) -> None:
        self._block = block
        self._x = x
        # The copy is part of the graph of x, so that x gets its gradient even if the block writes
        # to its input.
        self._input = x.clone()

    def forward(self, stamps: Stamps) -> None:
        """Compute the output of the block."""
        stamps.begin()
        self.output = self._block(self._input)
        stamps.finish()

    def backward(self, stamps: Stamps) -> None:
        """Compute the gradients of the parameters and of the input, unless the input is data."""
        gradient = torch.ones_like(self.output)
        stamps.begin()
        if self.output.requires_grad:
            self.output.backward(gradient)
        stamps.finish()

    def inputs(self, stamps: Stamps) -> None:
        """Compute the gradient of the input, unless the input is data."""
        gradient = torch.ones_like(self.output)
        wanted = [self._x] if self._x.requires_grad else []
        stamps.begin()
        _, self.weight_pass = stage_backward_input([self.output], [gradient], wanted)
        stamps.finish()

    def weights(self, stamps: Stamps) -> None:
        """Compute the gradients of the parameters."""
        stamps.begin()
        stage_backward_weight(self.weight_pass)
        stamps.finish()
