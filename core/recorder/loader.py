"""Waiting for the next batch, seen where torch's DataLoader hands it out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from torch.utils.data import dataloader

from .guard import Guard

Waited = Callable[[int, int], None]
"""Called with the start and the end of a wait in ns."""


def watch(waited: Waited, guard: Guard) -> Callable[[], None]:
    """Tell how long the calling thread waits for batches; returns what ends that."""
    kind: Any = dataloader._BaseDataLoaderIter
    thread = threading.get_ident()
    inner = kind.__next__

    def outer(self: object) -> object:
        start = time.perf_counter_ns()
        batch = inner(self)
        if threading.get_ident() == thread:
            guard(waited, start, time.perf_counter_ns())
        return batch

    def leave() -> None:
        # Else somebody has wrapped it since, and theirs calls ours.
        if kind.__next__ is outer:
            kind.__next__ = inner

    kind.__next__ = outer
    return leave
