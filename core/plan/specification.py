"""The specification of a run: every setting that the user can choose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, asdict, dataclass, field, fields, replace
from itertools import chain, cycle, islice
from typing import Any, TypeVar

from core.models.catalogue import MODELS, ModelSettings
from core.models.description import ModelDescription
from core.option import (
    Option,
    OptionGroup,
    OptionValue,
    RunSettings,
    option_values,
    with_options,
)
from core.plan.faults import FAULT_OPTIONS
from core.plan.lanes import asks_virtual
from core.plan.link import DEFAULT_LINK, read_link
from core.plan.pipeline.options import DEFAULT_SCHEDULE, MOST_ROWS, SCHEDULE
from core.plan.splits import split
from core.plan.strategies import STRATEGIES
from core.typed import typed

OPTIMIZERS = ("sgd", "momentum", "adam", "adamw")
ENGINE = "engine"
"""Launcher: the app's own engine."""
TORCHRUN = "torchrun"
"""Launcher: torchrun."""
STEPS = 5
MOST_STEPS = 1_000_000
T = TypeVar("T")


def _strategy_options() -> tuple[Option[Any], ...]:
    options: dict[Option[Any], None] = {}  # a dict, because it keeps the order
    for strategy in reversed(STRATEGIES.values()):
        options.update(dict.fromkeys(strategy.options))
    return tuple(options)


STRATEGY_OPTIONS = _strategy_options()
"""The options of all strategies, beginning with the last strategies, which have the most."""


def _blocks_unused(settings: RunSettings) -> bool:
    """Return True if torch runs the ranks by itself, without recording their blocks."""
    strategy = STRATEGIES.get(settings.strategy)
    return strategy is not None and strategy.on_ranks


def has_real_lanes(settings: RunSettings) -> bool:
    """Return True if the lanes are not virtual; only virtual lanes have their own clock."""
    return not asks_virtual(settings.devices)


def _launcher_unused(settings: RunSettings) -> bool:
    """Return True if torch's own engine cannot run the strategy or the lanes."""
    strategy = STRATEGIES.get(settings.strategy)
    if strategy is not None and not strategy.torch_engine:
        return True
    return asks_virtual(settings.devices)


