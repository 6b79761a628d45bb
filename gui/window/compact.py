"""Gives the timeline more of a small window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMainWindow

from core.override import override
from gui.features.status.bars import StatusLine
from gui.features.verdict.line import VerdictLine
from gui.timeline.interact.overview import Overview
from gui.window.dock_sizes import LowDocks, NarrowSettings
from gui.window.docks import Docks

LOW_WINDOW = 800
"""Pixels; in a lower window the verdict is one line, the legend is hidden and panels are low."""
NARROW_WINDOW = 1200
"""Pixels; in a narrower window the settings are narrow."""


class CompactLayout(QObject):
    """Watches the size of a window and hides or shrinks what costs the timeline room.

    `low_docks` can be given further reasons to be low.
    """

    def __init__(
        self,
        window: QMainWindow,
        verdict: VerdictLine,
        status: StatusLine,
        overview: Overview,
        docks: Docks,
    ) -> None:
        super().__init__(window)
        self._verdict, self._status, self._overview = verdict, status, overview
        self.low_docks = LowDocks(window, docks)
        self._settings = NarrowSettings(window, docks)
        self._is_low = False
        window.installEventFilter(self)

    def restore(self) -> None:
        """Give the docks the sizes that they have in a large window."""
        self.low_docks.restore()
        self._settings.restore()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent):
            self._settings.set_narrow(event.size().width() < NARROW_WINDOW)
            is_low = event.size().height() < LOW_WINDOW
            if is_low != self._is_low:
                self._is_low = is_low
                self._show_low(is_low)
        return super().eventFilter(watched, event)

    def _show_low(self, is_low: bool) -> None:
        self._verdict.set_compact(is_low)
        self._status.set_compact(is_low)
        self._overview.show_legend(not is_low)
        self.low_docks.set_low("window", is_low)
