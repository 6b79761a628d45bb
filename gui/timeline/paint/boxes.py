"""Rectangles of a lane's track, for measured and predicted spans.

Figures consist of them. On a screen, only tracks with two-coloured bars use them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from core.arrays import Bools, Floats
from gui.timeline.paint.pixels import (
    CLEAR,
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
    """Rectangles at the bottom of a track, in pixels from the plot's left edge, with families.

    All four arrays have an entry for each rectangle.
    """

    left: NDArray[np.floating]
    width: NDArray[np.floating]
    height: NDArray[np.floating]
    family: NDArray[np.int8]

    def rects(
        self,
        chosen: Bools,
        left: float,
        bottom: float,
        part: int = 0,
        parts: int = 1,
    ) -> list[QRectF]:
        """Return the `chosen` rectangles; the plot begins at `left`, the track ends at `bottom`.

        Each rectangle is divided into `parts` of about the same height. Only the part with the
        number `part`, counted from 0 at the top, is returned.
        """
        height = self.height[chosen]
        upper, lower = _edges(height, part, parts)
        xs = (self.left[chosen] + left).tolist()
        ys = (bottom - height + upper).tolist()
        widths = self.width[chosen].tolist()
        heights = (lower - upper).tolist()
        return list(map(QRectF, xs, ys, widths, heights))


def boxes_of(reduced: Bars | PixelColumns, width: float, height: float) -> Boxes:
    """Return the rectangles of reduced spans; `width` is the plot's, `height` the track's."""
    if isinstance(reduced, Bars):
        left, wide = extents(reduced.left, reduced.right, width)
        return Boxes(left, wide, np.full(len(left), height), reduced.family)
    level = levels_of(reduced)
    first, last = runs(reduced.family, level)
    busy = level[first] > 0
    first = first[busy]
    last = last[busy]
    lefts = first.astype(float)
    widths = (last - first).astype(float)
    heights = level_heights(level[first], height)
    return Boxes(lefts, widths, heights, reduced.family[first])


def runs(
    family: NDArray[np.generic],
    height: NDArray[np.generic],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return first and last (exclusive) index of each run of columns with the same appearance."""
    other_family = np.diff(family) != 0
    other_height = np.diff(height) != 0
    changes = np.flatnonzero(other_family | other_height) + 1
    bounds = np.concatenate([[0], changes, [len(family)]])
    return bounds[:-1], bounds[1:]


def fill_boxes(
    painter: QPainter,
    boxes: Boxes,
    left: float,
    bottom: float,
    colours: tuple[tuple[QColor, ...], ...],
) -> None:
    """Fill the rectangles without a pen, by family; `colours` is Theme.families."""
    painter.setPen(Qt.PenStyle.NoPen)
    for code in np.unique(boxes.family):
        mine = boxes.family == code
        parts = colours[code]
        for part, colour in enumerate(parts):
            painter.setBrush(colour)
            painter.drawRects(boxes.rects(mine, left, bottom, part, len(parts)))


def stacked(rect: QRectF, parts: int) -> list[QRectF]:
    """Divide a rectangle into `parts` of about the same height, from the top."""
    whole = np.array([rect.height()])
    found = []
    for part in range(parts):
        (upper,), (lower,) = _edges(whole, part, parts)
        top = rect.top() + upper
        found.append(QRectF(rect.left(), top, rect.width(), lower - upper))
    return found


def _edges(
    height: NDArray[np.floating],
    part: int,
    parts: int,
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return a part's edges, measured from the top and rounded so that parts have no gaps."""
    # `height` itself is not rounded; otherwise the last part could end a pixel above the track's
    # bottom.
    each = height / parts
    following = part + 1
    upper = np.round(part * each)
    if following == parts:
        return upper, height
    lower = np.round(following * each)
    return upper, lower


def draw_boxes(painter: QPainter, boxes: Boxes, place: QRectF, palette: Palette) -> None:
    """Draw boxes at the bottom of `place`, which is as wide as the plot."""
    if not len(boxes.left):
        return
    ratio = painter.device().devicePixelRatioF()
    pixels = pixels_of(place.width(), ratio)
    lines, edges = slices_of(boxes, place.height(), pixels, ratio, palette)
    draw_slices(painter, lines, edges.tolist(), place, ratio)


def slices_of(
    boxes: Boxes,
    height: float,
    pixels: int,
    ratio: float,
    palette: Palette,
) -> tuple[NDArray[np.uint32], Floats]:
    """Divide a track of boxes into horizontal slices in which colours depend only on x.

    Returns a line of 0xAARRGGBB for each slice, shape (slices, device pixels), with `ratio` device
    pixels per pixel; and the edges of the slices, in pixels below the top of a track of `height`.
    """
    left = boxes.left * ratio
    right = (boxes.left + boxes.width) * ratio
    owner = owners(left, right, pixels)
    # Where there is no box, `owner` is the number of boxes: the appended entry, which is clear.
    clear = palette.shape[1] - 1
    family = np.append(boxes.family, clear)[owner]
    upper_colours, lower_colours = palette
    upper = upper_colours[family]
    lower = lower_colours[family]
    halved = is_halved(boxes.family, palette)
    first = boxes.height[0]
    if not halved and (boxes.height == first).all():
        return upper[None], np.array([height - first, height])
    # The track is divided at the top of every height that occurs, and at its middle if boxes have
    # two colours. Between two edges no colour depends on y, so a slice is one line of pixels.
    heights = np.unique(boxes.height)
    tops = height - heights
    middles = tops
    if halved:
        middles = tops + np.round(heights / 2)
    edges = np.unique(np.concatenate([tops, middles, [height]]))
    tall = np.append(boxes.height, 0.0)[owner]
    # `depth`, shape (slices, pixels), is how far a slice's middle is below the top of the box in
    # that pixel. It is negative above the box; from half the box's height on, the pixel has the
    # lower colour.
    slice_middles = (edges[:-1] + edges[1:]) / 2
    depth = slice_middles[:, None] - (height - tall)
    is_lower = depth >= np.round(tall / 2)
    is_inside = depth >= 0
    colour = np.where(is_lower, lower, upper)
    return np.where(is_inside, colour, CLEAR), edges
