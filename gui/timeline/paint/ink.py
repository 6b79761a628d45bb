"""A painter with the fonts and colours of a picture: texts, fills and lines."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRect, QRectF, Qt
from PySide6.QtGui import QFont, QPainter

from gui.look.painter import fill, pen
from gui.look.theme import Theme
from gui.look.writing import LEFT, elided, write
from gui.timeline.layout.fonts import Fonts, text_width


@dataclass(frozen=True, slots=True)
class Ink:
    """A painter, and the fonts and colours in which it draws."""

    painter: QPainter
    fonts: Fonts
    theme: Theme

    @staticmethod
    def of(painter: QPainter, font: QFont, theme: Theme) -> Ink:
        """Return an ink with fonts derived from a widget's font."""
        return Ink(painter, Fonts.of(font), theme)

    def base(
        self, rect: QRectF, text: str, where: Qt.AlignmentFlag = LEFT, colour: str = ""
    ) -> None:
        """Write in the base font; in the theme's text colour unless a colour is given."""
        write(self.painter, self.fonts.base, colour or self.theme.text, rect, text, where)

    def bold(
        self, rect: QRectF, text: str, where: Qt.AlignmentFlag = LEFT, colour: str = ""
    ) -> None:
        """Write in bold; in the theme's text colour unless a colour is given."""
        write(self.painter, self.fonts.bold, colour or self.theme.text, rect, text, where)

    def small(
        self, rect: QRectF, text: str, where: Qt.AlignmentFlag = LEFT, colour: str = ""
    ) -> None:
        """Write in the small font; in the theme's muted colour unless a colour is given."""
        write(self.painter, self.fonts.small, colour or self.theme.muted, rect, text, where)

    def bold_width(self, text: str) -> float:
        """Return the width of a text in bold, in pixels."""
        return text_width(self.fonts.bold, text)

    def small_width(self, text: str) -> float:
        """Return the width of a text in the small font, in pixels."""
        return text_width(self.fonts.small, text)

    def bold_elided(self, text: str, room: float) -> str:
        """Return a text, cut with an ellipsis to `room` pixels in bold."""
        self.painter.setFont(self.fonts.bold)
        return elided(self.painter, text, room)

    def small_elided(self, text: str, room: float) -> str:
        """Return a text, cut with an ellipsis to `room` pixels in the small font."""
        self.painter.setFont(self.fonts.small)
        return elided(self.painter, text, room)

    def fill(self, rect: QRect | QRectF, colour: str) -> None:
        """Fill a rectangle; the painter's pen and brush do not change."""
        fill(self.painter, rect, colour)

    def pen(
        self, colour: str, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine
    ) -> None:
        """Set the colour, width (in pixels) and style of the lines that are drawn next."""
        self.painter.setPen(pen(colour, width, style))

    def outline(
        self,
        rect: QRectF,
        colour: str,
        width: float = 1.0,
        style: Qt.PenStyle = Qt.PenStyle.SolidLine,
    ) -> None:
        """Draw the outline of a rectangle without filling it."""
        self.pen(colour, width, style)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRect(rect)

    def level(self, left: float, right: float, y: float) -> None:
        """Draw a horizontal line with the painter's pen."""
        line = QLineF(left, y, right, y)
        self.painter.drawLine(line)

    def upright(self, x: float, top: float, bottom: float) -> None:
        """Draw a vertical line with the painter's pen."""
        line = QLineF(x, top, x, bottom)
        self.painter.drawLine(line)
