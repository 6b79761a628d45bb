"""The critical path over the lanes: its tasks outlined, and lines from one to the next.

In a step that is too narrow for that, a line runs under what is on the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.explain.critical import ON_TASKS, Trail
from gui.look.theme import mixed
from gui.timeline.layout.frame import Frame, Viewport
from gui.timeline.paint.gap_labels import steps_to_explain
from gui.timeline.state.explained import ExplainedStep, Wanted
from gui.timeline.state.scene import Scene

LINE = 1.5
HALO = 3.0
LIGHT = 0.35  # of the plot's colour in the lines from task to task
NARROW = 4.0  # boxes of fewer pixels are filled: there is no room for an outline
LEAST_STEP = 4.0  # pixels; in a narrower step the path would be on every lane at once
UNDER = 3.0  # height in pixels of the line in narrow steps


def draw_critical(painter: QPainter, scene: Scene, frame: Frame) -> None:
    """The path of every step on screen that is wide enough and has been explained."""
    _draw_narrow(painter, scene, frame)
    boxes: list[QRectF] = []
    lines: list[QLineF] = []
    for step in steps_to_explain(scene, frame.view):
        if (known := scene.explained.known(step)) is not None:
            mine = path_boxes(known, frame)
            boxes += mine
            lines += path_lines(mine)
    if not boxes:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    colour = QColor(frame.theme.path)
    light = QColor(mixed(frame.theme.path, frame.theme.plot, LIGHT))
    # The lines from task to task come first, so that outlines lie over their ends.
    painter.setPen(QPen(light, 1.0))
    painter.drawLines(lines)
    # A wider line of the ground's colour below parts the outline from a bar of a similar colour.
    for pen in (QPen(QColor(frame.theme.plot), HALO), QPen(colour, LINE)):
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.drawRects([_inside(box) for box in boxes if box.width() > NARROW])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for box in boxes:
        if box.width() <= NARROW:
            painter.fillRect(box, colour)


def narrow_steps(scene: Scene, view: Viewport) -> list[int]:
    """The steps on screen that have a line under their path, for want of room for more."""
    wide = set(steps_to_explain(scene, view))
    return [step for step in steps_to_explain(scene, view, LEAST_STEP) if step not in wide]


def explain_shown(scene: Scene, view: Viewport, path: bool, seconds: float) -> bool:
    """Work out what is told of the steps on screen, for so many seconds; False if some are left.

    `path` says whether critical paths are shown.
    """
    explained = scene.explained
    if not explained.warm(steps_to_explain(scene, view), seconds):
        return False
    return not path or explained.warm(narrow_steps(scene, view), seconds, Wanted.TRAIL)


def _draw_narrow(painter: QPainter, scene: Scene, frame: Frame) -> None:
    found = map(scene.explained.known_trail, narrow_steps(scene, frame.view))
    known = [trail for trail in found if trail is not None]
    if not known:
        return
    ground, colour = QColor(frame.theme.plot), QColor(frame.theme.path)
    for line in under_lines(known, frame):
        painter.fillRect(line.adjusted(0, -1, 0, 0), ground)
        painter.fillRect(line, colour)


def under_lines(trails: Sequence[Trail], frame: Frame) -> list[QRectF]:
    """A line at the foot of each track over the pixels in which its lane is on a path."""
    lane, start, end = (
        np.concatenate([getattr(trail, name) for trail in trails])
        for name in ("lane", "start", "end")
    )
    width, shown, lines = int(frame.view.width), frame.layout.stands, []
    first, last = (np.clip(frame.view.xs(times), 0, width) for times in (start, end))
    for one in np.unique(lane).tolist():
        if one not in shown:
            continue
        # A task out of sight has both ends clipped to the same edge.
        mine = (lane == one) & (last > first)
        # A difference array: +1 where a task begins, -1 behind its end; the running sum counts the
        # tasks in each pixel. Where "more than none" changes is an edge (np.diff of bools is
        # "unequal"). Ends are clipped to the plot's width and the array is longer, so every line
        # that begins also ends.
        begun = np.bincount(first[mine].astype(np.intp), minlength=width + 2)
        ended = np.bincount(np.ceil(last[mine]).astype(np.intp), minlength=width + 2)
        edges = np.flatnonzero(np.diff(np.cumsum(begun - ended) > 0, prepend=False)).tolist()
        foot = frame.place(frame.layout.track_of(one)).bottom()
        lines += [
            QRectF(frame.left + x0, foot - UNDER, x1 - x0, UNDER)
            for x0, x1 in zip(edges[::2], edges[1::2], strict=True)
        ]
    return lines


def path_boxes(step: ExplainedStep, frame: Frame) -> list[QRectF]:
    """Where the tasks on a step's path stand in the picture, as far as they can be seen."""
    columns = step.explanation.columns
    view, shown = frame.view, frame.layout.stands
    return [
        frame.rect(frame.layout.track_of(lane), piece.start, piece.end)
        for piece in step.path
        if piece.share in ON_TASKS
        and piece.end >= view.start
        and piece.start <= view.end
        and (lane := int(columns.lane[piece.task])) in shown
    ]


def path_lines(boxes: list[QRectF]) -> list[QLineF]:
    """From the end of each task to the beginning of the next one."""
    lines = []
    for one, other in pairwise(boxes):
        y0, y1 = one.center().y(), other.center().y()
        if y0 < y1:
            y0, y1 = one.bottom(), other.top()
        elif y0 > y1:
            y0, y1 = one.top(), other.bottom()
        elif other.left() - one.right() < 1:
            continue
        lines.append(QLineF(one.right(), y0, other.left(), y1))
    return lines


def draw_sample(painter: QPainter, box: QRectF, frame_colour: QColor) -> None:
    """What the legend shows of it."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(frame_colour, LINE))
    painter.drawRect(_inside(box))


def _inside(box: QRectF) -> QRectF:
    return box.adjusted(LINE / 2, LINE / 2, -LINE / 2, -LINE / 2)
