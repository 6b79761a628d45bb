"""A light on parts of the window: all else is dimmed until the next key or click."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QWidget

from gui.look.theme import LIGHT

DIM = QColor(0, 0, 0, 110)
ROUND, EDGE = 6.0, 2.0
Place = Callable[[], QRectF]
"""Where something is in the window now; an empty rectangle if it cannot be seen."""


class Spotlight(QWidget):
    """Lies over a window and takes no clicks. `lit` are framed, `kept` merely stay as they are."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window, self._app = window, QApplication.instance() or QApplication([])
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.theme = LIGHT
        self._lit: Sequence[Place] = ()
        self._kept: Sequence[Place] = ()
        self.hide()

    def point(self, lit: Sequence[Place], kept: Sequence[Place] = ()) -> None:
        """Dim all but these."""
        self._lit, self._kept = lit, kept
        self.setGeometry(self._window.rect())
        self.raise_()
        self.show()
        self.update()

    @property
    def places(self) -> list[QRectF]:
        """What is lit, as far as it can be seen."""
        inside = QRectF(self.rect())
        return [found & inside for place in self._lit if not (found := place()).isEmpty()]

    def showEvent(self, event: QEvent) -> None:  # noqa: D102
        # Only while it is shown: a filter of the application is asked in Python about every event.
        self._app.installEventFilter(self)

    def hideEvent(self, event: QEvent) -> None:  # noqa: D102
        self._app.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: D102
        kind = event.type()
        # Filtered for the whole application, since the sheet
        # itself is transparent for the mouse and has no focus.
        if kind in (QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress):
            self.hide()
        elif kind is QEvent.Type.Resize and watched is self._window:
            self.setGeometry(self._window.rect())
        # Not taken: the key or click that ends the light still does what it was meant for.
        return False

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        dark, lit = QPainterPath(), self.places
        dark.addRect(QRectF(self.rect()))
        for place in (*lit, *(place() for place in self._kept)):
            hole = QPainterPath()
            hole.addRoundedRect(place, ROUND, ROUND)
            # Cut out of the path rather than painted over: what is below stays as it is.
            dark -= hole
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillPath(dark, DIM)
            painter.setPen(QPen(QColor(self.theme.accent), EDGE))
            for place in lit:
                painter.drawRoundedRect(place, ROUND, ROUND)
