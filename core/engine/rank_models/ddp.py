"""A rank's model as DistributedDataParallel has it: every rank holds all of it."""

from __future__ import annotations

from typing import Any

from torch import nn
from torch.nn.parallel import DistributedDataParallel

from core.engine.rank_models.model import RankModel, RankSetup
from core.errors import PlanError
from core.plan.specification import Specification
from core.plan.strategies.ddp import BUCKET_MB
from core.recorder.rank_step import Op


def data_parallel(blocks: nn.Module, specification: Specification) -> DistributedDataParallel:
    """A model as torch replicates it, with buckets as large as asked for or of torch's own size."""
    bucket_mb = specification[BUCKET_MB]
    caps: dict[str, Any] = {} if bucket_mb is None else {"bucket_cap_mb": bucket_mb}
    return DistributedDataParallel(blocks, **caps)


class Replicated(RankModel):
    """DistributedDataParallel, whose gradient buckets the recorder sees."""

    def __init__(self, blocks: list[nn.Module], setup: RankSetup) -> None:
        super().__init__(blocks, setup)
        self.module = data_parallel(self.blocks, setup.specification)
        parameters = self.parameters
        self._names = {id(parameter): name for name, parameter in parameters.items()}
        self._trained = {name: p for name, p in parameters.items() if p.requires_grad}
        self._gradient_bytes = sum(p.nbytes for p in self._trained.values())
        setup.report("parameters", sum(p.nbytes for p in parameters.values()))

    def finish(self) -> None:
        """The backward pass itself has waited for its all-reduces.

        Raises PlanError if a parameter had no gradient: its bucket was then never reduced.
        """
        self._setup.report("gradients", self._gradient_bytes)
        reduced = sum(len(op.parameters) for op in self._setup.instrument.ops.kept)
        if reduced < len(self._trained):
            unused = ", ".join(name for name, p in self._trained.items() if p.grad is None)
            raise PlanError(
                f"no gradient for {unused}: ddp waits for that of every trained parameter; use "
                "them in the forward pass, or freeze them with requires_grad_(False)"
            )

    def parameters_of(self, op: Op) -> tuple[str, ...]:
        """Names of the parameters whose gradients a bucket has."""
        return tuple(self._names[parameter] for parameter in op.parameters)


MODEL = Replicated
