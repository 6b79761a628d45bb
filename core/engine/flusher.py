"""The one thread that sends a run's rows."""

from __future__ import annotations

import threading

from core.trace.writer import TraceWriter

FLUSH_SECONDS, REST_SECONDS = 0.05, 0.01


class Flusher:
    """Sends what a writer has: when a step has ended, and at least twenty times a second.

    It waits for whoever reads the pipe, so that nobody else has to. Leaving raises what a flush
    raised: rows that cannot be sent are no recording.
    """

    def __init__(self, writer: TraceWriter) -> None:
        self._writer = writer
        self._closed = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True, name="flusher")

    def __enter__(self) -> Flusher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._writer.flush_soon()
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            while not self._closed.wait(REST_SECONDS):
                self._writer.wanted.wait(FLUSH_SECONDS)
                self._writer.wanted.clear()
                self._writer.flush()
        except BaseException as error:  # raised again by whoever leaves the context
            self._error = error
