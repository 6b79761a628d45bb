"""Parts into which model, batch and gradients are divided: stages, shards, micro-batches."""

from __future__ import annotations

from dataclasses import dataclass

from core.models.description import ModelDescription
from core.plan.task import Kind, Payload


@dataclass(frozen=True, slots=True)
class Stage:
    """Consecutive blocks of the model, first to last (exclusive), held by one lane per replica.

    With tensor parallelism a stage is a segment of the model, divided into `shards`, one on each
    lane. `shares` is then the fraction of each block's parameters (0 to 1) that a lane holds and
    computes with. The stage's output is the sum of the shards' partial outputs, and the gradient
    of its input the sum of their partial gradients.
    """

    index: int
    first: int
    last: int
    shards: int = 1
    shares: tuple[float, ...] = ()

    @property
    def held(self) -> tuple[tuple[int, float], ...]:
        """Each block's number and the fraction of it that a lane holds (1 is all)."""
        blocks = range(self.first, self.last)
        shares = self.shares or (1.0,) * len(blocks)
        return tuple(zip(blocks, shares, strict=True))

    def parameter_bytes(self, model: ModelDescription) -> int:
        """Return the bytes of the stage's parameters that one lane holds."""
        total = 0.0
        for block, share in self.held:
            total += share * model.blocks_bytes(block, block + 1)
        return round(total)


@dataclass(frozen=True, slots=True)
class Part:
    """One micro-batch: rows `start` to `start + rows` (exclusive) of the batch, for one replica."""

    replica: int
    microbatch: int
    start: int
    rows: int


@dataclass(frozen=True, slots=True)
class Placement:
    """The lane that holds a shard of a stage of a replica.

    The optimizer steps the copy of the `owner`. An undivided stage has a single shard, 0. In a plan
    with divided stages every lane repeats the work of an undivided one, and the copies are numbered
    like shards.
    """

    replica: int
    stage: int
    lane: int
    owner: bool = True
    shard: int = 0


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Inputs of a schedule's formulas; numbers are per pipeline if there are several."""

    schedule: str
    ranks: int
    microbatches: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Collective:
    """A collective that torch runs in each rank.

    `names` are parameters, named as in nn.Sequential. With the payload PARAMETERS they are
    gathered; with PARAMETER_GRADIENTS they are trained, and their gradients are reduced.
    """

    kind: Kind
    payload: Payload
    names: tuple[str, ...]


Collectives = tuple[Collective, ...]
"""A step's collectives in launch order, which is the same on every rank."""
