"""What the form's settings come to before anything runs: a plan, or the reason why not. Pure."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.costs.costs_file import costs_of
from core.costs.plan_times import predict_times
from core.errors import PlanError
from core.message import Text, error_message
from core.plan.devices import Hardware
from core.plan.launching import Hosts, check_launch, check_parts
from core.plan.pipeline.options import CHUNKS, SCHEDULE
from core.plan.plan import Lane, Plan
from core.plan.planning import check, plan_run, run_lanes
from core.plan.schedules import SCHEDULES
from core.plan.specification import OPTIONS, TORCHRUN, Specification, with_defaults
from core.predict.whatif import WhatIfResult, answer_of
from gui.look.core_texts import translated
from gui.look.text import tr

MOST_TRIED = 2_000  # tasks of a plan
MOST_PICTURED = 20_000
EQUAL = costs_of({"forward_ms": 1, "backward_input_ms": 1, "backward_weight_ms": 1, "step_ms": 0,
                  "transfer_ms": 0})  # fmt: skip
_FLAG = re.compile(r"--[a-z][a-z-]*")
_LABELS = {option.flag: option.title for option in OPTIONS if option.title}


@dataclass(frozen=True, slots=True)
class Checked:
    """A specification that can run. `plans` by rows of a step; empty for a model of one's own."""

    lanes: tuple[Lane, ...]
    plans: dict[int, Plan]


def assumed_hardware() -> Hardware:
    """This machine as far as it is known before the engine has looked: its cores."""
    return Hardware(os.cpu_count() or 1, 0)


def check_specification(
    specification: Specification, hardware: Hardware, known: bool
) -> Checked | str:
    """The plans of a run, or one line that says why there are none.

    `known` tells whether `hardware` comes from the engine; until then no device counts as missing.
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
        return Checked(tuple(lanes), {})
    except PlanError as error:
        return friendly(error_message(error))


def _check_launcher(specification: Specification, lanes: list[Lane], plans: Iterable[Plan]) -> None:
    """Raise PlanError for a job that torchrun is to launch and torch's own engine cannot run."""
    if specification.launcher == TORCHRUN:
        # Of a schedule that is left to its default it is the default that torch must have.
        filled = with_defaults(specification)
        check_launch(filled, lanes, Hosts(), "")
        check_parts(filled, plans)


def schedule_problems(
    specification: Specification, checked: Checked, hardware: Hardware
) -> dict[str, str]:
    """Why schedules cannot be run in place of the chosen one, by their names; few that can have.

    Empty where plans are too large to try every schedule on them.
    """
    if specification[SCHEDULE] is None or specification.own_model:
        return {}
    # As many plans as there are schedules, after each change of the form: large ones would be felt.
    if sum(len(plan.columns) for plan in checked.plans.values()) > MOST_TRIED:
        return {}
    found = {}
    for schedule in SCHEDULES.values():
        chunks = specification[CHUNKS] if schedule.settable_chunks else None
        other = specification.having(schedule=schedule.name, chunks=chunks)
        try:
            # Devices that are missing are told of the form as a whole, not of each schedule.
            plan_run(other, hardware, present=False)
        except PlanError as error:
            found[schedule.name] = friendly(error_message(error))
    return found


def pictured(plan: Plan) -> WhatIfResult | None:
    """A pipeline's plan as it would run if all passes took the same time; None for other plans."""
    if plan.pipeline is None or len(plan.columns) > MOST_PICTURED:
        return None
    columns = predict_times(plan, EQUAL)
    return answer_of(columns, plan.lanes, plan.pipeline)


def friendly(message: Text) -> str:
    """A message of core's with the form's names instead of the command line's flags."""
    # Translated first: sentences are found by their English templates, in which the flags stand.
    text = _FLAG.sub(_field_name, translated(message))
    return text[:1].upper() + text[1:]


def _field_name(match: re.Match[str]) -> str:
    label = _LABELS.get(match[0])
    return tr(label) if label else match[0]
