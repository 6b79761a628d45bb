"""What a schedule is: for each rank of a pipeline, the order of its actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.errors import PlanError
from core.plan.task import Kind

# A look-up in an enumeration takes as long as a third of an action.
_FORWARD, _BACKWARD = Kind.FORWARD, Kind.BACKWARD
_INPUT, _WEIGHT = Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT


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


class StagePlacement(NamedTuple):
    """The rank that holds a stage of a replica of the model."""

    replica: int
    stage: int
    rank: int


Order = Callable[[int, int, int, int], Sequence[Action]]
"""The actions of (rank, ranks, micro-batches, chunks), in order."""


SPLIT_BACKWARD = frozenset({Kind.FORWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT})
"""The passes of schedules that never run a whole backward."""


def loop(ranks: int, chunks: int) -> list[StagePlacement]:
    """Stage s on rank s modulo the ranks: each pass goes round `chunks` times."""
    return [StagePlacement(0, stage, stage % ranks) for stage in range(ranks * chunks)]


def vee(ranks: int, chunks: int) -> list[StagePlacement]:
    """There and back: the first and the last of 2 x `ranks` stages share rank 0."""
    return [
        StagePlacement(0, stage, min(stage, 2 * ranks - 1 - stage)) for stage in range(2 * ranks)
    ]


def anywhere(ranks: int, microbatches: int, chunks: int) -> None:
    """The domain of a schedule that runs with any numbers."""


BubbleTime = Callable[[int, int, int, float, float, float], float | None]
"""Each rank's idle time within the makespan where copies cost nothing.

Of (ranks, micro-batches, chunks, forward, backward-input, backward-weight), in the costs' unit (of
one stage and micro-batch); None outside the formula's domain. Formulas hold for exact costs; the
domains were found by simulating all schedules with random ones.
"""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The order of a pipeline's actions.

    `order(rank, ranks, microbatches, chunks)` lists a rank's actions; `stage_placement(ranks,
    chunks)` says which rank holds which stage. A rank holds one stage, or with `chunks` that many
    of them unless asked otherwise (`settable_chunks`). `check` raises PlanError for numbers that
    the schedule does not take. With `whole_loss` there is one loss on the concatenated outputs
    instead of one for each micro-batch. `bubble_time` is the literature's formula. A schedule that
    is written for so many `ranks` and `microbatches` names them; `uses` are the kinds of passes
    that it has. `torch_name` is its class in torch.distributed.pipelining, if that has it.
    """

    name: str
    title: str
    line: str
    order: Order
    stage_placement: Callable[[int, int], list[StagePlacement]] = loop
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
        """The formula's bubble with stage costs `f`, `b` and `w`, as a fraction of the makespan.

        None outside the formula's domain.
        """
        if self.bubble_time is None:
            return None
        bubble = self.bubble_time(ranks, microbatches, chunks, f, b, w)
        # Every rank works as long and idles as long, so one rank's share is that of all.
        work = microbatches * chunks * (f + b + w)
        return None if bubble is None else bubble / (work + bubble)

    def stage_count(self, ranks: int, chunks: int) -> int:
        """How many stages the model is cut into."""
        return 1 + max(held.stage for held in self.stage_placement(ranks, chunks))

    def orders(self, ranks: int, microbatches: int, chunks: int) -> list[list[Action]]:
        """Every rank's actions. Raises PlanError outside the schedule's domain."""
        self.check(ranks, microbatches, chunks)
        return [list(self.order(rank, ranks, microbatches, chunks)) for rank in range(ranks)]


def action(stage: int, kind: Kind, microbatch: int | None, replica: int = 0) -> Action:
    """One pass; in less than half the time of Action(...), which goes through Python."""
    return tuple.__new__(Action, (stage, kind, microbatch, replica, None))


def forward(stage: int, microbatch: int, replica: int = 0) -> Action:
    """The forward pass of one micro-batch."""
    return action(stage, _FORWARD, microbatch, replica)


def backward(stage: int, microbatch: int | None, replica: int = 0) -> Action:
    """The full backward pass of one micro-batch, or of all of them at once."""
    return action(stage, _BACKWARD, microbatch, replica)


def backward_input(stage: int, microbatch: int) -> Action:
    """The part of the backward pass that the stage before waits for."""
    return action(stage, _INPUT, microbatch)


def backward_weight(stage: int, microbatch: int) -> Action:
    """The part of the backward pass that only the optimizer waits for."""
    return action(stage, _WEIGHT, microbatch)


def overlap(first: Action, second: Action) -> Action:
    """A forward and a backward that run as one task."""
    return Action(first.stage, Kind.OVERLAP, first.microbatch, first.replica, second)


def alternate(
    forwards: Sequence[Action],
    backwards: Sequence[Action],
    ahead: int,
    weights: Sequence[Action] = (),
    delay: int = 0,
) -> list[Action]:
    """`ahead` forwards, then a forward and a backward in turn, then the remaining backwards.

    From the (`delay` + 1)-th backward on, each is followed by the next of `weights`; the others
    come last.
    """
    actions = list(forwards[:ahead])
    # As many forwards as backwards: with `ahead` of them gone they run out first.
    for index, action in enumerate(backwards):
        # Slices, here and below: they are empty where nothing is left.
        actions += forwards[ahead + index : ahead + index + 1]
        actions.append(action)
        if index >= delay:
            actions += weights[index - delay : index - delay + 1]
    return actions + list(weights[max(0, len(backwards) - delay) :])


def rounds(ranks: int, microbatches: int) -> int:
    """How many rounds interleaved schedules share the micro-batches into, as torch's do."""
    # With fewer micro-batches than ranks: one round of all of them.
    return max(1, microbatches // ranks)


def equal_rounds(ranks: int, microbatches: int, chunks: int) -> None:
    """Raise PlanError if the micro-batches make no equal rounds."""
    count = rounds(ranks, microbatches)
    refuse(
        microbatches % count == 0,
        f"{microbatches} micro-batches on {ranks} ranks make no {count} equal rounds: "
        f"use a multiple of {ranks}",
    )


def refuse(holds: bool, message: str) -> None:
    """Raise PlanError with `message` unless `holds`."""
    if not holds:
        raise PlanError(message)
