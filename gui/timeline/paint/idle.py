"""Draws the ground of tracks: the background that shows idle time where no bar covers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QPainter, QPixmap

from core.arrays import Floats, Ints
from gui.look.painter import fill, pen
from gui.look.theme import Theme
from gui.timeline.layout.frame import Frame, Viewport
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.hatch import HATCH, hatch_lines, hatch_tile
from gui.timeline.paint.pixels import (
    CLEAR,
    colour_code,
    draw_slices,
    image_of,
    owners,
    pixels_of,
)
from gui.timeline.reduce.reduction import within
from gui.timeline.state.scene import Scene

MOST_STEPS = 400  # more steps than this on screen are hatched as one


Ground = Callable[[QRectF, bool], None]
"""Function that draws the ground of a track at a place; the flag is True for helper tracks.

Only time inside steps has a ground. It is hatched, or plain on helper tracks, which are too thin
for a hatch.
"""


def idle_ground(canvas: Canvas, scene: Scene) -> Ground:
    """Return a function that draws the ground of any track; all tracks share its textures."""
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
    plain = np.where(is_in_step, colour_code(frame.theme.grid), CLEAR)
    hatched = _hatch_brush(frame, is_in_step, ratio)
    return partial(_draw_textures, painter, hatched, plain[None], ratio)


def _hatch_brush(frame: Frame, is_in_step: NDArray[np.bool_], ratio: float) -> QBrush:
    """Return a brush with the hatch in the device pixels of steps, as wide as the plot."""
    tile = hatch_tile(frame.theme.idle, ratio)
    # The hatch moves with the bars when the view is panned.
    shift = round(frame.view.x(0.0)) % HATCH
    phase = round(shift * ratio)
    # One tile is high enough for tracks of any height, because Qt repeats a brush vertically.
    column_of_tile = (np.arange(len(is_in_step)) - phase) % tile.shape[1]
    repeated = np.ascontiguousarray(tile[:, column_of_tile])
    hatched = np.where(is_in_step, repeated, CLEAR)
    texture = QPixmap.fromImage(image_of(hatched))
    texture.setDevicePixelRatio(ratio)
    return QBrush(texture)


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
        # All tracks have the same origin, so that the lines continue from track to track.
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
    """Return the starts and ends, in ns, of the steps in a view; one range if over `most` steps."""
    seen = within(scene.step_starts, scene.step_ends, view.start, view.end)
    if seen.stop - seen.start > most:
        return scene.step_starts[[seen.start]], scene.step_ends[[seen.stop - 1]]
    return scene.step_starts[seen], scene.step_ends[seen]


def step_ranges(scene: Scene, frame: Frame) -> tuple[Floats, Floats]:
    """Return the starts and ends, in ns, of the visible steps; a live step ends now."""
    starts, ends = seen_steps(scene, frame.view, MOST_STEPS)
    live = [span.start for span in scene.trace.open_tasks]
    if live and frame.now is not None:
        start = min(live)
        # The scene's last step may already be the live one, up to the end of its finished tasks.
        # Only the rest is added, because `owners` needs disjoint ranges.
        if len(ends):
            start = max(start, int(ends[-1]))
        starts = np.append(starts, start)
        ends = np.append(ends, frame.now)
    return starts.astype(np.float64), ends.astype(np.float64)
