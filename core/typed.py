"""Conversion of JSON values to dataclasses, checked against their annotations."""

from __future__ import annotations

import threading
from typing import Any

import msgspec

_CONVERTING = threading.RLock()
"""Held during conversions: msgspec 0.22 crashes with SIGSEGV if two threads use a type for the
first time at once. Decoders that are created when their module is imported need no lock."""


def typed(kind: Any, value: Any) -> Any:
    """Convert `value`, as returned by `json.loads`, to `kind`: a dataclass, a tuple, a plain type.

    Unknown names are ignored, and whole numbers are accepted as floats. Raises TypeError, naming
    the value that has another type, or ValueError from a check in the dataclass itself.
    """
    try:
        with _CONVERTING:
            return msgspec.convert(value, kind)  # noqa: TID251
    except msgspec.ValidationError as error:
        raise TypeError(str(error)) from error
