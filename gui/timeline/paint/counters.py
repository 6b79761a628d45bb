"""Draws counters of imported traces: a line of their values, each in a row of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from gui.look.theme import Theme
from gui.timeline.layout.frame import Frame
from gui.timeline.paint.pixels import image_of
from gui.timeline.reduce.counters import CounterLine
from gui.timeline.state.scene import Scene

LINE = 1.0  # width of the line, pixels
HEADROOM = 1.0  # free pixels above the largest value


@dataclass(frozen=True, slots=True)
class Area:
    """A counter in a row: n columns of a pixel each, from `left` on; heights count from its top.

    The line is between `top` and `bottom` of each column, which differ where several values share
    it. The area is between the line and `zero`.
    """

    left: float
    top: NDArray[np.float64]
    bottom: NDArray[np.float64]
    zero: float


def draw_counters(painter: QPainter, scene: Scene, frame: Frame) -> None:
    """Draw every counter that can be seen, up to the end of the trace."""
    for row in frame.visible(frame.layout.counters):
        place = frame.place(row)
        area = _area_of(scene.counters[row.name], frame, place, scene.bounds[1])
        if area is None:
            continue
        if frame.vector:
            _draw_lines(painter, area, place, frame.theme)
        else:
            ratio = painter.device().devicePixelRatioF()
            pixels = counter_pixels(area, place.height(), ratio, frame.theme)
            over = QRectF(area.left, place.top(), len(area.top), place.height())
            painter.drawImage(over, image_of(pixels))


def _area_of(line: CounterLine, frame: Frame, place: QRectF, end: int) -> Area | None:
    """A counter in the row at `place`, until `end` ns or its last value; None if out of sight."""
    if not len(line):
        return None
    lowest, highest = line.reduced(frame.view, max(end, int(line.times[-1]) + 1))
    some = np.flatnonzero(np.isfinite(highest))
    if not len(some):
        return None
    # Values are held from the first to the end: what is known is one stretch of pixels.
    shown = slice(int(some[0]), int(some[-1]) + 1)
    least, most = line.limits
    scale = (place.height() - HEADROOM - LINE) / ((most - least) or 1.0)
    zero = place.height() - LINE + least * scale
    top, bottom = zero - highest[shown] * scale, zero - lowest[shown] * scale
    return Area(place.left() + shown.start, top, bottom, zero)


def counter_pixels(area: Area, height: float, ratio: float, theme: Theme) -> NDArray[np.uint32]:
    """A counter as 0xAARRGGBB: a line of pixels for each device pixel of `height`.

    Shape (lines, columns). The line joins the values of neighbouring columns.
    """
    top, bottom = (np.round(ys * ratio).astype(np.int16) for ys in (area.top, area.bottom))
    zero, thick = round(area.zero * ratio), max(1, round(LINE * ratio))
    y = np.arange(max(1, round(height * ratio)), dtype=np.int16)[:, None]
    fill, line = (np.uint32(QColor(colour).rgba()) for colour in (theme.line, theme.memory))
    is_filled = (y >= np.minimum(top, zero)) & (y < np.maximum(bottom, zero) + thick)
    pixels = np.where(is_filled, fill, np.uint32(0))
    before_top, before_bottom = np.append(top[:1], top[:-1]), np.append(bottom[:1], bottom[:-1])
    upper, lower = np.minimum(top, before_bottom), np.maximum(bottom, before_top)
    np.copyto(pixels, line, where=(y >= upper) & (y < lower + thick))
    return pixels


def _draw_lines(painter: QPainter, area: Area, place: QRectF, theme: Theme) -> None:
    """The same as an area under a line, for figures."""
    # Half pixels are as fine as can be seen, and make neighbours equal that differ by less.
    top, bottom = (np.round(2 * ys) / 2 + place.top() for ys in (area.top, area.bottom))
    zero = area.zero + place.top()
    upper = _steps(np.minimum(top, zero), area.left)
    lower = _steps(np.maximum(bottom, zero), area.left)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.line))
    painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))
    painter.setPen(QPen(QColor(theme.memory), LINE))
    painter.drawPolyline(QPolygonF(_steps(top, area.left)))
    several = np.flatnonzero(bottom > top)
    strokes = [
        QLineF(area.left + column, top[column], area.left + column, bottom[column])
        for column in several.tolist()
    ]
    painter.drawLines(strokes)


def _steps(ys: NDArray[np.float64], left: float) -> list[QPointF]:
    """The corners of a line over columns of a pixel each; equal neighbours share a step."""
    changes = np.flatnonzero(np.diff(ys)) + 1
    bounds = np.concatenate([[0], changes, [len(ys)]])
    xs = (np.stack([bounds[:-1], bounds[1:]], axis=1).ravel() + left).tolist()
    heights = np.repeat(ys[bounds[:-1]], 2).tolist()
    return [QPointF(x, y) for x, y in zip(xs, heights, strict=True)]
