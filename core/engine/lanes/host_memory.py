"""Keeps memory that is freed with the process, so that it need not be asked for again."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

# From malloc.h of the GNU C library.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
LARGEST_BYTES = 32 << 20
"""The largest blocks that the library can keep; larger ones are returned as they are freed."""
_USUAL_BYTES = 2 * LARGEST_BYTES
"""The amount that the library keeps by itself once it has met such large blocks."""
_ALL_BYTES = (1 << 31) - 1  # the largest that fits the parameter


@contextmanager
def freed_memory_kept() -> Iterator[None]:
    """While it lasts, freed memory stays with the process; then it is returned to the system.

    The system hands memory out in pages, each at its first use, and a gradient of 4 MB takes about
    1 ms longer then: half as much again as a backward that makes it. Whether the library has
    returned memory before depends on what was freed last, so that equal tasks take one time or the
    other. Has no effect where the C library has no such settings.
    """
    library = ctypes.CDLL(None)
    try:
        set_option, trim = library.mallopt, library.malloc_trim
    except AttributeError:
        yield
        return
    set_option(_MMAP_THRESHOLD, LARGEST_BYTES)
    set_option(_TRIM_THRESHOLD, _ALL_BYTES)
    try:
        yield
    finally:
        set_option(_TRIM_THRESHOLD, _USUAL_BYTES)
        trim(0)
