"""Leaves more of a small window to the timeline."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from core.override import override
from gui.features.status.bars import StatusLine
from gui.features.verdict.line import VerdictLine
from gui.timeline.interact.overview import Overview
from gui.window.dock_sizes import LowDocks, NarrowSettings
from gui.window.docks import Docks

LOW_WINDOW = 800
"""Pixels; in a lower window the verdict has no alternatives, the legend is hidden, panels are low,
and Details shares the place of the settings, which is high enough for its rows."""
NARROW_WINDOW = 1200
"""Pixels; in a narrower window the settings are narrow."""


class CompactLayout(QObject):
    """Watches the size of a window, and hides or shrinks widgets to make room for the timeline.

    Callers can add reasons for low docks to `low_docks`.
    """

    def __init__(
        self,
        window: QMainWindow,
        verdict: VerdictLine,
        status: StatusLine,
        overview: Overview,
        playback: QWidget,
        docks: Docks,
    ) -> None:
        super().__init__(window)
        self._playback = playback
        self._docks = docks
        self._verdict = verdict
        self._status = status
        self._overview = overview
        self.low_docks = LowDocks(window, docks)
        self._settings = NarrowSettings(window, docks)
        self._is_low = False
        window.installEventFilter(self)
        playback.installEventFilter(self)

    def restore(self) -> None:
        """Give the docks the places and sizes that they have in a large window."""
        self._docks.put_details(below=True)
        self.low_docks.make_room(0)
        self.low_docks.restore()
        self._settings.restore()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._playback:
            if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
                shown = event.type() is QEvent.Type.Show
                self.low_docks.make_room(self._playback.sizeHint().height() if shown else 0)
        elif isinstance(event, QResizeEvent):
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
        self._docks.put_details(below=not is_low)
