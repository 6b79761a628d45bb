"""A search in the window: it looks at some spans between one event and the next."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer, Signal

from core.trace.query import Query
from core.trace.search import Search
from core.trace.trace import Trace
from gui.look.text import problem_text

AT_ONCE_S = 0.03  # a search that takes no longer is over when `start` returns
SHARE_S = 0.008  # of the time between two frames, while it goes on
PIECE = 1 << 17  # spans between two looks at the clock


class Searcher(QObject):
    """Runs one search at a time; `advanced` comes with every piece of news, `finished` once.

    `failed` comes instead of `finished`, with one line; what was found until then stays found.
    """

    advanced = Signal()
    finished = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.search: Search | None = None
        self.cancelled = False
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(lambda: self._go_on(SHARE_S))

    @property
    def running(self) -> bool:
        """Whether there are spans that were not looked at yet."""
        return self._timer.isActive()

    def start(self, trace: Trace, query: Query) -> None:
        """Search anew."""
        self.cancelled = False
        self.search = Search(trace, query)
        self._timer.start()
        self._go_on(AT_ONCE_S)

    def look_again(self) -> None:
        """Look at what has come since, in a trace that grows."""
        if self.search is not None and not self.running and not self.cancelled:
            looked, there = self.search.searched
            if looked < there:
                self._timer.start()
                self._go_on(SHARE_S)

    def cancel(self) -> None:
        """Search no further; what was found stays found."""
        self.cancelled = self.cancelled or self.running
        self._timer.stop()

    def clear(self) -> None:
        """Search no further and forget what was found."""
        self._timer.stop()
        self.search, self.cancelled = None, False

    def _go_on(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        if self.search is None:
            return
        try:
            done = self.search.advance(PIECE)
            while not done and time.perf_counter() < end:
                done = self.search.advance(PIECE)
        except Exception as error:  # the timer would try the same again and again
            self.cancel()
            self.failed.emit(problem_text(error))
            return
        if done:
            self._timer.stop()
        self.advanced.emit()
        if done:
            self.finished.emit()
