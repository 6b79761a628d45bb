"""Spotlight on parts of the window; the rest is dimmed until the next key or click."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QWidget

from core.override import override
from gui.look.theme import LIGHT

DIM = QColor(0, 0, 0, 110)
ROUND = 6.0
EDGE = 2.0
Place = Callable[[], QRectF]
"""Returns a rectangle in the window at the time of the call; empty if nothing is visible."""


class Spotlight(QWidget):
    """Covers a window and ignores the mouse. All is dimmed except `lit` and `kept` places."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._app = QApplication.instance() or QApplication([])
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.theme = LIGHT
        self._lit: Sequence[Place] = ()
        self._kept: Sequence[Place] = ()
        self.hide()

    def point(self, lit: Sequence[Place], kept: Sequence[Place] = ()) -> None:
        """Frame the `lit` places, and dim everything except these and the `kept` ones."""
        self._lit = lit
        self._kept = kept
        self.setGeometry(self._window.rect())
        self.raise_()
        self.show()
        self.update()

    @property
    def places(self) -> list[QRectF]:
        """The visible parts of the lit places."""
        inside = QRectF(self.rect())
        found = [place() for place in self._lit]
        return [rect & inside for rect in found if not rect.isEmpty()]

    @override
    def showEvent(self, event: QEvent) -> None:
        # Only while it is visible: this filter calls Python for every event of the application.
        self._app.installEventFilter(self)

    @override
    def hideEvent(self, event: QEvent) -> None:
        self._app.removeEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        # Filtered for the whole application, because this widget gets neither mouse nor key events.
        if kind in (QEvent.Type.MouseButtonPress, QEvent.Type.KeyPress):
            self.hide()
        elif kind is QEvent.Type.Resize and watched is self._window:
            self.setGeometry(self._window.rect())
        # Not consumed: the key or click that ends the spotlight keeps its own effect.
        return False

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        dark = QPainterPath()
        lit = self.places
        dark.addRect(QRectF(self.rect()))
        for place in (*lit, *(place() for place in self._kept)):
            hole = QPainterPath()
            hole.addRoundedRect(place, ROUND, ROUND)
            # Subtracted from the path, so that the widgets below remain unchanged.
            dark -= hole
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillPath(dark, DIM)
            painter.setPen(QPen(QColor(self.theme.accent), EDGE))
            for place in lit:
                painter.drawRoundedRect(place, ROUND, ROUND)
