"""The state of a painter, and its pens and fills."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen


@contextmanager
def saved(painter: QPainter) -> Iterator[None]:
    """Restore the painter's state at the end, even after Ctrl+C; Qt would print a warning."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()


@contextmanager
def smoothed(painter: QPainter) -> Iterator[None]:
    """Draw with antialiasing within the context, and without it afterwards."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    try:
        yield
    finally:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


@contextmanager
def filling(painter: QPainter, colour: str) -> Iterator[None]:
    """Fill shapes with a `#rrggbb` colour within the context; the pen stays off afterwards."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    try:
        yield
    finally:
        painter.setBrush(Qt.BrushStyle.NoBrush)


def pen(colour: str, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """Return a pen of a `#rrggbb` colour, `width` pixels wide."""
    return QPen(QColor(colour), width, style)


def fill(painter: QPainter, rect: QRect | QRectF, colour: str) -> None:
    """Fill a rectangle with a `#rrggbb` colour; pen and brush are unchanged."""
    painter.fillRect(rect, QColor(colour))
