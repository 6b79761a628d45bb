"""Rows of boxes as few lines of pixels, each stretched to its height: what a screen shows.

Thousands of rectangles in a row cost far more than the pixels that they cover.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPixmap

from gui.timeline.reduce.boxes import LEVELS, Boxes, boxes_of, extents, level_heights, levels_of
from gui.timeline.reduce.reduction import Bars, PixelColumns

Palette = NDArray[np.uint32]
STEPS = np.arange(LEVELS, 0, -1, dtype=np.int8)  # of columns, from the highest


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
    left: NDArray[np.floating], right: NDArray[np.floating], pixels: int,
    row: int | NDArray[np.int64] = 0, rows: int = 1,
) -> NDArray[np.int64]:  # fmt: skip
    """Which of n boxes, sorted and apart, covers the centre of each pixel; n where none does.

    A box that is left with no pixel takes the first one behind its left edge from its neighbour.
    Boxes may be those of several rows, one row behind the other, given by the `row` of each; so
    are the pixels then, so many for each row.
    """
    count, zero = len(left), row * pixels
    first = np.clip(np.ceil(left - 0.5), 0, pixels).astype(np.int64) + zero
    last = np.clip(np.ceil(right - 0.5), 0, pixels).astype(np.int64) + zero
    np.maximum.accumulate(first, out=first)  # a step that is predicted to be longer meets the next
    np.maximum(last, first, out=last)
    np.minimum(last[:-1], first[1:], out=last[:-1])
    bounds = np.empty(2 * count + 2, np.int64)
    bounds[0], bounds[1:-1:2], bounds[2:-1:2], bounds[-1] = 0, first, last, rows * pixels
    which = np.full(2 * count + 1, count)
    which[1::2] = np.arange(count)
    found = np.repeat(which, np.diff(bounds))
    narrow = np.flatnonzero(last <= first)
    found[np.minimum(first, zero + pixels - 1)[narrow]] = narrow
    return found


def slices_of(boxes: Boxes, height: float, pixels: int, ratio: float, palette: Palette) -> Slices:
    """The boxes of a row of `height` over so many device pixels, `ratio` of them in a pixel."""
    owner = owners(boxes.left * ratio, (boxes.left + boxes.width) * ratio, pixels)
    family = np.append(boxes.family, palette.shape[1] - 1)[owner]
    halved = is_halved(boxes.family, palette)
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


def draw_slices(painter: QPainter, slices: Slices, left: float, top: float, ratio: float) -> None:
    """Draw a row's slices, where the plot begins at `left` and the row at `top`."""
    pixels = np.ascontiguousarray(slices.pixels)
    image, count = image_of(pixels), pixels.shape[1]
    edges = slices.edges.tolist()
    for number, (upper, lower) in enumerate(pairwise(edges)):
        place = QRectF(left, top + upper, count / ratio, lower - upper)
        painter.drawImage(place, image, QRectF(0, number, count, 1))


def draw_uprights(painter: QPainter, xs: NDArray[np.floating], place: QRectF, colour: str) -> None:
    """Upright lines, a pixel wide, at sorted `xs` pixels from the left of a place; from its top.

    Drawn one by one, each touches another line of memory for each of its pixels.
    """
    ratio = painter.device().devicePixelRatioF()
    pixels = max(1, math.ceil(place.width() * ratio))
    left = np.round((xs - 0.5) * ratio)
    here = owners(left, left + round(ratio), pixels) < len(xs)
    line = np.where(here, np.uint32(QColor(colour).rgba()), np.uint32(0))
    texture = QPixmap.fromImage(image_of(line[None]))
    texture.setDevicePixelRatio(ratio)
    painter.setBrushOrigin(place.topLeft())
    painter.fillRect(place, QBrush(texture))


def draw_rows(
    painter: QPainter, reduced: Sequence[Bars | PixelColumns], places: Sequence[QRectF],
    palette: Palette,
) -> None:  # fmt: skip
    """Draw what was reduced for some rows, each at its place, all as wide as the plot.

    They are worked out together, which takes less time than one by one.
    """
    bars: list[tuple[Bars, QRectF]] = []
    columns: list[tuple[PixelColumns, QRectF]] = []
    for one, place in zip(reduced, places, strict=True):
        if isinstance(one, PixelColumns):
            columns.append((one, place))
        elif len(one.left):
            bars.append((one, place))
    if any(is_halved(one.family, palette) for one in reduced):
        for one, place in zip(reduced, places, strict=True):
            draw_boxes(painter, boxes_of(one, place.width(), place.height()), place, palette)
        return
    if bars:
        _draw_bars(painter, [one for one, _ in bars], [place for _, place in bars], palette)
    if columns:
        _draw_columns(painter, [one for one, _ in columns], [at for _, at in columns], palette)


