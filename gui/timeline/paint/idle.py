"""Draws the ground under the bars; its visible parts are idle time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QColor, QPainter, QPixmap

from core.arrays import Floats, Ints
from gui.look.painter import fill, pen
from gui.look.theme import Theme
from gui.timeline.layout.frame import Frame, Viewport
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.hatch import HATCH, hatch_lines, hatch_tile
from gui.timeline.paint.pixels import draw_slices, image_of, owners, pixels_of
from gui.timeline.reduce.reduction import within
from gui.timeline.state.scene import Scene

MOST_STEPS = 400  # more steps than this on screen are hatched as one


Ground = Callable[[QRectF, bool], None]
"""Draws the ground of a track: hatched in steps, but plain for a helper, which is thin."""


def idle_ground(canvas: Canvas, scene: Scene) -> Ground:
    """Return the function that draws the ground of any track, prepared for all of them."""
    painter = canvas.painter
    frame = canvas.frame
    starts, ends = step_ranges(scene, frame)
    width = frame.view.width
    left = np.clip(frame.view.xs(starts), 0.0, width)
    right = np.clip(frame.view.xs(ends), 0.0, width)
    if frame.vector:
        bounds = list(zip(left.tolist(), right.tolist(), strict=True))
        return partial(_draw_lines, painter, frame.theme, bounds)
    ratio = canvas.pixel_ratio
    pixels = pixels_of(width, ratio)
    step = owners(left * ratio, right * ratio, pixels)
    is_in_step = step < len(left)
    clear = np.uint32(0)
    grid = np.uint32(QColor(frame.theme.grid).rgba())
    plain = np.where(is_in_step, grid, clear)
    tile = hatch_tile(frame.theme.idle, ratio)
    # The lines move with the time.
    shift = round(frame.view.x(0.0)) % HATCH
    phase = round(shift * ratio)
    # The tile's lines, repeated over the whole width, within the steps. Qt repeats a brush
    # vertically, so one texture of a tile's height serves tracks of any height.
    across = (np.arange(pixels) - phase) % tile.shape[1]
    repeated = np.ascontiguousarray(tile[:, across])
    hatched = np.where(is_in_step, repeated, clear)
    texture = QPixmap.fromImage(image_of(hatched))
    texture.setDevicePixelRatio(ratio)
    return partial(_draw_textures, painter, QBrush(texture), plain[None], ratio)


def _draw_textures(
    painter: QPainter,
    hatched: QBrush,
    plain: NDArray[np.uint32],
    ratio: float,
    place: QRectF,
    helper: bool,
) -> None:
    """Draw the ground of a track on a screen."""
    if helper:
        draw_slices(painter, plain, (0.0, place.height()), place, ratio)
    else:
        # Relative to the painter's top, so that the lines continue from track to track.
        painter.setBrushOrigin(QPointF(place.left(), 0))
        painter.fillRect(place, hatched)


def _draw_lines(
    painter: QPainter,
    theme: Theme,
    bounds: Sequence[tuple[float, float]],
    place: QRectF,
    helper: bool,
) -> None:
    """Draw the ground as lines and rectangles, for figures; `bounds` of steps are in pixels."""
    for left, right in bounds:
        rect = QRectF(place.left() + left, place.top(), right - left, place.height())
        if helper:
            fill(painter, rect, theme.grid)
        else:
            painter.setPen(pen(theme.idle, 0.6))
            painter.drawLines(hatch_lines(rect))


def seen_steps(scene: Scene, view: Viewport, most: float) -> tuple[Ints, Ints]:
    """Return starts and ends in ns of the steps in a view; over `most` steps count as one."""
    seen = within(scene.step_starts, scene.step_ends, view.start, view.end)
    if seen.stop - seen.start > most:
        return scene.step_starts[[seen.start]], scene.step_ends[[seen.stop - 1]]
    return scene.step_starts[seen], scene.step_ends[seen]


def step_ranges(scene: Scene, frame: Frame) -> tuple[Floats, Floats]:
    """Return starts and ends in ns of the visible steps; a live step reaches to the present."""
    starts, ends = seen_steps(scene, frame.view, MOST_STEPS)
    live = [span.start for span in scene.trace.open_tasks]
    if live and frame.now is not None:
        # Its finished tasks are in the step table already. It is hatched after them, because
        # `owners` needs disjoint ranges.
        begun = min(live)
        if len(ends):
            begun = max(begun, int(ends[-1]))
        starts = np.append(starts, begun)
        ends = np.append(ends, frame.now)
    return starts.astype(np.float64), ends.astype(np.float64)
