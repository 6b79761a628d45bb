"""Arrows from what the selected span waited for, and to what waited for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from core.trace.dependencies import Neighbours
from core.trace.trace import Span
from gui.timeline.layout.frame import Frame

HEAD = 7.0
HALF_HEAD = 3.2
LIFT = 13.0  # pixels that an arrow within a lane rises above its bars
THIN, THICK = 1.0, 2.0
HALO = 2.5


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line with a head, from the end of one bar to the beginning of another.

    `down` tells whether it arrives from above; `held` marks the one from what the span waited for
    last.
    """

    start: QPointF
    end: QPointF
    down: bool
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
    end = (frame.now or span.start) if span.end is None else span.end
    return frame.row_rect(frame.layout.row_of(span.lane), span.start, end)


def _between(source: QRectF, target: QRectF, held: bool) -> Arrow:
    """From edge to edge of two bars, so that no word is crossed; within a lane over its top."""
    down = target.top() >= source.top()
    leaves = source.bottom() if target.top() > source.top() else source.top()
    start = QPointF(source.right(), leaves)
    end = QPointF(target.left(), target.top() if down else target.bottom())
    return Arrow(start, end, down, held)


def _is_seen(frame: Frame, arrow: Arrow) -> bool:
    """Whether an arrow has a length, and does not lie wholly beyond one side of the plot."""
    right = frame.left + frame.view.width
    beyond = arrow.end.x() < frame.left or arrow.start.x() > right
    return not beyond and math.dist(arrow.start.toTuple(), arrow.end.toTuple()) > 2


def _path(arrow: Arrow) -> QPainterPath:
    """A curve that leaves and arrives upright; between bars of a lane it bends over them."""
    back = -1 if arrow.down else 1
    neck = arrow.end + QPointF(0, back * (HEAD - 1))
    path = QPainterPath(arrow.start)
    if abs(arrow.start.y() - arrow.end.y()) < LIFT / 2:
        lift = QPointF(0, -LIFT)
        path.cubicTo(arrow.start + lift, neck + lift, neck)
    else:
        middle = (arrow.start.y() + neck.y()) / 2
        path.cubicTo(QPointF(arrow.start.x(), middle), QPointF(neck.x(), middle), neck)
    return path


def _head(arrow: Arrow) -> QPolygonF:
    x, y = arrow.end.x(), arrow.end.y()
    far = y + (-HEAD if arrow.down else HEAD)
    return QPolygonF([QPointF(x, y), QPointF(x - HALF_HEAD, far), QPointF(x + HALF_HEAD, far)])
