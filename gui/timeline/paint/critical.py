"""Draws the critical path over the lanes: outlined tasks, and lines between them.

In narrow steps, the path is a line at the bottom of its lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.arrays import Floats
from core.explain.critical import ON_TASKS, Trail
from gui.look.painter import pen, smoothed
from gui.look.theme import mixed
from gui.timeline.layout.frame import Frame, Viewport
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.gap_labels import steps_to_explain
from gui.timeline.state.explained import ExplainedStep, Wanted
from gui.timeline.state.scene import Scene

LINE = 1.5
HALO = 3.0
LIGHT = 0.35  # share of the plot's colour in the lines between tasks
NARROW = 4.0  # pixels; narrower boxes are filled, because an outline does not fit
LEAST_STEP = 4.0  # pixels; in a narrower step the path would seem to be on every lane at once
UNDER = 3.0  # height in pixels of the line in narrow steps


def draw_critical(canvas: Canvas, scene: Scene) -> None:
    """Draw the path of every visible step that is wide enough and has been explained."""
    painter = canvas.painter
    frame = canvas.frame
    _draw_narrow(canvas, scene)
    boxes: list[QRectF] = []
    lines: list[QLineF] = []
    for step in steps_to_explain(scene, frame.view):
        known = scene.explained.known(step)
        if known is not None:
            mine = path_boxes(known, frame)
            boxes += mine
            lines += path_lines(mine)
    if not boxes:
        return
    theme = canvas.theme
    outlined = []
    for box in boxes:
        if box.width() > NARROW:
            outlined.append(_inside(box))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    with smoothed(painter):
        # The lines between tasks are drawn first, so that outlines cover their ends.
        light = mixed(theme.path, theme.plot, LIGHT)
        painter.setPen(pen(light))
        painter.drawLines(lines)
        # A wider line in the background's colour separates the outline from a bar of a similar
        # colour.
        for colour, width in ((theme.plot, HALO), (theme.path, LINE)):
            outline = pen(colour, width)
            outline.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(outline)
            painter.drawRects(outlined)
    for box in boxes:
        if box.width() <= NARROW:
            canvas.fill(box, theme.path)


def narrow_steps(scene: Scene, view: Viewport) -> list[int]:
    """Return the visible steps that are too narrow for outlines."""
    outlined = set(steps_to_explain(scene, view))
    drawn = steps_to_explain(scene, view, LEAST_STEP)
    return [step for step in drawn if step not in outlined]


def explain_shown(scene: Scene, view: Viewport, path: bool, seconds: float) -> bool:
    """Explain the visible steps for at most `seconds`; return False if some are left.

    `path` is true if critical paths are shown.
    """
    explained = scene.explained
    if not explained.warm(steps_to_explain(scene, view), seconds):
        return False
    if not path:
        return True
    return explained.warm(narrow_steps(scene, view), seconds, Wanted.TRAIL)


def _draw_narrow(canvas: Canvas, scene: Scene) -> None:
    frame = canvas.frame
    found = map(scene.explained.known_trail, narrow_steps(scene, frame.view))
    known = [trail for trail in found if trail is not None]
    if not known:
        return
    for line in narrow_path_lines(known, frame):
        with_edge = line.adjusted(0, -1, 0, 0)
        canvas.fill(with_edge, frame.theme.plot)
        canvas.fill(line, frame.theme.path)


def narrow_path_lines(trails: Sequence[Trail], frame: Frame) -> list[QRectF]:
    """Return lines at the bottom of tracks, over the pixels in which their lane is on a path."""
    lane = np.concatenate([trail.lane for trail in trails])
    start = np.concatenate([trail.start for trail in trails])
    end = np.concatenate([trail.end for trail in trails])
    width = int(frame.view.width)
    shown = frame.layout.track_by_lane
    first = np.clip(frame.view.xs(start), 0, width)
    last = np.clip(frame.view.xs(end), 0, width)
    lines: list[QRectF] = []
    for one in np.unique(lane).tolist():
        if one not in shown:
            continue
        # Both ends of a task that is not visible are clipped to the same edge.
        mine = (lane == one) & (last > first)
        place = frame.place(frame.layout.track_of(one))
        top = place.bottom() - UNDER
        for x0, x1 in _covered(first[mine], last[mine], width):
            line = QRectF(frame.left + x0, top, x1 - x0, UNDER)
            lines.append(line)
    return lines


def _covered(first: Floats, last: Floats, width: int) -> list[tuple[int, int]]:
    """Return the pixel ranges that tasks cover, ends excluded; task i is at first[i] to last[i]."""
    # A difference array: +1 where a task begins, -1 after its end; the running sum counts the
    # tasks in each pixel. Ends are clipped to the plot's width and the array is longer, so every
    # range that begins also ends.
    begins = first.astype(np.intp)
    ends = np.ceil(last).astype(np.intp)
    begun = np.bincount(begins, minlength=width + 2)
    ended = np.bincount(ends, minlength=width + 2)
    is_covered = np.cumsum(begun - ended) > 0
    # np.diff of booleans is True where a value differs from the previous one.
    differs = np.diff(is_covered, prepend=False)
    edges = np.flatnonzero(differs).tolist()
    begins_covered = edges[::2]
    ends_covered = edges[1::2]
    return list(zip(begins_covered, ends_covered, strict=True))


def path_boxes(step: ExplainedStep, frame: Frame) -> list[QRectF]:
    """Return the rectangles of the visible tasks on a step's path."""
    columns = step.explanation.columns
    view = frame.view
    shown = frame.layout.track_by_lane
    boxes = []
    first = view.start
    last = view.end
    for piece in step.path:
        if piece.share not in ON_TASKS:
            continue
        if piece.end < first or piece.start > last:
            continue
        lane = int(columns.lane[piece.task])
        if lane in shown:
            track = frame.layout.track_of(lane)
            boxes.append(frame.rect(track, piece.start, piece.end))
    return boxes


def path_lines(boxes: list[QRectF]) -> list[QLineF]:
    """Return lines from the end of each task to the beginning of the next one."""
    lines = []
    for one, other in pairwise(boxes):
        y0 = one.center().y()
        y1 = other.center().y()
        if y0 < y1:
            y0 = one.bottom()
            y1 = other.top()
        elif y0 > y1:
            y0 = one.top()
            y1 = other.bottom()
        elif other.left() - one.right() < 1:
            continue
        lines.append(QLineF(one.right(), y0, other.left(), y1))
    return lines


def draw_sample(painter: QPainter, box: QRectF, frame_colour: QColor) -> None:
    """Draw the legend's sample of the path."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(frame_colour, LINE))
    painter.drawRect(_inside(box))


def _inside(box: QRectF) -> QRectF:
    half = LINE / 2
    return box.adjusted(half, half, -half, -half)
