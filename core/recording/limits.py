"""Limits on the amount of data read from a file; they grow with the file's size.

A packed file of a few kilobytes may unpack to gigabytes, and pages of a database may refer to each
other in a cycle. So readers count what they read, and stop before they hold more than an ordinary
file of that size can contain.
"""

from __future__ import annotations

import os
from collections.abc import Sized
from pathlib import Path

from core.message import N_, message

MOST_EVENTS = 20_000_000
FREE_EVENTS = 500_000
"""Number of events that a file of any size may have; each byte of the file allows one more."""
FREE_UNPACKED = 64 << 20
"""Number of bytes that a packed file of any size may unpack to."""
MOST_RATIO = 100
"""Additional unpacked bytes for each byte of a packed file; traces have 10 to 40."""
TOO_MANY_EVENTS = N_("it has more than {most:,} events")
TOO_MANY_ROWS = N_("it has more than {most:,} rows")
TOO_MANY_TEXTS = N_("it has more than {most:,} texts")
TOO_MANY_CHARACTERS = N_("it has more than {most:,} characters")


class TooMuch(ValueError):
    """A file has more data than is accepted from any file, or from a file of its size."""


class TooLarge(TooMuch):
    """A packed file or stream unpacks to too many bytes; the message states the limit."""


def most_unpacked(size: int) -> int:
    """Return how many bytes a packed file of `size` bytes may unpack to."""
    return FREE_UNPACKED + MOST_RATIO * size


def most_events(path: Path) -> int:
    """Return how many events, rows or arrows a file may have."""
    return min(MOST_EVENTS, FREE_EVENTS + os.stat(path).st_size)


def check_count(things: Sized | int, most: int, too_many: str = TOO_MANY_EVENTS) -> None:
    """Raise TooMuch if there are more than `most` things, given as a container or a count.

    `too_many` is the template of the error's message.
    """
    count = things if isinstance(things, int) else len(things)
    if count > most:
        raise TooMuch(message(too_many, most=most))
