"""A rank's model as DistributedDataParallel has it: every rank holds all of it.

A gradient bucket is ready when the communication hook is called, launched when the all-reduce is
called, and done when its future is.
"""

# No postponed annotations: torch checks the communication hook's at run time.

import time
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from core.engine.lanes.lane import Timestamp
from core.engine.rank_models.model import RankModel, RankSetup
from core.errors import PlanError
from core.plan.specification import Specification
from core.plan.strategies.ddp import BUCKET_MB
from core.plan.task import Kind, Payload


def data_parallel(blocks: nn.Module, specification: Specification) -> DistributedDataParallel:
    """A model as torch replicates it, with buckets as large as asked for or of torch's own size."""
    bucket_mb = specification[BUCKET_MB]
    caps: dict[str, Any] = {} if bucket_mb is None else {"bucket_cap_mb": bucket_mb}
    return DistributedDataParallel(blocks, **caps)


class Replicated(RankModel):
    """DistributedDataParallel, its buckets timed."""

    def __init__(self, blocks: list[nn.Module], setup: RankSetup) -> None:
        super().__init__(blocks, setup)
        self.module = data_parallel(self.blocks, setup.specification)
        self.module.register_comm_hook(dist.get_world_size(), self._bucket_hook)
        parameters = self.parameters
        self._names = {id(parameter): name for name, parameter in parameters.items()}
        self._trained = {name: p for name, p in parameters.items() if p.requires_grad}
        self._gradient_bytes = sum(p.nbytes for p in self._trained.values())
        setup.timer.watch(self.blocks, list(parameters.values()))
        setup.report("parameters", sum(p.nbytes for p in parameters.values()))

    def finish(self) -> None:
        """The backward pass itself has waited for its all-reduces.

        Raises PlanError if a parameter had no gradient: its bucket was then never reduced.
        """
        self._setup.report("gradients", self._gradient_bytes)
        reduced = sum(len(op.names) for op in self._setup.timer.now.collectives)
        if reduced < len(self._trained):
            unused = ", ".join(name for name, p in self._trained.items() if p.grad is None)
            raise PlanError(
                f"no gradient for {unused}: ddp waits for that of every trained parameter; use "
                "them in the forward pass, or freeze them with requires_grad_(False)"
            )

    def _bucket_hook(self, world: int, bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:  # type: ignore[name-defined]
        """All-reduce a bucket to its average, as DDP itself would, and time it."""
        timer = self._setup.timer
        names = tuple(self._names[id(parameter)] for parameter in bucket.parameters())
        # Buckets are numbered in the order in which they
        # become ready, which is the plan's order of them.
        number = len(timer.now.collectives)
        op = timer.ask(Kind.ALL_REDUCE, Payload.PARAMETER_GRADIENTS, number, names)
        # Divided before the sum, as in torch's own
        # allreduce_hook: in float16 the sum could overflow.
        gradients = bucket.buffer().div_(world)
        # Before the call: gloo's threads begin while it returns, which takes as long as a small
        # all-reduce, and longer where another thread has the core.
        op.launched = time.perf_counter_ns()
        work: Any = dist.all_reduce(gradients, async_op=True)

        def done(future: torch.futures.Future[list[Tensor]]) -> Tensor:
            op.end = self._completed()
            return future.value()[0]

        return work.get_future().then(done)  # type: ignore[no-any-return]

    def _completed(self) -> Timestamp:
        """Of a future: on a stream it completes there, else on the host."""
        setup = self._setup
        return setup.lane.completion() if setup.on_streams else time.perf_counter_ns()


MODEL = Replicated
