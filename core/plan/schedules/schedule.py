"""What a schedule is: for each stage, the order of its actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.plan.task import Kind


@dataclass(frozen=True, slots=True)
class Action:
    """One forward or backward pass of a stage; `microbatch` None means all of them at once."""

    stage: int
    kind: Kind
    microbatch: int | None

    def __str__(self) -> str:
        """As torch.distributed.pipelining prints it: `2F1`, `0B3`."""
        return f"{self.stage}{self.kind.letter}{'' if self.microbatch is None else self.microbatch}"


@dataclass(frozen=True, slots=True)
class Schedule:
    """The order of a pipeline's actions.

    `order(stage, stages, microbatches)` lists a stage's actions. With `whole_loss` there is one
    loss on the concatenated outputs instead of one for each micro-batch.
    """

    name: str
    title: str
    line: str
    order: Callable[[int, int, int], list[Action]]
    whole_loss: bool = False


def forward(stage: int, microbatch: int) -> Action:
    """The forward pass of one micro-batch."""
    return Action(stage, Kind.FORWARD, microbatch)


def backward(stage: int, microbatch: int | None) -> Action:
    """The full backward pass of one micro-batch, or of all of them at once."""
    return Action(stage, Kind.BACKWARD, microbatch)
