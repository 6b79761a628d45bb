"""What the form's settings come to before anything runs: a plan, or the reason why not. Pure."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from core.plan.lanes import Hardware
from core.plan.specification import Specification, check, check_memory, describe, lanes_of, plans_of
from core.plan.task import Lane, Plan, PlanError
from gui.panels.fields import WORDS
from gui.text import tr

_FLAG = re.compile(r"--([a-z][a-z-]*)")


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

    `known` tells whether `hardware` comes from the engine; until then no GPU counts as missing.
    """
    try:
        check(specification)
        lanes = lanes_of(specification, hardware, present=known)
        if specification.own_model:
            if not Path(specification.model.name).is_file():
                return tr("There is no file {name}.", name=specification.model.name)
            return Checked(tuple(lanes), {})
        model = describe(specification)
        if known:
            check_memory(specification, model, hardware)
        return Checked(tuple(lanes), plans_of(specification, model, lanes))
    except PlanError as error:
        return friendly(str(error))


def friendly(message: str) -> str:
    """A message of core's with the form's names instead of the command line's flags."""
    text = _FLAG.sub(_field_name, message)
    return text[:1].upper() + text[1:]


def _field_name(match: re.Match[str]) -> str:
    words = WORDS.get(match[1].replace("-", "_"))
    return tr(words.label) if words else match[0]
