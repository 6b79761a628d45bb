"""The hatch that marks idle time: a texture for the screen, lines for figures."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QImage, QPainter, QPixmap

from gui.look.painter import pen

HATCH = 8  # pixels between lines


def hatch_lines(rect: QRectF, step: float = HATCH) -> list[QLineF]:
    """Return diagonals clipped to a rectangle; on each, x + y is a multiple of `step`."""
    left = rect.left()
    right = rect.right()
    top = rect.top()
    bottom = rect.bottom()
    first = int((left + top) // step) + 1
    last = int((right + bottom) // step)
    lines = []
    for number in range(first, last + 1):
        total = number * step
        x0 = max(left, total - bottom)
        x1 = min(right, total - top)
        y0 = total - x0
        y1 = total - x1
        lines.append(QLineF(x0, y0, x1, y1))
    return lines


@lru_cache(maxsize=8)
def hatch_brush(colour: str, ratio: float) -> QBrush:
    """Return a brush that repeats a tile of the idle hatch; `ratio` is device pixels per pixel."""
    size = round(HATCH * ratio)
    tile = QPixmap(size, size)
    tile.setDevicePixelRatio(ratio)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(colour, 0.8))
    # Draw the adjacent tiles' diagonals too: their antialiased edges extend into this tile.
    diagonal = QLineF(-1, HATCH + 1, HATCH + 1, -1)
    for shift in (-HATCH, 0, HATCH):
        painter.drawLine(diagonal.translated(shift, 0))
    painter.end()
    return QBrush(tile)


@lru_cache(maxsize=8)
def hatch_tile(colour: str, ratio: float) -> NDArray[np.uint32]:
    """Return the tile of `hatch_brush` as 0xAARRGGBB, premultiplied; shape (lines, columns)."""
    image = hatch_brush(colour, ratio).textureImage()
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    # The result is copied, because the buffer belongs to `image`, which is deleted on return.
    codes = np.frombuffer(image.constBits(), np.uint32)
    lines = codes.reshape(image.height(), -1)
    return lines[:, : image.width()].copy()
