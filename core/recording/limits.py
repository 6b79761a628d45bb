"""How much is read of a file: limits that grow with its size.

A packed file of some kilobytes may unpack to gigabytes, and pages of a database may refer to each
other in a circle. So readers count what they read while it reads, and stops before it holds
more than an ordinary file of that size can have.
"""

from __future__ import annotations

import os
from collections.abc import Sized
from pathlib import Path

from core.plain import counted

MOST_EVENTS = 20_000_000
FREE_EVENTS = 500_000
"""Events that a file of any size may have; beyond them one for each of its bytes."""
FREE_UNPACKED = 64 << 20
"""Bytes that a packed file of any size may unpack to."""
MOST_RATIO = 100
"""Bytes that each byte of a packed file may unpack to beyond them; traces have 10 to 40."""


class TooMuch(ValueError):
    """A file has more than is read of any, or of one of its size."""


class TooLarge(TooMuch):
    """A packed file unpacks to too much."""


def most_unpacked(size: int) -> int:
    """Return how many bytes a packed file of `size` bytes may unpack to."""
    return FREE_UNPACKED + MOST_RATIO * size


def most_events(path: Path) -> int:
    """Return how many events, rows or arrows a file may have."""
    return min(MOST_EVENTS, FREE_EVENTS + os.stat(path).st_size)


def check_count(things: Sized | int, most: int, one: str = "event") -> None:
    """Raise TooMuch if there are more than `most` things, or a number that is larger."""
    count = things if isinstance(things, int) else len(things)
    if count > most:
        raise TooMuch(f"it has more than {counted(most, one)}")
