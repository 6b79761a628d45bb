"""Schedule: the order of the actions of each rank of a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.counts import microbatches_text, ranks_text
from core.errors import PlanError
from core.message import Text, message
from core.plan.task import Kind

# Cached: a look-up in an enumeration takes a third of the time of creating an action.
_FORWARD = Kind.FORWARD
_BACKWARD = Kind.BACKWARD
_INPUT = Kind.BACKWARD_INPUT
_WEIGHT = Kind.BACKWARD_WEIGHT


class ScheduleError(PlanError):
    """A list of actions that cannot run; the message names the first bad one."""


class Action(NamedTuple):
    """A pass of a stage; `microbatch` None means all micro-batches at once.

    With `paired`, a backward of another stage on the same rank, the action is an overlap: both
    passes run as one task. A tuple for speed, because large plans have a million actions.
    """

    stage: int
    kind: Kind
    microbatch: int | None
    replica: int = 0
    paired: Action | None = None

    @property
    def halves(self) -> tuple[Action, ...]:
        """The action's passes: the forward and backward of an overlap, else the action itself."""
        if self.paired is None:
            return (self,)
        return (self._replace(kind=Kind.FORWARD, paired=None), self.paired)

    def __str__(self) -> str:
        """Return torch.distributed.pipelining's notation: `2F1`, `0B3`, `(0F3;3B1)OVERLAP_F_B`."""
        if self.paired is not None:
            return f"({';'.join(map(str, self.halves))})OVERLAP_F_B"
        number = "" if self.microbatch is None else self.microbatch
        return f"{self.stage}{self.kind.letter}{number}"


class StagePlacement(NamedTuple):
    """The rank that holds a stage of a replica of the model."""

    replica: int
    stage: int
    rank: int


Order = Callable[[int, int, int, int], Sequence[Action]]
"""A function of (rank, ranks, micro-batches, chunks) that returns the rank's actions in order."""


SPLIT_BACKWARD = frozenset({Kind.FORWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT})
"""The passes of schedules that never run a whole backward."""


def loop_placement(ranks: int, chunks: int) -> list[StagePlacement]:
    """Place stage s on rank s modulo `ranks`."""
    return [StagePlacement(0, stage, stage % ranks) for stage in range(ranks * chunks)]


def vee_placement(ranks: int, chunks: int) -> list[StagePlacement]:
    """Place 2 x `ranks` stages down the ranks and back: rank 0 holds the first and the last."""
    down = list(range(ranks))
    up = down[::-1]
    return [StagePlacement(0, stage, rank) for stage, rank in enumerate(down + up)]


def anywhere(ranks: int, microbatches: int, chunks: int) -> None:
    """Accept all numbers: the check of schedules without restrictions."""


