"""Draws tracks of spans on a screen: a few lines of pixels, stretched to the tracks' heights.

Thousands of rectangles in a row cost far more than the pixels that they cover. For figures, and for
bars in two colours, see `boxes`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPixmap

from core.arrays import Floats, Ints
from gui.timeline.reduce.reduction import Bars, PixelColumns

Palette = NDArray[np.uint32]
LEVELS = 8  # heights that a pixel column can have
STEPS = np.arange(LEVELS, 0, -1, dtype=np.int8)  # the levels above 0, highest first
CLEAR = np.uint32(0)  # the code of a transparent pixel
SEAM_PIXELS = 5.0  # wider bars leave a pixel free, so that neighbours can be distinguished


def draw_tracks(
    painter: QPainter,
    reduced: Sequence[Bars | PixelColumns],
    places: Sequence[QRectF],
    palette: Palette,
) -> None:
    """Draw the reduced spans of some tracks, each at its place, all as wide as the plot.

    Tracks are computed together, which is faster than one by one. No family may have two colours.
    """
    bars: list[tuple[Bars, QRectF]] = []
    columns: list[tuple[PixelColumns, QRectF]] = []
    for one, place in zip(reduced, places, strict=True):
        if isinstance(one, PixelColumns):
            columns.append((one, place))
        elif len(one.left):
            bars.append((one, place))
    if bars:
        _draw_bars(painter, bars, palette)
    if columns:
        _draw_columns(painter, columns, palette)


def _draw_bars(painter: QPainter, tracks: Sequence[tuple[Bars, QRectF]], palette: Palette) -> None:
    ratio = painter.device().devicePixelRatioF()
    _, first_place = tracks[0]
    bars = [one for one, _ in tracks]
    (families,) = families_of(bars, first_place.width(), ratio, palette)
    colours = palette[0]
    lines = colours[families]
    pixels = families.shape[1]
    width = pixels / ratio
    image = image_of(lines)
    for number, (_, place) in enumerate(tracks):
        line = QRectF(0, number, pixels, 1)
        target = QRectF(place.left(), place.top(), width, place.height())
        painter.drawImage(target, image, line)


def families_of(
    tracks: Sequence[Bars],
    width: float,
    ratio: float,
    palette: Palette,
    insets: Sequence[float] = (0.0,),
) -> list[NDArray[np.int8]]:
    """Return the family in each device pixel of tracks of bars, once for each of the `insets`.

    The arrays have shape (tracks, device pixels). Bars are shortened at both ends by the inset, in
    pixels; bars narrower than three insets are left out. Pixels without a bar have the index of the
    palette's last entry.
    """
    all_left = np.concatenate([bars.left for bars in tracks])
    all_right = np.concatenate([bars.right for bars in tracks])
    left, wide = extents(all_left, all_right, width)
    counts = [len(bars.left) for bars in tracks]
    track = np.repeat(np.arange(len(tracks)), counts)
    family = np.concatenate([bars.family for bars in tracks])
    nothing = np.int8(palette.shape[1] - 1)
    pixels = pixels_of(width, ratio)
    found = []
    for inset in insets:
        roomy = wide > 3 * inset if inset else slice(None)
        # Bars too narrow for an inset are left out: `owners` would give each of them a pixel.
        begin = left[roomy] + inset
        end = begin + (wide[roomy] - 2 * inset)
        owner = owners(begin * ratio, end * ratio, pixels, track[roomy], len(tracks))
        # Where there is no bar, `owner` is the number of bars: the appended entry.
        families = np.append(family[roomy], nothing)
        in_pixels = families[owner].reshape(len(tracks), pixels)
        found.append(in_pixels)
    return found


def extents(
    left: NDArray[np.floating],
    right: NDArray[np.floating],
    width: float,
) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return left edges and widths of bars as they are drawn in a plot of `width` pixels."""
    # At high zoom a bar can be millions of pixels wide. It is clipped two pixels outside the plot,
    # where its edges are not visible.
    left = np.maximum(left, -2.0)
    wide = np.minimum(right, width + 2.0) - left
    drawn = np.where(wide > SEAM_PIXELS, wide - 1.0, wide)
    return left, np.maximum(1.0, drawn)


