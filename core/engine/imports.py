"""Speeds up the import of torch in processes that need it from their start."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from core.gc_paused import gc_paused


@contextmanager
def keep_imports() -> Iterator[None]:
    """Context in which modules are imported that the process keeps until its end.

    Importing torch creates a million objects. The garbage collector would scan them again and again
    during the import, which then takes a fifth longer, and whenever it collects all generations,
    which would interrupt a step. So it is off within the context, and never looks at what has been
    created by its end.
    """
    with gc_paused():
        yield
        gc.freeze()
