"""Folded groups in vector pictures: the number of busy lanes, as stacked areas."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from core.arrays import Floats
from gui.look.painter import fill
from gui.timeline.layout.frame import Frame
from gui.timeline.paint.summaries import AIR
from gui.timeline.state.scene import Scene


def draw_folded(painter: QPainter, scene: Scene, frame: Frame) -> None:
    """Draw the areas of all folded groups, like the pixels in the window."""
    for group in frame.layout.groups:
        if group.has_summary:
            rect = frame.place(group)
            inner = rect.adjusted(0, AIR, 0, -AIR)
            fill(painter, inner, frame.theme.grid)
            view = frame.view.resized(max(1, int(inner.width())))
            shares = scene.together(group.numbers).shares(view)
            limited = np.clip(shares, 0.0, 1.0)
            _draw_areas(painter, limited, frame, inner)


def _draw_areas(painter: QPainter, shares: Floats, frame: Frame, rect: QRectF) -> None:
    """Stack the families from the bottom up; `shares` has shape (pixels, families)."""
    painter.setPen(Qt.PenStyle.NoPen)
    base = np.zeros(len(shares))
    for family in np.flatnonzero(shares.any(axis=0)).tolist():
        colours = frame.theme.families[family]
        for colour in colours:
            # A family with two colours has half of its share in each.
            height = shares[:, family] / len(colours)
            top = np.minimum(base + height, 1.0)
            painter.setBrush(colour)
            painter.drawPolygon(area(base, top, rect))
            base = top


def area(base: Floats, top: Floats, rect: QRectF) -> QPolygonF:
    """Return the stepped area between two heights, 0 to 1, of each pixel of a rectangle."""
    edges = np.linspace(rect.left(), rect.right(), len(base) + 1)
    # n pixels have n + 1 edges; doubled, without the outermost copies, they are the 2n corners of
    # steps.
    x = np.repeat(edges, 2)[1:-1].tolist()
    upper = _corners(x, top, rect)
    lower = _corners(x, base, rect)
    return QPolygonF([*upper, *reversed(lower)])


def _corners(x: list[float], heights: Floats, rect: QRectF) -> list[QPointF]:
    y = rect.bottom() - np.repeat(heights, 2) * rect.height()
    return list(map(QPointF, x, y.tolist()))
