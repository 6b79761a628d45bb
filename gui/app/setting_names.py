"""Names of settings on screen: options, their values, and how runs differ in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.option import Option, OptionValue
from core.plan.schedules import SCHEDULES
from core.plan.specification import OPTIONS, Specification
from core.plan.strategies import STRATEGIES
from core.sweep.sweep import values_by_name
from core.sweep.values import value_text
from gui.app.titles import DOT, model_title
from gui.look.text import tr


def option_title(option: Option[Any]) -> str:
    """Return the name of an option's field; the strategy has no field of its own."""
    return tr(option.title) if option.title else tr(option.name.replace("_", " ").capitalize())


def value_title(option: Option[Any], value: OptionValue) -> str:
    """Return a value as people call it: `Model parallel`, `GPipe`, `4`."""
    if option.name == "strategy" and value in STRATEGIES:
        return tr(STRATEGIES[str(value)].title)
    if option.name == "schedule" and value in SCHEDULES:
        return tr(SCHEDULES[str(value)].title)
    if option.name == "model":
        return model_title(str(value))
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return value_text(value) or tr("default")


def settings_text(settings: Iterable[tuple[Option[Any], OptionValue]]) -> str:
    """Return settings with their values: `Pipeline · Split size 4`."""
    parts = []
    for option, value in settings:
        title = value_title(option, value)
        if option.name not in ("strategy", "schedule", "model"):
            title = tr("{option} {value}", option=option_title(option), value=title)
        parts.append(title)
    return DOT.join(parts)


def differing_texts(specifications: Sequence[Specification]) -> list[str]:
    """Return for each of several settings the options in which they are not all equal."""
    values = [values_by_name(specification) for specification in specifications]
    differing = [option for option in OPTIONS if _differs(option, values)]
    return [
        settings_text((option, own[option.name]) for option in differing if option.name in own)
        for own in values
    ]


def _differs(option: Option[Any], values: Sequence[dict[str, OptionValue]]) -> bool:
    first = values[0].get(option.name)
    return any(own.get(option.name) != first for own in values)
