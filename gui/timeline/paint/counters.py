"""Draws counters of imported traces, each as a line in a row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainter, QPolygonF

from core.arrays import Floats
from gui.look.painter import filling, pen
from gui.look.theme import Theme
from gui.timeline.layout.frame import Frame
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.pixels import CLEAR, colour_code, image_of
from gui.timeline.reduce.counters import CounterLine
from gui.timeline.state.scene import Scene

LINE = 1.0  # width of the line in pixels
HEADROOM = 1.0  # free pixels above the largest value


@dataclass(frozen=True, slots=True)
class Area:
    """A counter in a row: n columns of one pixel from `left` on; heights count from the row's top.

    In each column the line extends from `top` to `bottom`, which differ if the counter has several
    values there. The area between the line and `zero` is filled.
    """

    left: float
    top: Floats
    bottom: Floats
    zero: float


def draw_counters(canvas: Canvas, scene: Scene) -> None:
    """Draw all visible counters, up to the end of the trace."""
    painter = canvas.painter
    frame = canvas.frame
    for row in frame.visible(frame.layout.counters):
        place = frame.place(row)
        line = scene.counters[row.name]
        _, end = scene.bounds
        area = _area_of(line, frame, place, end)
        if area is None:
            continue
        if frame.vector:
            _draw_lines(painter, area, place, frame.theme)
        else:
            height = place.height()
            columns = len(area.top)
            ratio = canvas.pixel_ratio
            pixels = counter_pixels(area, height, ratio, frame.theme)
            over = QRectF(area.left, place.top(), columns, height)
            painter.drawImage(over, image_of(pixels))


def _area_of(line: CounterLine, frame: Frame, place: QRectF, end: int) -> Area | None:
    """Return a counter's area in the row at `place`, or None if no value is visible.

    It ends at `end` ns, or at the counter's last value if that is later.
    """
    if not len(line):
        return None
    last_time = int(line.times[-1])
    until = max(end, last_time + 1)
    lowest, highest = line.reduced(frame.view, until)
    known = np.flatnonzero(np.isfinite(highest))
    if not len(known):
        return None
    # Values are valid from the first to the end, so the known pixels are contiguous.
    first_pixel = int(known[0])
    last_pixel = int(known[-1])
    shown = slice(first_pixel, last_pixel + 1)
    least, most = line.limits
    extent = (most - least) or 1.0
    height = place.height()
    scale = (height - HEADROOM - LINE) / extent
    zero = height - LINE + least * scale
    top = zero - highest[shown] * scale
    bottom = zero - lowest[shown] * scale
    return Area(place.left() + first_pixel, top, bottom, zero)


def counter_pixels(area: Area, height: float, ratio: float, theme: Theme) -> NDArray[np.uint32]:
    """Return a counter as 0xAARRGGBB, with a line of pixels per device pixel of `height`.

    Shape (lines, columns). The line connects the values of adjacent columns.
    """
    top = np.round(area.top * ratio).astype(np.int16)
    bottom = np.round(area.bottom * ratio).astype(np.int16)
    zero = round(area.zero * ratio)
    thick = max(1, round(LINE * ratio))
    lines = max(1, round(height * ratio))
    y = np.arange(lines, dtype=np.int16)[:, None]
    area_top = np.minimum(top, zero)
    area_bottom = np.maximum(bottom, zero) + thick
    is_filled = (y >= area_top) & (y < area_bottom)
    pixels = np.where(is_filled, colour_code(theme.line), CLEAR)
    before_top = np.append(top[:1], top[:-1])
    before_bottom = np.append(bottom[:1], bottom[:-1])
    line_top = np.minimum(top, before_bottom)
    line_bottom = np.maximum(bottom, before_top) + thick
    is_line = (y >= line_top) & (y < line_bottom)
    np.copyto(pixels, colour_code(theme.memory), where=is_line)
    return pixels


def _draw_lines(painter: QPainter, area: Area, place: QRectF, theme: Theme) -> None:
    """Draw a counter as an area under a line, for figures."""
    # Rounded to half pixels, the finest visible steps: neighbours that differ by less become equal.
    rounded_top = np.round(2 * area.top) / 2
    rounded_bottom = np.round(2 * area.bottom) / 2
    top = place.top() + rounded_top
    bottom = place.top() + rounded_bottom
    zero = area.zero + place.top()
    upper = _steps(np.minimum(top, zero), area.left)
    lower = _steps(np.maximum(bottom, zero), area.left)
    lower.reverse()
    with filling(painter, theme.line):
        painter.drawPolygon(QPolygonF(upper + lower))
    painter.setPen(pen(theme.memory, LINE))
    painter.drawPolyline(QPolygonF(_steps(top, area.left)))
    strokes = []
    for column in np.flatnonzero(bottom > top).tolist():
        x = area.left + column
        stroke = QLineF(x, top[column], x, bottom[column])
        strokes.append(stroke)
    painter.drawLines(strokes)


def _steps(ys: Floats, left: float) -> list[QPointF]:
    """Return the corners of a stepped line over columns of one pixel; equal ones share a step."""
    changes = np.flatnonzero(np.diff(ys)) + 1
    first = np.concatenate([[0], changes])
    last = np.concatenate([changes, [len(ys)]])
    ends = np.stack([first, last], axis=1).ravel()
    heights = np.repeat(ys[first], 2)
    xs = (ends + left).tolist()
    return list(map(QPointF, xs, heights.tolist()))
