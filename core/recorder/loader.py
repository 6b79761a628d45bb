"""Measures waits for the next batch, where torch's DataLoader returns it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from torch.utils.data import dataloader

from .guard import Guard

NoteWait = Callable[[int, int], None]
"""Called with the start and the end of a wait in ns."""


def watch_batches(note: NoteWait, guard: Guard) -> Callable[[], None]:
    """Report the calling thread's waits for batches to `note`; return a function that stops it."""
    kind: Any = dataloader._BaseDataLoaderIter
    thread = threading.get_ident()
    inner = kind.__next__

    def outer(self: object) -> object:
        start = time.perf_counter_ns()
        batch = inner(self)
        if threading.get_ident() == thread:
            guard(note, start, time.perf_counter_ns())
        return batch

    def leave() -> None:
        # If other code has wrapped the method since, its wrapper still calls `outer`.
        if kind.__next__ is outer:
            kind.__next__ = inner

    kind.__next__ = outer
    return leave
