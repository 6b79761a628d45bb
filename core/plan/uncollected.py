"""Building large plans without the garbage collector's help."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Within the context (or a function that it decorates) no garbage is collected.

    A plan's tasks are kept, all of them: the collector would walk through a million tuples again
    and again, for a third of the time that they take to be made.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
