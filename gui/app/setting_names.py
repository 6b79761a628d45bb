"""Names of settings on screen: options, their values, and how runs differ in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from core.option import Option, OptionValue
from core.plan.devices import HOST
from core.plan.schedules import SCHEDULES, schedule_title
from core.plan.schedules.by_hand import board_mark
from core.plan.specification import OPTIONS, Specification
from core.plan.strategies import STRATEGIES
from core.sweep.sweep import values_by_name
from core.sweep.values import value_text
from gui.app.titles import DOT, model_title
from gui.look.text import ntr, tr

_DEVICES = re.compile(r"(?P<count>\d{1,4})x(?P<virtual>virtual)?:?(?P<kind>[a-z]\w*(?::\d+)?)?")


def option_title(option: Option[Any]) -> str:
    """Return the title of an option's field, or words made from its name if it has no field."""
    if option.title:
        return tr(option.title)
    words = option.name.replace("_", " ")
    return tr(words.capitalize())


def value_title(option: Option[Any], value: OptionValue) -> str:
    """Return a value's name on screen: `Model parallel`, `GPipe`, `4`."""
    if option.name == "strategy" and value in STRATEGIES:
        return tr(STRATEGIES[str(value)].title)
    if option.name == "schedule" and value in SCHEDULES:
        return tr(schedule_title(str(value)))
    if option.name == "schedule" and board_mark(str(value)):
        title = tr(schedule_title(str(value)))
        # The start of the mark distinguishes two boards.
        mark = board_mark(str(value))[:4]
        return f"{title} {mark}"
    if option.name == "devices":
        return devices_title(str(value))
    if option.name == "model":
        return model_title(str(value))
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return value_text(value) or tr("default")


def devices_title(devices: str) -> str:
    """Return a `--devices` text in words, `4 virtual devices`, or the text itself."""
    match = _DEVICES.fullmatch(devices)
    if devices == "auto":
        return tr("auto")
    if match is None or not (match["virtual"] or match["kind"]):
        return devices
    n = int(match["count"])
    kind = match["kind"]
    if match["virtual"] and kind:
        return ntr("{n} virtual device on {kind}", "{n} virtual devices on {kind}", n, kind=kind)
    if match["virtual"]:
        return ntr("{n} virtual device", "{n} virtual devices", n)
    if kind == HOST.name:
        return ntr("{n} CPU lane", "{n} CPU lanes", n)
    return ntr("{n} lane on {kind}", "{n} lanes on {kind}", n, kind=kind)


def short_devices_title(devices: str) -> str:
    """Return a `--devices` text as it is shown next to the label Lanes: `4 virtual`."""
    match = _DEVICES.fullmatch(devices)
    if match is None or not (match["virtual"] or match["kind"]):
        return devices_title(devices)
    n = int(match["count"])
    kind = match["kind"]
    if match["virtual"] and kind:
        return tr("{n} virtual on {kind}", n=n, kind=kind)
    if match["virtual"]:
        return tr("{n} virtual", n=n)
    if kind == HOST.name:
        return tr("{n} CPU", n=n)
    return tr("{n} on {kind}", n=n, kind=kind)


def settings_text(settings: Iterable[tuple[Option[Any], OptionValue]]) -> str:
    """Return settings with their values: `Pipeline · Split size 4`."""
    parts = []
    for option, value in settings:
        title = value_title(option, value)
        if option.name not in ("strategy", "schedule", "model", "devices"):
            title = tr("{option} {value}", option=option_title(option), value=title)
        parts.append(title)
    return DOT.join(parts)


def differing_texts(specifications: Sequence[Specification]) -> list[str]:
    """Return a text for each specification: its values of the options in which any differ."""
    values = [values_by_name(specification) for specification in specifications]
    differing = [option for option in OPTIONS if _differs(option, values)]
    texts = []
    for own in values:
        settings = [(option, own[option.name]) for option in differing if option.name in own]
        texts.append(settings_text(settings))
    return texts


def _differs(option: Option[Any], values: Sequence[dict[str, OptionValue]]) -> bool:
    first = values[0].get(option.name)
    return any(own.get(option.name) != first for own in values)
