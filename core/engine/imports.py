"""Speeds up the import of torch in processes that need it from their start."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from core.gc_paused import gc_paused


@contextmanager
def keep_imports() -> Iterator[None]:
    """Context for importing modules that the process keeps until its end.

    Importing torch creates a million objects. The garbage collector would scan them repeatedly
    during the import, which then takes a fifth longer, and at each full collection, which would
    interrupt a step. So the collector is off within the context, and later ignores all objects
    that exist at the end of the context.
    """
    with gc_paused():
        yield
        gc.freeze()
