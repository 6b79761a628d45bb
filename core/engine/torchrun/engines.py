"""What a process of torchrun's computes: its part of a strategy, as torch's own engine runs it."""

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
from core.engine.rank_models.ddp import data_parallel
from core.errors import PlanError
from core.plan.pipeline.options import SCHEDULE
from core.plan.plan import Plan
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification

Named = dict[str, Tensor]


class TorchEngine(ABC):
    """A rank's model and optimizer; `model` is what is recorded.

    Raises PlanError where torch cannot run the job so.
    """

    model: nn.Module

    def __init__(
        self, specification: Specification, workload: Workload, plan: Plan, device: torch.device
    ) -> None:
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.specification, self.workload, self.device = specification, workload, device
        self.wrap(plan)
        optimizer = make_optimizer(specification, list(self.parameters().values()))
        if optimizer is None:
            raise PlanError(f"rank {self.rank} has no parameters to update: use fewer lanes")
        self.optimizer = optimizer

    @abstractmethod
    def wrap(self, plan: Plan) -> None:
        """Make the model of this rank."""

    @abstractmethod
    def parameters(self) -> dict[str, nn.Parameter]:
        """The parameters that this rank updates, by their names in the whole model."""

    @abstractmethod
    def compute(self, batch: Batch, plan: Plan) -> Tensor:
        """Forward and backward; the loss of the whole batch is the sum over ranks of what it is."""

    @abstractmethod
    def copies(self, gathered: list[Named]) -> list[Named]:
        """Every copy of the whole model, from what each rank holds."""

    def step(self, batch: Batch, plan: Plan) -> Tensor:
        """One step; `batch` is the whole one, and the same on every rank."""
        self.optimizer.zero_grad()
        loss = self.compute(batch, plan)
        self.optimizer.step()
        return loss

    def whole_parameters(self) -> Named:
        """This rank's parameters; of shards, gathered."""
        return {name: _whole(p) for name, p in self.parameters().items()}

    def whole_gradients(self) -> Named:
        """Their gradients."""
        return {name: _whole(g) for name, g in gradients_of(self.parameters()).items()}


def _whole(tensor: Tensor) -> Tensor:
    # A collective where it is sharded: so every rank asks for every tensor, in the same order.
    found = tensor.full_tensor() if isinstance(tensor, DTensor) else tensor
    # A copy: on the CPU cpu() gives the tensor itself, which the next update changes in place.
    return found.detach().cpu().clone()


class Replicas(TorchEngine):
    """DistributedDataParallel: every rank has all of the model, and its rows of the batch."""

    def wrap(self, plan: Plan) -> None:
        """All of the model, whose gradients torch reduces."""
        self._make_blocks()
        self.model = data_parallel(nn.Sequential(*self._blocks), self.specification)

    def _make_blocks(self) -> None:
        self._blocks = [block.to(self.device) for block in copy.deepcopy(self.workload.blocks)]

    def parameters(self) -> dict[str, nn.Parameter]:
        """All of the model's."""
        return full_names(self._blocks)

    def compute(self, batch: Batch, plan: Plan) -> Tensor:
        """This rank's rows; weighted so that the mean over ranks is that over the batch."""
        part = plan.parts[self.rank]
        mine = slice(part.start, part.start + part.rows)
        x, target = (tensor[mine].to(self.device) for tensor in batch)
        # DDP and fully_shard take the mean of the ranks' gradients, whatever the rows of each. With
        # this factor it is the gradient of the mean over the batch, also where tensor_split gave
        # uneven shares. A rank without rows takes part with gradients of zero.
        share = part.rows * self.world / plan.rows
        loss = self.workload.weighted_loss(self.model(x), target, share)
        loss.backward()
        # The factor `world` was for the mean of gradients; losses add up over the ranks without it.
        return loss.detach() / self.world

    def copies(self, gathered: list[Named]) -> list[Named]:
        """Each rank's."""
        return gathered


class Shards(Replicas):
    """fully_shard (FSDP2) of each block that has parameters, and of the root."""

    def wrap(self, plan: Plan) -> None:
        """Every rank holds a part of each parameter."""
        self._make_blocks()
        # Blocks before the whole: each is then gathered when it runs, and the root has the rest.
        for block in self._blocks:
            if any(True for _ in block.parameters()):
                fully_shard(block)
        self.model = nn.Sequential(*self._blocks)
        fully_shard(self.model)


class Stages(TorchEngine):
    """A schedule of torch.distributed.pipelining over the stages that the plan gives this rank."""

    def wrap(self, plan: Plan) -> None:
        """A stage of torch's for each of this rank's; all micro-batches have as many rows."""
        self._parts = len(plan.parts)
        mine = [s for s in plan.stages if plan.lane_of(0, s.index) == self.rank]
        blocks = copy.deepcopy(self.workload.blocks)
        self._named: dict[str, nn.Parameter] = {}
        modules = []
        for stage in mine:
            modules.append(nn.Sequential(*blocks[stage.first : stage.last]).to(self.device))
            self._named |= full_names(list(modules[-1]), stage.first)
        self.model = nn.ModuleList(modules)
        stages = [
            pipelining.PipelineStage(module, stage.index, len(plan.stages), self.device)
            for module, stage in zip(modules, mine, strict=True)
        ]
        self._is_first = any(stage.is_first for stage in stages)
        self._is_last = any(stage.is_last for stage in stages)
        schedule = self.specification[SCHEDULE]
        assert schedule is not None
        kind: Any = getattr(pipelining.schedules, SCHEDULES[schedule].torch_name)
        is_single = issubclass(kind, pipelining.schedules.PipelineScheduleSingle)
        # Torch's single schedules take one stage, the others a list, also of one.
        held = stages[0] if is_single else stages
        self._schedule = kind(held, self._parts, loss_fn=self.workload.loss)

    def parameters(self) -> dict[str, nn.Parameter]:
        """Those of this rank's stages."""
        return self._named

    def compute(self, batch: Batch, plan: Plan) -> Tensor:
        """All micro-batches through this rank's stages."""
        x, target = (tensor.to(self.device) for tensor in batch)
        losses: list[Tensor] = []
        self._schedule.step(
            *((x,) if self._is_first else ()),
            target=target if self._is_last else None,
            losses=losses,
        )
        # Micro-batches are equally large (check_parts): the mean of their means is the
        # batch's. Torch divides the gradients by their number itself. Only the rank
        # with the last stage has losses.
        found = torch.stack(losses).mean() if losses else torch.zeros((), device=self.device)
        return found.detach()

    def copies(self, gathered: list[Named]) -> list[Named]:
        """The stages' together."""
        return [{name: tensor for named in gathered for name, tensor in named.items()}]


ENGINES: dict[str, type[TorchEngine]] = {
    engine.__name__: engine for engine in (Replicas, Shards, Stages)
}
"""By the names that strategies give (Strategy.torch_engine)."""
