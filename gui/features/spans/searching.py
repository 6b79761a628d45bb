"""A search in the window: it looks at some spans between one event and the next."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.trace.query import Query
from core.trace.search import Search
from core.trace.trace import Trace
from gui.app.jobs import SLICE_S, Runner, Work

AT_ONCE_S = 0.03  # a search that takes no longer is over when `start` returns
PIECE = 1 << 17  # spans between two looks at the clock


class Searcher(Runner):
    """Runs one search at a time; what was found stays found, also if it fails or is cancelled."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent, "searching")
        self.search: Search | None = None
        self.cancelled = False
        self.failed.connect(self._give_up)

    def ask(self, trace: Trace, query: Query) -> None:
        """Search anew."""
        self.clear()
        self.search = Search(trace, query)
        self.start(_looked(self.search), AT_ONCE_S)

    def look_again(self) -> None:
        """Look at what has come since, in a trace that grows."""
        if self.search is not None and not self.running and not self.cancelled:
            looked, there = self.search.searched
            if looked < there:
                self.start(_looked(self.search), SLICE_S)

    def cancel(self) -> None:
        """Search no further; what was found stays found."""
        # Cancelled only if there was something left: a search that is over goes on with a live run.
        self.cancelled = self.cancelled or self.running
        super().cancel()

    def clear(self) -> None:
        """Search no further and forget what was found."""
        self.cancel()
        self.search, self.cancelled = None, False

    def _give_up(self) -> None:
        self.cancelled = True


def _looked(search: Search) -> Work[None]:
    """Look at all spans that there are, piece by piece."""
    while not search.advance(PIECE):
        looked, there = search.searched
        yield looked / max(1, there)
