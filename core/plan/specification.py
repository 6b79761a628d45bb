"""A run as a person asks for it, and its way to jobs and plans."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from itertools import cycle, islice
from typing import Any

from core.models.catalogue import MODELS, ModelSettings
from core.models.description import DTYPE_BYTES, ModelDescription
from core.plan.lanes import Hardware, check_devices, lane_devices, make_lanes
from core.plan.schedules import schedule_of
from core.plan.splits import split
from core.plan.strategies import STRATEGIES
from core.plan.strategies.pipeline import MOST_MICROBATCHES
from core.plan.strategy import Job, Strategy, listed
from core.plan.task import Lane, Plan, PlanError
from core.typed import typed

OPTIMIZERS = ("sgd", "momentum", "adam", "adamw")
DEFAULT_SCHEDULE = "1f1b"
DEFAULT_BUCKET_MB = 25.0  # torch's own
MOST_STEPS = 1_000_000
MOST_BUCKET_MB = 1_000_000
MOST_LR = 1_000_000
MOST_ROWS = 10**12
EXPLAINED_BYTES = 460  # of two lanes, one of which waits for the other: 512 lanes against 256
EXPLAINING_SHARE = 1 / 8
MOST = {
    "batch": MOST_ROWS,
    "data": MOST_ROWS,
    "steps": MOST_STEPS,
    "stages": 4096,
    "microbatches": MOST_MICROBATCHES,
    "split_size": MOST_ROWS,
    "chunks": 64,
    "replicas": 4096,
    "cores_per_lane": 1024,
}
MOST_OF_MODEL = {
    "width": 1_000_000,
    "depth": 10_000,
    "heads": 10_000,
    "sequence": 1_000_000,
    "image_size": 100_000,
}
STRATEGY_OPTIONS = ("schedule", "stages", "microbatches", "split_size", "chunks", "replicas",
                    "bucket_mb")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Specification:
    """Everything that a run depends on. None means: the default for this model or strategy.

    `batch` is the global batch in rows; `data` the rows of an epoch. `steps` are measured after
    `warmup` further steps. `gradients` is the file that keeps the last step's gradients. With
    `calibrate` what tasks cost is measured before the first measured step, if lanes follow a plan;
    with `blocks` they note when they pass from one block of the model to the next one.
    """

    strategy: str = "pipeline"
    model: ModelSettings = field(default_factory=ModelSettings)
    devices: str = "auto"
    batch: int | None = None
    data: int | None = None
    steps: int | None = None
    warmup: int = 2
    schedule: str | None = None
    stages: int | None = None
    microbatches: int | None = None
    split_size: int | None = None
    chunks: int | None = None
    replicas: int | None = None
    bucket_mb: float | None = None
    cores_per_lane: int | None = None
    optimizer: str = "sgd"
    lr: float = 0.01
    seed: int = 0
    verify: bool = False
    gradients: str | None = None
    calibrate: bool = True
    blocks: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Specification:
        """The inverse of `to_dict`; names that this version does not know are left out.

        Raises TypeError, naming the first value that is of another type than it is in a run.
        """
        made: Specification = typed(cls, values)
        return made

    @property
    def own_model(self) -> bool:
        """Whether the model is the user's own file."""
        return self.model.name.endswith(".py")

    @property
    def batch_rows(self) -> int:
        """Rows of a whole batch: as asked for, else the model's usual number."""
        if self.batch is not None:
            return self.batch
        return MODELS[self.model.name].batch if self.model.name in MODELS else 64

    @property
    def step_rows(self) -> list[int]:
        """Rows of each measured step: an epoch over `data` rows, repeated or cut to `steps`."""
        if self.data is None:
            return [self.batch_rows] * (5 if self.steps is None else self.steps)
        epoch = split(self.data, self.batch_rows)
        return epoch if self.steps is None else list(islice(cycle(epoch), self.steps))

    @property
    def all_rows(self) -> list[int]:
        """Rows of every step, warm-up (whole batches) first."""
        first = min(self.batch_rows, self.data or self.batch_rows)
        return [first] * self.warmup + self.step_rows


def check(specification: Specification) -> Strategy:
    """Check what can be checked without hardware or model; returns the strategy.

    Raises PlanError naming the first bad value and what is accepted.
    """
    s = specification
    strategy = STRATEGIES.get(s.strategy)
    if strategy is None:
        raise PlanError(f"there is no strategy {s.strategy!r}; use {listed(list(STRATEGIES))}")
    if s.model.name not in MODELS and not s.own_model:
        known = ", ".join(MODELS)
        raise PlanError(
            f"there is no model {s.model.name!r}; use {known} or a file that ends in .py"
        )
    check_numbers(s)
    _one_of("optimizer", s.optimizer, OPTIMIZERS)
    _one_of("dtype", s.model.dtype, tuple(DTYPE_BYTES))
    _check_settings(s.model)
    _check_model(s.model.filled())
    _check_options(s, strategy)
    return strategy


def check_numbers(specification: Specification) -> None:
    """Raise PlanError, naming the first, if a number is none that a run can have."""
    s = specification
    for name, most in MOST.items():
        _within(name, getattr(s, name), most)
    for name, most in MOST_OF_MODEL.items():
        _within(name, getattr(s.model, name), most)
    if not 0 <= s.warmup <= MOST_STEPS:
        raise PlanError(f"--warmup {s.warmup}: use 0 or more steps, at most {MOST_STEPS:,}")
    if (s.data or 0) / s.batch_rows > MOST_STEPS:
        raise PlanError(f"--data {s.data} is over {MOST_STEPS:,} batches of {s.batch_rows} rows")
    if s.bucket_mb is not None and not 0 < s.bucket_mb <= MOST_BUCKET_MB:
        raise PlanError(
            f"--bucket-mb {s.bucket_mb}: use a size above 0 in MiB, at most {MOST_BUCKET_MB:,}"
        )
    if not 0 <= s.lr <= MOST_LR:
        raise PlanError(f"--lr {s.lr}: use a learning rate of 0 or more, at most {MOST_LR:,}")
    if not 0 <= s.seed < 2**63:
        raise PlanError(f"--seed {s.seed}: use 0 to 2^63-1")


