"""Rows of boxes as few lines of pixels, each stretched to its height: what a screen shows.

Thousands of rectangles in a row cost far more than the pixels that they cover.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from gui.timeline.boxes import LEVELS, Boxes, boxes_of, level_heights, levels_of
from gui.timeline.reduction import Bars, PixelColumns

Palette = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Slices:
    """A row cut into slices that look the same from their top to their bottom.

    `pixels` has a line of 0xAARRGGBB for each, shape (slices, device pixels); `edges` are where
    they begin and the last one ends, in pixels below the row's top.
    """

    pixels: NDArray[np.uint32]
    edges: NDArray[np.float64]


def palette_of(colours: tuple[tuple[QColor, ...], ...]) -> Palette:
    """Theme.families as numbers: shape (2, families + 1), upper and lower part.

    The last entry is clear: what stands where there is no box.
    """
    ends = [[parts[n].rgba() for parts in colours] for n in (0, -1)]
    return np.array([[*codes, 0] for codes in ends], np.uint32)


def owners(
    left: NDArray[np.floating], right: NDArray[np.floating], pixels: int
) -> NDArray[np.int64]:
    """Which of n boxes, sorted and apart, covers the centre of each pixel; n where none does.

    A box that is left with no pixel takes the first one behind its left edge from its neighbour.
    """
    count = len(left)
    first = np.clip(np.ceil(left - 0.5), 0, pixels).astype(np.int64)
    last = np.clip(np.ceil(right - 0.5), first, pixels).astype(np.int64)
    np.minimum(last[:-1], first[1:], out=last[:-1])
    bounds = np.empty(2 * count + 2, np.int64)
    bounds[0], bounds[1:-1:2], bounds[2:-1:2], bounds[-1] = 0, first, last, pixels
    which = np.full(2 * count + 1, count)
    which[1::2] = np.arange(count)
    found = np.repeat(which, np.diff(bounds))
    narrow = np.flatnonzero(last <= first)
    found[np.minimum(first[narrow], pixels - 1)] = narrow
    return found


def slices_of(boxes: Boxes, height: float, pixels: int, ratio: float, palette: Palette) -> Slices:
    """The boxes of a row of `height` over so many device pixels, `ratio` of them in a pixel."""
    owner = owners(boxes.left * ratio, (boxes.left + boxes.width) * ratio, pixels)
    family = np.append(boxes.family, palette.shape[1] - 1)[owner]
    halved = _halved(boxes.family, palette)
    if not halved and (boxes.height == boxes.height[0]).all():
        return Slices(palette[0][family][None], np.array([height - boxes.height[0], height]))
    heights = np.unique(boxes.height)
    tops = height - heights
    middles = tops + np.round(heights / 2) if halved else tops
    edges = np.unique(np.concatenate([tops, middles, [height]]))
    tall = np.append(boxes.height, 0.0)[owner]
    depth = (edges[:-1] + edges[1:])[:, None] / 2 - (height - tall)
    upper, lower = palette[0][family], palette[1][family]
    colour = np.where(depth >= np.round(tall / 2), lower, upper)
    return Slices(np.where(depth >= 0, colour, np.uint32(0)), edges)


def slices_of_columns(columns: PixelColumns, height: float, palette: Palette) -> Slices:
    """The columns of a row of `height`, each a pixel wide, as high as it is busy."""
    level = levels_of(columns)
    steps = np.arange(LEVELS, 0, -1, dtype=np.int8)
    edges = np.append(height - level_heights(steps, height), height)
    seen = np.where(level >= steps[:, None], palette[0][columns.family], np.uint32(0))
    room = np.diff(edges) > 0
    return Slices(seen[room], np.append(edges[:-1][room], height))


def outlined_columns(
    columns: PixelColumns, height: float, line: float, solid: Palette, pale: Palette
) -> Slices:
    """Columns of one height for what is busy at all: `pale` between two lines of `solid`."""
    family = np.where(columns.busy > 0, columns.family, np.int8(solid.shape[1] - 1))
    outer = solid[0][family]
    edges = np.array([0.0, line, height - line, height])
    return Slices(np.stack([outer, pale[0][family], outer]), edges)


def draw_slices(painter: QPainter, slices: Slices, left: float, top: float, ratio: float) -> None:
    """Draw a row's slices, where the plot begins at `left` and the row at `top`."""
    pixels = np.ascontiguousarray(slices.pixels)
    image, count = image_of(pixels), pixels.shape[1]
    edges = slices.edges.tolist()
    for number, (upper, lower) in enumerate(pairwise(edges)):
        place = QRectF(left, top + upper, count / ratio, lower - upper)
        painter.drawImage(place, image, QRectF(0, number, count, 1))


def draw_reduced(
    painter: QPainter, reduced: Bars | PixelColumns, place: QRectF, palette: Palette
) -> None:
    """Draw what was reduced for a row at `place`, which is as wide as the plot."""
    if isinstance(reduced, PixelColumns) and not _halved(reduced.family, palette):
        slices = slices_of_columns(reduced, place.height(), palette)
        draw_slices(painter, slices, place.left(), place.top(), 1.0)
    else:
        draw_boxes(painter, boxes_of(reduced, place.width(), place.height()), place, palette)


def draw_boxes(painter: QPainter, boxes: Boxes, place: QRectF, palette: Palette) -> None:
    """Draw boxes that stand on the bottom of `place`, which is as wide as the plot."""
    if not len(boxes.left):
        return
    ratio = painter.device().devicePixelRatioF()
    pixels = max(1, math.ceil(place.width() * ratio))
    slices = slices_of(boxes, place.height(), pixels, ratio, palette)
    draw_slices(painter, slices, place.left(), place.top(), ratio)


def _halved(family: NDArray[np.int8], palette: Palette) -> bool:
    """Whether some of the families have two colours."""
    two = np.flatnonzero(palette[0] != palette[1])
    return any((family == code).any() for code in two.tolist())


def image_of(pixels: NDArray[np.uint32]) -> QImage:
    """An image over `pixels` (lines, columns), which must outlive it: they are not copied."""
    lines, columns = pixels.shape
    return QImage(
        pixels.data, columns, lines, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied
    )  # fmt: skip
