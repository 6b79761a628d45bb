"""Between an executor and the trace: stamps become spans, or nothing is recorded at all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from core.trace.writer import TraceWriter

FLUSH_SECONDS = 0.1


class Recorder(Protocol):
    """What the executor tells of a run. `timed` says whether it wants marks with times."""

    timed: bool

    def counter(
        self, name: str, value: float, lane: int | None = None, step: int | None = None
    ) -> None:
        """A value, now."""

    def log(self, level: str, text: str, step: int | None = None) -> None:
        """A line of text."""


class Unrecorded:
    """Records nothing: the executor runs without stamps, timing events and rows."""

    timed = False

    def counter(
        self, name: str, value: float, lane: int | None = None, step: int | None = None
    ) -> None:
        """Nothing."""

    def log(self, level: str, text: str, step: int | None = None) -> None:
        """Nothing."""


class Flusher:
    """Calls `flush` every 100 ms from a thread of its own, until closed."""

    def __init__(self, flush: Callable[[], None]) -> None:
        self._flush = flush
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="flusher")

    def __enter__(self) -> Flusher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closed.wait(FLUSH_SECONDS):
            self._flush()


class Recording:
    """Records into a trace writer."""

    timed = True

    def __init__(self, writer: TraceWriter) -> None:
        self.writer = writer
        self.counter = writer.counter
        self.log = writer.log
