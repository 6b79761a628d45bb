"""Arrows from what the selected span waited for, and to what waited for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from core.trace.dependencies import Neighbours
from core.trace.trace import Span
from gui.timeline.frame import Frame
from gui.timeline.selection import bounds_of

HEAD = 7.0
HALF_HEAD = 3.2
BEND = 24.0  # pixels that an arrow runs along its lane before it turns
THIN, THICK = 1.0, 2.0
HALO = 2.5


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line with a head from one point of the picture to another.

    `held` marks the one from what the span waited for last.
    """

    start: QPointF
    end: QPointF
    held: bool


def arrows_of(frame: Frame, span: Span, near: Neighbours) -> list[Arrow]:
    """The arrows that can be seen; that from what held the span up comes last, so on top."""
    shown = frame.layout.stands
    if span.lane not in shown:
        return []
    own = _rect_of(frame, span)
    arrows = [
        _between(_rect_of(frame, other), own, held=number == 0)
        for number, other in enumerate(near.needs)
        if other.lane in shown
    ]
    arrows += [
        _between(own, _rect_of(frame, other), held=False)
        for other in near.dependents
        if other.lane in shown
    ]
    return sorted((a for a in arrows if _is_seen(frame, a)), key=lambda arrow: arrow.held)


def draw_arrows(painter: QPainter, frame: Frame, span: Span, near: Neighbours) -> None:
    """Draw the arrows of a span over the lanes."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for arrow in arrows_of(frame, span, near):
        colour = QColor(frame.theme.text if arrow.held else frame.theme.muted)
        width, path = THICK if arrow.held else THIN, _path(arrow)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (QPen(QColor(frame.theme.plot), width + HALO), QPen(colour, width)):
            painter.setPen(pen)
            painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(_head(arrow))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _rect_of(frame: Frame, span: Span) -> QRectF:
    return frame.row_rect(frame.layout.row_of(span.lane), *bounds_of(span, frame.now))


def _between(source: QRectF, target: QRectF, held: bool) -> Arrow:
    """From the end of one bar to the beginning of another, at the middles of their rows."""
    start = QPointF(source.right(), source.center().y())
    return Arrow(start, QPointF(target.left(), target.center().y()), held)


def _is_seen(frame: Frame, arrow: Arrow) -> bool:
    """Whether an arrow has a length, and does not lie wholly beyond one side of the plot."""
    right = frame.left + frame.view.width
    beyond = arrow.end.x() < frame.left or arrow.start.x() > right
    return not beyond and math.dist(arrow.start.toTuple(), arrow.end.toTuple()) > 2


def _path(arrow: Arrow) -> QPainterPath:
    """Out of one bar along its row and into the other along its own."""
    bend = min(BEND, max(6.0, abs(arrow.end.x() - arrow.start.x()) / 2))
    neck = QPointF(arrow.end.x() - HEAD + 1, arrow.end.y())
    path = QPainterPath(arrow.start)
    path.cubicTo(arrow.start + QPointF(bend, 0), neck - QPointF(bend, 0), neck)
    return path


def _head(arrow: Arrow) -> QPolygonF:
    x, y = arrow.end.x(), arrow.end.y()
    return QPolygonF(
        [QPointF(x, y), QPointF(x - HEAD, y - HALF_HEAD), QPointF(x - HEAD, y + HALF_HEAD)]
    )