@dataclass(frozen=True, slots=True)
@with_options(FAULT_OPTIONS)
@with_options(STRATEGY_OPTIONS, before="steps")
class Specification:
    """All settings of a run. None means the default for the model or strategy.

    The options of strategies and of faults are fields too, read with `specification[option]`.
    `batch` is the global batch in rows, and `data` the rows of an epoch. `steps` steps are measured
    after `warmup` others. `gradients` is the file for the last step's gradients. With `calibrate`,
    the costs of tasks are measured before the first measured step, if lanes follow a plan. With
    `blocks`, lanes record when they pass from one block of the model to the next.
    """

    strategy: str = Option(
        "strategy",
        str,
        "The strategy that divides the work among the lanes.",
        unit="name",
        default="pipeline",
        label="",
        choices=STRATEGIES,
        group=OptionGroup.STRATEGY,
    ).field()
    model: ModelSettings = field(default_factory=ModelSettings)
    devices: str = Option(
        "devices",
        str,
        "Devices to use, such as 2xcpu, cuda:0,cuda:1, 2xcuda:0 or 8xvirtual.",
        unit="list",
        default="auto",
        label="Lanes",
    ).field()
    _: KW_ONLY
    launcher: str = Option(
        "launcher",
        str,
        "The engine that runs the lanes: the app's own, or torch's under torchrun.",
        unit="name",
        default=ENGINE,
        choices=(ENGINE, TORCHRUN),
        unused=_launcher_unused,
        runs_only=True,
        rare=True,
    ).field()
    cores_per_lane: int | None = Option(
        "cores_per_lane",
        int,
        "CPU cores of each lane.",
        "1 if virtual, else shared evenly",
        most=1024,
        rare=True,
    ).field()
    link: str | None = Option(
        "link",
        str,
        "The link between virtual lanes: latency in us and GB/s, a link's name, or measured.",
        DEFAULT_LINK,
        "link",
        reads=read_link,
        unused=has_real_lanes,
    ).field()
    batch: int | None = Option(
        "batch",
        int,
        "Rows of the whole batch, for all lanes together.",
        "the model's own",
        "rows",
        most=MOST_ROWS,
    ).field()
    data: int | None = Option(
        "data",
        int,
        "Rows of an epoch; its last batch may be smaller.",
        "whole batches",
        "rows",
        most=MOST_ROWS,
        rare=True,
    ).field()
    steps: int | None = Option(
        "steps", int, "Number of measured steps.", f"{STEPS}, or an epoch", most=MOST_STEPS
    ).field()
    warmup: int = Option(
        "warmup",
        int,
        "Steps before the measured ones; the first steps are slow.",
        default=2,
        label="Warm-up",
        least=0,
        most=MOST_STEPS,
        rare=True,
    ).field()
    optimizer: str = Option(
        "optimizer",
        str,
        "The optimizer that updates the parameters.",
        unit="name",
        default="sgd",
        choices=OPTIMIZERS,
        rare=True,
    ).field()
    lr: float = Option(
        "lr",
        float,
        "The optimizer's learning rate.",
        default=0.01,
        label="Learning rate",
        least=0,
        most=1_000_000,
        rare=True,
    ).field()
    seed: int = Option(
        "seed",
        int,
        "Seed of the random parameters and data.",
        default=0,
        least=0,
        most=2**63 - 1,
        rare=True,
    ).field()
    verify: bool = Option(
        "verify",
        bool,
        "Compare every loss and gradient with a plain step on the whole batch.",
        unit="compare gradients",
        default=False,
        runs_only=True,
        rare=True,
    ).field()
    blocks: bool = Option(
        "blocks",
        bool,
        "Record each block of the model, which costs a little time.",
        unit="record blocks",
        default=False,
        unused=_blocks_unused,
        runs_only=True,
        rare=True,
    ).field()
    gradients: str | None = Option(
        "gradients",
        str,
        "Save the last step as .npz: input, target, before/NAME, gradient/NAME.",
        unit="file",
        label="",
        is_output=True,
        runs_only=True,
    ).field()
    calibrate: bool = Option(
        "calibrate",
        bool,
        "Do not measure the costs of tasks before the first measured step.",
        default=True,
        label="",
        runs_only=True,
    ).field()

    def __getitem__(self, option: Option[T]) -> T:
        value: T = getattr(self, option.name)
        return value

    @property
    def values(self) -> Iterator[tuple[Option[Any], OptionValue]]:
        """Every option, including the model's, with its value."""
        return chain(option_values(self), option_values(self.model))

    def having(self, **values: OptionValue) -> Specification:
        """Return a copy with other values of some settings, which may be a strategy's options."""
        changes: dict[str, Any] = values
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Specification:
        """Invert `to_dict`, ignoring names that this version does not know.

        Raises TypeError, naming the first value that has the wrong type.
        """
        made: Specification = typed(cls, values)
        return made

    @property
    def own_model(self) -> bool:
        """True if the model is defined in a user's file."""
        return self.model.name.endswith(".py")

    @property
    def own_files(self) -> tuple[str, ...]:
        """The user's files that the run reads: a model, a schedule."""
        found = []
        for option, value in self.values:
            if option.suffix and isinstance(value, str) and value.endswith(option.suffix):
                found.append(value)
        return tuple(found)

    @property
    def batch_rows(self) -> int:
        """Rows of a whole batch: the option's value or the model's default."""
        if self.batch is not None:
            return self.batch
        if self.model.name not in MODELS:
            return 64
        return MODELS[self.model.name].batch

    @property
    def row_tokens(self) -> int | None:
        """Tokens in a row of the batch; None for models without sequences."""
        kind = MODELS.get(self.model.name)
        if kind is None or "sequence" not in kind.settings:
            return None
        return self.model.filled()["sequence"]

    @property
    def step_rows(self) -> list[int]:
        """Rows of each measured step: an epoch over `data` rows, repeated or cut to `steps`."""
        if self.data is None:
            return [self.batch_rows] * (STEPS if self.steps is None else self.steps)
        epoch = split(self.data, self.batch_rows)
        if self.steps is None:
            return epoch
        return list(islice(cycle(epoch), self.steps))

    @property
    def all_rows(self) -> list[int]:
        """Rows of every step, warm-up (whole batches) first."""
        # An epoch may have fewer rows than a batch.
        first = min(self.batch_rows, self.data or self.batch_rows)
        return [first] * self.warmup + self.step_rows


# Sorting is stable, so options within a group stay in the order of their declaration.
_GROUPS = list(OptionGroup)
OPTIONS = sorted(
    [option for option, _ in Specification().values],
    key=lambda option: _GROUPS.index(option.group),
)
"""Every option of a run, including the model's, in the order of help, form and docs."""


def specification_of(given: Mapping[str, OptionValue]) -> Specification:
    """Return the specification with these option values by name, and defaults for the others."""
    model = ModelSettings(**_fields_from(ModelSettings, given))
    return Specification(model=model, **_fields_from(Specification, given))


def _fields_from(kind: type[Any], given: Mapping[str, OptionValue]) -> dict[str, Any]:
    values = {}
    for each in fields(kind):
        option = each.metadata.get(Option)
        if option and option.name in given:
            values[each.name] = given[option.name]
    return values


def describe(specification: Specification) -> ModelDescription:
    """Return the description of a built-in model. Raises KeyError for any other model."""
    return MODELS[specification.model.name].describe(specification.model.filled())


def with_defaults(specification: Specification) -> Specification:
    """Return a copy in which batch, steps and schedule have values, for headers and titles."""
    filled = replace(
        specification,
        model=specification.model.filled(),
        batch=specification.batch_rows,
        steps=len(specification.step_rows),
    )
    schedule = None
    if SCHEDULE in STRATEGIES[specification.strategy].options:
        schedule = specification[SCHEDULE] or DEFAULT_SCHEDULE
    return filled.having(schedule=schedule)
