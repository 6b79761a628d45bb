"""Refreshes a live run: the timeline at every frame, panels and figures less often."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QElapsedTimer, QObject

from gui.app.jobs import Runner, Work

FIGURES_MS = 400  # between two refreshes of panels and figures
FRAME_MS = 30  # between two frames of the timeline

FigurePart = Callable[[], object]
"""Refreshes one part of the window."""


class LiveFigures(QObject):
    """Calls `frame` every FRAME_MS and all `parts` in turn every FIGURES_MS, while `is_live`."""

    def __init__(
        self,
        parent: QObject,
        is_live: Callable[[], bool],
        frame: Callable[[], object],
        parts: Callable[[], Iterable[FigurePart]],
    ) -> None:
        super().__init__(parent)
        self._is_live = is_live
        self._draw = frame
        self._parts = parts
        self._frame = QElapsedTimer()
        self._round = QElapsedTimer()
        self.runner = Runner(self, "figures")

    def tick(self) -> None:
        """Redraw and refresh if due; skip the panels while their last refresh is running."""
        if not self._is_live():
            return
        if not self._frame.isValid() or self._frame.hasExpired(FRAME_MS):
            self._frame.start()
            self._draw()
        due = not self._round.isValid() or self._round.hasExpired(FIGURES_MS)
        # `start` would cancel the last refresh: if refreshes take longer than FIGURES_MS, the last
        # parts would never be refreshed.
        if due and not self.runner.running:
            self._round.start()
            self.runner.start(_one_by_one(self._parts()))

    def update(self) -> None:
        """Refresh everything now; the next refresh is due after the usual time."""
        # The rest of a refresh under way would only repeat this.
        self.runner.cancel()
        for part in self._parts():
            part()
        self._round.start()


def _one_by_one(parts: Iterable[FigurePart]) -> Work[None]:
    """Refresh parts one by one, so that frames can be drawn between them."""
    yield 0.0
    for part in parts:
        part()
        yield 0.0
