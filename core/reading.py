"""The edge around every reader: whatever a file holds, it is read or refused in one line."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from core.plain import error_text

FORESEEN: tuple[type[Exception], ...] = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, EOFError, OSError,
    RecursionError, MemoryError, SystemError, zlib.error,
)  # fmt: skip
"""What numbers, texts and depths that make no sense raise, here and in libraries."""
_INSTEAD: dict[type[Exception], str] = {
    RecursionError: "it is nested too deeply",
    MemoryError: "there is not enough memory",
    UnicodeError: "it has text that is not UTF-8",
    zlib.error: "what is packed in it is damaged",
}


@contextmanager
def one_line(words: str, refusal: type[ValueError], *more: type[Exception]) -> Iterator[None]:
    """Errors within become a `refusal` that begins with `words`, which name the file.

    So do `more` that a library raises. A refusal that has been worded is let through.
    """
    foreseen: tuple[type[Exception], ...] = (*FORESEEN, *more)
    try:
        yield
    except refusal:
        # First, for a refusal is a ValueError itself, and would be worded twice.
        raise
    except foreseen as error:
        why = next((text for kind, text in _INSTEAD.items() if isinstance(error, kind)), None)
        if isinstance(error, OSError) and error.strerror:
            why = error.strerror
        raise refusal(error_text(f"{words}: {why or error}")) from error
