"""A request to stop, which may come before, during or after what it stops."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Stop:
    """Remembers a request and calls whoever is to hear of it; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hearer: Callable[[], None] | None = None
        self.requested = False

    def request(self) -> None:
        """Ask to stop."""
        with self._lock:
            self.requested = True
            if self._hearer is not None:
                self._hearer()

    @contextmanager
    def calls(self, hearer: Callable[[], None]) -> Iterator[None]:
        """Within the context a request calls `hearer`; at once if it has been made already."""
        with self._lock:
            self._hearer = hearer
            if self.requested:
                hearer()
        try:
            yield
        finally:
            with self._lock:
                self._hearer = None
