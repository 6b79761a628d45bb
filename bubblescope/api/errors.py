"""The one error that the Python interface raises for bad input and for runs that fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bubblescope.api.running import RunError
from core.plain import error_text


class BubblescopeError(Exception):
    """Bad input, or a run that failed; the message is the one line that a command prints."""


@contextmanager
def in_one_line() -> Iterator[None]:
    """Raise the errors that a command prints in one line as BubblescopeError."""
    try:
        yield
    except (ValueError, OSError, RunError) as error:
        raise BubblescopeError(error_text(error)) from error
