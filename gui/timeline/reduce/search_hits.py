"""What a reduced row must not hide: what was searched for, and how many spans it stands for."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.look.text import about_text, tr
from gui.timeline.layout.frame import Fonts, Frame, text_width
from gui.timeline.layout.rows import Row
from gui.timeline.paint.raster import Slices, draw_slices, owners
from gui.timeline.paint.scene import Scene
from gui.timeline.reduce.hits import hit_columns
from gui.timeline.reduce.reduction import visible

HIT = 4.0  # height of the mark over a span that was found
LEAST = 3.0  # and its least width
RIM = 1.0  # of the plot's colour below and beside it
LOW = 13.0  # lower rows have no count
AIR = 3.0


def draw_hits(painter: QPainter, scene: Scene, frame: Frame, row: Row) -> None:
    """A mark at the top of each span of a row that was searched for, however short it is."""
    left, right = hit_pixels(scene, frame, row.lane)
    if not len(left):
        return
    theme, place = frame.theme, frame.place(row)
    height = min(HIT, row.height / 2)
    if frame.vector:
        places = list(zip(left.tolist(), right.tolist(), strict=True))
        for colour, rim in ((theme.plot, RIM), (theme.text, 0.0)):
            for x0, x1 in places:
                rect = QRectF(place.left() + x0 - rim, place.top(), x1 - x0 + 2 * rim, height + rim)
                painter.fillRect(rect, QColor(colour))
        return
    ratio = painter.device().devicePixelRatioF()
    pixels = max(1, math.ceil(place.width() * ratio))
    rims, mark = (
        np.where(
            owners((left - more) * ratio, (right + more) * ratio, pixels) < len(left),
            np.uint32(QColor(colour).rgba()), np.uint32(0),
        )
        for colour, more in ((theme.plot, RIM), (theme.text, 0.0))
    )  # fmt: skip
    lines = np.stack([np.where(mark > 0, mark, rims), rims])
    edges = np.array([0.0, height, height + RIM])
    draw_slices(painter, Slices(lines, edges), place.left(), place.top(), ratio)


def hit_pixels(
    scene: Scene, frame: Frame, lane: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Left and right of the marks of a lane's hits in view, in pixels of the plot."""
    hits = scene.hits.get(lane)
    if hits is None or not len(hits):
        return np.empty(0), np.empty(0)
    columns, view = scene.columns[lane], frame.view
    seen = visible(columns, view.start, view.end)
    first, last = np.searchsorted(hits, [seen.start, seen.stop])
    chosen = hits[first:last]
    if len(chosen) > view.width:
        edges = view.start + np.arange(int(view.width) + 1) * view.ns_per_pixel
        begun = np.flatnonzero(hit_columns(columns.starts, hits, edges)).astype(np.float64)
        return begun, np.minimum(begun + LEAST, view.width)
    scale = view.width / view.span
    left = np.maximum((columns.starts[chosen] - view.start) * scale, 0.0)
    right = np.minimum((columns.ends[chosen] - view.start) * scale, view.width)
    short = np.maximum(LEAST - (right - left), 0.0) / 2
    return left - short, right + short


def draw_count(painter: QPainter, frame: Frame, fonts: Fonts, row: Row, count: int) -> None:
    """How many spans a reduced row stands for, at its right end."""
    if row.helper or row.height < LOW:
        return
    words = tr("{count} spans", count=about_text(count))
    width = text_width(fonts.small, words) + 2 * AIR
    place = frame.place(row)
    tag = QRectF(place.right() - width - AIR, place.center().y() - LOW / 2, width, LOW)
    painter.fillRect(tag, QColor(frame.theme.plot))
    painter.setFont(fonts.small)
    painter.setPen(QColor(frame.theme.muted))
    painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, words)
