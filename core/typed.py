"""Dataclasses from plain JSON values, each value checked against what is annotated."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


def typed(kind: Any, value: Any, name: str = "it") -> Any:
    """`value`, as `json.loads` gives it, as a `kind`: a dataclass, a tuple, a union, a plain type.

    Names that a dataclass does not know are left out; whole numbers pass for floats. Raises
    TypeError, or ValueError for what an enumeration has not, with the `name` of the value.
    """
    if kind is Any:
        return value
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _first_that_fits(arguments, value, name)
    if origin is tuple and isinstance(value, list | tuple):
        kinds = [arguments[0]] * len(value) if arguments[-1] is Ellipsis else arguments
        return tuple(typed(k, v, name) for k, v in zip(kinds, value, strict=True))
    if origin is dict and isinstance(value, dict):
        return {key: typed(arguments[1], item, f"{name}.{key}") for key, item in value.items()}
    if is_dataclass(kind) and isinstance(kind, type) and isinstance(value, dict):
        hints = _hints(kind)
        known = [field.name for field in fields(kind) if field.name in value]
        return kind(**{own: typed(hints[own], value[own], own) for own in known})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    # Beyond that float() raises OverflowError. JSON's whole numbers may have any size.
    if kind is float and type(value) is int and abs(value) < 1 << 1023:
        return float(value)
    # Not isinstance: True is an int to it.
    if type(value) is kind:
        return value
    raise TypeError(f"{name} is {value!r:.40}")


# Annotations are texts, which are evaluated anew each time; a header has many lanes.
@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _first_that_fits(kinds: tuple[Any, ...], value: Any, name: str) -> Any:
    for kind in kinds:
        if kind is type(None) and value is None:
            return None
        if kind is not type(None) and value is not None:
            return typed(kind, value, name)
    raise TypeError(f"{name} is {value!r:.40}")
