"""Planning of a run: checks of its settings, its lanes, and a plan for each size of a step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.counts import lanes_text, rows_text
from core.errors import PlanError
from core.message import Text, counted, message
from core.models.catalogue import MODELS, ModelSettings
from core.models.description import ModelDescription
from core.option import flag_of, listed, option_values
from core.plan.devices import Hardware
from core.plan.faults import Faults, faults_text
from core.plan.lanes import check_devices, lane_devices, make_lanes
from core.plan.pipeline.options import BALANCE, DEFAULT_SCHEDULE, LANE_MEMORY, SCHEDULE
from core.plan.plan import Job, Lane, Plan, Strategy
from core.plan.schedules import schedule_of
from core.plan.specification import (
    MOST_STEPS,
    STRATEGY_OPTIONS,
    Specification,
    describe,
    has_real_lanes,
    with_defaults,
)
from core.plan.strategies import STRATEGIES

EXPLAINED_BYTES = 460  # for each pair of lanes, measured with 512 lanes against 256
EXPLAINING_SHARE = 1 / 8


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A valid run: its settings with defaults filled in, its model, lanes and plans.

    `plans` maps the numbers of rows of the run's steps to plans; the first step's plan is first.
    """

    specification: Specification
    model: ModelDescription
    lanes: tuple[Lane, ...]
    plans: dict[int, Plan]


Describe = Callable[[Specification], ModelDescription]
"""Describes the model of a specification. Raises PlanError if the model cannot be built."""


def plan_run(
    specification: Specification,
    hardware: Hardware,
    describe_model: Describe = describe,
    present: bool = True,
) -> PlannedRun:
    """Plan a run. Raises PlanError naming the first bad value.

    With `present`, the run will be executed on this hardware, which must have its devices and
    enough memory. `describe_model` is needed for models in the user's files, which only torch can
    describe.
    """
    check(specification)
    specification = with_defaults(specification)
    lanes = run_lanes(specification, hardware, present)
    model = describe_model(specification)
    if present:
        check_memory(specification, model, hardware)
    plans = plans_of(specification, model, lanes)
    return PlannedRun(
        specification=specification,
        model=model,
        lanes=tuple(lanes),
        plans=plans,
    )


def run_lanes(specification: Specification, hardware: Hardware, present: bool = True) -> list[Lane]:
    """Return the compute lanes of a run, with the checks of `plan_run`. Raises PlanError."""
    lanes = lanes_of(specification, hardware, present)
    if present:
        check_lanes(specification, len(lanes), hardware)
        check_virtual(specification, lanes)
        check_cores(specification, lanes, hardware)
    return lanes


def plans_of(
    specification: Specification, model: ModelDescription, lanes: list[Lane]
) -> dict[int, Plan]:
    """Return a plan for each number of rows that a step of the run has. Raises PlanError."""
    strategy = check(specification)
    # An epoch's last batch may be smaller; all other steps share one plan.
    sizes = dict.fromkeys(specification.all_rows)
    plans: dict[int, Plan] = {}
    for rows in sizes:
        job = job_of(specification, model, lanes, rows)
        plans[rows] = strategy.plan(job)
    return plans


def job_of(
    specification: Specification, model: ModelDescription, lanes: list[Lane], rows: int
) -> Job:
    """Return the strategy's input for a step of `rows` rows. Raises PlanError."""
    settings = {option.name: specification[option] for option in STRATEGY_OPTIONS}
    schedule = schedule_of(specification[SCHEDULE] or DEFAULT_SCHEDULE)
    return Job(
        model=model,
        lanes=tuple(lanes),
        rows=rows,
        schedule=schedule,
        settings=settings,
    )


def lanes_of(specification: Specification, hardware: Hardware, present: bool = True) -> list[Lane]:
    """Return the compute lanes of a run; with `present`, the hardware must have its devices.

    Raises PlanError for missing devices, for faults in lanes or steps that do not exist, and, with
    `present`, for faults in real lanes.
    """
    devices = lane_devices(specification.devices, hardware)
    if present:
        check_devices(devices, hardware)
    lanes = make_lanes(devices, hardware, specification.cores_per_lane)
    faults = Faults.of(specification)
    given = faults_text(specification)
    faults.check(lanes, specification.warmup, len(specification.step_rows))
    if present and faults and not lanes[0].is_virtual:
        raise PlanError(
            message(
                "{given}: faults can only be injected into virtual lanes; use --devices "
                "{lanes}xvirtual",
                given=given,
                lanes=len(lanes),
            )
        )
    return lanes


def check(specification: Specification) -> Strategy:
    """Check everything that needs neither hardware nor model, and return the strategy.

    Raises PlanError naming the first bad value and the accepted ones.
    """
    strategy = STRATEGIES.get(specification.strategy)
    if strategy is None:
        raise PlanError(
            message(
                "there is no strategy {strategy!r}; use {accepted}",
                strategy=specification.strategy,
                accepted=listed(list(STRATEGIES)),
            )
        )
    check_numbers(specification)
    for option, value in specification.values:
        _refuse(option.problem(value))
    _check_settings(specification.model)
    _check_options(specification, strategy)
    return strategy


def check_numbers(specification: Specification) -> None:
    """Raise PlanError for the first number that is out of range."""
    for option, value in specification.values:
        if not isinstance(value, str):
            _refuse(option.problem(value))
    if (specification.data or 0) / specification.batch_rows > MOST_STEPS:
        raise PlanError(
            message(
                "--data {data} is over {most_steps:,} batches of {rows}",
                data=specification.data,
                most_steps=MOST_STEPS,
                rows=rows_text(specification.batch_rows),
            )
        )


