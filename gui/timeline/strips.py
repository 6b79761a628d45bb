"""Draws what stands under a compute lane: the prediction's ghost, and the memory held."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from gui.theme import Theme
from gui.timeline.boxes import Boxes, boxes_of, fill_boxes
from gui.timeline.memory import LaneMemory, reduce_memory
from gui.timeline.painter import Frame
from gui.timeline.reduction import reduce_lane, runs
from gui.timeline.rows import Row
from gui.timeline.scene import Scene

EDGE = 1.0  # an outline's width
PALE = 0.8  # of the plot's colour within the outline
HEADROOM = 1.0  # free pixels above the highest line
STEPS_PER_PIXEL = 2  # heights of the memory line are rounded to this


def draw_strips(painter: QPainter, scene: Scene, frame: Frame) -> None:
    """Every strip that can be seen."""
    for row in frame.visible(frame.layout.ghosts):
        draw_ghost(painter, scene, frame, row)
    most, heard = scene.most_held, float(scene.bounds[1])  # a live run tells memory with its spans
    for row in frame.visible(frame.layout.memory):
        draw_memory(painter, scene.memory[row.lane], frame, row, most, heard)


def draw_ghost(painter: QPainter, scene: Scene, frame: Frame, row: Row) -> None:
    """The predicted spans of a lane, outlined and pale, as no measured span is."""
    if not scene.ghosts:
        return
    reduced = reduce_lane(scene.ghosts[row.lane], frame.view)
    boxes = boxes_of(reduced, frame.view.width, row.height)
    bottom = frame.top + row.bottom
    fill_boxes(painter, boxes, frame.left, bottom, frame.theme.families)
    inside = _inside(boxes)
    fill_boxes(painter, inside, frame.left, bottom - EDGE, _pale(frame.theme))


def draw_memory(
    painter: QPainter, memory: LaneMemory, frame: Frame, row: Row, most: float, end: float
) -> None:
    """What a lane holds up to `end` ns: activations from the bottom up, above them all the rest.

    `most` bytes reach to the strip's top, for every lane alike, so that lanes can be compared.
    """
    columns = reduce_memory(memory, frame.view, end)
    scale = (row.height - HEADROOM) * STEPS_PER_PIXEL / most if most else 0.0
    held = np.ceil(columns.held * scale) / STEPS_PER_PIXEL
    activations = np.ceil(columns.activations * scale) / STEPS_PER_PIXEL
    some = np.flatnonzero(held)
    if not len(some):
        return
    shown = slice(int(some[0]), int(some[-1]) + 1)
    bottom = frame.top + row.bottom
    left = frame.left + shown.start
    lines = [stepped_line(heights[shown], left, bottom) for heights in (held, activations)]
    painter.setPen(Qt.PenStyle.NoPen)
    for colour, line in zip(memory_colours(frame.theme), lines, strict=True):
        painter.setBrush(colour)
        ends = [QPointF(line[-1].x(), bottom), QPointF(line[0].x(), bottom)]
        painter.drawPolygon(QPolygonF([*line, *ends]))
    painter.setPen(QPen(QColor(frame.theme.memory), EDGE))
    painter.drawPolyline(QPolygonF(lines[0]))


def stepped_line(heights: NDArray[np.float64], left: float, bottom: float) -> list[QPointF]:
    """The line over columns of a pixel each, from `left` on; equal neighbours share a step."""
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


def _pale(theme: Theme) -> tuple[tuple[QColor, ...], ...]:
    """The families' colours, most of the way to the plot's."""
    plot = QColor(theme.plot)
    return tuple(tuple(blend(colour, plot, PALE) for colour in parts) for parts in theme.families)


def blend(colour: QColor, other: QColor, share: float) -> QColor:
    """A colour with a `share`, 0 to 1, of another."""
    parts = ((colour.red(), other.red()), (colour.green(), other.green()),
             (colour.blue(), other.blue()))  # fmt: skip
    return QColor(*(round(a + (b - a) * share) for a, b in parts))