def _draw_bars(
    painter: QPainter, rows: Sequence[Bars], places: Sequence[QRectF], palette: Palette
) -> None:
    ratio, width = painter.device().devicePixelRatioF(), places[0].width()
    pixels = max(1, math.ceil(width * ratio))
    lines = np.ascontiguousarray(palette[0][families_of(laid(rows, width), pixels, ratio, palette)])
    image = image_of(lines)
    for number, place in enumerate(places):
        target = QRectF(place.left(), place.top(), pixels / ratio, place.height())
        painter.drawImage(target, image, QRectF(0, number, pixels, 1))


class Laid(NamedTuple):
    """The bars of some rows, one row behind the other: n left edges and widths in pixels."""

    left: NDArray[np.floating]
    width: NDArray[np.floating]
    family: NDArray[np.int8]
    row: NDArray[np.int64]
    rows: int


def laid(rows: Sequence[Bars], width: float) -> Laid:
    """Where the bars of some rows stand in plots of a width."""
    left, wide = extents(
        np.concatenate([bars.left for bars in rows]),
        np.concatenate([bars.right for bars in rows]), width,
    )  # fmt: skip
    counts = [len(bars.left) for bars in rows]
    family = np.concatenate([bars.family for bars in rows])
    return Laid(left, wide, family, np.repeat(np.arange(len(rows)), counts), len(rows))


def families_of(
    bars: Laid, pixels: int, ratio: float, palette: Palette, inset: float = 0.0
) -> NDArray[np.int8]:
    """The family in each device pixel of some rows, or the palette's last entry where none is.

    Shape (rows, pixels). With an `inset`, bars lose so many pixels at both ends if they are wide.
    """
    left, wide, family, row, rows = bars
    if inset:
        roomy = np.flatnonzero(wide > 3 * inset)
        left, wide = left[roomy] + inset, wide[roomy] - 2 * inset
        family, row = family[roomy], row[roomy]
    owner = owners(left * ratio, (left + wide) * ratio, pixels, row, rows)
    return np.append(family, np.int8(palette.shape[1] - 1))[owner].reshape(rows, pixels)


def _draw_columns(
    painter: QPainter, rows: Sequence[PixelColumns], places: Sequence[QRectF], palette: Palette
) -> None:
    colour = palette[0][np.stack([columns.family for columns in rows])]
    level = np.stack([levels_of(columns) for columns in rows])
    lines = np.where(level[:, None] >= STEPS[:, None], colour[:, None], np.uint32(0))
    pixels = colour.shape[1]
    image = image_of(lines.reshape(-1, pixels))
    for number, place in enumerate(places):
        edges = column_edges(place.height())
        for step, (upper, lower) in enumerate(pairwise(edges)):
            if upper < lower:
                target = QRectF(place.left(), place.top() + upper, pixels, lower - upper)
                painter.drawImage(target, image, QRectF(0, LEVELS * number + step, pixels, 1))


@lru_cache(maxsize=64)
def column_edges(height: float) -> list[float]:
    """Where a row of `height` is cut: from the top of the highest columns to the bottom of all."""
    return [*(height - level_heights(STEPS, height)).tolist(), height]


def draw_boxes(painter: QPainter, boxes: Boxes, place: QRectF, palette: Palette) -> None:
    """Draw boxes that stand on the bottom of `place`, which is as wide as the plot."""
    if not len(boxes.left):
        return
    ratio = painter.device().devicePixelRatioF()
    pixels = max(1, math.ceil(place.width() * ratio))
    slices = slices_of(boxes, place.height(), pixels, ratio, palette)
    draw_slices(painter, slices, place.left(), place.top(), ratio)


def is_halved(family: NDArray[np.int8], palette: Palette) -> bool:
    """Whether some of the families have two colours."""
    two = np.flatnonzero(palette[0] != palette[1])
    return any((family == code).any() for code in two.tolist())


def image_of(pixels: NDArray[np.uint32]) -> QImage:
    """An image over `pixels` (lines, columns), which must outlive it: they are not copied."""
    lines, columns = pixels.shape
    return QImage(
        pixels.data, columns, lines, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied
    )  # fmt: skip
