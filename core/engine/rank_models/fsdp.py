"""A rank's model in fully_shard (FSDP2): every rank holds a part of each parameter.

Each block with parameters is sharded separately, so none are left for the root. In the backward
pass torch gathers the next block's parameters while a block computes. In the forward pass it does
so only if the host runs ahead of the device. So each block prefetches the next one
(`set_modules_to_forward_prefetch`), which gives as much overlap on a GPU and works on a CPU too.

The memory counted is the rank's parts of parameters and gradients without padding, a whole block's
parameters from the request until they are released, and a whole block's gradients while they are
reduced. The copies that torch packs and unpacks for a moment, and whole gradients
before they are packed, are not counted.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.fsdp._fully_shard._fsdp_api import AllGather, ReduceScatter
from torch.distributed.fsdp._fully_shard._fsdp_collectives import DefaultAllocMixin
from torch.distributed.tensor import DTensor

from core.engine.models.workload import Workload
from core.engine.rank_models.communication import (
    Communication,
    ThreadedCollectives,
    all_gather,
    gathered,
)
from core.engine.rank_models.model import RankModel, RankSetup
from core.errors import PlanError
from core.message import message
from core.plan.task import Kind, Payload
from core.recorder.collectives import CollectiveRequest
from core.recorder.rank_step import Op


class Sharded(RankModel):
    """fully_shard on each block that has parameters, and on the root."""

    def __init__(self, blocks: list[nn.Module], setup: RankSetup) -> None:
        # The warning is about writing to a view that a block returns, which never happens here.
        warnings.filterwarnings("ignore", "FSDP2-wrapped module .* returned a view")
        super().__init__(blocks, setup)
        runs = Communication if setup.on_streams else ThreadedCollectives
        self._communication = runs(setup.lane)
        self._lock = threading.Lock()  # reduce-scatters end in another thread
        # Blocks gathered in this step. They are gathered again for the backward pass.
        self._gathered: set[int] = set()
        # The bytes of a block's whole parameters, while the rank holds them.
        self._whole: dict[int, int] = {}
        self._reducing = 0
        self._names = [_names(number, block) for number, block in enumerate(blocks)]
        self._trained = [_names(number, block, trained=True) for number, block in enumerate(blocks)]
        self._shard()
        parameters = self.parameters.values()
        self._parts = sum(map(self.held_bytes, parameters))
        self._gradient_parts = sum(self.held_bytes(p) for p in parameters if p.requires_grad)

    @classmethod
    def check(cls, workload: Workload) -> None:
        """Raise PlanError if fully_shard cannot divide a parameter, block by block."""
        super().check(workload)
        owner: dict[int, int] = {}
        for number, block in enumerate(workload.blocks):
            for name, parameter in block.named_parameters():
                other = owner.setdefault(id(parameter), number)
                if other != number:
                    raise PlanError(
                        message(
                            "blocks {other} and {number} share a parameter ({number}.{name}), and "
                            "each block is sharded by itself; put both into one block, or use ddp",
                            other=other,
                            number=number,
                            name=name,
                        )
                    )
                problem = "" if parameter.is_contiguous() else message("is not contiguous")
                if not parameter.dim():
                    problem = message("has no dimension to divide")
                if problem:
                    raise PlanError(
                        message(
                            "parameter {number}.{name} {problem}, which fully_shard refuses; make "
                            "it contiguous and of shape [1] at least, or use ddp",
                            number=number,
                            name=name,
                            problem=problem,
                        )
                    )

    def begin(self) -> None:
        """Prepare for a step: clear the gradients and the counts."""
        super().begin()
        self._gathered.clear()
        self._whole.clear()
        self._reducing = 0
        self._report_parameters()

    def finish(self) -> None:
        """Wait for the reduce-scatters, as an optimizer step does on a GPU."""
        self._communication.finish()
        self._whole.clear()  # torch does not release a frozen block after the backward pass
        self._report_parameters()
        self._setup.report("gradients", self._gradient_parts)

    def whole(self, tensor: Tensor) -> Tensor:
        """Return a copy of a whole parameter or gradient, gathered from all ranks."""
        assert isinstance(tensor, DTensor)
        return gathered(tensor)

    def held_bytes(self, tensor: Tensor) -> int:
        """Return the bytes of this rank's part, without padding."""
        if not isinstance(tensor, DTensor):
            return tensor.nbytes
        return tensor.to_local().nbytes

    def close(self) -> None:
        """End the communication thread."""
        self._communication.close()

    def gather(
        self, block: int, whole: Tensor, part: Tensor, group: dist.ProcessGroup
    ) -> dist.Work | None:
        """Gather a block's parameters, for the forward pass and again for the backward pass."""
        payload = Payload.PARAMETERS_AGAIN if block in self._gathered else Payload.PARAMETERS
        self._gathered.add(block)
        self._whole[block] = whole.nbytes
        self._report_parameters()
        requested = self._request(Kind.ALL_GATHER, payload, block, whole)
        return self._communication.run(requested, lambda: all_gather(whole, part, group=group))

    def reduce(self, block: int, part: Tensor, whole: Tensor, group: dist.ProcessGroup) -> None:
        """Reduce-scatter a block's gradients to their mean, after its parameters are released."""
        self._resharded(block)
        self._hold_gradients(whole.nbytes)
        payload = Payload.PARAMETER_GRADIENTS
        requested = self._request(Kind.REDUCE_SCATTER, payload, block, whole)

        def collective() -> None:
            self._communication.reduce_scatter(part, whole, group)
            self._hold_gradients(part.nbytes - whole.nbytes)

        self._communication.run(requested, collective)

    def parameters_of(self, op: Op) -> tuple[str, ...]:
        """Return the names of a block's parameters; for gradients, only of those with one."""
        names = self._trained if op.kind == Kind.REDUCE_SCATTER else self._names
        return names[op.number]

    def _request(
        self, kind: Kind, payload: Payload, block: int, whole: Tensor
    ) -> CollectiveRequest:
        return self._setup.instrument.collectives.request(kind, payload, block, whole)

    def _shard(self) -> None:
        group = dist.group.WORLD
        assert group is not None
        mesh = DeviceMesh.from_group(group, self._setup.lane.device.type)
        sharded: list[FSDPModule] = []
        for number, block in enumerate(self.blocks):
            if self._names[number]:
                sharded.append(self._shard_block(number, block, mesh))
        # The root is last. Its children have taken all parameters, so it has no collective.
        fully_shard(self.blocks, mesh=mesh)
        for module, following in pairwise(sharded):
            module.set_modules_to_forward_prefetch([following])

    def _shard_block(self, number: int, block: nn.Module, mesh: DeviceMesh) -> FSDPModule:
        module = fully_shard(block, mesh=mesh)
        module.set_custom_all_gather(_Gather(self, number))
        module.set_custom_reduce_scatter(_Reduce(self, number))
        # The mean is computed while reducing. torch would divide before the gradients arrive.
        module.set_gradient_divide_factor(1.0)
        module.set_force_sum_reduction_for_comms(True)
        # Registered after fully_shard's hook, which releases the whole parameters.
        block.register_forward_hook(lambda *_: self._resharded(number))
        return module

    def _resharded(self, block: int) -> None:
        self._whole.pop(block, None)
        self._report_parameters()

    def _report_parameters(self) -> None:
        self._setup.report("parameters", self._parts + sum(self._whole.values()))

    def _hold_gradients(self, change: int) -> None:
        with self._lock:
            self._reducing += change
            self._setup.report("gradients", self._reducing)


@dataclass(eq=False)
class _Gather(DefaultAllocMixin, AllGather):
    """Gathers one block's parameters."""

    model: Sharded
    block: int

    def __call__(
        self,
        output_tensor: Tensor,
        input_tensor: Tensor,
        group: dist.ProcessGroup,
        async_op: bool = False,
    ) -> dist.Work | None:
        return self.model.gather(self.block, output_tensor, input_tensor, group)


@dataclass(eq=False)
class _Reduce(DefaultAllocMixin, ReduceScatter):
    """Reduces one block's gradients."""

    model: Sharded
    block: int

    def __call__(
        self,
        output_tensor: Tensor,
        input_tensor: Tensor,
        group: dist.ProcessGroup,
        op: Any,
        async_op: bool = False,
    ) -> None:
        self.model.reduce(self.block, output_tensor, input_tensor, group)


def _names(number: int, block: nn.Module, trained: bool = False) -> tuple[str, ...]:
    """Return the names of a block's parameters in nn.Sequential; if `trained`, of those only."""
    found = []
    for name, parameter in block.named_parameters():
        if parameter.requires_grad or not trained:
            found.append(f"{number}.{name}")
    return tuple(found)


MODEL = Sharded
