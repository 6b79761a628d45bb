"""Sends what was collected soon after each step's end, and at least every 100 ms."""

from __future__ import annotations

import threading

from core.trace.writer import TraceWriter

FLUSH_SECONDS = 0.1
LOOK_SECONDS = 0.02


class Flusher:
    """A thread that flushes a writer when that is due and no lane has done it while it waited.

    Encoding takes a core and the interpreter's lock, so that lanes that wait are the better place.
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
        while not self._closed.wait(LOOK_SECONDS):
            self._writer.flush_if_due(FLUSH_SECONDS)
