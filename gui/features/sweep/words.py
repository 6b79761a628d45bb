"""Names of a sweep's settings and results, on screen and in pictures. Pure."""

from __future__ import annotations

from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.sweep.results import MOST_NAMED, Result, Results
from core.sweep.sweep import Sweep
from gui.app.setting_names import settings_text
from gui.app.titles import DOT, model_title
from gui.look.text import duration_text, ntr, tr


def ms_text(ms: float) -> str:
    """Return a time in ms as a duration with a suitable unit."""
    return duration_text(1e6 * ms)


def setting_title(sweep: Sweep, setting: Specification) -> str:
    """Return the values in which a setting differs from the others, or else its strategy."""
    # Nothing differs if all settings are equal, or if there is only one.
    return settings_text(sweep.differing(setting)) or value_title_of(setting)


def value_title_of(setting: Specification) -> str:
    """Return the title of a setting's strategy."""
    return tr(STRATEGIES[setting.strategy].title)


def sweep_title(results: Results) -> str:
    """Return the settings that all runs share: `ResNet-50 · batch 12`."""
    base = results.sweep.base
    varied = {varied.option.name for varied in results.sweep.varied}
    parts = [] if "model" in varied else [model_title(base.model.name)]
    if "batch" not in varied:
        parts.append(tr("batch {rows}", rows=base.batch_rows))
    if len({result.lanes for result in results.by_setting.values()}) == 1:
        lanes = next(iter(results.by_setting.values())).lanes
        parts.append(ntr("{n:,} lane", "{n:,} lanes", lanes))
    return DOT.join(parts)


def result_text(results: Results, result: Result) -> str:
    """Return a result in words, for tooltips and screen readers."""
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
    """Return the fastest setting, and others that may be as fast; '' without results."""
    best = results.fastest
    if best is None:
        return ""
    setting = setting_title(results.sweep, best.setting)
    time = ms_text(best.mean_ms)
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
        others=", ".join(alike),
        **words,
    )
