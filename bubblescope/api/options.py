"""The settings of a run, from keyword arguments with the names of the command line's options."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import PlanError
from core.option import Option, OptionValue, listed
from core.plan.hosts import ON, chosen_host
from core.plan.specification import OPTIONS, Specification, specification_of
from core.plan.strategies import STRATEGIES
from core.sweep.values import SWEPT, check_values
from gui.app.figure_options import FigureOptions

BY_NAME: dict[str, Option[Any]] = {option.name: option for option in OPTIONS}
KINDS = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}


def specification_from(options: Mapping[str, object]) -> Specification:
    """Return the specification with these options, and defaults for the others.

    A model may be given as a path. Raises PlanError in one line for an unknown option, and for a
    value of another type.
    """
    values = {}
    for name, value in options.items():
        _check_name(name, BY_NAME)
        values[name] = _value_of(BY_NAME[name], value)
    return specification_of(values)


def swept_values(options: Mapping[str, object]) -> dict[str, tuple[OptionValue, ...]]:
    """Return the values that a sweep tries, by option; a list, tuple or range has several.

    Raises PlanError in one line for an unknown option, and for a value that is invalid, repeated
    or of another type.
    """
    known = {option.name: option for option in SWEPT}
    found: dict[str, tuple[OptionValue, ...]] = {}
    for name, value in options.items():
        _check_name(name, known)
        option = known[name]
        several = list(value) if isinstance(value, list | tuple | range) else [value]
        if not several:
            raise PlanError(f"{name}={value!r}: give one value or more")
        values = tuple(_value_of(option, each) for each in several)
        texts = list(map(str, several))
        check_values(option, values, str(several), texts)
        found[name] = values
    return found


def host_from(on: object) -> str:
    """Return the host of `on`, "" for this machine. Raises PlanError if it is invalid."""
    return chosen_host(str(_value_of(ON, on) or ""))


def strategies_from(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of strategies. Raises PlanError for an unknown one."""
    for name in names:
        if name not in STRATEGIES:
            raise PlanError(f"beside={name!r}: use names of strategies: {listed([*STRATEGIES])}")
    return tuple(names)


def _check_name(name: str, known: Mapping[str, object]) -> None:
    """Raise PlanError, with the most similar names, for an option that does not exist."""
    if name in known:
        return
    similar = difflib.get_close_matches(name, known)
    accepted = listed(similar or sorted(known))
    raise PlanError(f"there is no option {name!r}: use {accepted}")


def _value_of(option: Option[Any], value: object) -> OptionValue:
    """Return a value of the option's type. Raises PlanError for a value of another type."""
    if isinstance(value, Path) and option.kind is str:
        return os.fspath(value)
    if option.kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    is_flag = isinstance(value, bool)
    if value is None or (isinstance(value, option.kind) and is_flag == (option.kind is bool)):
        return value
    raise PlanError(f"{option.name}={value!r}: use {KINDS[option.kind]}")


def figure_options(preset: str | None, looks: Mapping[str, object]) -> FigureOptions:
    """Return the options of a figure. Raises ValueError, in one line, if they are invalid."""
    # The preset has its own argument, and an excerpt is made by other functions.
    known = dict(FigureOptions.__dataclass_fields__)
    del known["preset"], known["excerpt"]
    for name in looks:
        _check_name(name, known)
    options = FigureOptions(preset=preset, **looks)  # type: ignore[arg-type]
    options.check()
    return options