def check_virtual(specification: Specification, lanes: Sequence[Lane]) -> None:
    """Raise PlanError if an option for virtual lanes is given for real ones."""
    for option, value in specification.values:
        if option.unused is has_real_lanes and value is not None and not lanes[0].is_virtual:
            raise PlanError(
                message(
                    "{flag} {value} is for virtual lanes, and {name} is a real one; use "
                    "--devices {lanes}xvirtual",
                    flag=option.flag,
                    value=value,
                    name=lanes[0].name,
                    lanes=len(lanes),
                )
            )


def check_cores(specification: Specification, lanes: Sequence[Lane], hardware: Hardware) -> None:
    """Raise PlanError if virtual lanes have more cores than the machine.

    Real lanes with too many cores share them, and the run says so. Virtual lanes run one at a time,
    so their times would be shown as those of cores that do not exist.
    """
    if lanes[0].is_virtual and lanes[0].cores > hardware.cores:
        raise PlanError(
            message(
                "--cores-per-lane {cores}: a virtual lane can have at most the {available} of "
                "{machine}",
                cores=specification.cores_per_lane,
                available=counted("{n} core", "{n} cores", hardware.cores),
                machine=hardware.machine,
            )
        )


def check_unmeasured(specification: Specification) -> None:
    """Raise PlanError for `--balance`, which needs the blocks that only a run measures."""
    balance = specification[BALANCE]
    memory = specification[LANE_MEMORY]
    if balance or memory is not None:
        given = BALANCE.flag if balance else f"{LANE_MEMORY.flag} {memory:g}"
        raise PlanError(
            message(
                "{given}: only a run measures the blocks to balance; use --borders, such as 3,7",
                given=given,
            )
        )


def check_memory(specification: Specification, model: ModelDescription, hardware: Hardware) -> None:
    """Raise PlanError if a step needs more memory than all devices have together."""
    # A run creates the rows of a whole epoch before the first step, and keeps them.
    needed = model.step_bytes(max(specification.data or 0, *specification.all_rows))
    memory = hardware.memory + sum(one.memory for one in hardware.accelerators)
    if needed > memory:
        raise PlanError(
            message(
                "--batch {batch_rows} of {name} needs at least {needed:,.1f} GB, but {machine} "
                "has {memory:,.1f} GB: use fewer rows or a smaller model",
                batch_rows=specification.batch_rows,
                name=model.name,
                needed=needed / 1e9,
                machine=hardware.machine,
                memory=memory / 1e9,
            )
        )


def check_lanes(specification: Specification, lanes: int, hardware: Hardware) -> None:
    """Raise PlanError if explaining a step on this many lanes needs too much of the memory."""
    # Each lane may wait for every other one in turn, so the explanation of idle time grows with
    # the square of the number of lanes.
    most = math.isqrt(int(hardware.memory * EXPLAINING_SHARE / EXPLAINED_BYTES))
    if lanes > most:
        needed = lanes * lanes * EXPLAINED_BYTES
        raise PlanError(
            message(
                "--devices {devices}: explaining {lanes} takes about {needed:.1f} GB, more "
                "than an eighth of the {memory:.1f} GB of {machine}; use at most {most}",
                devices=specification.devices,
                lanes=lanes_text(lanes),
                needed=needed / 1e9,
                memory=hardware.memory / 1e9,
                machine=hardware.machine,
                most=lanes_text(most),
            )
        )


def _refuse(problem: Text) -> None:
    """Raise PlanError unless `problem` is empty."""
    if problem:
        raise PlanError(problem)


def _check_settings(model: ModelSettings) -> None:
    """Raise PlanError for settings of another model, or values that do not fit together."""
    kind = MODELS.get(model.name)
    taken = {} if kind is None else kind.settings
    for option, value in option_values(model):
        if option.kind is int and value is not None and option.name not in taken:
            takes = listed([flag_of(name) for name in taken]) or message("no such settings")
            raise PlanError(
                message(
                    "{flag} {value} is not for {name}, which takes {takes}",
                    flag=option.flag,
                    value=value,
                    name=model.name,
                    takes=takes,
                )
            )
    if kind is not None:
        _refuse(kind.problem(model.filled()))


def _check_options(specification: Specification, strategy: Strategy) -> None:
    """Raise PlanError for options of other strategies, and for options that conflict."""
    given = {}
    for option in STRATEGY_OPTIONS:
        if specification[option] not in (None, option.default):
            given[option.name] = option
    for option in given.values():
        if option not in strategy.options:
            takers = [other.name for other in STRATEGIES.values() if option in other.options]
            raise PlanError(
                message(
                    "{flag} is not for {name}; it is for {takers}",
                    flag=option.flag,
                    name=strategy.name,
                    takers=listed(takers),
                )
            )
        if (other := given.get(option.excludes)) is not None:
            raise PlanError(
                message(
                    "{flag} {value} and {other_flag} {other_value} exclude each other; use one "
                    "of them",
                    flag=option.flag,
                    value=specification[option],
                    other_flag=other.flag,
                    other_value=specification[other],
                )
            )
    if specification.blocks and strategy.on_ranks:
        takers = [other.name for other in STRATEGIES.values() if not other.on_ranks]
        raise PlanError(
            message(
                "--blocks does not apply to {name}, whose ranks torch runs itself; it applies to "
                "{takers}",
                name=strategy.name,
                takers=listed(takers),
            )
        )
    if (memory := specification[LANE_MEMORY]) is not None and not specification[BALANCE]:
        raise PlanError(
            message(
                "{flag} {memory:g} only limits {other_flag}; add that option",
                flag=LANE_MEMORY.flag,
                memory=memory,
                other_flag=BALANCE.flag,
            )
        )
    if (schedule := specification[SCHEDULE]) is not None:
        schedule_of(schedule)
