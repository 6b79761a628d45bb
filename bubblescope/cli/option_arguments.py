"""Arguments of the command line for the options of a run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from bubblescope.cli.parser import Joined
from bubblescope.cli.suggested import Suggested
from core.option import Option, OptionGroup, flag_of, listed
from core.plan.specification import OPTIONS, STRATEGY_OPTIONS
from core.plan.strategies import STRATEGIES
from core.sweep.values import SWEPT


def add_specification(
    parser: argparse.ArgumentParser,
    runs: bool = False,
    forms: Mapping[str, dict[str, Any]] | None = None,
) -> None:
    """Add an argument for every option, in groups; with `runs`, also options that only runs take.

    `forms` maps names of options to keyword arguments of `add_argument` that replace their own.
    """
    own_forms = {} if forms is None else forms
    for group in OptionGroup:
        arguments = parser.add_argument_group(group)
        for option in OPTIONS:
            is_taken = runs or not option.runs_only
            if option.group is group and is_taken:
                own_form = own_forms.get(option.name, {})
                add_option(arguments, option, **own_form)


def add_swept(parser: argparse.ArgumentParser) -> None:
    """Add an argument for every option that a sweep takes; its values are one text."""
    for group in OptionGroup:
        arguments = parser.add_argument_group(group)
        for option in SWEPT:
            if option.group is not group:
                continue
            form = _form_of(option)
            if option.kind is bool:
                form = {
                    "nargs": "?",
                    "const": "yes",
                    "metavar": "YES,NO",
                    "help": form["help"],
                }
            # core.sweep.values parses the list later, and reports all of its errors.
            form.pop("type", None)
            arguments.add_argument(flag_of(option.name), dest=option.name, **form)


def option_help(option: Option[Any]) -> str:
    """Describe an option: help, accepted values, and the strategies that take it if not all do."""
    words = [option.help]
    if option.choices:
        accepted = list(option.choices)
        if option.suffix:
            accepted.append(f"your own file{option.suffix}")
        words.append(f"One of {listed(accepted)}.")
    if option in STRATEGY_OPTIONS:
        takers: list[str] = []
        for strategy in STRATEGIES.values():
            if option in strategy.options:
                takers.append(strategy.name)
        names = listed(takers, "and")
        words.append(f"For {names}.")
    return " ".join(words)


def options_table() -> str:
    """Return the options of a run as a Markdown table, for the docs."""
    lines = ["| option | default | meaning |", "|---|---|---|"]
    for option in OPTIONS:
        form = option.flag
        if option.kind is not bool:
            form += f" {_metavar(option)}"
        meaning = option_help(option)
        lines.append(f"| `{form}` | {option.otherwise} | {meaning} |")
    return "\n".join(lines) + "\n"


def add_option(
    arguments: argparse.ArgumentParser | argparse._ArgumentGroup,
    option: Option[Any],
    **form: Any,
) -> None:
    """Add the argument of one option; `form` replaces keyword arguments of `add_argument`."""
    known = _form_of(option) | form
    arguments.add_argument(
        option.flag,
        dest=option.name,
        default=option.default,
        **known,
    )


def _form_of(option: Option[Any]) -> dict[str, Any]:
    """Return the keyword arguments of `add_argument` for an option."""
    help_text = option_help(option)
    if option.otherwise:
        help_text += f" Default: {option.otherwise}."
    form: dict[str, Any] = {"help": help_text}
    if option.kind is bool:
        form["action"] = "store_false" if option.default else "store_true"
        return form
    form["metavar"] = _metavar(option)
    if option.repeated:
        form["action"] = Joined
        return form
    form["type"] = option.kind
    if option.choices:
        form["choices"] = Suggested(option.choices)
    return form


def _metavar(option: Option[Any]) -> str:
    """Return the placeholder of an option's value: a unit, or the form of a repeated word."""
    if option.repeated:
        return option.unit
    return option.unit.upper()
