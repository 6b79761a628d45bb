"""Safe reading of files: any contents are either read or refused with a one-line error."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from core.message import Message, Text, counted, error_message, message
from core.plain import plain_message

FORESEEN: tuple[type[Exception], ...] = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    EOFError,
    OSError,
    RecursionError,
    MemoryError,
    SystemError,
    zlib.error,
)
"""Exceptions that damaged contents cause, here and in libraries."""
_INSTEAD: dict[type[Exception], Message] = {
    RecursionError: message("it is nested too deeply"),
    MemoryError: message("there is not enough memory"),
    UnicodeError: message("it has text that is not UTF-8"),
    zlib.error: message("its compressed data is damaged"),
}
"""Reasons that replace a library's own message."""
MOST_READ = 8 << 20
"""Size limit of files that are read at once: costs, schedules, marks, a sweep's rows."""


def regular_opener(path: str | bytes, flags: int) -> int:
    """Open a regular file and return its descriptor; for the `opener` of `open` or FileIO.

    Raises OSError at once for anything else: opening a pipe, a socket or a terminal may wait
    forever, and a device may never end.
    """
    # Without O_NONBLOCK a pipe would wait for a writer. It has no effect on regular files.
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    mode = os.fstat(descriptor).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # `open` itself reports a folder
        os.close(descriptor)
        raise OSError(message("it is not a regular file"))
    return descriptor


def open_regular(path: Path | str) -> BinaryIO:
    """Open a regular file for reading. Raises OSError for anything else."""
    return open(path, "rb", opener=regular_opener)


def read_regular(path: Path | str, most: int = MOST_READ) -> bytes:
    """Return the bytes of a regular file. Raises OSError, and ValueError beyond `most` bytes.

    The size is checked first, because a sparse file may be larger than the memory.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise ValueError(
                counted(
                    "it has {n:,} byte; use at most {most:,}",
                    "it has {n:,} bytes; use at most {most:,}",
                    size,
                    most=most,
                )
            )
        return file.read(most)


@contextmanager
def one_line(words: Text, refusal: type[ValueError], *more: type[Exception]) -> Iterator[None]:
    """Turn errors within the context into a `refusal` that begins with `words`.

    `words` names the file and the failed action. `more` are further exceptions, raised by a
    library. An exception that already is a `refusal` is passed on.
    """
    foreseen: tuple[type[Exception], ...] = (*FORESEEN, *more)
    try:
        yield
    except refusal:
        # This clause must be the first: a refusal is a ValueError too.
        raise
    except foreseen as error:
        text = message("{what}: {reason}", what=words, reason=_reason(error))
        raise refusal(plain_message(text)) from error


def _reason(error: Exception) -> Text:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    for kind, text in _INSTEAD.items():
        if isinstance(error, kind):
            return text
    return error_message(error)
