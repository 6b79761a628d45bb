"""The one thread that sends a run's rows."""

from __future__ import annotations

import threading
import time

from core.recording.writer import TraceWriter

LEAST_REST_SECONDS, MOST_REST_SECONDS = 0.05, 0.5
SHARE = 1 / 200
"""Of a core, which lanes may need: how much of it sending takes at most."""


class Flusher:
    """Sends what a writer has: when a step has ended, and while it lasts.

    Then it rests, the longer the more work that was: each batch has its price, in time (lanes that
    compute have driven this code out of the caches) and in bytes, so short steps go together. It
    waits for whoever reads the pipe, so that nobody else has to. Leaving raises what a flush
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
        self.close()

    def close(self) -> None:
        """Send no more; raises what a flush raised. The writer may be closed behind this."""
        self._closed.set()
        self._writer.flush_soon()
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            rest = LEAST_REST_SECONDS
            while not self._closed.is_set():
                is_asked = self._writer.wanted.wait(rest)
                self._writer.wanted.clear()
                before = time.thread_time()
                self._writer.flush()
                worked = time.thread_time() - before
                rest = min(max(worked / SHARE, LEAST_REST_SECONDS), MOST_REST_SECONDS)
                if is_asked:  # the end of the next step can wait, but not that of the first
                    self._closed.wait(rest)
        except BaseException as error:  # raised again by whoever leaves the context
            self._error = error
