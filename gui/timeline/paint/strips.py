"""Draws the strips under compute lanes: predicted spans, and memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from core.arrays import Floats
from core.trace.trace import Trace
from gui.look.painter import pen
from gui.look.theme import Colours, Theme, mixed
from gui.timeline.layout.frame import Frame, Track
from gui.timeline.paint.boxes import Boxes, boxes_of, draw_boxes, fill_boxes, runs
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.counters import draw_counters
from gui.timeline.paint.pixels import (
    CLEAR,
    Palette,
    colour_code,
    draw_slices,
    families_of,
    image_of,
    is_halved,
    palette_of,
)
from gui.timeline.reduce.memory import LaneMemory, reduce_memory
from gui.timeline.reduce.reduction import Bars, PixelColumns, is_reduced, reduce_lane, visible
from gui.timeline.state.bar_looks import Colouring, recoloured
from gui.timeline.state.scene import Scene

EDGE = 1.0  # width of an outline
PALE = 0.8  # share of the plot's colour inside the outline
FAINT = 0.55  # the share for the outline if the prediction is inaccurate
PALER = 0.93  # the share for the inside if the prediction is inaccurate
WIDE = 2  # pixels per column where a prediction or the memory line is dense
DENSE = 0.5  # changes per pixel from which the memory line is dense
HEADROOM = 1.0  # free pixels above the highest line
STEPS_PER_PIXEL = 2  # heights of the memory line are rounded to half pixels


def draw_strips(canvas: Canvas, scene: Scene) -> None:
    """Draw all visible strips."""
    frame = canvas.frame
    if scene.prediction_columns:
        tracks = list(frame.visible(frame.layout.predictions))
        draw_predictions(canvas, scene, tracks)
    draw_counters(canvas, scene)
    most = scene.peak_bytes
    tracks = list(frame.visible(frame.layout.memory))
    if tracks and most:
        memory = [scene.memory[track.lane] for track in tracks]
        # A live run's memory is known up to its last span.
        _, end = scene.bounds
        draw_memory(canvas, memory, tracks, most, float(end))


def draw_predictions(canvas: Canvas, scene: Scene, tracks: Sequence[Track]) -> None:
    """Draw the predicted spans of lanes, outlined and pale to distinguish them from measured ones.

    They are fainter if the prediction is inaccurate.
    """
    if scene.prediction is None:
        return
    painter = canvas.painter
    frame = canvas.frame
    is_faint = bool(scene.doubt)
    colours = _prediction_colours(scene.colouring, frame.theme, is_faint)
    found = []
    for track in tracks:
        reduced = _reduced_prediction(scene, scene.prediction, track.lane, frame)
        if isinstance(reduced, PixelColumns) or len(reduced.left):
            found.append((reduced, frame.place(track)))
    # Bars and columns are drawn separately, because `_draw_together` scales them differently.
    bars: list[tuple[Bars | PixelColumns, QRectF]] = []
    columns: list[tuple[Bars | PixelColumns, QRectF]] = []
    for one, place in found:
        # Figures need rectangles, and overlaps in two colours need slices: `_draw_together` does
        # neither.
        if frame.vector or is_halved(one.family, colours.solid_codes):
            if isinstance(one, PixelColumns) and not frame.vector:
                one = one.stretched(WIDE, int(frame.view.width))
            _draw_prediction(painter, one, place, colours, frame.vector)
        elif isinstance(one, PixelColumns):
            columns.append((one, place))
        else:
            bars.append((one, place))
    if bars:
        _draw_together(painter, bars, colours)
    if columns:
        _draw_together(painter, columns, colours)


def _draw_prediction(
    painter: QPainter,
    reduced: Bars | PixelColumns,
    place: QRectF,
    colours: _PredictionColours,
    vector: bool,
) -> None:
    """Draw a track as boxes with pale boxes inside them."""
    outer = boxes_of(reduced, place.width(), place.height())
    inner = _inside(outer)
    within = place.adjusted(0, 0, 0, -EDGE)
    if vector:
        fill_boxes(painter, outer, place.left(), place.bottom(), colours.solid)
        fill_boxes(painter, inner, within.left(), within.bottom(), colours.pale)
    else:
        draw_boxes(painter, outer, place, colours.solid_codes)
        draw_boxes(painter, inner, within, colours.pale_codes)


def _reduced_prediction(
    scene: Scene, prediction: Trace, lane: int, frame: Frame
) -> Bars | PixelColumns:
    """Return a lane's reduced prediction; on a screen its columns are WIDE pixels each.

    Finer columns would take longer, and would not be visible on a strip that is low and pale.
    """
    columns = scene.prediction_columns[lane]
    view = frame.view
    seen = visible(columns, view.start, view.end)
    count = seen.stop - seen.start
    if is_reduced(count, view) and not frame.vector:
        view = view.coarser(WIDE)
    reduced = reduce_lane(columns, view)
    return recoloured(scene.colouring, reduced, prediction, lane, view)


def _draw_together(
    painter: QPainter,
    placed: Sequence[tuple[Bars | PixelColumns, QRectF]],
    colours: _PredictionColours,
) -> None:
    """Draw several tracks that are all bars or all columns, as three lines of pixels each.

    The upper and lower lines are outlines, with a pale line between them; wide bars have outlines
    at their ends too. Columns are WIDE pixels wide and as high as the track, because the track is
    too low to show how busy each column is.
    """
    solid = colours.solid_codes
    pale = colours.pale_codes
    ratio = 1 / WIDE
    bars = [track for track, _ in placed if isinstance(track, Bars)]
    if bars:
        ratio = painter.device().devicePixelRatioF()
        _, first_place = placed[0]
        width = first_place.width()
        outer, inner = families_of(bars, width, ratio, solid, insets=(0.0, EDGE))
    else:
        nothing = np.int8(solid.shape[1] - 1)
        families = []
        for track, _ in placed:
            if isinstance(track, PixelColumns):
                is_busy = track.busy > 0
                families.append(np.where(is_busy, track.family, nothing))
        outer = inner = np.stack(families)
    # Three lines of pixels per track, stretched to their heights: outline, inside, outline. A bar
    # too narrow for an outline has no inside (0), and is filled with the outline's colour.
    outline = solid[0][outer]
    inside = pale[0][inner]
    filled = np.where(inside > 0, inside, outline)
    lines = np.stack([outline, filled, outline], axis=1)
    for three, (_, place) in zip(lines, placed, strict=True):
        height = place.height()
        edges = (0.0, EDGE, height - EDGE, height)
        draw_slices(painter, three, edges, place, ratio)


def draw_memory(
    canvas: Canvas,
    memory: Sequence[LaneMemory],
    tracks: Sequence[Track],
    most: float,
    end: float,
) -> None:
    """Draw the lanes' memory up to `end` ns: activations at the bottom, everything else above.

    `most` bytes are the full height of a strip, for every lane, so that lanes can be compared. All
    strips have the same height. If changes are dense, columns are WIDE pixels each, except in
    figures.
    """
    painter = canvas.painter
    frame = canvas.frame
    view = frame.view
    wide = 1
    changes = max(one.seen(view) for one in memory)
    if not frame.vector and changes > DENSE * view.width:
        view = view.coarser(WIDE)
        wide = WIDE
    reduced = [reduce_memory(one, view, end) for one in memory]
    columns = np.stack(reduced, axis=1)
    height = tracks[0].height
    # Rounded up to half pixels: neighbours that differ by less become equal, which keeps the
    # outline of figures short (stepped_line).
    scale = (height - HEADROOM) * STEPS_PER_PIXEL / most
    held, activations = np.ceil(columns * scale) / STEPS_PER_PIXEL
    if frame.vector:
        for track, over, under in zip(tracks, held, activations, strict=True):
            bottom = frame.top + track.bottom
            _draw_areas(painter, over, under, frame.left, bottom, frame.theme)
        return
    ratio = canvas.pixel_ratio
    pixels = memory_pixels(held, activations, height, ratio, frame.theme)
    right = frame.left + wide * pixels.shape[2]
    for track, mine in zip(tracks, pixels, strict=True):
        place = frame.between(track, frame.left, right)
        painter.drawImage(place, image_of(mine))


def memory_pixels(
    held: Floats,
    activations: Floats,
    height: float,
    ratio: float,
    theme: Theme,
) -> NDArray[np.uint32]:
    """Return memory strips as 0xAARRGGBB, with a line of pixels per device pixel of `height`.

    `held` and `activations` are heights in pixels, shape (strips, columns); the result has shape
    (strips, lines, columns). A line at the upper edge connects adjacent columns that are not empty.
    """
    # From here on, heights are in device pixels from the strip's top: line y is filled where
    # y >= over. int16 makes the comparisons of (strips, lines, columns) entries fast.
    lines = max(1, round(height * ratio))
    held_lines = np.round(held * ratio).astype(np.int16)
    activation_lines = np.round(activations * ratio).astype(np.int16)
    over = lines - held_lines[:, None]
    under = lines - activation_lines[:, None]
    rest, inner = memory_colours(theme)
    rest_code = np.uint32(rest.rgba())
    inner_code = np.uint32(inner.rgba())
    y = np.arange(lines, dtype=np.int16)[:, None]
    pixels = np.where(y >= over, rest_code, CLEAR)
    np.copyto(pixels, inner_code, where=y >= under)
    # The line connects a column's top with the previous column's, as a step. There is no step down
    # to an empty column (its top is at `lines`), nor up from it.
    first = over[..., :1]
    all_but_last = over[..., :-1]
    before = np.concatenate([first, all_but_last], axis=2)
    # No line from an empty column: it would show memory there.
    before = np.where(before == lines, over, before)
    thick = max(1, round(EDGE * ratio))
    upper = np.minimum(over, before)
    lower = np.maximum(over, before) + thick
    is_on_line = (y >= upper) & (y < lower)
    is_on_line &= over < lines
    np.copyto(pixels, colour_code(theme.memory), where=is_on_line)
    return pixels


def _draw_areas(
    painter: QPainter,
    held: Floats,
    activations: Floats,
    left: float,
    bottom: float,
    theme: Theme,
) -> None:
    """Draw memory as areas under lines, for figures."""
    some = np.flatnonzero(held)
    if not len(some):
        return
    first_column = int(some[0])
    last_column = int(some[-1])
    shown = slice(first_column, last_column + 1)
    left = left + first_column
    held_line = stepped_line(held[shown], left, bottom)
    activations_line = stepped_line(activations[shown], left, bottom)
    held_colour, activations_colour = memory_colours(theme)
    painter.setPen(Qt.PenStyle.NoPen)
    for colour, line in ((held_colour, held_line), (activations_colour, activations_line)):
        first_foot = QPointF(line[0].x(), bottom)
        last_foot = QPointF(line[-1].x(), bottom)
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([*line, last_foot, first_foot]))
    painter.setPen(pen(theme.memory, EDGE))
    painter.drawPolyline(QPolygonF(held_line))


def stepped_line(heights: Floats, left: float, bottom: float) -> list[QPointF]:
    """Return a stepped line over columns of one pixel from `left` on; equal ones share a step."""
    # Each run of equal heights has two points, at its first and at its last x; the next run begins
    # at the same x, so that the line between them is vertical.
    first, last = runs(heights, heights)
    ends = np.stack([first, last], axis=1).ravel()
    tops = np.repeat(bottom - heights[first], 2)
    xs = (ends + left).tolist()
    return list(map(QPointF, xs, tops.tolist()))


def memory_colours(theme: Theme) -> tuple[QColor, QColor]:
    """Return the colour of memory as a whole, and the colour of the activations in it."""
    return QColor(theme.line), QColor(theme.memory)


def _inside(boxes: Boxes) -> Boxes:
    """Return the inside of boxes that are wide enough for an outline."""
    is_wide = boxes.width > 3 * EDGE
    both_edges = 2 * EDGE
    left = boxes.left[is_wide] + EDGE
    width = boxes.width[is_wide] - both_edges
    within = boxes.height[is_wide] - both_edges
    height = np.maximum(0.0, within)
    family = boxes.family[is_wide]
    return Boxes(left, width, height, family)


@dataclass(frozen=True, slots=True)
class _PredictionColours:
    """Colours by code, for outlines (`solid`) and inside them (`pale`), also as palettes."""

    solid: tuple[tuple[QColor, ...], ...]
    pale: tuple[tuple[QColor, ...], ...]
    solid_codes: Palette
    pale_codes: Palette


@lru_cache(maxsize=4)
def _prediction_colours(colouring: Colouring, theme: Theme, faint: bool) -> _PredictionColours:
    towards_plot = 0.0
    inside = PALE
    if faint:
        towards_plot = FAINT
        inside = PALER
    solid = _mixed_colours(colouring, theme, towards_plot)
    pale = _mixed_colours(colouring, theme, inside)
    solid_codes = palette_of(solid)
    pale_codes = palette_of(pale)
    return _PredictionColours(solid, pale, solid_codes, pale_codes)


def _mixed_colours(colouring: Colouring, theme: Theme, share: float) -> Colours:
    """Return the colours of each code, with a share of the plot's colour."""
    found = []
    for parts in colouring.colours(theme):
        mixtures = (mixed(colour.name(), theme.plot, share) for colour in parts)
        found.append(tuple(map(QColor, mixtures)))
    return tuple(found)
