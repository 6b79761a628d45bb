"""The settings of a run, from keyword arguments with the names of the command line's options."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import PlanError
from core.option import Option, OptionValue, listed
from core.plan.specification import OPTIONS, Specification, specification_of
from gui.app.figure_options import FigureOptions

BY_NAME: dict[str, Option[Any]] = {option.name: option for option in OPTIONS}
KINDS = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}


def specification_from(options: Mapping[str, object]) -> Specification:
    """Return the run with these options, and defaults for the others.

    A model may be given as a path. Raises PlanError in one line for an unknown option, and for a
    value of another type.
    """
    values = {}
    for name, value in options.items():
        _check_name(name, BY_NAME)
        values[name] = _value_of(BY_NAME[name], value)
    return specification_of(values)


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
    known = FigureOptions.__dataclass_fields__
    for name in looks:
        _check_name(name, {name: None for name in known if name not in ("preset", "excerpt")})
    options = FigureOptions(preset=preset, **looks)  # type: ignore[arg-type]
    options.check()
    return options
