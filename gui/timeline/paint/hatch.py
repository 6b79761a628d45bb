"""Lines that mean idle time: a texture for the screen, diagonals for figures."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QImage, QPainter, QPixmap

from gui.look.painter import pen

HATCH = 8


def hatch_lines(rect: QRectF, step: float = HATCH) -> list[QLineF]:
    """Return diagonals clipped to a rectangle; on each, x + y is a multiple of `step`."""
    lines = []
    first = int((rect.left() + rect.top()) // step) + 1
    last = int((rect.right() + rect.bottom()) // step)
    for n in range(first, last + 1):
        total = n * step
        x0 = max(rect.left(), total - rect.bottom())
        x1 = min(rect.right(), total - rect.top())
        lines.append(QLineF(x0, total - x0, x1, total - x1))
    return lines


@lru_cache(maxsize=8)
def hatch_brush(colour: str, ratio: float) -> QBrush:
    """Return a tile of the idle hatch as a texture."""
    tile = QPixmap(round(HATCH * ratio), round(HATCH * ratio))
    tile.setDevicePixelRatio(ratio)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen(colour, 0.8))
    # The adjacent tiles' diagonals too: their antialiased edges extend into this tile's corners.
    for shift in (-HATCH, 0, HATCH):
        painter.drawLine(QLineF(shift - 1, HATCH + 1, shift + HATCH + 1, -1))
    painter.end()
    return QBrush(tile)


@lru_cache(maxsize=8)
def hatch_tile(colour: str, ratio: float) -> NDArray[np.uint32]:
    """Return the tile as 0xAARRGGBB, premultiplied; shape (lines, columns)."""
    image = hatch_brush(colour, ratio).textureImage()
    image = image.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    # Copied, because the buffer belongs to `image`, which is deleted on return.
    lines = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return lines[:, : image.width()].copy()
