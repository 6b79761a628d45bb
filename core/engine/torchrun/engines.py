"""A rank's part of a strategy, as torch's own wrappers and schedules run it."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import pipelining
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

from core.engine.models.modules import Batch
from core.engine.models.workload import Workload, full_names, gradients_of, make_optimizer
from core.engine.rank_models.communication import gathered
from core.engine.rank_models.ddp import data_parallel
from core.errors import PlanError
from core.message import message
from core.plan.division import Stage
from core.plan.pipeline.options import SCHEDULE
from core.plan.plan import Plan
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.recorder.blocks import WholeBlock

Named = dict[str, Tensor]


class TorchEngine(ABC):
    """A rank's model and optimizer; the recorder records `model`.

    Raise PlanError if torch cannot run the job in this way.
    """

    model: nn.Module

    def __init__(
        self, specification: Specification, workload: Workload, plan: Plan, device: torch.device
    ) -> None:
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.specification = specification
        self.workload = workload
        self.device = device
        self.wrap(plan)
        optimizer = make_optimizer(specification, list(self.parameters().values()))
        if optimizer is None:
            raise PlanError(
                message("rank {rank} has no parameters to update: use fewer lanes", rank=self.rank)
            )
        self.optimizer = optimizer

    @abstractmethod
    def wrap(self, plan: Plan) -> None:
        """Build the model of this rank."""

    @abstractmethod
    def parameters(self) -> dict[str, nn.Parameter]:
        """Return the parameters that this rank updates, by their names in the whole model."""

    @abstractmethod
    def compute(self, batch: Batch, plan: Plan) -> Tensor:
        """Run the forward and backward pass; return this rank's part of the loss.

        The sum over all ranks is the loss of the whole batch.
        """

    @abstractmethod
    def copies(self, gathered: list[Named]) -> list[Named]:
        """Return each copy of the whole model, from the tensors gathered from every rank."""

    def step(self, batch: Batch, plan: Plan) -> Tensor:
        """Run a step and return this rank's part of the loss. All ranks get the whole batch."""
        self.optimizer.zero_grad()
        loss = self.compute(batch, plan)
        self.optimizer.step()
        return loss

    def whole_parameters(self) -> Named:
        """Return copies of this rank's parameters on the host; shards are gathered."""
        return {name: _whole(p) for name, p in self.parameters().items()}

    def whole_gradients(self) -> Named:
        """Return copies of their gradients on the host; shards are gathered."""
        gradients = gradients_of(self.parameters())
        return {name: _whole(gradient) for name, gradient in gradients.items()}


def _whole(tensor: Tensor) -> Tensor:
    # For a sharded tensor this is a collective, so every rank must call it in the same order.
    found = gathered(tensor) if isinstance(tensor, DTensor) else tensor
    # Copied, because the next update changes the tensor, and cpu() does not copy one on the CPU.
    return found.detach().cpu().clone()


class DdpEngine(TorchEngine):
    """DistributedDataParallel: every rank has the whole model and its rows of the batch."""

    def wrap(self, plan: Plan) -> None:
        """Wrap the whole model."""
        self._make_blocks()
        self.model = data_parallel(self._sequence(), self.specification)

    def _make_blocks(self) -> None:
        self._blocks = [block.to(self.device) for block in copy.deepcopy(self.workload.blocks)]

    def _sequence(self) -> nn.Sequential:
        return nn.Sequential(*map(WholeBlock, self._blocks))

    def parameters(self) -> dict[str, nn.Parameter]:
        """Return all parameters of the model."""
        return full_names(self._blocks)

    def compute(self, batch: Batch, plan: Plan) -> Tensor:
        """Compute this rank's rows, weighted so that the mean over ranks is the batch's mean."""
        part = plan.parts[self.rank]
        mine = slice(part.start, part.start + part.rows)
        x, target = (tensor[mine].to(self.device) for tensor in batch)
        # DDP and fully_shard compute the mean of the ranks' gradients, whatever their numbers of
        # rows. With this factor it is the gradient of the mean over the batch, even if the ranks
        # have different numbers of rows. A rank without rows contributes gradients of zero.
        share = part.rows * self.world / plan.rows
        loss = self.workload.weighted_loss(self.model(x), target, share)
        loss.backward()
        # The factor `world` was for the mean of gradients. Losses are added up, so it is removed.
        return loss.detach() / self.world

    def copies(self, gathered: list[Named]) -> list[Named]:
        """Return one copy for each rank."""
        return gathered


class FsdpEngine(DdpEngine):
    """fully_shard (FSDP2) of each block with parameters, and of the root."""

    def wrap(self, plan: Plan) -> None:
        """Shard each block, so that every rank holds a part of each parameter."""
        self._make_blocks()
        # Blocks before the root, so that each block is gathered only when it runs.
        for block in self._blocks:
            if any(True for _ in block.parameters()):
                fully_shard(block)
        self.model = self._sequence()
        fully_shard(self.model)


class PipelineEngine(TorchEngine):
    """A schedule of torch.distributed.pipelining, with the plan's stages for this rank."""

    def wrap(self, plan: Plan) -> None:
        """Build torch's stages for this rank. All micro-batches have the same number of rows."""
        self._parts = len(plan.parts)
        own_stages: list[Stage] = []
        for stage in plan.stages:
            if plan.lane_of(0, stage.index) == self.rank:
                own_stages.append(stage)
        blocks = copy.deepcopy(self.workload.blocks)
        self._named: dict[str, nn.Parameter] = {}
        modules = []
        stages = []
        for stage in own_stages:
            module = nn.Sequential(*blocks[stage.first : stage.last]).to(self.device)
            self._named |= full_names(list(module), stage.first)
            modules.append(module)
            stages.append(
                pipelining.PipelineStage(module, stage.index, len(plan.stages), self.device)
            )
        self.model = nn.ModuleList(modules)
        self._is_first = any(stage.is_first for stage in stages)
        self._is_last = any(stage.is_last for stage in stages)
        schedule = self.specification[SCHEDULE]
        assert schedule is not None
        kind: Any = getattr(pipelining.schedules, SCHEDULES[schedule].torch_name)
        is_single = issubclass(kind, pipelining.schedules.PipelineScheduleSingle)
        # torch's single schedules take one stage, the others a list.
        held = stages[0] if is_single else stages
        self._schedule = kind(held, self._parts, loss_fn=self.workload.loss)

    def parameters(self) -> dict[str, nn.Parameter]:
        """Return the parameters of this rank's stages."""
        return self._named

    def compute(self, batch: Batch, plan: Plan) -> Tensor:
        """Run all micro-batches through this rank's stages."""
        x, target = (tensor.to(self.device) for tensor in batch)
        losses: list[Tensor] = []
        inputs = (x,) if self._is_first else ()
        own_target = target if self._is_last else None
        self._schedule.step(*inputs, target=own_target, losses=losses)
        # Only the rank with the last stage has losses.
        if not losses:
            return torch.zeros((), device=self.device)
        # The mean of the micro-batches' means is the batch's mean, because check_plans ensures
        # that they have equal sizes. torch divides the gradients by their number itself.
        return torch.stack(losses).mean().detach()

    def copies(self, gathered: list[Named]) -> list[Named]:
        """Return one copy, with the parameters of all stages."""
        copy_of_all: Named = {}
        for named in gathered:
            copy_of_all |= named
        return [copy_of_all]


ENGINES: dict[str, type[TorchEngine]] = {
    engine.__name__: engine for engine in (DdpEngine, FsdpEngine, PipelineEngine)
}
"""The engines by their names in Strategy.torch_engine."""
