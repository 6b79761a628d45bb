"""Checks the form's settings before a run: returns its plans, or why there are none."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.costs.costs_file import costs_of
from core.costs.plan_times import predict_times
from core.errors import PlanError
from core.message import Text, error_message
from core.models.description import ModelDescription
from core.plan.devices import Hardware
from core.plan.launching import Hosts, check_launch, check_plans
from core.plan.pipeline.options import CHUNKS, SCHEDULE
from core.plan.plan import Lane, Plan
from core.plan.planning import check, plan_run, plans_of, run_lanes
from core.plan.schedules import SCHEDULES
from core.plan.specification import OPTIONS, TORCHRUN, Specification, with_defaults
from core.predict.whatif import WhatIfResult, answer_of
from gui.look.core_texts import translated
from gui.look.text import tr

MOST_TRIED = 2_000  # tasks of all plans; with more, other schedules are not tried
MOST_PICTURED = 20_000  # tasks of a plan that is drawn
EQUAL = costs_of(
    {
        "forward_ms": 1,
        "backward_input_ms": 1,
        "backward_weight_ms": 1,
        "step_ms": 0,
        "transfer_ms": 0,
    }
)
SKETCH = costs_of(
    {
        "forward_ms": 2,
        "backward_input_ms": 1,
        "backward_weight_ms": 1,
        "loss_ms": 0.3,
        "step_ms": 0.5,
        "transfer_ms": 0.3,
    }
)
"""Durations for plans without a pipeline; every task is wide enough to be seen."""
_FLAG = re.compile(r"--[a-z][a-z-]*")
_LABELS = {option.flag: option.title for option in OPTIONS if option.title}


@dataclass(frozen=True, slots=True)
class Checked:
    """Lanes and plans of a valid specification.

    `plans` maps the number of rows of a step to its plan. It is empty while the model is unknown.
    """

    lanes: tuple[Lane, ...]
    plans: dict[int, Plan]


def assumed_hardware() -> Hardware:
    """Return the hardware to assume until the engine reports it: this machine's cores only."""
    return Hardware(os.cpu_count() or 1, 0)


def check_specification(
    specification: Specification,
    hardware: Hardware,
    known: bool,
    own_model: ModelDescription | None = None,
) -> Checked | str:
    """Return the plans of a run, or one line that says why it is impossible.

    `known` is true if the engine reported `hardware`; until then no device counts as missing.
    `own_model` describes the user's model as it was when it last ran.
    """
    try:
        if not specification.own_model:
            planned = plan_run(specification, hardware, present=known)
            _check_launcher(specification, list(planned.lanes), planned.plans.values())
            return Checked(planned.lanes, planned.plans)
        check(specification)
        lanes = run_lanes(specification, hardware, present=known)
        _check_launcher(specification, lanes, ())
        if not Path(specification.model.name).is_file():
            return tr("There is no file {name}.", name=specification.model.name)
        return Checked(tuple(lanes), _plans_of_own(specification, lanes, own_model))
    except PlanError as error:
        return friendly(error_message(error))


def _plans_of_own(
    specification: Specification, lanes: list[Lane], model: ModelDescription | None
) -> dict[int, Plan]:
    """Return the plans of the user's own model; {} if it is unknown or does not suit the lanes."""
    if model is None:
        return {}
    try:
        return plans_of(specification, model, lanes)
    except PlanError:
        # The file may have changed since: only a run can say that these settings are impossible.
        return {}


def _check_launcher(specification: Specification, lanes: list[Lane], plans: Iterable[Plan]) -> None:
    """Raise PlanError for a job under torchrun that torch's engine cannot run."""
    if specification.launcher == TORCHRUN:
        # Defaults are filled in because torch must support the default schedule too.
        filled = with_defaults(specification)
        check_launch(filled, lanes, Hosts(), "")
        check_plans(filled, plans)


def schedule_problems(
    specification: Specification, checked: Checked, hardware: Hardware
) -> dict[str, str]:
    """Return the reason why a schedule cannot replace the chosen one, by the schedule's name.

    Empty without a schedule, for the user's own model, and if the plans are too large to try all
    schedules.
    """
    if specification[SCHEDULE] is None or specification.own_model:
        return {}
    # One plan per schedule, after each change of the form: large plans would make it slow.
    tasks = sum(len(plan.columns) for plan in checked.plans.values())
    if tasks > MOST_TRIED:
        return {}
    return {name: friendly(text) for name, text in _schedule_errors(specification, hardware)}


@functools.lru_cache(maxsize=32)
def _schedule_errors(
    specification: Specification, hardware: Hardware
) -> tuple[tuple[str, Text], ...]:
    """Return the schedules that cannot replace the chosen one, each with core's error.

    Cached, because the form is checked several times with the same settings: when the window opens,
    when the engine reports the hardware, and before a run.
    """
    found = []
    for schedule in SCHEDULES.values():
        chunks = specification[CHUNKS] if schedule.settable_chunks else None
        other = specification.having(schedule=schedule.name, chunks=chunks)
        try:
            # Missing devices are a problem of the whole form, not of single schedules.
            plan_run(other, hardware, present=False)
        except PlanError as error:
            found.append((schedule.name, error_message(error)))
    return tuple(found)


def pictured(plan: Plan) -> WhatIfResult | None:
    """Return a step of a plan with assumed durations; None for a plan with too many tasks.

    The passes of a pipeline have equal durations. Other plans take the durations of SKETCH, so that
    the communication between the passes is visible.
    """
    if len(plan.columns) > MOST_PICTURED:
        return None
    costs = SKETCH if plan.pipeline is None else EQUAL
    columns = predict_times(plan, costs)
    return answer_of(columns, plan.lanes, plan.pipeline)


def friendly(message: Text) -> str:
    """Return a message of core with the form's labels in place of command-line options."""
    # Translated first: messages are looked up by their English templates, which contain the
    # options.
    text = _FLAG.sub(_field_name, translated(message))
    return text[:1].upper() + text[1:]


def _field_name(match: re.Match[str]) -> str:
    label = _LABELS.get(match[0])
    return tr(label) if label else match[0]
