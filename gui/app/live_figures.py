"""Frames and figures of a live run: bars grow at every frame, figures follow more slowly."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QElapsedTimer, QObject

from gui.app.jobs import Runner, Work

FIGURES_MS = 400  # between two rounds of panels and figures
FRAME_MS = 30  # between two frames of the timeline

Part = Callable[[], object]
"""Brings one thing that the window shows up to date."""


class LiveFigures(QObject):
    """Redraws with `frame` every FRAME_MS, and refreshes all `parts` in turn every FIGURES_MS.

    Both only while the run that is shown `is_live`.
    """

    def __init__(
        self,
        parent: QObject,
        is_live: Callable[[], bool],
        frame: Callable[[], object],
        parts: Callable[[], Iterable[Part]],
    ) -> None:
        super().__init__(parent)
        self._is_live, self._draw, self._parts = is_live, frame, parts
        self._frame, self._round = QElapsedTimer(), QElapsedTimer()
        self.runner = Runner(self, "figures")

    def tick(self) -> None:
        """Redraw after 30 ms; refresh panels after 400 ms unless a refresh is under way."""
        if not self._is_live():
            return
        if not self._frame.isValid() or self._frame.hasExpired(FRAME_MS):
            self._frame.start()
            self._draw()
        due = not self._round.isValid() or self._round.hasExpired(FIGURES_MS)
        # Not while the last round is under way: `start` would give it up, and where rounds take
        # longer than FIGURES_MS the last parts would never have their turn.
        if due and not self.runner.running:
            self._round.start()
            self.runner.start(_one_by_one(self._parts()))

    def update(self) -> None:
        """Bring everything up to date at once; the next round is due after the usual time."""
        # What is left of the round under way would only show the same again.
        self.runner.cancel()
        for part in self._parts():
            part()
        self._round.start()


def _one_by_one(parts: Iterable[Part]) -> Work[None]:
    """Parts with room for a frame between them."""
    yield 0.0
    for part in parts:
        part()
        yield 0.0
