"""The critical path over the lanes: its tasks outlined, and lines from one to the next."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.explain.critical import PathPiece, Share
from gui.timeline.frame import Frame
from gui.timeline.reasons import steps_to_explain
from gui.timeline.scene import Scene

ON_TASKS = (Share.COMPUTE, Share.TRANSFER, Share.COLLECTIVE)
LINE = 2.0
HALO = 4.0
NARROW = 4.0  # boxes of fewer pixels are filled: there is no room for an outline


def draw_critical(painter: QPainter, scene: Scene, frame: Frame) -> None:
    """The path of every step on screen that is wide enough and has been explained."""
    boxes: list[QRectF] = []
    lines: list[QLineF] = []
    for step in steps_to_explain(scene, frame.view):
        if scene.explained.is_known(step):
            mine = path_boxes(scene, frame, step)
            boxes += mine
            lines += path_lines(mine)
    if not boxes:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    colour = QColor(frame.theme.path)
    for pen in (QPen(QColor(frame.theme.plot), HALO), QPen(colour, LINE)):
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.drawLines(lines)
        painter.drawRects([_inside(box) for box in boxes if box.width() > NARROW])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for box in boxes:
        if box.width() <= NARROW:
            painter.fillRect(box, colour)


def path_boxes(scene: Scene, frame: Frame, step: int) -> list[QRectF]:
    """Where the tasks on a step's path stand in the picture, as far as they can be seen."""
    columns = scene.explained.explanation(step).columns
    view, shown = frame.view, frame.layout.stands
    return [
        _box(frame, int(columns.lane[piece.task]), piece)
        for piece in scene.explained.path(step)
        if piece.share in ON_TASKS
        and piece.end >= view.start
        and piece.start <= view.end
        and int(columns.lane[piece.task]) in shown
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


def _box(frame: Frame, lane: int, piece: PathPiece) -> QRectF:
    return frame.row_rect(frame.layout.row_of(lane), piece.start, piece.end)


def _inside(box: QRectF) -> QRectF:
    return box.adjusted(LINE / 2, LINE / 2, -LINE / 2, -LINE / 2)
