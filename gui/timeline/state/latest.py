"""Cache of a single value, such as a figure of a trace that may grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Latest(Generic[Value]):
    """Keeps the value that was computed last, and computes it again when the key changes.

    The key contains everything that the value depends on, such as the version of a trace.
    """

    def __init__(self) -> None:
        self._known: tuple[object, Value] | None = None

    def get(self, key: object, compute: Callable[[], Value]) -> Value:
        """Return the value for a key; call `compute` unless the last call had the same key."""
        if self._known is not None:
            known_key, value = self._known
            if known_key == key:
                return value
        value = compute()
        self._known = (key, value)
        return value
