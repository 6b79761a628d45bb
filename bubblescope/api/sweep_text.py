"""Settings and results of a sweep in words, with the options as on the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.option import Option, OptionValue, flag_of, listed
from core.plan.specification import Specification
from core.sweep.results import MOST_NAMED, Results
from core.sweep.sweep import Sweep
from core.sweep.values import value_text


def setting_text(asked: Sweep, setting: Specification) -> str:
    """Return the options that distinguish a setting, in the form of the command line.

    If no option does, return its strategy.
    """
    words = [_word(option, value) for option, value in asked.differing(setting)]
    return " ".join(words) or setting.strategy


def fastest_text(results: Results, repeat: str) -> str:
    """Return a sentence with the fastest setting and all that do not differ significantly.

    `repeat` is the option for more runs, as the user writes it. The results must not be empty.
    """
    best = results.fastest
    assert best is not None
    name = setting_text(results.sweep, best.setting)
    text = f"fastest: {name}, {best.mean_ms:.2f} ms"
    if best.deviation_ms is None:
        return f"{text} (a single run: use {repeat} or more to measure the deviation)"
    alike = [setting_text(results.sweep, other.setting) for other in results.as_fast]
    if len(alike) > MOST_NAMED:
        return f"{text}; no certain difference from {len(alike)} others"
    return f"{text}; no certain difference from {listed(alike)}" if alike else text


def failed_text(asked: Sweep, failed: Mapping[int, str]) -> str:
    """Return a line about the settings that failed, with the reason of the first."""
    place, why = next(iter(failed.items()))
    text = f"{setting_text(asked, asked.settings[place])} failed: {why}"
    return text if len(failed) == 1 else f"{text}; so did {len(failed) - 1} more"


def _word(option: Option[Any], value: OptionValue) -> str:
    if option.name == "strategy":
        return f"{value}"
    return f"{flag_of(option.name)} {value_text(value) or 'default'}"
