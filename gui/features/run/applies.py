"""Which settings are of use beside the others, and what those that are left alone come to. Pure."""

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


def useless(asked: Specification) -> set[Option[Any]]:
    """The options that the strategy, or another setting, leaves without any use."""
    takes = STRATEGIES[asked.strategy].options
    return {
        option
        for option, _ in asked.values
        if (option in STRATEGY_OPTIONS and option not in takes) or option.unused(asked)
    }


def excluded(asked: Specification) -> dict[Option[Any], str]:
    """Why options cannot be set now, as another one is that excludes them."""
    # Only what the user changed excludes others: each
    # of two that exclude one another has a default.
    given = {o.name: o.title for o in STRATEGY_OPTIONS if asked[o] not in (None, o.default)}
    return {
        option: tr(
            "{other} excludes this: set it back to 0 to use this.", other=tr(given[option.excludes])
        )
        for option, _ in option_values(asked)
        if option.excludes in given and option.name not in given
    }


def useful(asked: Specification) -> Specification:
    """The same where all that is of no use, or excluded, is left to its default."""
    left = useless(asked) | excluded(asked).keys()
    return asked.having(**{o.name: o.default for o, _ in option_values(asked) if o in left})


def usual_texts(asked: Specification, plan: Plan | None) -> dict[str, str]:
    """What the fields of options show, by name, where these are not set: what they come to.

    `plan` is that of the largest step, if it is known.
    """
    link = read_link(DEFAULT_LINK)
    assert link is not None
    speed = {"latency": f"{link.latency_ns / 1e3:g}", "bandwidth": f"{1 / link.ns_per_byte:g}"}
    texts = {
        "link": tr("{latency} µs, {bandwidth} GB/s", **speed),
        "batch": rows_text(replace(asked, batch=None).batch_rows),
        "steps": tr("one epoch") if asked.data else str(STEPS),
    }
    if plan is None or plan.pipeline is None:
        return texts
    sizes = sorted({part.rows for part in plan.parts})
    of_a_piece = (
        rows_text(sizes[0])
        if len(sizes) == 1
        else tr("{least} to {most} rows", least=sizes[0], most=sizes[-1])
    )
    count = str(plan.pipeline.microbatches)
    return {**texts, MICROBATCHES.name: count, SPLIT_SIZE.name: of_a_piece}