def lanes_of(specification: Specification, hardware: Hardware, present: bool = True) -> list[Lane]:
    """The compute lanes of a run; with `present`, its devices must be on this machine."""
    devices = lane_devices(specification.devices, hardware)
    if present:
        check_devices(devices, hardware)
    return make_lanes(devices, hardware, specification.cores_per_lane)


def describe(specification: Specification) -> ModelDescription:
    """The description of a built-in model. Raises KeyError for the user's own."""
    return MODELS[specification.model.name].describe(specification.model.filled())


def job_of(
    specification: Specification, model: ModelDescription, lanes: list[Lane], rows: int
) -> Job:
    """What the strategy plans for a step of `rows` rows. Raises PlanError as `schedule_of` does."""
    s = specification
    return Job(
        model,
        tuple(lanes),
        rows,
        schedule_of(s.schedule or DEFAULT_SCHEDULE),
        s.stages,
        s.microbatches,
        s.split_size,
        s.bucket_mb or DEFAULT_BUCKET_MB,
        s.chunks,
        s.replicas,
    )


def with_defaults(specification: Specification) -> Specification:
    """The same run with its batch, steps and schedule written out, for headers and titles."""
    s = specification
    takes_schedule = "schedule" in STRATEGIES[s.strategy].options
    return replace(
        s,
        model=s.model.filled(),
        batch=s.batch_rows,
        steps=len(s.step_rows),
        schedule=(s.schedule or DEFAULT_SCHEDULE) if takes_schedule else None,
    )


def check_memory(specification: Specification, model: ModelDescription, hardware: Hardware) -> None:
    """Raise PlanError if a step could not be held in the machine's memory, however divided."""
    needed = model.step_bytes(max(specification.data or 0, *specification.all_rows))
    memory = hardware.memory + sum(gpu.memory for gpu in hardware.gpus)
    if needed > memory:
        raise PlanError(
            f"--batch {specification.batch_rows} of {model.name} needs at least "
            f"{needed / 1e9:,.1f} GB, but this machine has {memory / 1e9:,.1f} GB: "
            "use fewer rows or a smaller model"
        )


def check_lanes(specification: Specification, lanes: int, memory: int) -> None:
    """Raise PlanError if explaining a step on so many lanes takes too much of `memory` (bytes).

    A lane may wait for every other one in turn, so what explains its idle time grows with them.
    """
    most = math.isqrt(int(memory * EXPLAINING_SHARE / EXPLAINED_BYTES))
    if lanes > most:
        needed = lanes * lanes * EXPLAINED_BYTES
        raise PlanError(
            f"--devices {specification.devices}: explaining {lanes:,} lanes takes about "
            f"{needed / 1e9:.1f} GB, more than an eighth of this machine's {memory / 1e9:.1f} GB; "
            f"use at most {most:,} lanes"
        )


def plans_of(
    specification: Specification, model: ModelDescription, lanes: list[Lane]
) -> dict[int, Plan]:
    """The plan for every number of rows that a step of the run has. Raises PlanError."""
    strategy = check(specification)
    sizes = dict.fromkeys(specification.all_rows)
    return {rows: strategy.plan(job_of(specification, model, lanes, rows)) for rows in sizes}


def _within(name: str, value: int | None, most: int) -> None:
    if value is not None and not 1 <= value <= most:
        raise PlanError(f"--{name.replace('_', '-')} {value}: use 1 or more, at most {most:,}")


def _one_of(name: str, value: str, accepted: tuple[str, ...]) -> None:
    if value not in accepted:
        raise PlanError(f"--{name} {value!r}: use {listed(accepted)}")


def _check_settings(model: ModelSettings) -> None:
    """Raise PlanError for a setting that the model does not take."""
    taken = MODELS[model.name].settings if model.name in MODELS else {}
    for name in MOST_OF_MODEL:
        if (value := getattr(model, name)) is not None and name not in taken:
            flags = [f"--{other.replace('_', '-')}" for other in taken]
            takes = f"takes {listed(flags)}" if flags else "takes no such settings"
            raise PlanError(
                f"--{name.replace('_', '-')} {value} is not for {model.name}, which {takes}"
            )


def _check_model(model: ModelSettings) -> None:
    if model.name == "gpt" and model["width"] % model["heads"]:
        raise PlanError(f"--heads {model.heads} do not divide --width {model.width}; use a divisor")
    if model.name == "gpt" and model["depth"] < 2:
        raise PlanError(
            f"--depth {model.depth}: the gpt takes 2 or more (at least 4 blocks in all)"
        )
    if model.name == "resnet50" and model["image_size"] < 32:
        raise PlanError(f"--image-size {model.image_size}: resnet50 takes 32 or more pixels")


def _check_options(s: Specification, strategy: Strategy) -> None:
    for name in STRATEGY_OPTIONS:
        if getattr(s, name) is not None and name not in strategy.options:
            takers = [other.name for other in STRATEGIES.values() if name in other.options]
            flag = name.replace("_", "-")
            raise PlanError(f"--{flag} is not for {strategy.name}; it is for {listed(takers)}")
    if s.schedule is not None:
        schedule_of(s.schedule)
    if s.microbatches is not None and s.split_size is not None:
        raise PlanError(
            f"--microbatches {s.microbatches} and --split-size {s.split_size} "
            "both divide the batch; use one of them"
        )