BubbleTime = Callable[[int, int, int, float, float, float], float | None]
"""A formula for each rank's idle time within the makespan if copies take no time.

A function of (ranks, micro-batches, chunks, forward, backward-input, backward-weight); the costs
are of one stage and micro-batch, and the result has their unit. None outside the formula's domain.
The domains were found by simulating all schedules with random costs.
"""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The order of a pipeline's actions.

    `order(rank, ranks, microbatches, chunks)` lists a rank's actions; `stage_placement(ranks,
    chunks)` places stages on ranks. A rank holds `chunks` stages, which users can change if
    `settable_chunks`. `check` raises PlanError for numbers that the schedule does not support. With
    `whole_loss` there is one loss on the concatenated outputs instead of one for each micro-batch.
    `bubble_time` is the formula in the literature. `ranks` and `microbatches` are set if the
    schedule is fixed to them. `uses` are its kinds of passes. `torch_name` is the schedule's class
    in torch.distributed.pipelining, if there is one.
    """

    name: str
    title: str
    line: str
    order: Order
    stage_placement: Callable[[int, int], list[StagePlacement]] = loop_placement
    chunks: int = 1
    settable_chunks: bool = False
    check: Callable[[int, int, int], None] = anywhere
    whole_loss: bool = False
    bubble_time: BubbleTime | None = None
    ranks: int | None = None
    microbatches: int | None = None
    uses: frozenset[Kind] = field(default_factory=lambda: frozenset({Kind.FORWARD, Kind.BACKWARD}))
    torch_name: str = ""

    def closed_form(
        self, ranks: int, microbatches: int, chunks: int, f: float, b: float, w: float
    ) -> float | None:
        """Return the bubble by the formula as a fraction (0 to 1) of the makespan.

        `f`, `b` and `w` are the costs of a stage's passes, in any unit. None outside the formula's
        domain.
        """
        if self.bubble_time is None:
            return None
        bubble = self.bubble_time(ranks, microbatches, chunks, f, b, w)
        # All ranks work equally long, so one rank's fraction is the fraction of all.
        work = microbatches * chunks * (f + b + w)
        if bubble is None:
            return None
        return bubble / (work + bubble)

    def stage_count(self, ranks: int, chunks: int) -> int:
        """Return the number of stages of the model."""
        return 1 + max(held.stage for held in self.stage_placement(ranks, chunks))

    def orders(self, ranks: int, microbatches: int, chunks: int) -> list[list[Action]]:
        """Return every rank's actions. Raises PlanError for numbers that `check` refuses."""
        self.check(ranks, microbatches, chunks)
        return [list(self.order(rank, ranks, microbatches, chunks)) for rank in range(ranks)]


def action(stage: int, kind: Kind, microbatch: int | None, replica: int = 0) -> Action:
    """Create an action without a pair, in less than half the time of Action(...)."""
    return tuple.__new__(Action, (stage, kind, microbatch, replica, None))


def forward(stage: int, microbatch: int, replica: int = 0) -> Action:
    """Return the forward pass of one micro-batch."""
    return action(stage, _FORWARD, microbatch, replica)


def backward(stage: int, microbatch: int | None, replica: int = 0) -> Action:
    """Return the full backward pass of one micro-batch, or of all of them at once."""
    return action(stage, _BACKWARD, microbatch, replica)


def backward_input(stage: int, microbatch: int) -> Action:
    """Return the part of the backward pass that the stage before waits for."""
    return action(stage, _INPUT, microbatch)


def backward_weight(stage: int, microbatch: int) -> Action:
    """Return the part of the backward pass that only the optimizer waits for."""
    return action(stage, _WEIGHT, microbatch)


def overlap(first: Action, second: Action) -> Action:
    """Return an action that runs a forward and a backward as one task."""
    return Action(first.stage, Kind.OVERLAP, first.microbatch, first.replica, second)


def alternate(
    forwards: Sequence[Action],
    backwards: Sequence[Action],
    ahead: int,
    weights: Sequence[Action] = (),
    delay: int = 0,
) -> list[Action]:
    """Return `ahead` forwards, a forward and a backward in turn, and the remaining backwards.

    From the (`delay` + 1)-th backward on, each is followed by the next of `weights`; the remaining
    weights are at the end. There must be as many forwards as backwards.
    """
    actions = list(forwards[:ahead])
    for index, action in enumerate(backwards):
        # Slices, here and below, because they are empty past the end.
        actions += forwards[ahead + index : ahead + index + 1]
        actions.append(action)
        if index >= delay:
            actions += weights[index - delay : index - delay + 1]
    followed = max(0, len(backwards) - delay)  # the weights that follow a backward
    return actions + list(weights[followed:])


def rounds(ranks: int, microbatches: int) -> int:
    """Return the number of rounds of micro-batches in interleaved schedules, as in torch."""
    # With fewer micro-batches than ranks: one round of all of them.
    return max(1, microbatches // ranks)


def equal_rounds(ranks: int, microbatches: int, chunks: int) -> None:
    """Raise PlanError if the micro-batches cannot be divided into equal rounds."""
    count = rounds(ranks, microbatches)
    refuse(
        microbatches % count == 0,
        message(
            "{microbatches} on {ranks} do not divide into {count} equal rounds: use a multiple of "
            "{multiple}",
            microbatches=microbatches_text(microbatches),
            ranks=ranks_text(ranks),
            count=count,
            multiple=ranks,
        ),
    )


def refuse(holds: bool, problem: Text) -> None:
    """Raise PlanError with `problem` unless `holds`."""
    if not holds:
        raise PlanError(problem)
