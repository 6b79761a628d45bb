"""Text in pictures: where in its place it stands, in which font and colour, and cut to its room."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter


def write(
    painter: QPainter,
    font: QFont,
    colour: str,
    rect: QRectF,
    text: str,
    where: Qt.AlignmentFlag = LEFT,
) -> None:
    """Write a line in a rectangle; the font and the colour stay the painter's."""
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(rect, where, text)


def write_wrapped(painter: QPainter, colour: str, rect: QRectF, text: str) -> None:
    """Write as many lines as it takes in the middle of a rectangle, in the painter's font."""
    painter.setPen(QColor(colour))
    painter.drawText(rect, int(CENTRE | Qt.TextFlag.TextWordWrap), text)


def elided(painter: QPainter, text: str, room: float) -> str:
    """A text in the painter's font, cut with an ellipsis where it takes more than `room` pixels."""
    end = Qt.TextElideMode.ElideRight
    return painter.fontMetrics().elidedText(text, end, int(max(0, room)))
