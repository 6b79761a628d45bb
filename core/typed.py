"""Values from files, checked against what a dataclass says of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, get_type_hints


def typed(kind: type, values: Any) -> dict[str, Any]:
    """Those of a file's values that are fields of a dataclass.

    Raises TypeError, naming the first that is not of its field's type. A bool is no number, and a
    whole number is a float if there is room for it.
    """
    if not isinstance(values, Mapping):
        raise TypeError(f"{values!r} is no table")
    kept = {}
    for name, hint in _hints(kind).items():
        if name in values:
            kept[name] = _checked(name, values[name], hint)
    return kept


def _checked(name: str, value: Any, hint: Any) -> Any:
    kinds = getattr(hint, "__args__", (hint,))  # of `int | None` both
    if isinstance(value, bool):
        fits = bool in kinds
    elif isinstance(value, int) and float in kinds:
        fits = abs(value) < 1 << 1023
    else:
        fits = isinstance(value, kinds)
    if not fits:
        raise TypeError(f"{name} is {value!r}; use {getattr(hint, '__name__', hint)}")
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}
