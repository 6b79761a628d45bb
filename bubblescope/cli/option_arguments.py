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
    """Add an argument for every option, in groups; with `runs` also the options of runs alone.

    `forms` has keyword arguments of `add_argument` that replace an option's own, by its name.
    """
    for group in OptionGroup:
        add = parser.add_argument_group(group).add_argument
        for option in OPTIONS:
            if option.group is group and (runs or not option.runs_only):
                form = _form_of(option) | (forms or {}).get(option.name, {})
                add(option.flag, dest=option.name, default=option.default, **form)


def add_swept(parser: argparse.ArgumentParser) -> None:
    """Add an argument for every option that a sweep takes; its values are one text."""
    for group in OptionGroup:
        add = parser.add_argument_group(group).add_argument
        for option in (option for option in SWEPT if option.group is group):
            form = _form_of(option)
            if option.kind is bool:
                form = {"nargs": "?", "const": "yes", "metavar": "YES,NO", "help": form["help"]}
            # core.sweep.values parses the list later, and reports all of its errors.
            form.pop("type", None)
            add(flag_of(option.name), dest=option.name, **form)


def option_help(option: Option[Any]) -> str:
    """Describe an option: help, accepted values, and the strategies that take it if not all do."""
    words = [option.help]
    if option.choices:
        own = [f"your own file{option.suffix}"] if option.suffix else []
        words.append(f"One of {listed([*option.choices, *own])}.")
    if option in STRATEGY_OPTIONS:
        takers = [strategy.name for strategy in STRATEGIES.values() if option in strategy.options]
        words.append(f"For {listed(takers, 'and')}.")
    return " ".join(words)


def options_table() -> str:
    """Return the options of a run as a Markdown table, for the docs."""
    lines = ["| option | default | meaning |", "|---|---|---|"]
    for option in OPTIONS:
        value = "" if option.kind is bool else f" {_metavar(option)}"
        lines.append(f"| `{option.flag}{value}` | {option.otherwise} | {option_help(option)} |")
    return "\n".join(lines) + "\n"


def add_option(parser: argparse.ArgumentParser, option: Option[Any], **form: Any) -> None:
    """Add the argument of one option; `form` replaces keyword arguments of `add_argument`."""
    known = _form_of(option) | form
    parser.add_argument(option.flag, dest=option.name, default=option.default, **known)


def _form_of(option: Option[Any]) -> dict[str, Any]:
    """Return the keyword arguments of `add_argument` for an option."""
    help_text = option_help(option) + (f" Default: {option.otherwise}." if option.otherwise else "")
    if option.kind is bool:
        return {"action": "store_false" if option.default else "store_true", "help": help_text}
    if option.repeated:
        return {"action": Joined, "metavar": _metavar(option), "help": help_text}
    form = {"type": option.kind, "metavar": _metavar(option), "help": help_text}
    return form | ({"choices": Suggested(option.choices)} if option.choices else {})


def _metavar(option: Option[Any]) -> str:
    """Return the placeholder of an option's value: a unit, or the form of a repeated word."""
    return option.unit if option.repeated else option.unit.upper()
