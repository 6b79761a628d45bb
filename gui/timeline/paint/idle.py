"""The ground under the bars: what of it stays to be seen is idle time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap

from gui.timeline.layout.frame import Frame, Viewport
from gui.timeline.paint.hatch import HATCH, hatch_lines, hatch_tile
from gui.timeline.paint.pixels import draw_slices, image_of, owners, pixels_of
from gui.timeline.reduce.reduction import count_before, count_until
from gui.timeline.state.scene import Scene

MOST_STEPS = 400  # more steps than this on screen are hatched as one


@dataclass(frozen=True, slots=True)
class IdleTexture:
    """The ground of all tracks on a screen, worked out once: steps hatched, or plain and thin."""

    hatched: QBrush
    plain: NDArray[np.uint32]
    ratio: float

    def draw(self, painter: QPainter, place: QRectF, helper: bool) -> None:
        """The ground of a track over the whole width of the plot."""
        if helper:
            draw_slices(painter, self.plain, (0.0, place.height()), place, self.ratio)
        else:
            # From the painter's top, not the track's: so the lines go on from track to track.
            painter.setBrushOrigin(QPointF(place.left(), 0))
            painter.fillRect(place, self.hatched)


@dataclass(frozen=True, slots=True)
class IdleLines:
    """The same as lines and rectangles, for figures; `left` and `right` of each step in pixels."""

    left: NDArray[np.float64]
    right: NDArray[np.float64]
    frame: Frame

    def draw(self, painter: QPainter, place: QRectF, helper: bool) -> None:
        """The ground of a track."""
        pen = QPen(QColor(self.frame.theme.idle), 0.6)
        for left, right in zip(self.left.tolist(), self.right.tolist(), strict=True):
            rect = QRectF(place.left() + left, place.top(), right - left, place.height())
            if helper:
                painter.fillRect(rect, QColor(self.frame.theme.grid))
            else:
                painter.setPen(pen)
                painter.drawLines(hatch_lines(rect))


def idle_ground(painter: QPainter, scene: Scene, frame: Frame) -> IdleTexture | IdleLines:
    """The ground of the steps that can be seen."""
    starts, ends = step_ranges(scene, frame)
    width = frame.view.width
    left, right = (np.clip(frame.view.xs(times), 0.0, width) for times in (starts, ends))
    if frame.vector:
        return IdleLines(left, right, frame)
    ratio = painter.device().devicePixelRatioF()
    pixels = pixels_of(width, ratio)
    here = owners(left * ratio, right * ratio, pixels) < len(left)
    tile = hatch_tile(frame.theme.idle, ratio)
    phase = round(round(frame.view.x(0.0)) % HATCH * ratio)  # the lines move with the time
    # The tile's lines, repeated over the whole width and kept where a step is. As a brush Qt
    # repeats them downwards, so one texture of a tile's height serves tracks of any height.
    across = (np.arange(pixels) - phase) % tile.shape[1]
    lines = np.where(here, np.ascontiguousarray(tile[:, across]), np.uint32(0))
    texture = QPixmap.fromImage(image_of(lines))
    texture.setDevicePixelRatio(ratio)
    plain = np.where(here, np.uint32(QColor(frame.theme.grid).rgba()), np.uint32(0))
    return IdleTexture(QBrush(texture), plain[None], ratio)


def seen_steps(
    scene: Scene, view: Viewport, most: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts and ends in ns of the steps in a view; of more than `most` as if they were one."""
    first = int(count_until(scene.step_ends, view.start))
    last = int(count_before(scene.step_starts, view.end))
    if last - first > most:
        return scene.step_starts[[first]], scene.step_ends[[last - 1]]
    return scene.step_starts[first:last], scene.step_ends[first:last]


def step_ranges(scene: Scene, frame: Frame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Starts and ends in ns of the visible steps; a live step reaches to the present."""
    starts, ends = seen_steps(scene, frame.view, MOST_STEPS)
    live = [span.start for span in scene.trace.open_tasks]
    if live and frame.now is not None:
        # Its tasks that have ended are in the step table already. It is hatched from there on:
        # `owners` wants ranges that lie apart.
        begun = min(live)
        begun = max(begun, int(ends[-1])) if len(ends) else begun
        starts, ends = np.append(starts, begun), np.append(ends, frame.now)
    return starts.astype(np.float64), ends.astype(np.float64)
