"""Sends what was collected at least every 100 ms, beside the flush at each step's end."""

from __future__ import annotations

import threading
import time

from core.trace.writer import TraceWriter

FLUSH_SECONDS = 0.1


class Flusher:
    """A thread that flushes a writer whose last flush is 100 ms ago, until the context is left.

    It does nothing while steps are shorter: encoding rows takes the interpreter's lock from lanes.
    """

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="flusher")

    def __enter__(self) -> Flusher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        left = FLUSH_SECONDS
        while not self._closed.wait(left):
            left = self._writer.flushed_at + FLUSH_SECONDS - time.monotonic()
            if left <= 0:
                self._writer.flush()
                left = FLUSH_SECONDS
