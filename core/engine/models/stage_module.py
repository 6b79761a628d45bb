"""One stage of one replica on its lane, and how gradients of several replicas become one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from core.engine.lanes.lane import Stamps
from core.engine.models.shards import Cut, LaneBlocks
from core.engine.models.workload import full_names, make_optimizer
from core.plan.division import Placement, Stage
from core.plan.specification import Specification


def copy_to(device: torch.device, tensor: Tensor) -> Tensor:
    """A real copy on `device`, also where the tensor already lives there."""
    # Not Tensor.to, which returns the tensor itself on the same device:
    # two lanes of one device would then share memory that either may
    # write to, and nothing would be moved that could be timed.
    target = torch.empty_like(tensor, device=device, memory_format=torch.contiguous_format)
    return target.copy_(tensor, non_blocking=True)


def sum_on(device: torch.device, tensors: Sequence[Tensor]) -> Tensor:
    """The sum of tensors, which stay as they are, on a device."""
    total = copy_to(device, tensors[0])
    for tensor in tensors[1:]:
        total.add_(tensor.to(device, non_blocking=True))
    return total


class StageModule:
    """One stage of one replica on its lane: its blocks, and for the owner the optimizer.

    Of split blocks it has a lane's share: `cuts` says of which parameters it has which part, and
    `repeated` which ones all shards have. `stamps` are those of the task that works on it, which
    sets them.
    """

    stamps: Stamps

    def __init__(
        self,
        placement: Placement,
        stage: Stage,
        blocks: list[nn.Module] | LaneBlocks,
        specification: Specification,
    ) -> None:
        self.lane, self.owner = placement.lane, placement.owner
        self.first, self.last = stage.first, stage.last
        self.cuts: Mapping[str, Cut] = {}
        self.repeated = frozenset[str]()
        if isinstance(blocks, LaneBlocks):
            self.blocks = nn.Sequential(blocks)
            self.parameters = blocks.whole_names
            self.cuts, self.repeated = blocks.cuts, blocks.repeated
        else:
            self.blocks = nn.Sequential(*blocks)
            self.parameters = full_names(blocks, stage.first)
        self.optimizer = None
        if placement.owner:
            self.optimizer = make_optimizer(specification, list(self.parameters.values()))
        sizes = {name: p.nbytes for name, p in self.parameters.items() if p.requires_grad}
        self.gradient_bytes = sum(sizes.values())
        summed = self.repeated if self.cuts else sizes  # by an all-reduce, if there is one
        self.summed_bytes = sum(sizes.get(name, 0) for name in summed)
        # Measured at the first task of each size, not predicted: only autograd knows what it saves.
        self.saved_bytes: dict[int, int] = {}  # by rows, after a forward
        self.kept_bytes: dict[int, int] = {}  # by rows, after a backward for the input
        self.sums: dict[str, Tensor] = {}

    def forward(self, x: Tensor) -> Tensor:
        """The output of the blocks, for their input.

        With blocks the borders between them are noted, now and in the backward to come.
        """
        if not self.stamps.blocks:
            y: Tensor = self.blocks(x)
            return y
        self.stamps.passes(False, self.first)
        for border, block in enumerate(self.blocks, self.first + 1):
            x = block(x)
            self.stamps.passes(False, border)
            # Hooks of this micro-batch's own tensors, so that nothing has to
            # be removed: they go with the graph. The outer borders are noted
            # by the task, right before and behind its call of autograd.
            if x.requires_grad and border < self.last:
                x.register_hook(partial(self._gradient_passes, border))
        return x

    def _gradient_passes(self, border: int, gradient: Tensor) -> None:
        """The gradient of the tensor at a border is there: a backward passes it."""
        self.stamps.passes(True, border)

    def gradients(self) -> dict[str, Tensor]:
        """The gradients that there are, by full parameter name."""
        return {name: p.grad for name, p in self.parameters.items() if p.grad is not None}

    def clear_gradients(self) -> None:
        """Forget the last step's gradients."""
        self.sums = {}
        for parameter in self.parameters.values():
            parameter.grad = None

    def set_gradients(self, gradients: dict[str, Tensor]) -> None:
        """Let these be the gradients, by full parameter name."""
        for name, gradient in gradients.items():
            self.parameters[name].grad = gradient

    def take_sums(self) -> list[Tensor]:
        """Let the sums over replicas be the gradients; returns those that they replace."""
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
    """The gradients of a stage by name (or `only` some), added up over its `copies` in order.

    They are added to those of `start`, or are new tensors where that has none, since other lanes
    read the copies' gradients at the same time; in order, so that whoever adds them up gets the
    same bits.
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
