"""An outline around the part of the window that has the keyboard focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from core.override import override

WIDTH = 2  # pixels


class FocusRing(QWidget):
    """A frame in front of the window around one of its parts, until that part loses the focus."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._part: QWidget | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            # The focus may move to any widget of the application, which an event filter on the part
            # would not notice.
            app.focusChanged.connect(self._follow)

    def surround(self, part: QWidget) -> None:
        """Show the frame around a part of the window that has received the focus."""
        self.leave()
        self._part = part
        part.installEventFilter(self)
        self._place()
        self.show()
        self.raise_()

    def leave(self) -> None:
        """Hide the frame."""
        if self._part is not None:
            self._part.removeEventFilter(self)
            self._part = None
        self.hide()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        elif event.type() is QEvent.Type.Hide:
            self.leave()
        return False

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self.palette().highlight())

    def _place(self) -> None:
        """Put a frame around the part; the mask prevents the part from being painted again."""
        if self._part is not None:
            corner = self._part.mapTo(self.window(), QPoint())
            self.setGeometry(QRect(corner, self._part.size()))
            inner = self.rect().adjusted(WIDTH, WIDTH, -WIDTH, -WIDTH)
            self.setMask(QRegion(self.rect()).subtracted(QRegion(inner)))

    def _follow(self, _: QWidget | None, now: QWidget | None) -> None:
        if self._part is not None and now is not None and not self._part.isAncestorOf(now):
            self.leave()
