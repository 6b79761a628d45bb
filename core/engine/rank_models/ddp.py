"""A rank's model in DistributedDataParallel: every rank holds a full copy."""

from __future__ import annotations

from torch import nn
from torch.nn.parallel import DistributedDataParallel

from core.engine.rank_models.model import RankModel, RankSetup
from core.errors import PlanError
from core.message import message
from core.plan.specification import Specification
from core.plan.strategies.ddp import BUCKET_MB
from core.recorder.rank_step import Op


def data_parallel(blocks: nn.Module, specification: Specification) -> DistributedDataParallel:
    """Wrap a model with buckets of the specified size, or of torch's default size."""
    bucket_mb = specification[BUCKET_MB]
    if bucket_mb is None:
        return DistributedDataParallel(blocks)
    return DistributedDataParallel(blocks, bucket_cap_mb=bucket_mb)


class Replicated(RankModel):
    """A model in DistributedDataParallel; the recorder times its gradient buckets."""

    def __init__(self, blocks: list[nn.Module], setup: RankSetup) -> None:
        super().__init__(blocks, setup)
        self.module = data_parallel(self.blocks, setup.specification)
        parameters = self.parameters
        self._names = {id(parameter): name for name, parameter in parameters.items()}
        self._trained = {name: p for name, p in parameters.items() if p.requires_grad}
        self._gradient_bytes = sum(p.nbytes for p in self._trained.values())
        setup.report("parameters", sum(p.nbytes for p in parameters.values()))

    def finish(self) -> None:
        """Check the gradients; the backward pass has waited for the all-reduces.

        Raise PlanError if a parameter has no gradient, because its bucket was not reduced.
        """
        self._setup.report("gradients", self._gradient_bytes)
        unused = [name for name, parameter in self._trained.items() if parameter.grad is None]
        if unused:
            raise PlanError(
                message(
                    "no gradient for {unused}: ddp waits for the gradient of every "
                    "trained parameter; use them in the forward pass, or freeze them with "
                    "requires_grad_(False)",
                    unused=", ".join(unused),
                )
            )

    def parameters_of(self, op: Op) -> tuple[str, ...]:
        """Return the names of the parameters whose gradients are in a bucket."""
        return tuple(self._names[parameter] for parameter in op.parameters)


MODEL = Replicated
