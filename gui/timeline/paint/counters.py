"""Draws counters of imported traces: a line of their values, each in a row of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from gui.look.theme import Theme
from gui.timeline.layout.frame import Frame
from gui.timeline.reduce.counters import CounterLine
from gui.timeline.state.scene import Scene

LINE = 1.0  # width of the line, pixels
HEADROOM = 1.0  # free pixels above the largest value


def draw_counters(painter: QPainter, scene: Scene, frame: Frame) -> None:
    """Draw every counter that can be seen, up to the end of the trace."""
    for track in frame.visible(frame.layout.counters):
        _draw_counter(painter, scene.counters[track.name], frame, frame.place(track), scene)


def _draw_counter(
    painter: QPainter, line: CounterLine, frame: Frame, place: QRectF, scene: Scene
) -> None:
    """A line over the area between it and 0, which is within the row."""
    end = max(scene.bounds[1], int(line.times[-1]) + 1) if len(line) else 0
    lowest, highest = line.reduced(frame.view, end)
    some = np.flatnonzero(np.isfinite(highest))
    if not len(some):
        return
    least, most = line.limits
    scale = (place.height() - HEADROOM) / ((most - least) or 1.0)
    zero = place.bottom() + least * scale
    # Values are held from the first to the end: what is known is one stretch of pixels.
    shown = slice(int(some[0]), int(some[-1]) + 1)
    left = place.left() + shown.start
    tops, bottoms = zero - highest[shown] * scale, zero - lowest[shown] * scale
    _draw_area(painter, tops, bottoms, zero, left, frame.theme)


def _draw_area(
    painter: QPainter, tops: NDArray[np.float64], bottoms: NDArray[np.float64], zero: float,
    left: float, theme: Theme,
) -> None:  # fmt: skip
    """Fill columns of a pixel each between their values and `zero`, and draw the line over them.

    Where several values share a pixel, a stroke joins the largest and the least.
    """
    # Half pixels are as fine as can be seen, and make neighbours equal that differ by less.
    tops, bottoms = np.round(2 * tops) / 2, np.round(2 * bottoms) / 2
    upper, lower = _steps(np.minimum(tops, zero), left), _steps(np.maximum(bottoms, zero), left)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.line))
    painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))
    painter.setPen(QPen(QColor(theme.memory), LINE))
    painter.drawPolyline(QPolygonF(_steps(tops, left)))
    several = np.flatnonzero(bottoms > tops)
    xs, highs, lows = (
        column.tolist() for column in (left + several, tops[several], bottoms[several])
    )
    strokes = [QLineF(x, high, x, low) for x, high, low in zip(xs, highs, lows, strict=True)]
    painter.drawLines(strokes)


def _steps(ys: NDArray[np.float64], left: float) -> list[QPointF]:
    """The corners of a line over columns of a pixel each; equal neighbours share a step."""
    changes = np.flatnonzero(np.diff(ys)) + 1
    bounds = np.concatenate([[0], changes, [len(ys)]])
    xs = (np.stack([bounds[:-1], bounds[1:]], axis=1).ravel() + left).tolist()
    heights = np.repeat(ys[bounds[:-1]], 2).tolist()
    return [QPointF(x, y) for x, y in zip(xs, heights, strict=True)]