def owners(
    left: NDArray[np.floating],
    right: NDArray[np.floating],
    pixels: int,
    track: int | Ints = 0,
    tracks: int = 1,
) -> Ints:
    """Return which of n sorted, disjoint boxes covers the centre of each pixel; n if none does.

    A box that covers no centre takes the first pixel after its left edge from its neighbour. Boxes
    may be on several tracks, in order, given by the `track` of each; the result then has `pixels`
    entries for each track.
    """
    # Track and pixel are packed into one number, track * pixels + pixel, so that the boxes of all
    # tracks are one sorted array and need no loop. Pixel p has its centre at p + 0.5, and its box
    # is the one with left <= p + 0.5 < right: a box has the pixels from ceil(left - 0.5) up to,
    # excluding, ceil(right - 0.5). Both are clipped before `zero` is added; otherwise a bar that
    # leaves the plot at the right would continue in the next track.
    count = len(left)
    zero = track * pixels
    first_pixel = np.clip(np.ceil(left - 0.5), 0, pixels)
    last_pixel = np.clip(np.ceil(right - 0.5), 0, pixels)
    first = first_pixel.astype(np.int64) + zero
    last = last_pixel.astype(np.int64) + zero
    np.maximum.accumulate(first, out=first)  # predicted steps may overlap with the next
    # Bounds must not decrease, because np.repeat refuses negative counts.
    np.maximum(last, first, out=last)
    before_next = last[:-1]
    np.minimum(before_next, first[1:], out=before_next)
    # Gaps and boxes alternate, so one np.repeat fills all pixels. Two boxes, over pixels 1 and 3-4:
    #   bounds  0   1   2   3     5   6
    #   which     2   0   2    1    2      2, the number of boxes, means none
    #   found   [ 2,  0,  2,  1, 1, 2 ]
    bounds = np.empty(2 * count + 2, np.int64)
    bounds[0] = 0
    bounds[1:-1:2] = first
    bounds[2:-1:2] = last
    bounds[-1] = tracks * pixels
    which = np.full(2 * count + 1, count)
    which[1::2] = np.arange(count)
    found = np.repeat(which, np.diff(bounds))
    # A box without a pixel must still be visible, so it takes one, which at the end of a track must
    # not belong to the next track.
    narrow = np.flatnonzero(last <= first)
    end_of_track = zero + pixels - 1
    own_pixel = np.minimum(first, end_of_track)
    found[own_pixel[narrow]] = narrow
    return found


def palette_of(colours: tuple[tuple[QColor, ...], ...]) -> Palette:
    """Return the colours of families as 0xAARRGGBB: shape (2, families + 1), upper and lower part.

    The last entry is clear, for pixels without a box.
    """
    # rgba() is not premultiplied, but image_of's format is. For opaque colours and for 0, the only
    # ones here, both are the same number.
    clear = 0
    upper = [parts[0].rgba() for parts in colours]
    lower = [parts[-1].rgba() for parts in colours]
    upper.append(clear)
    lower.append(clear)
    return np.array([upper, lower], np.uint32)


def is_halved(family: NDArray[np.int8], palette: Palette) -> bool:
    """Return whether some of the families have two colours."""
    upper, lower = palette
    two = np.flatnonzero(upper != lower)
    return any((family == code).any() for code in two.tolist())


def colour_code(colour: str) -> np.uint32:
    """Return a `#rrggbb` colour as 0xffRRGGBB, the code of an opaque pixel."""
    return np.uint32(QColor(colour).rgba())


def pixels_of(width: float, ratio: float) -> int:
    """Return the number of device pixels in a width, `ratio` per pixel; the last may be cut."""
    return max(1, math.ceil(width * ratio))


def image_of(pixels: NDArray[np.uint32]) -> QImage:
    """Return an image over `pixels` (lines, columns), which must outlive it: no copy is made."""
    lines, columns = pixels.shape
    form = QImage.Format.Format_ARGB32_Premultiplied
    return QImage(pixels.data, columns, lines, 4 * columns, form)


