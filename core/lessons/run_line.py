"""Parses a lesson's line with the options of a run."""

from __future__ import annotations

import shlex

from core.errors import PlanError
from core.lessons.text import LineError
from core.message import error_message, message
from core.option import flag_of
from core.plan.planning import check
from core.plan.specification import OPTIONS, Specification, specification_of

_OPTIONS = {option.flag: option for option in OPTIONS}


def parse_run(number: int, line: str) -> Specification:
    """Parse the options of a run. Raises LineError, with the number of the line."""
    try:
        specification = specification_of(_given(line))
        check(specification)
    except (PlanError, ValueError) as error:
        raise LineError(number, error_message(error)) from error
    # A model file is Python code, and reading a lesson must not run any.
    if specification.own_model:
        raise LineError(
            number,
            message(
                "{flag} {value!r}: a lesson cannot name a file",
                flag="--model",
                value=specification.model.name,
            ),
        )
    return specification


def _given(line: str) -> dict[str, str | int | float | bool | None]:
    """Return the values of all options by name. Raises ValueError."""
    given: dict[str, str | int | float | bool | None] = {}
    for option in OPTIONS:
        given[option.name] = option.default
    words = iter(shlex.split(line))
    for word in words:
        named = _OPTIONS.get(word)
        if named is None:
            raise ValueError(
                message(
                    "{word!r} is not an option of run, such as {flag}",
                    word=word,
                    flag=flag_of("strategy"),
                )
            )
        if named.kind is bool:
            # A switch inverts its default: `--no-calibrate` is the flag of `calibrate`.
            given[named.name] = not named.default
            continue
        value = next(words, None)
        if value is None:
            raise ValueError(message("{flag} needs a value", flag=word))
        is_own_file = bool(named.suffix) and value.endswith(named.suffix)
        if is_own_file or named.is_output:
            raise ValueError(
                message("{flag} {value!r}: a lesson cannot name a file", flag=word, value=value)
            )
        before = given[named.name]
        if named.repeated and before:
            value = f"{before} {value}"
        given[named.name] = named.kind(value)
    return given
