"""The parser of the command line: errors in one line, and options that need others."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection
from typing import Any, NoReturn

import shtab

from core.plain import error_text

BAD_INPUT = 2
FILES = ("FILE", "RECORDING", "A", "B", "BASELINE", "NEW")


class Parser(argparse.ArgumentParser):
    """Reports errors in one line, and completes file names in shells."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._belonging: list[tuple[str, Collection[str]]] = []

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        """Add an argument; shells complete file names if its metavar is one of FILES."""
        action = super().add_argument(*names, **options)
        if action.metavar in FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        return action

    def only_with(self, need: str, names: Collection[str]) -> None:
        """Refuse options unless another one is given.

        `need` has the form of the other option: `--image FILE` for any file, `--launcher torchrun`
        for only this value, or several alternatives separated by ` or `.
        """
        self._belonging.append((need, names))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse arguments, and refuse an option that has no effect with the others."""
        found, rest = super().parse_known_args(args, namespace)
        for action in self._actions:
            # argparse takes `--` as the end of the options even in `--batch=--`, and Python before
            # 3.13 then sets the value to an empty list.
            value = getattr(found, action.dest, None)
            if action.nargs is None and _has_empty_value(value):
                error = argparse.ArgumentError(action, "expected one argument")
                self.error(str(error))
        for need, names in self._belonging:
            if not _is_any_given(found, need):
                self._refuse_given(found, need, names)
        return found, rest

    def _refuse_given(self, found: Any, need: str, names: Collection[str]) -> None:
        """Exit with an error if one of the options has a value other than its default."""
        # In reverse order, because `--no-title` shares the destination of `--title`.
        for action in reversed(self._actions):
            value = getattr(found, action.dest, action.default)
            is_named = action.dest in names
            is_own_value = action.const is None or action.const == value
            if is_named and is_own_value and value != action.default:
                given = _given(action, value)
                self.error(f"{given} has no effect here; add {need}")

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with BAD_INPUT."""
        line = error_text(message)
        self.exit(BAD_INPUT, f"{self.prog}: {line}\n")


def _has_empty_value(value: object) -> bool:
    """Return True for an empty list, or a list of values with an empty list among them."""
    if not isinstance(value, list):
        return False
    return not value or [] in value


def _given(action: argparse.Action, value: object) -> str:
    """Return an option as it was given: with its value, or only the flag of a switch."""
    flags = action.option_strings
    flag = flags[-1] if value is False else flags[0]
    if action.nargs == 0:
        return flag
    return f"{flag} {value!r}"


class Joined(argparse.Action):
    """Joins the values of a repeated argument with spaces."""

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: Any, option: Any = None
    ) -> None:
        """Append a value."""
        if values == []:  # from `--hiccup=--`, see Parser.parse_known_args
            raise argparse.ArgumentError(self, "expected one argument")
        before = getattr(namespace, self.dest) or ""
        joined = f"{before} {values}".strip()
        setattr(namespace, self.dest, joined)


def _is_any_given(found: Any, need: str) -> bool:
    """Return True if one of the options in `need` is given (see `Parser.only_with`)."""
    for name, value in re.findall(r"--(\w+) (\w+)", need):
        given = getattr(found, name)
        if _is_given(given, value):
            return True
    return False


def _is_given(found: object, value: str) -> bool:
    """Return True if an argument has this value, or any value if this one is in capitals."""
    if value.isupper():
        return found is not None
    return found == value
