"""The edge around every reader: whatever a file holds, it is read or refused in one line."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

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


MOST_READ = 8 << 20
"""Bytes of a file that is read at once: costs, a schedule, bookmarks, a lesson, a sweep's rows."""


def regular_opener(path: str | bytes, flags: int) -> int:
    """Open a regular file, as the `opener` of `open` or FileIO does; returns its descriptor.

    Opening a pipe, a socket or a terminal may wait for ever, and a device may never end: OSError
    is raised for them at once.
    """
    # Without O_NONBLOCK a pipe would wait for a writer. It has no effect on regular files.
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    mode = os.fstat(descriptor).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # what a folder is, `open` says itself
        os.close(descriptor)
        raise OSError("it is no regular file")
    return descriptor


def open_regular(path: Path | str) -> BinaryIO:
    """Open a regular file for reading. Raises OSError for anything else."""
    return open(path, "rb", opener=regular_opener)


def read_regular(path: Path | str, most: int = MOST_READ) -> bytes:
    """Return the bytes of a regular file. Raises OSError, and ValueError beyond `most` bytes.

    The size is checked before anything is held: a sparse file may have any.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise ValueError(f"it has {size:,} bytes; use at most {most:,}")
        return file.read(most)


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
