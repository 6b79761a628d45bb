"""How model, batch and gradients are divided: stages, shards, micro-batches, collectives."""

from __future__ import annotations

from dataclasses import dataclass

from core.models.description import ModelDescription
from core.plan.task import Kind, Payload


@dataclass(frozen=True, slots=True)
class Stage:
    """A run of the model's blocks, first to last (exclusive), held by one lane per replica.

    Where blocks are split, a stage is a segment of the model, and `shares` says how much of each of
    these blocks a lane holds and computes (of the block's parameters, 0 to 1). The outputs of its
    `shards`, on a lane each, are partial ones: their sum is the stage's, as their gradients' sum is
    that of its input.
    """

    index: int
    first: int
    last: int
    shards: int = 1
    shares: tuple[float, ...] = ()

    @property
    def held(self) -> tuple[tuple[int, float], ...]:
        """The number of each block, and how much of it a lane holds and computes (1 is all)."""
        blocks = range(self.first, self.last)
        return tuple(zip(blocks, self.shares or (1.0,) * len(blocks), strict=True))

    def parameter_bytes(self, model: ModelDescription) -> int:
        """Bytes of the parameters that a lane holds of the stage."""
        return round(sum(share * model.run_bytes(b, b + 1) for b, share in self.held))


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the batch: rows `start` to `start + rows` go to one replica as one micro-batch."""

    replica: int
    microbatch: int
    start: int
    rows: int


@dataclass(frozen=True, slots=True)
class Placement:
    """Which lane holds a shard of a stage of a replica. The `owner` is the copy that is stepped.

    A stage that is not divided among lanes has a single shard, 0; or, between divided ones, the
    same work on each of their lanes, numbered as the shards are.
    """

    replica: int
    stage: int
    lane: int
    owner: bool = True
    shard: int = 0


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The numbers by which a schedule's formulas go: of each pipeline, if there are several."""

    schedule: str
    ranks: int
    microbatches: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Collective:
    """A collective as torch runs it in each rank: `names` are its parameters (as in nn.Sequential).

    Where it is of parameters, these are gathered; where it is of their gradients, reduced.
    """

    kind: Kind
    payload: Payload
    names: tuple[str, ...]


Collectives = tuple[Collective, ...]
"""A step's collectives in launch order, which is the same on every rank."""
