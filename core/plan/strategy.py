"""What a strategy is: a name, the settings that it takes, a pure function that writes a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.models.description import ModelDescription
from core.plan.schedules.schedule import Schedule
from core.plan.task import Kind, Lane, Payload, Plan, PlanError, Runner


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


@dataclass(frozen=True, slots=True)
class Job:
    """What a strategy plans: one step of a model over `rows` rows on compute lanes."""

    model: ModelDescription
    lanes: tuple[Lane, ...]
    rows: int
    schedule: Schedule
    stages: int | None
    microbatches: int | None
    split_size: int | None
    bucket_mb: float
    chunks: int | None = None
    replicas: int | None = None

    @property
    def copies_overlap(self) -> bool:
        """Whether devices have copy engines of their own, so that copies get lanes of their own."""
        return self.lanes[0].device != "cpu"


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to divide a training step among lanes.

    `options` names the settings, beyond those of every run, that the strategy reads; the window
    and the command line refuse the others. `complete` is for strategies that torch runs: it
    writes the plan anew from the collectives that torch reports. `sharded` says that each rank
    holds a part of every parameter, of its gradient and of the optimizer's state, instead of all.
    """

    name: str
    title: str
    line: str
    plan: Callable[[Job], Plan]
    options: frozenset[str] = field(default_factory=frozenset)
    runner: Runner = Runner.LANES
    complete: Callable[[Job, Collectives], Plan] | None = None
    sharded: bool = False


def require_rows(job: Job, needed: int, what: str, whole: str = "a batch") -> None:
    """Raise PlanError if the job, which is `whole`, has fewer rows than `needed` of `what`."""
    if job.rows < needed:
        raise PlanError(
            f"{needed} {what} need at least {needed} rows, but {whole} has {job.rows}: "
            f"use at most {job.rows} {what}"
        )


def listed(names: Sequence[str]) -> str:
    """`a, b or c`, for messages that say what is accepted."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
