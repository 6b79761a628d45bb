"""A stage of a replica on its lane, and sums of the gradients of several replicas."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from core.engine.lanes.lane import Stamps
from core.engine.models.shards import LaneBlocks, ParameterSlice
from core.engine.models.workload import full_names, make_optimizer
from core.plan.division import Placement, Stage
from core.plan.specification import Specification


def copy_to(device: torch.device, tensor: Tensor) -> Tensor:
    """Return a real copy on `device`, even if the tensor is on that device already."""
    # Not Tensor.to, which returns the tensor itself if it is on the device: two lanes of a device
    # would share memory to which both may write, and there would be no copy to measure.
    target = torch.empty_like(tensor, device=device, memory_format=torch.contiguous_format)
    return target.copy_(tensor, non_blocking=True)


def sum_on(device: torch.device, tensors: Sequence[Tensor]) -> Tensor:
    """Return the sum of tensors on a device, without changing them."""
    total = copy_to(device, tensors[0])
    for tensor in tensors[1:]:
        total.add_(tensor.to(device, non_blocking=True))
    return total


class StageModule:
    """A stage of a replica on its lane: its blocks, and the optimizer if it owns its parameters.

    If the blocks are divided, it has one shard: `slices` are its parts of divided parameters, and
    `repeated` are the parameters that all shards have. `stamps` are set by the task that uses the
    module.
    """

    stamps: Stamps

    def __init__(
        self,
        placement: Placement,
        stage: Stage,
        blocks: list[nn.Module] | LaneBlocks,
        specification: Specification,
    ) -> None:
        self.lane = placement.lane
        self.owner = placement.owner
        self.first = stage.first
        self.last = stage.last
        self.slices: Mapping[str, ParameterSlice] = {}
        self.repeated = frozenset[str]()
        if isinstance(blocks, LaneBlocks):
            self.blocks = nn.Sequential(blocks)
            self.parameters = blocks.whole_names
            self.slices = blocks.slices
            self.repeated = blocks.repeated
        else:
            self.blocks = nn.Sequential(*blocks)
            self.parameters = full_names(blocks, stage.first)
        self.optimizer = None
        if placement.owner:
            self.optimizer = make_optimizer(specification, list(self.parameters.values()))
        sizes = {name: p.nbytes for name, p in self.parameters.items() if p.requires_grad}
        self.gradient_bytes = sum(sizes.values())
        summed = self.repeated if self.slices else sizes  # by an all-reduce, if there is one
        self.summed_bytes = sum(sizes.get(name, 0) for name in summed)
        # Bytes that autograd saves, by rows. They cannot be predicted, so they are measured in the
        # first task of each size.
        self.saved_bytes: dict[int, int] = {}  # after a forward
        self.kept_bytes: dict[int, int] = {}  # after a backward for the input
        self.sums: dict[str, Tensor] = {}

    def forward(self, x: Tensor) -> Tensor:
        """Return the output of the blocks.

        If blocks are recorded, record the borders between them, here and in the backward pass.
        """
        if not self.stamps.blocks:
            y: Tensor = self.blocks(x)
            return y
        self.stamps.note_border(False, self.first)
        for border, block in enumerate(self.blocks, self.first + 1):
            x = block(x)
            self.stamps.note_border(False, border)
            # These hooks are part of the micro-batch's graph and are freed with it. The task itself
            # records the outer borders, directly before and after its call of autograd.
            if x.requires_grad and border < self.last:
                x.register_hook(partial(self._on_gradient, border))
        return x

    def _on_gradient(self, border: int, gradient: Tensor) -> None:
        """Record that a backward has reached a border: the gradient of its tensor exists."""
        self.stamps.note_border(True, border)

    def gradients(self) -> dict[str, Tensor]:
        """Return the existing gradients by full parameter name."""
        gradients: dict[str, Tensor] = {}
        for name, parameter in self.parameters.items():
            if parameter.grad is not None:
                gradients[name] = parameter.grad
        return gradients

    def clear_gradients(self) -> None:
        """Remove the last step's gradients."""
        self.sums = {}
        for parameter in self.parameters.values():
            parameter.grad = None

    def set_gradients(self, gradients: dict[str, Tensor]) -> None:
        """Replace the gradients of the parameters with these full names."""
        for name, gradient in gradients.items():
            self.parameters[name].grad = gradient

    def take_sums(self) -> list[Tensor]:
        """Replace the gradients by the sums over replicas; returns the previous gradients."""
        replaced = list(self.gradients().values()) if self.sums else []
        self.set_gradients(self.sums)
        self.sums = {}
        return replaced


def sum_of_copies(
    copies: Sequence[StageModule],
    device: torch.device,
    start: dict[str, Tensor] | None = None,
    only: Collection[str] | None = None,
) -> dict[str, Tensor]:
    """Return the sums of the gradients of a stage over its copies, by name.

    `only` limits the parameters. The gradients are added to the tensors of `start`. Missing ones
    are created, because other lanes read the gradients of the copies at the same time. The order of
    the additions is fixed, so that all lanes get the same bits.
    """
    sums = start or {}
    for module in copies:
        for name, gradient in module.gradients().items():
            if only is not None and name not in only:
                continue
            if name in sums:
                sums[name].add_(gradient.to(device, non_blocking=True))
            else:
                sums[name] = copy_to(device, gradient)
    return sums
