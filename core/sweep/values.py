"""The values of an option that a sweep is to try, as a person writes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.errors import PlanError
from core.option import Option, Value, flag_of
from core.plan.specification import OPTIONS

DEFAULT = "default"
"""What stands for the value that an option has when it is not given."""
COMMA, SEMICOLON = ",", ";"
SWITCH = {"yes": True, "no": False}
SWEPT = tuple(o for o in OPTIONS if o.name not in ("calibrate", "gradients", "launcher"))
"""The options of a run that a sweep takes: all but those of a run's files and of who runs it."""
_TYPES = {int: "a whole number", float: "a number", bool: "yes or no"}


def read_values(option: Option[Any], text: str) -> tuple[Value, ...]:
    """The values that a text lists, in its order; None is the option's default.

    They are separated by commas, or, where there is a semicolon, by semicolons alone. Raises
    PlanError, in one line, for a value that no run can have, for one that is there twice, and where
    a text may be one value with commas in it or several values.
    """
    words = [word.strip() for word in _words(option, text)]
    values = tuple(_value(option, word) for word in words)
    for value, word in zip(values, words, strict=True):
        if values.count(value) > 1:
            raise PlanError(f"{flag_of(option.name)} {text}: {word} is there twice")
        if problem := option.problem(value):
            raise PlanError(problem)
    return values


def value_text(value: Value) -> str:
    """A value as tables and lists have it; nothing for one that is not given."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value}"


def suggested(option: Option[Any], value: Value, rows: int) -> str:
    """Values that are worth trying where an option has this one, of batches of so many rows."""
    if option.name == "devices":
        return "2xvirtual;4xvirtual;8xvirtual"
    if option.choices:
        return COMMA.join(option.choices)
    if option.kind is bool:
        return COMMA.join(SWITCH)
    if option.kind is not int or isinstance(value, str):
        return ""
    powers = [2**n for n in range(7)]
    if value is None:  # what is left to a default here divides a batch, or counts stages
        return COMMA.join(str(power) for power in powers if power <= rows)
    if not value:
        return COMMA.join(map(str, range(4)))
    return COMMA.join(str(value * power) for power in powers[:4] if value * power <= option.most)


def _words(option: Option[Any], text: str) -> Sequence[str]:
    if SEMICOLON in text:
        return [word for word in text.split(SEMICOLON) if word.strip()]
    parts = text.split(COMMA)
    # `--devices cuda:0,cuda:1` is one value with a comma in it.
    if len(parts) == 1 or not _takes(option, text):
        return parts
    if all(_takes(option, part.strip()) for part in parts):
        raise PlanError(
            f"{option.flag} {text}: write '{SEMICOLON.join(parts)}' for {len(parts)} values, or "
            f"'{text}{SEMICOLON}' for one with commas in it"
        )
    return [text]


def _takes(option: Option[Any], word: str) -> bool:
    """Whether a word can be one value of an option."""
    try:
        return bool(word) and not option.problem(_value(option, word))
    except PlanError:
        return False


def _value(option: Option[Any], word: str) -> Value:
    if not word:
        raise PlanError(f"{flag_of(option.name)}: a value is missing; {DEFAULT} is its own")
    if word == DEFAULT:
        value: Value = option.default
        return value
    try:
        if option.kind is bool:
            return SWITCH[word]
        made: Value = option.kind(word)
    except (ValueError, KeyError):
        raise PlanError(f"{flag_of(option.name)} {word!r}: use {_TYPES[option.kind]}") from None
    return made
