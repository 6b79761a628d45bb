"""The model in every rank of a strategy, and the part of each parameter that a rank keeps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

import torch
from torch import Tensor, nn

from core.engine.models.workload import gradients_of, make_optimizer
from core.engine.prepare import Prepared
from core.engine.tasks.replicas import Parameters, Replicas, clones_of
from core.errors import PlanError


class RankReplicas(Replicas):
    """One replica in each rank: `whole` are its parameters by name, `sizes` the bytes of each.

    A rank keeps and steps its `parts`: all of every parameter, or where they are sharded some rows
    of each (of its first dimension, as fully_shard does), and then has the whole only from its
    unsharding to its resharding. `rows` says of each parameter which rows are each rank's.
    """

    def __init__(self, prepared: Prepared, is_sharded: bool) -> None:
        super().__init__(prepared)
        self.ranks, self.is_sharded = range(len(prepared.lanes)), is_sharded
        self.whole: list[Parameters] = [{} for _ in self.ranks]
        for (rank, _, _), module in sorted(self.stages.items()):
            self.whole[rank].update(module.parameters)
        self.sizes = {name: p.nbytes for name, p in self.whole[0].items()}
        self.parts = self.whole
        if is_sharded:
            self.parts = [self._divided(rank) for rank in self.ranks]
            self.rows = {name: self._rows_of(name) for name in self.sizes}
            for rank in self.ranks:
                self.reshard(rank, self.sizes)
        self.rank_optimizers = [
            make_optimizer(prepared.specification, list(parts.values())) for parts in self.parts
        ]

    @property
    def optimizers(self) -> list[torch.optim.Optimizer]:
        """A rank steps all its parameters at once."""
        return [optimizer for optimizer in self.rank_optimizers if optimizer is not None]

    def clear_gradients(self) -> None:
        """Forget the last step's gradients, also those of parts."""
        super().clear_gradients()
        for parameter in (p for parts in self.parts for p in parts.values()):
            parameter.grad = None

    def gradients(self) -> list[dict[str, Tensor]]:
        """The step's gradients by full parameter name, of every rank that has all of them."""
        return self._joined([gradients_of(parts) for parts in self.parts])

    def parameters(self) -> list[dict[str, Tensor]]:
        """Clones of the parameters by full name, of every rank that has all of them."""
        return self._joined([clones_of(parts) for parts in self.parts])

    def _joined(self, tensors: list[dict[str, Tensor]]) -> list[dict[str, Tensor]]:
        if not self.is_sharded:
            return tensors
        return [{name: torch.cat([each[name] for each in tensors]) for name in tensors[0]}]

    def _divided(self, rank: int) -> Parameters:
        """A rank's part of every parameter; an empty one where there are fewer rows than ranks."""
        parts: Parameters = {}
        for name, whole in self.whole[rank].items():
            # Rounded up, as torch.chunk and fully_shard divide: 5 rows on 4 ranks are 2, 2, 1 and
            # 0.
            size = -(-len(whole) // len(self.ranks))
            part = whole.detach()[rank * size : (rank + 1) * size].clone()
            parts[name] = nn.Parameter(part, requires_grad=whole.requires_grad)
        return parts

    def _rows_of(self, name: str) -> list[slice]:
        """Which rows of a whole parameter are each rank's."""
        ends = [0, *accumulate(len(parts[name]) for parts in self.parts)]
        return [slice(*pair) for pair in pairwise(ends)]

    def reshard(self, rank: int, names: Iterable[str]) -> None:
        """Free a rank's whole parameters; it keeps its parts. The tensors stay, without memory."""
        for name in names:
            # The memory goes, the tensor stays: autograd's saved tensors and the views of the
            # forward pass share this storage, and find the values again when it is filled for the
            # backward pass. fully_shard frees its parameters in the same way.
            self.whole[rank][name].untyped_storage().resize_(0)

    def unshard(self, rank: int, names: Iterable[str]) -> None:
        """Let a rank have whole parameters, gathered from all ranks' parts."""
        for name in names:
            whole = self.whole[rank][name]
            whole.untyped_storage().resize_(self.sizes[name])
            for rows, parts in zip(self.rows[name], self.parts, strict=True):
                # Through `data`, so that the version counter stays: a parameter that was written
                # to since the forward pass makes autograd refuse the backward pass.
                whole.data[rows].copy_(parts[name].detach(), non_blocking=True)

    def trained(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those that have gradients."""
        return tuple(name for name in names if self.whole[0][name].requires_grad)

    def gradient(self, rank: int, name: str) -> Tensor:
        """Raises PlanError if there is none: ranks would wait for it for ever."""
        gradient = self.whole[rank][name].grad
        if gradient is None:
            raise PlanError(
                f"no gradient for {name}: ranks wait for that of every trained parameter; use "
                "it in the forward pass, or freeze it with requires_grad_(False)"
            )
        return gradient
