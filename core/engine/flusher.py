"""The one thread that sends a run's rows."""

from __future__ import annotations

import threading

from core.trace.writer import TraceWriter

WAIT_SECONDS = REST_SECONDS = 0.05


class Flusher:
    """Sends what a writer has: soon after a step's end, and at least ten times a second.

    Short steps are sent together: each batch has its price, in time and in bytes.

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
            while not self._closed.is_set():
                self._writer.wanted.wait(WAIT_SECONDS)
                self._writer.wanted.clear()
                self._writer.flush()
                self._closed.wait(REST_SECONDS)
        except BaseException as error:  # raised again by whoever leaves the context
            self._error = error
