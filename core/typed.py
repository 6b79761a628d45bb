"""Dataclasses from plain JSON values, each value checked against what is annotated."""

from __future__ import annotations

from typing import Any

import msgspec


def typed(kind: Any, value: Any) -> Any:
    """Return `value`, as `json.loads` gives it, as a `kind`: a dataclass, a tuple, a plain type.

    Names that a dataclass does not know are left out; whole numbers pass for floats. Raises
    TypeError that says which value is of another type, or ValueError from a dataclass's own check.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise TypeError(str(error)) from error