def _draw_columns(
    painter: QPainter,
    tracks: Sequence[tuple[PixelColumns, QRectF]],
    palette: Palette,
) -> None:
    colours = palette[0]
    families = np.stack([columns.family for columns, _ in tracks])
    colour = colours[families]
    # A column of level n is coloured in the lowest n of LEVELS lines. Comparing the shapes
    # (tracks, 1, columns) and (LEVELS, 1) gives (tracks, LEVELS, columns). In the image, line
    # LEVELS * track + step has step number `step` of a track.
    level = np.stack([levels_of(columns) for columns, _ in tracks])
    is_filled = level[:, None] >= STEPS[:, None]
    lines = np.where(is_filled, colour[:, None], CLEAR)
    pixels = colour.shape[1]
    image = image_of(lines.reshape(-1, pixels))
    for number, (_, place) in enumerate(tracks):
        edges = column_edges(place.height())
        first_line = LEVELS * number
        for step, (upper, lower) in enumerate(pairwise(edges)):
            # In low tracks, several levels have the same height (level_heights) and their slices
            # are empty.
            if upper < lower:
                top = place.top() + upper
                target = QRectF(place.left(), top, pixels, lower - upper)
                line = QRectF(0, first_line + step, pixels, 1)
                painter.drawImage(target, image, line)


@lru_cache(maxsize=64)
def column_edges(height: float) -> list[float]:
    """Return the edges of a track's slices, from the top of the highest column to the bottom."""
    tops = height - level_heights(STEPS, height)
    return [*tops.tolist(), height]


def levels_of(columns: PixelColumns) -> NDArray[np.int8]:
    """Return the level of each pixel column, from 0 for idle to LEVELS for busy all the time."""
    return np.ceil(columns.busy * LEVELS).astype(np.int8)


def level_heights(level: NDArray[np.int8], height: float) -> Floats:
    """Return the height in pixels of levels above 0 on a track of `height`."""
    # At least two pixels, so that even a single short span in a column is visible.
    exact = level / LEVELS * height
    heights: Floats = np.maximum(2.0, exact)
    return heights


def draw_slices(
    painter: QPainter,
    pixels: NDArray[np.uint32],
    edges: Sequence[float],
    place: QRectF,
    ratio: float,
) -> None:
    """Draw lines of device pixels at a track's `place`, each stretched from its edge to the next.

    `pixels` has the shape (lines, device pixels). `edges` are in pixels below the track's top, one
    more than lines.
    """
    pixels = np.ascontiguousarray(pixels)
    # One image for all lines; drawImage stretches one line of it over a whole slice.
    image = image_of(pixels)
    columns = pixels.shape[1]
    width = columns / ratio
    for number, (upper, lower) in enumerate(pairwise(edges)):
        line = QRectF(0, number, columns, 1)
        target = QRectF(place.left(), place.top() + upper, width, lower - upper)
        painter.drawImage(target, image, line)


def draw_uprights(painter: QPainter, xs: NDArray[np.floating], place: QRectF, colour: str) -> None:
    """Draw vertical lines, a pixel wide, at sorted `xs` pixels from the left of a place.

    They are drawn as one texture, because each separate line would write to every row of the image.
    """
    ratio = painter.device().devicePixelRatioF()
    pixels = pixels_of(place.width(), ratio)
    left = np.round((xs - 0.5) * ratio)
    right = left + round(ratio)
    is_on_line = owners(left, right, pixels) < len(xs)
    line = np.where(is_on_line, colour_code(colour), CLEAR)
    texture = QPixmap.fromImage(image_of(line[None]))
    # A texture of one line, which Qt repeats vertically. Without setBrushOrigin a brush begins at
    # the painter's origin, and the lines would be displaced.
    texture.setDevicePixelRatio(ratio)
    painter.setBrushOrigin(place.topLeft())
    painter.fillRect(place, QBrush(texture))
