"""What a sweep's settings and results are called on screen and in pictures. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.option import Option, Value
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.sweep.results import MOST_NAMED, Result, Results
from core.sweep.sweep import Sweep
from core.sweep.values import value_text
from gui.app.titles import DOT, model_title
from gui.look.text import duration_text, ntr, tr


def ms_text(ms: float) -> str:
    """A time in ms as a duration of the unit that suits it."""
    return duration_text(1e6 * ms)


def option_title(option: Option[Any]) -> str:
    """What an option is called; the strategy has no field of its own."""
    return tr(option.title) if option.title else tr(option.name.replace("_", " ").capitalize())


def value_title(option: Option[Any], value: Value) -> str:
    """A value as people call it: `Model parallel`, `GPipe`, `4`."""
    if option.name == "strategy" and value in STRATEGIES:
        return tr(STRATEGIES[str(value)].title)
    if option.name == "schedule" and value in SCHEDULES:
        return tr(SCHEDULES[str(value)].title)
    if option.name == "model":
        return model_title(str(value))
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return value_text(value) or tr("default")


def settings_text(settings: Iterable[tuple[Option[Any], Value]]) -> str:
    """What tells a setting from the others: `Pipeline · Split size 4`."""
    parts = []
    for option, value in settings:
        title = value_title(option, value)
        named = option.name in ("strategy", "schedule", "model")
        parts.append(title if named else tr("{option} {value}", option=option_title(option),
                                            value=title))  # fmt: skip
    return DOT.join(parts)


def setting_title(sweep: Sweep, setting: Specification) -> str:
    """A setting beside the others of its sweep."""
    # Where all settings are alike, or there is one, nothing differs.
    return settings_text(sweep.differing(setting)) or value_title_of(setting)


def value_title_of(setting: Specification) -> str:
    """The strategy of a setting."""
    return tr(STRATEGIES[setting.strategy].title)


def sweep_title(results: Results) -> str:
    """What all settings have in common: `ResNet-50 · batch 12`."""
    base = results.sweep.base
    varied = {varied.option.name for varied in results.sweep.varied}
    parts = [] if "model" in varied else [model_title(base.model.name)]
    if "batch" not in varied:
        parts.append(tr("batch {rows}", rows=base.batch_rows))
    if len({result.lanes for result in results.of.values()}) == 1:
        lanes = next(iter(results.of.values())).lanes
        parts.append(ntr("{n:,} lane", "{n:,} lanes", lanes))
    return DOT.join(parts)


def result_text(results: Results, result: Result) -> str:
    """A result in words, for tooltips and screen readers."""
    words = {
        "setting": setting_title(results.sweep, result.setting),
        "mean": ms_text(result.mean_ms),
        "runs": len(result.rows),
    }
    if result.deviation_ms is None:
        return tr("{setting}: {mean} in one run", **words)
    off = ms_text(result.deviation_ms)
    return tr("{setting}: {mean}, deviation {off}, {runs} runs", off=off, **words)


def fastest_text(results: Results) -> str:
    """Which setting is the fastest, and whether chance may have made it so; '' of nothing."""
    best = results.fastest
    if best is None:
        return ""
    setting, time = setting_title(results.sweep, best.setting), ms_text(best.mean_ms)
    words: dict[str, object] = {"setting": setting, "time": time}
    if best.deviation_ms is None:
        return tr("Fastest: {setting}, {time} in one run.", **words)
    alike = [setting_title(results.sweep, other.setting) for other in results.as_fast]
    if not alike:
        return tr("Fastest: {setting}, {time}.", **words)
    if len(alike) > MOST_NAMED:
        words["count"] = len(alike)
        return tr("Fastest: {setting}, {time}; no certain difference from {count} others.", **words)
    return tr(
        "Fastest: {setting}, {time}; no certain difference from {others}.",
        others=", ".join(alike), **words,
    )  # fmt: skip
