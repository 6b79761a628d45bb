"""What a schedule is: for each rank of a pipeline, the order of its actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.plan.task import Kind, PlanError


class ScheduleError(PlanError):
    """A list of actions that cannot run; the message names the first bad one."""


class Action(NamedTuple):
    """One pass of a stage; `microbatch` None means all of them at once.

    With `paired`, a backward of another stage of the same rank, the action is an overlap: both
    run as one task. A tuple, because plans of a thousand devices have a million of them.
    """

    stage: int
    kind: Kind
    microbatch: int | None
    replica: int = 0
    paired: Action | None = None

    @property
    def halves(self) -> tuple[Action, ...]:
        """The passes that the action is made of: itself, or an overlap's forward and backward."""
        if self.paired is None:
            return (self,)
        return (self._replace(kind=Kind.FORWARD, paired=None), self.paired)

    def __str__(self) -> str:
        """As torch.distributed.pipelining prints it: `2F1`, `0B3`, `(0F3;3B1)OVERLAP_F_B`."""
        if self.paired is not None:
            return f"({';'.join(map(str, self.halves))})OVERLAP_F_B"
        return f"{self.stage}{self.kind.letter}{'' if self.microbatch is None else self.microbatch}"


class Seat(NamedTuple):
    """The rank that holds a stage of a replica of the model."""

    replica: int
    stage: int
    rank: int


Order = Callable[[int, int, int, int], list[Action]]
"""The actions of (rank, ranks, micro-batches, chunks), in order."""


def loop(ranks: int, chunks: int) -> list[Seat]:
    """Stage s on rank s modulo the ranks: each pass goes round `chunks` times."""
    return [Seat(0, stage, stage % ranks) for stage in range(ranks * chunks)]


def vee(ranks: int, chunks: int) -> list[Seat]:
    """There and back: the first and the last of 2 x `ranks` stages share rank 0."""
    return [Seat(0, stage, min(stage, 2 * ranks - 1 - stage)) for stage in range(2 * ranks)]


def anywhere(ranks: int, microbatches: int, chunks: int) -> None:
    """The domain of a schedule that runs with any numbers."""


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """What the literature says of a schedule where every stage costs the same and copies nothing.

    `bubble` is each rank's idle time, in the unit of the costs of one stage's forward, backward
    for the input and backward for the weights that `bubble_time` was given.
    """

    bubble: float
    fraction: float


BubbleTime = Callable[[int, int, int, float, float, float], float | None]
"""Idle time of (ranks, micro-batches, chunks, forward, backward-input, backward-weight), in the
costs' unit (of one stage and micro-batch); None outside the formula's domain."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The order of a pipeline's actions.

    `order(rank, ranks, microbatches, chunks)` lists a rank's actions; `seats(ranks, chunks)` says
    which rank holds which stage. A rank holds one stage, or with `chunks` that many of them unless
    asked otherwise (`settable_chunks`). `check` raises PlanError for numbers that the schedule does
    not take. With `whole_loss` there is one loss on the concatenated outputs instead of one for
    each micro-batch. `bubble_time` is the literature's formula.
    """

    name: str
    title: str
    line: str
    order: Order
    seats: Callable[[int, int], list[Seat]] = loop
    chunks: int = 1
    settable_chunks: bool = False
    check: Callable[[int, int, int], None] = anywhere
    whole_loss: bool = False
    bubble_time: BubbleTime | None = None
    uses: frozenset[Kind] = field(default_factory=lambda: frozenset({Kind.FORWARD, Kind.BACKWARD}))

    def closed_form(
        self, ranks: int, microbatches: int, chunks: int, f: float, b: float, w: float
    ) -> ClosedForm | None:
        """The formula's bubble with stage costs `f`, `b` and `w`; None where it says nothing."""
        bubble = self.bubble_time and self.bubble_time(ranks, microbatches, chunks, f, b, w)
        if bubble is None:
            return None
        work = microbatches * chunks * (f + b + w)
        return ClosedForm(bubble, bubble / (work + bubble))

    def orders(self, ranks: int, microbatches: int, chunks: int) -> list[list[Action]]:
        """Every rank's actions. Raises PlanError outside the schedule's domain."""
        self.check(ranks, microbatches, chunks)
        return [self.order(rank, ranks, microbatches, chunks) for rank in range(ranks)]


def forward(stage: int, microbatch: int, replica: int = 0) -> Action:
    """The forward pass of one micro-batch."""
    return Action(stage, Kind.FORWARD, microbatch, replica)


def backward(stage: int, microbatch: int | None, replica: int = 0) -> Action:
    """The full backward pass of one micro-batch, or of all of them at once."""
    return Action(stage, Kind.BACKWARD, microbatch, replica)


def backward_input(stage: int, microbatch: int) -> Action:
    """The part of the backward pass that the stage before waits for."""
    return Action(stage, Kind.BACKWARD_INPUT, microbatch)


def backward_weight(stage: int, microbatch: int) -> Action:
    """The part of the backward pass that only the optimizer waits for."""
    return Action(stage, Kind.BACKWARD_WEIGHT, microbatch)


def overlap(first: Action, second: Action) -> Action:
    """A forward and a backward that run as one task."""
    return Action(first.stage, Kind.OVERLAP, first.microbatch, first.replica, second)


def refuse(holds: bool, message: str) -> None:
    """Raise PlanError with `message` unless `holds`."""
    if not holds:
        raise PlanError(message)


def names(actions: Sequence[Action]) -> str:
    """The actions as text: `0F0 0F1 0B0`."""
    return " ".join(map(str, actions))
