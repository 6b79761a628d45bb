"""The rectangles of a lane's track, for measured and predicted spans alike.

Figures are made of them; on a screen, bars in two colours and what is drawn within outlines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.timeline.paint.pixels import (
    Palette,
    draw_slices,
    extents,
    is_halved,
    level_heights,
    levels_of,
    owners,
    pixels_of,
)
from gui.timeline.reduce.reduction import Bars, PixelColumns


@dataclass(frozen=True, slots=True)
class Boxes:
    """Rectangles that stand on a track's bottom: in pixels from the plot's left, with their family.

    All four have an entry for each rectangle.
    """

    left: NDArray[np.floating]
    width: NDArray[np.floating]
    height: NDArray[np.floating]
    family: NDArray[np.int8]

    def rects(
        self, chosen: NDArray[np.bool_], left: float, bottom: float, part: int = 0, parts: int = 1
    ) -> list[QRectF]:
        """Those that are `chosen`, where the plot begins at `left` and the track ends at `bottom`.

        Of each, the given one of as many parts, counted from the top.
        """
        height = self.height[chosen]
        upper, lower = _edges(height, part, parts)
        columns = (self.left[chosen] + left, bottom - height + upper, self.width[chosen])
        places = zip(*(c.tolist() for c in (*columns, lower - upper)), strict=True)
        return [QRectF(x, y, wide, high) for x, y, wide, high in places]


def boxes_of(reduced: Bars | PixelColumns, width: float, height: float) -> Boxes:
    """The rectangles of what was reduced, on a track of `height` in a plot of `width` pixels."""
    if isinstance(reduced, Bars):
        left, wide = extents(reduced.left, reduced.right, width)
        return Boxes(left, wide, np.full(len(left), height), reduced.family)
    level = levels_of(reduced)
    first, last = runs(reduced.family, level)
    busy = level[first] > 0
    first, last = first[busy], last[busy]
    heights = level_heights(level[first], height)
    return Boxes(first.astype(float), (last - first).astype(float), heights, reduced.family[first])


def runs(
    family: NDArray[np.generic], height: NDArray[np.generic]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First and last (exclusive) index of each run of columns that look the same."""
    changes = np.flatnonzero((np.diff(family) != 0) | (np.diff(height) != 0)) + 1
    bounds = np.concatenate([[0], changes, [len(family)]])
    return bounds[:-1], bounds[1:]


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
    # The last part ends at `height` itself: rounded, it could end a pixel above the track's bottom.
    inner = [np.round(n * height / parts) if n < parts else height for n in (part, part + 1)]
    return inner[0], inner[1]


def draw_boxes(painter: QPainter, boxes: Boxes, place: QRectF, palette: Palette) -> None:
    """Draw boxes that stand on the bottom of `place`, which is as wide as the plot."""
    if not len(boxes.left):
        return
    ratio = painter.device().devicePixelRatioF()
    pixels = pixels_of(place.width(), ratio)
    lines, edges = slices_of(boxes, place.height(), pixels, ratio, palette)
    draw_slices(painter, lines, edges.tolist(), place, ratio)


def slices_of(
    boxes: Boxes, height: float, pixels: int, ratio: float, palette: Palette
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """A track of boxes cut into slices that look the same from their top to their bottom.

    A line of 0xAARRGGBB for each, shape (slices, device pixels), `ratio` of them in a pixel; and
    where they begin and the last one ends, in pixels below the top of a track of `height`.
    """
    owner = owners(boxes.left * ratio, (boxes.left + boxes.width) * ratio, pixels)
    # `owner` is len(boxes) where there is none: the appended entry, which is the clear colour.
    family = np.append(boxes.family, palette.shape[1] - 1)[owner]
    halved = is_halved(boxes.family, palette)
    if not halved and (boxes.height == boxes.height[0]).all():
        return palette[0][family][None], np.array([height - boxes.height[0], height])
    # Cut at the top of every height there is, and at its middle if boxes have two colours: between
    # two cuts no pixel's colour depends on its y, so a slice is one line of pixels.
    heights = np.unique(boxes.height)
    tops = height - heights
    middles = tops + np.round(heights / 2) if halved else tops
    edges = np.unique(np.concatenate([tops, middles, [height]]))
    tall = np.append(boxes.height, 0.0)[owner]
    # Shape (slices, pixels): how far a slice's middle is below the top of the box in that pixel.
    # Negative above the box; from half the box's height on it has the lower colour.
    depth = (edges[:-1] + edges[1:])[:, None] / 2 - (height - tall)
    upper, lower = palette[0][family], palette[1][family]
    colour = np.where(depth >= np.round(tall / 2), lower, upper)
    return np.where(depth >= 0, colour, np.uint32(0)), edges
