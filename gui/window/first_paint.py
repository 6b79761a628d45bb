"""Runs work as soon as a window has been painted for the first time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from core.override import override

LATEST_MS = 1000
"""A window that starts minimised is not painted; the work starts after this time."""


class FirstPaint(QObject):
    """Calls functions once, in order, after the first paint of a window.

    Make it before the window is shown. A timer of 0 ms is not enough, because it may fire before
    the paint, which then waits for the work.
    """

    def __init__(self, window: QWidget, calls: Sequence[Callable[[], object]]) -> None:
        super().__init__(window)
        self._calls = list(calls)
        window.winId()  # creates the handle
        window.windowHandle().installEventFilter(self)
        self._latest = QTimer(self, singleShot=True, interval=LATEST_MS)
        self._latest.timeout.connect(self._start)
        self._latest.start()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Expose:
            watched.removeEventFilter(self)
            # The window paints while it handles this event.
            QTimer.singleShot(0, self._start)
        return False

    def _start(self) -> None:
        self._latest.stop()
        calls = self._calls
        self._calls = []
        for call in calls:
            call()
