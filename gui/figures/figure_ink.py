"""Draws text and lines in the style of a figure."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.figures.parts import Textbook
from gui.figures.style import Face, Style
from gui.look.painter import pen
from gui.look.writing import LEFT


@dataclass(frozen=True, slots=True)
class FigureInk:
    """A painter, and the figure that it draws in its units."""

    painter: QPainter
    figure: Textbook

    @property
    def style(self) -> Style:
        """The sizes and colours of the figure."""
        return self.figure.style

    @property
    def em(self) -> float:
        """The size of the figure's text, in units."""
        return self.figure.style.em

    def across(self, top: float, height: float) -> QRectF:
        """Return a rectangle as wide as the figure without its edges."""
        style = self.style
        return QRectF(style.edge, top, style.width - 2 * style.edge, height)

    def right_column(self, top: float, height: float) -> QRectF:
        """Return a rectangle right of the plot, where the idle times are."""
        left = self.figure.right
        width = self.style.width - self.style.edge - left
        return QRectF(left, top, width, height)

    def write(
        self,
        face: Face,
        rect: QRectF,
        text: str,
        flags: Qt.AlignmentFlag = LEFT,
        colour: str = "",
    ) -> None:
        """Write a line of text in a rectangle; text that is too wide extends beyond it."""
        if not text:
            return
        self.painter.setFont(face.font)
        self.painter.setPen(QColor(colour or self.style.looks.text))
        # Clipped text would be cut off in viewers whose font is wider.
        unclipped = Qt.TextFlag.TextDontClip | Qt.TextFlag.TextSingleLine
        self.painter.drawText(rect, int(flags | unclipped), text)

    def pen(self, colour: str, widths: float) -> None:
        """Set the pen's colour, and its width in multiples of the style's line width."""
        self.painter.setPen(pen(colour, widths * self.style.line))

    def level(self, left: float, right: float, y: float) -> None:
        """Draw a horizontal line with the painter's pen."""
        self.painter.drawLine(QPointF(left, y), QPointF(right, y))
