"""Saving spans as CSV between one event and the next, with a way to cancel."""

from __future__ import annotations

import time
from collections.abc import Generator
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from core.recording.exporters.span_files import write_spans
from core.trace.listing import Listing
from gui.look.text import problem_text, tr

AT_ONCE_S = 0.2  # a table that takes no longer is written when `save` returns
SHARE_S = 0.02


class CsvSaver(QObject):
    """Writes one table at a time; a cancelled one leaves no file.

    `advanced` carries the share that is written, 0 to 1. `ended` carries a line that says what was
    saved, or is empty if it was cancelled; `failed` says why nothing could be written.
    """

    advanced = Signal(float)
    ended = Signal(str)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._writing: Generator[int, None, None] | None = None
        self._total, self._path = 0, Path()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(lambda: self._go_on(SHARE_S))

    @property
    def running(self) -> bool:
        """Whether a table is being written."""
        return self._writing is not None

    def save(self, listing: Listing, path: Path) -> None:
        """Begin to write a listing's spans; one that is being written is given up."""
        self.cancel()
        self._total, self._path = len(listing), path
        self._writing = write_spans(listing, path)
        self._timer.start()
        self._go_on(AT_ONCE_S)

    def cancel(self) -> None:
        """Write no further, and leave no file."""
        if self._end():
            self.ended.emit("")

    def _go_on(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        while self._writing is not None and time.perf_counter() < end:
            try:
                done = next(self._writing, None)
            except Exception as error:  # the next call would find the work at its end
                self._end()
                self.failed.emit(problem_text(error))
                return
            if done is None:
                self._end()
                text = tr(
                    "Saved {count} spans as {name}.", count=f"{self._total:,}", name=self._path.name
                )
                self.ended.emit(text)
            else:
                self.advanced.emit(done / self._total)

    def _end(self) -> bool:
        writing, self._writing = self._writing, None
        self._timer.stop()
        if writing is not None:
            writing.close()
        return writing is not None
