"""What a strategy is: a name, the settings that it takes, a pure function that writes a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from core.errors import PlanError
from core.models.description import ModelDescription
from core.option import Option, Value
from core.plan.devices import kind_of
from core.plan.plan import Lane, Plan
from core.plan.schedules.schedule import Schedule
from core.plan.task import Kind, Payload

T = TypeVar("T")


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
    """What a strategy plans: one step of a model over `rows` rows on compute lanes.

    `settings` are what was asked for of the strategy's own options, by name; `job[option]` reads
    one of them. The one that is a schedule is here as what it names.
    """

    model: ModelDescription
    lanes: tuple[Lane, ...]
    rows: int
    schedule: Schedule
    settings: Mapping[str, Value] = field(default_factory=dict)

    def __getitem__(self, option: Option[T]) -> T:
        return cast(T, self.settings.get(option.name, option.default))

    @property
    def copies_overlap(self) -> bool:
        """Whether devices have copy engines of their own, so that copies get lanes of their own."""
        return kind_of(self.lanes[0].device).streams


Options = tuple[Option[Any], ...]
KeptBytes = Callable[[int, ModelDescription, Plan], int]
"""What a lane keeps of (bytes, model, plan)."""


def keeps_all(whole: int, model: ModelDescription, plan: Plan) -> int:
    """Every lane keeps all of what is placed on it."""
    return whole


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to divide a training step among lanes.

    `options` are the settings, beyond those of every run, that the strategy reads; the window and
    the command line refuse the others. Strategies that torch runs tell the `collectives` that
    torch is expected to run, with which the plan is made; `complete` writes it anew from those that
    torch reports. For these `rank_model` names the module of `core.engine.rank_models` that has
    torch divide the model. `kept_bytes` says what a lane keeps of `whole` bytes of parameters,
    gradients and optimizer state that are placed on it.
    """

    name: str
    title: str
    line: str
    plan: Callable[[Job], Plan]
    options: Options = ()
    collectives: Callable[[Job], Collectives] | None = None
    complete: Callable[[Job, Collectives], Plan] | None = None
    rank_model: str = ""
    kept_bytes: KeptBytes = keeps_all

    @property
    def on_ranks(self) -> bool:
        """Whether torch drives it, in a process for each rank; else lanes follow its plans."""
        return bool(self.rank_model)


def require_rows(job: Job, needed: int, what: str, whole: str = "a batch") -> None:
    """Raise PlanError if the job, which is `whole`, has fewer rows than `needed` of `what`."""
    if job.rows < needed:
        raise PlanError(
            f"{needed} {what} need at least {needed} rows, but {whole} has {job.rows}: "
            f"use at most {job.rows} {what}"
        )
