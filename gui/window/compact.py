"""Gives the timeline more of a low window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMainWindow

from core.override import override
from gui.features.verdict.line import VerdictLine
from gui.timeline.interact.overview import Overview
from gui.window.docks import LowDocks

LOW_WINDOW = 800
"""Pixels; in a lower window the verdict is one line, the legend is hidden and panels are low."""


class CompactLayout(QObject):
    """Watches the height of a window and hides parts that take room from the timeline."""

    def __init__(
        self, window: QMainWindow, verdict: VerdictLine, overview: Overview, docks: LowDocks
    ) -> None:
        super().__init__(window)
        self._verdict, self._overview, self._docks = verdict, overview, docks
        self._is_low = False
        window.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QResizeEvent):
            is_low = event.size().height() < LOW_WINDOW
            if is_low != self._is_low:
                self._is_low = is_low
                self._verdict.set_compact(is_low)
                self._overview.show_legend(not is_low)
                self._docks.set_low("window", is_low)
        return super().eventFilter(watched, event)
