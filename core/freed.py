"""Memory that the process frees and soon needs again."""

from __future__ import annotations

import ctypes
import sys

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # glibc's malloc.h


def keep_freed(largest: int, most: int) -> None:
    """Let malloc keep up to `most` free bytes, and blocks of up to `largest` bytes among them.

    Without that the arrays that a picture or a plan is made of go back to the system, and the next
    one's are fresh pages, whose first touch can cost more than the arithmetic on them. Does nothing
    where the C library is not glibc.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(MMAP_THRESHOLD, largest)
        mallopt(TRIM_THRESHOLD, most)
