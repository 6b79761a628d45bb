"""Options without effect, and values that replace options left at their defaults. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.option import Option, option_values
from core.plan.link import DEFAULT_LINK, read_link
from core.plan.pipeline.options import MICROBATCHES, SPLIT_SIZE
from core.plan.plan import Plan
from core.plan.specification import STEPS, STRATEGY_OPTIONS, Specification
from core.plan.strategies import STRATEGIES
from gui.look.text import rows_text, tr


def unused_options(asked: Specification) -> set[Option[Any]]:
    """Return the options that have no effect with this strategy and these settings."""
    taken = STRATEGIES[asked.strategy].options
    found = set()
    for option, _ in asked.values:
        of_other_strategies = option in STRATEGY_OPTIONS and option not in taken
        if of_other_strategies or option.unused(asked):
            found.add(option)
    return found


def excluded(asked: Specification) -> dict[Option[Any], str]:
    """Return the options that another setting excludes, each with the reason."""
    # Only options that the user has changed exclude others. Otherwise, two options that exclude
    # each other would both be excluded by the other's default.
    titles = {}
    for option in STRATEGY_OPTIONS:
        if asked[option] not in (None, option.default):
            titles[option.name] = tr(option.title)
    reasons = {}
    for option, _ in option_values(asked):
        if option.excludes in titles and option.name not in titles:
            other = titles[option.excludes]
            reasons[option] = tr(
                "Cannot be combined with {other}: set that back to 0 first.", other=other
            )
    return reasons


def applicable(asked: Specification) -> Specification:
    """Return a copy in which unused and excluded options have their defaults."""
    dropped = unused_options(asked) | excluded(asked).keys()
    defaults = {}
    for option, _ in option_values(asked):
        if option in dropped:
            defaults[option.name] = option.default
    return asked.having(**defaults)


def default_texts(asked: Specification, plan: Plan | None) -> dict[str, str]:
    """Return the values that are used for fields without a value, as texts by option name.

    `plan` is the plan of the largest step, if it is known.
    """
    link = read_link(DEFAULT_LINK)
    assert link is not None
    latency_us = link.latency_ns / 1e3
    gb_per_s = 1 / link.ns_per_byte
    texts = {
        "link": tr(
            "{latency} µs, {bandwidth} GB/s", latency=f"{latency_us:g}", bandwidth=f"{gb_per_s:g}"
        ),
        "batch": rows_text(replace(asked, batch=None).batch_rows),
        "steps": tr("one epoch") if asked.data else str(STEPS),
    }
    if plan is None or plan.pipeline is None:
        return texts
    texts[MICROBATCHES.name] = str(plan.pipeline.microbatches)
    sizes = sorted({part.rows for part in plan.parts})
    if len(sizes) == 1:
        texts[SPLIT_SIZE.name] = rows_text(sizes[0])
    else:
        texts[SPLIT_SIZE.name] = tr("{least} to {most} rows", least=sizes[0], most=sizes[-1])
    return texts
