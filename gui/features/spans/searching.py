"""A search in slices, so that the window handles its events in between."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.trace.query import Query
from core.trace.search import Search
from core.trace.trace import Trace
from gui.app.jobs import SLICE_S, Runner, Work

AT_ONCE_S = 0.03  # seconds; a shorter search is finished when `start` returns
PIECE = 1 << 17  # spans between two checks of the clock


class Searcher(Runner):
    """Runs one search at a time; the hits are kept even if it fails or is cancelled."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent, "searching")
        self.search: Search | None = None
        self.cancelled = False
        self.failed.connect(self._give_up)

    def ask(self, trace: Trace, query: Query) -> None:
        """Start another search."""
        self.clear()
        self.search = Search(trace, query)
        self.start(_looked(self.search), AT_ONCE_S)

    def look_again(self) -> None:
        """Search the new spans of a growing trace."""
        if self.search is not None and not self.running and not self.cancelled:
            looked, there = self.search.searched
            if looked < there:
                self.start(_looked(self.search), SLICE_S)

    def cancel(self) -> None:
        """Stop the search; keep the hits."""
        # A finished search does not count as cancelled, so that it continues with a live run.
        self.cancelled = self.cancelled or self.running
        super().cancel()

    def clear(self) -> None:
        """Stop the search and forget the hits."""
        self.cancel()
        self.search = None
        self.cancelled = False

    def _give_up(self) -> None:
        self.cancelled = True


def _looked(search: Search) -> Work[None]:
    """Search all spans that exist now, in pieces."""
    while not search.advance(PIECE):
        looked, there = search.searched
        yield looked / max(1, there)
