"""Parses the values that a sweep tries for an option."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.errors import PlanError
from core.message import message
from core.option import Option, OptionValue, flag_of
from core.plan.specification import OPTIONS

DEFAULT = "default"
"""Word for an option's default value."""
COMMA = ","
SEMICOLON = ";"
SWITCH = {"yes": True, "no": False}
_NOT_SWEPT = ("calibrate", "gradients", "launcher")
SWEPT = tuple(option for option in OPTIONS if option.name not in _NOT_SWEPT)
"""The options that a sweep takes: all of `run` except output files and the launcher."""
_TYPES = {
    int: message("a whole number"),
    float: message("a number"),
    bool: message("yes or no"),
}


def read_values(option: Option[Any], text: str) -> tuple[OptionValue, ...]:
    """Return the values that a text lists, in its order; None is the option's default.

    Commas separate values; if the text has a semicolon, only semicolons do. Raises PlanError, in
    one line, for an invalid value, for a repeated one, and if the text could be one value that
    contains commas as well as several values.
    """
    words = [word.strip() for word in _words(option, text)]
    values = tuple(_value(option, word) for word in words)
    check_values(option, values, text, words)
    return values


def check_values(
    option: Option[Any], values: Sequence[OptionValue], text: str, words: Sequence[str]
) -> None:
    """Raise PlanError, in one line, for an invalid value or a repeated one.

    `text` has all values as they were given, and `words` has each of them.
    """
    for value, word in zip(values, words, strict=True):
        if values.count(value) > 1:
            raise PlanError(
                message(
                    "{option} {text}: {word} is listed twice",
                    option=flag_of(option.name),
                    text=text,
                    word=word,
                )
            )
        if problem := option.problem(value):
            raise PlanError(problem)


def value_text(value: OptionValue) -> str:
    """Return a value as tables and lists show it, "" for None."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value}"


def suggested(option: Option[Any], value: OptionValue, rows: int) -> str:
    """Return a list of values worth trying for an option, "" if there are none.

    `value` is the option's current value, and `rows` the number of rows of the batch.
    """
    if option.name == "devices":
        return "2xvirtual;4xvirtual;8xvirtual"
    if option.choices:
        return COMMA.join(option.choices)
    if option.kind is bool:
        return COMMA.join(SWITCH)
    if option.kind is not int or isinstance(value, str):
        return ""
    powers = [2**n for n in range(7)]
    if value is None:
        # Options for whole numbers without a default divide a batch, or count stages.
        numbers = [power for power in powers if power <= rows]
    elif not value:
        numbers = list(range(4))
    else:
        multiples = [value * power for power in powers[:4]]
        numbers = [multiple for multiple in multiples if multiple <= option.most]
    return COMMA.join(str(number) for number in numbers)


def _words(option: Option[Any], text: str) -> Sequence[str]:
    if SEMICOLON in text:
        return [word for word in text.split(SEMICOLON) if word.strip()]
    parts = text.split(COMMA)
    # `--devices cuda:0,cuda:1` is one value that contains a comma.
    if len(parts) == 1 or not _is_value(option, text):
        return parts
    if all(_is_value(option, part.strip()) for part in parts):
        raise PlanError(
            message(
                "{option} {text}: write '{parts}' for {count} values, or '{text};' for one with "
                "commas in it",
                option=option.flag,
                text=text,
                parts=SEMICOLON.join(parts),
                count=len(parts),
            )
        )
    return [text]


def _is_value(option: Option[Any], word: str) -> bool:
    """Return True if a word is a valid value of an option."""
    try:
        return bool(word) and not option.problem(_value(option, word))
    except PlanError:
        return False


def _value(option: Option[Any], word: str) -> OptionValue:
    if not word:
        raise PlanError(
            message(
                "{option}: a value is missing; write {default} for the default",
                option=flag_of(option.name),
                default=DEFAULT,
            )
        )
    if word == DEFAULT:
        value: OptionValue = option.default
        return value
    try:
        if option.kind is bool:
            return SWITCH[word]
        made: OptionValue = option.kind(word)
    except (ValueError, KeyError):
        raise PlanError(
            message(
                "{option} {word!r}: use {values}",
                option=flag_of(option.name),
                word=word,
                values=_TYPES[option.kind],
            )
        ) from None
    return made
