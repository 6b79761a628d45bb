"""Conversion of JSON values to dataclasses, checked against their annotations."""

from __future__ import annotations

from typing import Any

import msgspec


def typed(kind: Any, value: Any) -> Any:
    """Convert `value`, as returned by `json.loads`, to `kind`: a dataclass, a tuple, a plain type.

    Unknown names are ignored, and whole numbers are accepted as floats. Raises TypeError, naming
    the value that has another type, or ValueError from a check in the dataclass itself.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise TypeError(str(error)) from error
