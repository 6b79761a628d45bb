"""Draws what stands under a compute lane: the prediction's ghost, and the memory held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.trace.trace import Trace
from gui.look.theme import Theme, mixed
from gui.timeline.layout.frame import Frame, Track
from gui.timeline.paint.boxes import Boxes, boxes_of, draw_boxes, fill_boxes, runs
from gui.timeline.paint.counters import draw_counters
from gui.timeline.paint.pixels import (
    Palette,
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

EDGE = 1.0  # an outline's width
PALE = 0.8  # of the plot's colour within the outline
FAINT, PALER = 0.55, 0.93  # of the same in outline and within, of a prediction that is far off
WIDE = 2  # pixels of a column where a prediction or the memory line is crowded
DENSE = 0.5  # changes of the memory line in a pixel from which it is crowded
HEADROOM = 1.0  # free pixels above the highest line
STEPS_PER_PIXEL = 2  # heights of the memory line are rounded to this


def draw_strips(painter: QPainter, scene: Scene, frame: Frame) -> None:
    """Every strip that can be seen."""
    if scene.ghosts:
        draw_ghosts(painter, scene, frame, list(frame.visible(frame.layout.ghosts)))
    draw_counters(painter, scene, frame)
    most, latest = scene.most_held, float(scene.bounds[1])  # a live run tells memory with its spans
    tracks = list(frame.visible(frame.layout.memory))
    if tracks and most:
        draw_memory(
            painter, [scene.memory[track.lane] for track in tracks], frame, tracks, most, latest
        )


def draw_ghosts(painter: QPainter, scene: Scene, frame: Frame, tracks: Sequence[Track]) -> None:
    """The predicted spans of lanes, outlined and pale, as no measured span is."""
    if scene.prediction is None:
        return
    ghost = _ghost_colours(scene.colouring, frame.theme, bool(scene.doubt))
    found = []
    for track in tracks:
        reduced = _reduced_ghost(scene, scene.prediction, track.lane, frame)
        if isinstance(reduced, PixelColumns) or len(reduced.left):
            found.append((reduced, frame.place(track)))
    # Bars and columns are worked out apart: `_draw_together` scales each of them in its own way.
    together: dict[type, list[tuple[Bars | PixelColumns, QRectF]]] = {Bars: [], PixelColumns: []}
    for one, place in found:
        # A figure needs rectangles, and two colours in a row need slices: neither can be done
        # together.
        if frame.vector or is_halved(one.family, ghost.solid_codes):
            if isinstance(one, PixelColumns) and not frame.vector:
                one = one.stretched(WIDE, int(frame.view.width))
            _draw_ghost(painter, one, place, ghost, frame.vector)
        else:
            together[type(one)].append((one, place))
    for some in filter(None, together.values()):
        _draw_together(painter, some, ghost)


def _draw_ghost(
    painter: QPainter, reduced: Bars | PixelColumns, place: QRectF, ghost: _GhostColours,
    vector: bool,
) -> None:  # fmt: skip
    """One track as boxes, and pale ones within them."""
    outer, within = boxes_of(reduced, place.width(), place.height()), place.adjusted(0, 0, 0, -EDGE)
    if vector:
        fill_boxes(painter, outer, place.left(), place.bottom(), ghost.solid)
        fill_boxes(painter, _inside(outer), place.left(), within.bottom(), ghost.pale)
    else:
        draw_boxes(painter, outer, place, ghost.solid_codes)
        draw_boxes(painter, _inside(outer), within, ghost.pale_codes)


def _reduced_ghost(scene: Scene, prediction: Trace, lane: int, frame: Frame) -> Bars | PixelColumns:
    """What to draw of a lane's prediction: on a screen its columns are WIDE pixels each.

    It is low and pale, so that nobody could tell them from finer ones, which would take longer.
    """
    columns, view = scene.ghosts[lane], frame.view
    seen = visible(columns, view.start, view.end)
    if is_reduced(seen.stop - seen.start, view) and not frame.vector:
        view = view.coarser(WIDE)
    return recoloured(scene.colouring, reduce_lane(columns, view), prediction, lane, view)


def _draw_together(
    painter: QPainter, placed: Sequence[tuple[Bars | PixelColumns, QRectF]], ghost: _GhostColours
) -> None:
    """Tracks of one sort: lines at top and bottom, pale between, lines at the ends of wide bars.

    Columns are WIDE, and as high as the track: it is too low to tell how busy they are.
    """
    solid, pale, ratio = ghost.solid_codes, ghost.pale_codes, 1 / WIDE
    bars = [track for track, _ in placed if isinstance(track, Bars)]
    if bars:
        ratio = painter.device().devicePixelRatioF()
        outer, inner = families_of(bars, placed[0][1].width(), ratio, solid, (0.0, EDGE))
    else:
        nothing = np.int8(solid.shape[1] - 1)
        columns = [track for track, _ in placed if isinstance(track, PixelColumns)]
        outer = inner = np.stack([np.where(c.busy > 0, c.family, nothing) for c in columns])
    # Three lines of pixels a track, stretched to their heights: outline, body, outline. A bar too
    # narrow for an outline has no body (0), and is filled with the outline's colour.
    edge, within = solid[0][outer], pale[0][inner]
    lines = np.stack([edge, np.where(within > 0, within, edge), edge], axis=1)
    for three, (_, place) in zip(lines, placed, strict=True):
        edges = (0.0, EDGE, place.height() - EDGE, place.height())
        draw_slices(painter, three, edges, place, ratio)


def draw_memory(
    painter: QPainter, memory: Sequence[LaneMemory], frame: Frame, tracks: Sequence[Track],
    most: float, end: float,
) -> None:  # fmt: skip
    """What lanes hold up to `end` ns: activations from the bottom up, above them all the rest.

    `most` bytes reach to a strip's top, for every lane alike, so that lanes can be compared. The
    strips are all of one height. Where changes are dense, columns are WIDE pixels each, except in
    figures.
    """
    view, wide = frame.view, 1
    if not frame.vector and max(one.seen(view) for one in memory) > DENSE * view.width:
        view, wide = view.coarser(WIDE), WIDE
    columns = np.stack([reduce_memory(one, view, end) for one in memory], axis=1)
    # Rounded up to half pixels: neighbours that differ by less become equal, which keeps the
    # outline of figures short (stepped_line).
    scale = (tracks[0].height - HEADROOM) * STEPS_PER_PIXEL / most
    held, activations = np.ceil(columns * scale) / STEPS_PER_PIXEL
    if frame.vector:
        for track, over, under in zip(tracks, held, activations, strict=True):
            _draw_areas(painter, over, under, frame.left, frame.top + track.bottom, frame.theme)
        return
    ratio = painter.device().devicePixelRatioF()
    pixels = memory_pixels(held, activations, tracks[0].height, ratio, frame.theme)
    for track, mine in zip(tracks, pixels, strict=True):
        place = QRectF(frame.left, frame.top + track.top, wide * mine.shape[1], track.height)
        painter.drawImage(place, image_of(mine))


def memory_pixels(
    held: NDArray[np.float64], activations: NDArray[np.float64], height: float, ratio: float,
    theme: Theme,
) -> NDArray[np.uint32]:  # fmt: skip
    """Memory strips as 0xAARRGGBB: a line of pixels for each device pixel of `height`.

    Heights have shape (strips, columns), pixels (strips, lines, columns). The line at the top of
    what is held joins neighbouring columns that hold something.
    """
    # From here on in device pixels, counted from the strip's top: line y is filled where y >= over.
    # int16 keeps the comparisons of (strips, lines, columns) entries small.
    lines = max(1, round(height * ratio))
    over, under = (
        lines - np.round(heights * ratio).astype(np.int16)[:, None]
        for heights in (held, activations)
    )
    colours = [QColor(c).rgba() for c in (*memory_colours(theme), theme.memory)]
    rest, inner, line = (np.uint32(colour) for colour in colours)
    y = np.arange(lines, dtype=np.int16)[:, None]
    pixels = np.where(y >= over, rest, np.uint32(0))
    np.copyto(pixels, inner, where=y >= under)
    # The line joins a column's top with that of the column before it, as a step. A column that is
    # empty (its top is at `lines`) has no step, neither down to it nor up from it.
    before = np.concatenate([over[..., :1], over[..., :-1]], axis=2)
    # From a column that holds nothing no line is drawn: it would say that memory was held there.
    before = np.where(before == lines, over, before)
    upper, lower = np.minimum(over, before), np.maximum(over, before) + max(1, round(EDGE * ratio))
    np.copyto(pixels, line, where=(y >= upper) & (y < lower) & (over < lines))
    return pixels


def _draw_areas(
    painter: QPainter, held: NDArray[np.float64], activations: NDArray[np.float64],
    left: float, bottom: float, theme: Theme,
) -> None:  # fmt: skip
    """The same as areas under lines, for figures."""
    some = np.flatnonzero(held)
    if not len(some):
        return
    shown = slice(int(some[0]), int(some[-1]) + 1)
    held, activations, left = held[shown], activations[shown], left + shown.start
    lines = [stepped_line(heights, left, bottom) for heights in (held, activations)]
    painter.setPen(Qt.PenStyle.NoPen)
    for colour, line in zip(memory_colours(theme), lines, strict=True):
        painter.setBrush(colour)
        ends = [QPointF(line[-1].x(), bottom), QPointF(line[0].x(), bottom)]
        painter.drawPolygon(QPolygonF([*line, *ends]))
    painter.setPen(QPen(QColor(theme.memory), EDGE))
    painter.drawPolyline(QPolygonF(lines[0]))


def stepped_line(heights: NDArray[np.float64], left: float, bottom: float) -> list[QPointF]:
    """The line over columns of a pixel each, from `left` on; equal neighbours share a step."""
    # Each run of equal heights gives two points, at its first and at its last x; from run to run
    # the x is the same, so the line between them is upright.
    first, last = runs(heights, heights)
    xs = (np.stack([first, last], axis=1).ravel() + left).tolist()
    ys = np.repeat(bottom - heights[first], 2).tolist()
    return [QPointF(x, y) for x, y in zip(xs, ys, strict=True)]


def memory_colours(theme: Theme) -> tuple[QColor, QColor]:
    """The colours of all that is held, and of the activations in it."""
    return QColor(theme.line), QColor(theme.memory)


def _inside(boxes: Boxes) -> Boxes:
    """What is left of boxes within an outline, of those that are wide enough to have one."""
    wide = boxes.width > 3 * EDGE
    left, width, height = boxes.left[wide], boxes.width[wide], boxes.height[wide]
    inner = np.maximum(0.0, height - 2 * EDGE)
    return Boxes(left + EDGE, width - 2 * EDGE, inner, boxes.family[wide])


@dataclass(frozen=True, slots=True)
class _GhostColours:
    """The colours of codes, and most of the way to the plot's; both as numbers too."""

    solid: tuple[tuple[QColor, ...], ...]
    pale: tuple[tuple[QColor, ...], ...]
    solid_codes: Palette
    pale_codes: Palette


@lru_cache(maxsize=4)
def _ghost_colours(colouring: Colouring, theme: Theme, faint: bool) -> _GhostColours:
    colours = colouring.colours(theme)
    solid, pale = (
        tuple(
            tuple(QColor(mixed(colour.name(), theme.plot, share)) for colour in parts)
            for parts in colours
        )
        for share in (FAINT if faint else 0.0, PALER if faint else PALE)
    )
    return _GhostColours(solid, pale, palette_of(solid), palette_of(pale))
