"""The model in every rank of a strategy, with the part of each parameter that a rank keeps."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, pairwise

import torch
from torch import Tensor, nn

from core.engine.models.workload import gradients_of, make_optimizer
from core.engine.prepare import Prepared
from core.engine.tasks.replicas import ModelReplicas, Parameters, clones_of
from core.errors import PlanError
from core.message import message


class RankReplicas(ModelReplicas):
    """A replica in each rank.

    `whole` has each rank's whole parameters by name, and `sizes` the bytes of each. A rank keeps
    and steps its `parts`. Without sharding these are the whole parameters. With sharding they are
    some rows of each parameter (of its first dimension, as in fully_shard), and a whole parameter
    exists only between `unshard` and `reshard`. `rows` has the rows of each rank by parameter.
    """

    def __init__(self, prepared: Prepared, is_sharded: bool) -> None:
        super().__init__(prepared)
        self.ranks = range(len(prepared.lanes))
        self.is_sharded = is_sharded
        self.whole: list[Parameters] = [{} for _ in self.ranks]
        for place in sorted(self.stages):
            parameters = self.stages[place].parameters
            self.whole[place.replica].update(parameters)
        self.sizes = {name: p.nbytes for name, p in self.whole[0].items()}
        self.parts = self.whole
        if is_sharded:
            self.parts = [self._parts_of(rank) for rank in self.ranks]
            self.rows = {name: self._rows_of(name) for name in self.sizes}
            for rank in self.ranks:
                self.reshard(rank, self.sizes)
        self.rank_optimizers: list[torch.optim.Optimizer | None] = []
        for parts in self.parts:
            optimizer = make_optimizer(prepared.specification, list(parts.values()))
            self.rank_optimizers.append(optimizer)

    @property
    def optimizers(self) -> list[torch.optim.Optimizer]:
        """The optimizers of the ranks; each of them steps all parameters of a rank."""
        return [optimizer for optimizer in self.rank_optimizers if optimizer is not None]

    def clear_gradients(self) -> None:
        """Remove the last step's gradients, also of parts."""
        super().clear_gradients()
        for parts in self.parts:
            for parameter in parts.values():
                parameter.grad = None

    def gradients(self) -> list[dict[str, Tensor]]:
        """Return the step's gradients by full name: of every rank, or joined if sharded."""
        return self._joined([gradients_of(parts) for parts in self.parts])

    def parameters(self) -> list[dict[str, Tensor]]:
        """Return copies of the parameters by full name: of every rank, or joined if sharded."""
        return self._joined([clones_of(parts) for parts in self.parts])

    def _joined(self, tensors: list[dict[str, Tensor]]) -> list[dict[str, Tensor]]:
        if not self.is_sharded:
            return tensors
        joined = {}
        for name in tensors[0]:
            joined[name] = torch.cat([of_rank[name] for of_rank in tensors])
        return [joined]

    def _parts_of(self, rank: int) -> Parameters:
        """Return a rank's part of every parameter; it may be empty if there are few rows."""
        parts: Parameters = {}
        for name, whole in self.whole[rank].items():
            # Rounded up, like torch.chunk and fully_shard: 4 ranks have 2, 2, 1 and 0 of 5 rows.
            size = -(-len(whole) // len(self.ranks))
            first = rank * size
            part = whole.detach()[first : first + size].clone()
            parts[name] = nn.Parameter(part, requires_grad=whole.requires_grad)
        return parts

    def _rows_of(self, name: str) -> list[slice]:
        """Return the rows of a whole parameter that belong to each rank."""
        lengths = [len(parts[name]) for parts in self.parts]
        ends = [0, *accumulate(lengths)]
        return [slice(*pair) for pair in pairwise(ends)]

    def reshard(self, rank: int, names: Iterable[str]) -> int:
        """Free the memory of a rank's whole parameters, but keep the tensors and its parts.

        Returns the number of bytes that were freed.
        """
        freed = 0
        for name in names:
            storage = self.whole[rank][name].untyped_storage()
            freed += storage.nbytes()
            # The tensor must stay: the tensors that autograd saved and the views of the forward
            # pass share its storage, which is filled again for the backward pass. fully_shard frees
            # its parameters in the same way.
            storage.resize_(0)
        return freed

    def unshard(self, rank: int, names: Iterable[str]) -> None:
        """Fill a rank's whole parameters from the parts of all ranks."""
        for name in names:
            whole = self.whole[rank][name]
            whole.untyped_storage().resize_(self.sizes[name])
            for rows, parts in zip(self.rows[name], self.parts, strict=True):
                # `data` does not change the version counter. Otherwise autograd would refuse the
                # backward pass, because a parameter has changed since the forward pass.
                whole.data[rows].copy_(parts[name].detach(), non_blocking=True)

    def gradients_of_ranks(self, name: str) -> list[Tensor]:
        """Return the gradient of a parameter in every rank. Raises PlanError as `gradient` does."""
        return [self.gradient(rank, name) for rank in self.ranks]

    def gradient(self, rank: int, name: str) -> Tensor:
        """Return a gradient. Raises PlanError if it is None: ranks would wait for it forever."""
        gradient = self.whole[rank][name].grad
        if gradient is None:
            raise PlanError(
                message(
                    "no gradient for {name}: ranks wait for the gradient of every trained "
                    "parameter; use it in the forward pass, or freeze it with "
                    "requires_grad_(False)",
                    name=name,
                )
            )
        return gradient
