"""The rectangles of a lane's row, for measured and predicted spans alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.timeline.reduce.reduction import Bars, PixelColumns, runs

LEVELS = 8  # heights that a pixel column can have
SEAM_PIXELS = 5.0  # wider bars leave a pixel free, so that neighbours can be told apart


@dataclass(frozen=True, slots=True)
class Boxes:
    """Rectangles that stand on a row's bottom: in pixels from the plot's left, with their family.

    All four have an entry for each rectangle.
    """

    left: NDArray[np.floating]
    width: NDArray[np.floating]
    height: NDArray[np.floating]
    family: NDArray[np.int8]

    def rects(
        self, chosen: NDArray[np.bool_], left: float, bottom: float, part: int = 0, parts: int = 1
    ) -> list[QRectF]:
        """Those that are `chosen`, where the plot begins at `left` and the row ends at `bottom`.

        Of each, the given one of as many parts, counted from the top.
        """
        height = self.height[chosen]
        upper, lower = _edges(height, part, parts)
        columns = (self.left[chosen] + left, bottom - height + upper, self.width[chosen])
        places = zip(*(c.tolist() for c in (*columns, lower - upper)), strict=True)
        return [QRectF(x, y, wide, high) for x, y, wide, high in places]


def boxes_of(reduced: Bars | PixelColumns, width: float, height: float) -> Boxes:
    """The rectangles of what was reduced, on a row of `height` in a plot of `width` pixels."""
    if isinstance(reduced, Bars):
        left, wide = extents(reduced.left, reduced.right, width)
        return Boxes(left, wide, np.full(len(left), height), reduced.family)
    level = levels_of(reduced)
    first, last = runs(reduced.family, level)
    busy = level[first] > 0
    first, last = first[busy], last[busy]
    heights = level_heights(level[first], height)
    return Boxes(first.astype(float), (last - first).astype(float), heights, reduced.family[first])


def extents(
    left: NDArray[np.floating], right: NDArray[np.floating], width: float
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Left edges and widths of bars in a plot of `width` pixels, as they are drawn."""
    left = np.maximum(left, -2.0)
    wide = np.minimum(right, width + 2.0) - left
    return left, np.maximum(1.0, np.where(wide > SEAM_PIXELS, wide - 1.0, wide))


def levels_of(columns: PixelColumns) -> NDArray[np.int8]:
    """How high each pixel column is, 0 for an idle one to LEVELS for one that is all busy."""
    return np.ceil(columns.busy * LEVELS).astype(np.int8)


def level_heights(level: NDArray[np.int8], height: float) -> NDArray[np.float64]:
    """The pixels of levels above 0 on a row of `height`; what is there at all can be seen."""
    heights: NDArray[np.float64] = np.maximum(2.0, level / LEVELS * height)
    return heights


def fill_boxes(
    painter: QPainter,
    boxes: Boxes,
    left: float,
    bottom: float,
    colours: tuple[tuple[QColor, ...], ...],
) -> None:
    """Fill the rectangles without a pen, family by family; `colours` is Theme.families."""
    painter.setPen(Qt.PenStyle.NoPen)
    for code in np.unique(boxes.family):
        mine, parts = boxes.family == code, colours[code]
        for part, colour in enumerate(parts):
            painter.setBrush(colour)
            painter.drawRects(boxes.rects(mine, left, bottom, part, len(parts)))


def stacked(rect: QRectF, parts: int) -> list[QRectF]:
    """A rectangle cut into as many of about the same height, from the top."""
    whole = np.array([rect.height()])
    edges = (_edges(whole, part, parts) for part in range(parts))
    return [
        QRectF(rect.left(), rect.top() + upper[0], rect.width(), lower[0] - upper[0])
        for upper, lower in edges
    ]


def _edges(
    height: NDArray[np.floating], part: int, parts: int
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Where a part begins and ends below the top; at whole pixels, so that none shows between."""
    inner = [np.round(n * height / parts) if n < parts else height for n in (part, part + 1)]
    return inner[0], inner[1]
