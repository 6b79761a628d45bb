"""Boxes of a figure: fills with patterns, idle time, and texts."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.plan.plan import Role
from gui.figures.figure_ink import FigureInk
from gui.figures.looks import BoxLook, pattern_lines
from gui.figures.numbers import labels
from gui.figures.parts import Panel, Row
from gui.figures.style import Style
from gui.look.causes import Pattern
from gui.look.writing import CENTRE
from gui.timeline.paint.boxes import stacked
from gui.timeline.paint.idle import seen_steps

PITCH = 4.4  # line widths between two lines of a pattern
NARROW = 4.0  # line widths; narrower boxes are filled with ink, without a pattern
SEAM = 0.7  # line widths of free space at a box's right end, to separate it from its neighbour
IDLE_PITCH = 6.0


def draw_idle(ink: FigureInk, panel: Panel, row: Row) -> None:
    """Fill the visible steps of a lane as idle time; boxes are drawn on top."""
    if row.lane.role is not Role.COMPUTE:
        return
    style = ink.style
    line = style.line
    look = style.looks.idle
    view = panel.view
    # Many narrow steps are drawn as one rectangle: thousands of hatched ones would bloat the file.
    most_steps = view.width / (NARROW * line)
    starts, ends = seen_steps(panel.run.scene, view, most_steps)
    bounds = zip(starts.tolist(), ends.tolist(), strict=True)
    for start, end in bounds:
        left = max(0.0, view.x(start))
        right = min(view.width, view.x(end))
        x = ink.figure.left + left
        width = right - left
        rect = QRectF(x, row.top, width, row.height)
        _ground(ink.painter, [rect], look)
        if look.pattern is not Pattern.SOLID:
            ink.pen(look.ink, 0.5)
            hatching = pattern_lines(look.pattern, [rect], IDLE_PITCH * line)
            _draw_pattern(ink.painter, hatching)


def draw_boxes(ink: FigureInk, row: Row) -> None:
    """Draw the boxes of a lane, with the parts of overlaps above each other."""
    boxes = row.boxes
    style = ink.style
    line = style.line
    width = boxes.right - boxes.left
    # Space only at the right end: the left end is where the task began.
    has_seam = width > NARROW * line
    width = np.where(has_seam, width - SEAM * line, width)
    for code in np.unique(boxes.family).tolist():
        mine = np.flatnonzero(boxes.family == code)
        looks = style.looks.families[code]
        lefts = (ink.figure.left + boxes.left[mine]).tolist()
        widths = width[mine].tolist()
        heights = (boxes.share[mine] * row.height).tolist()
        # For each part of a box, from the top, the rectangles of all boxes.
        parts: list[list[QRectF]] = [[] for _ in looks]
        for x, wide, high in zip(lefts, widths, heights, strict=True):
            box = QRectF(x, row.bottom - high, wide, high)
            for number, part in enumerate(stacked(box, len(looks))):
                parts[number].append(part)
        for look, rects in zip(looks, parts, strict=True):
            draw_patterned(ink, rects, look)


def draw_patterned(ink: FigureInk, rects: list[QRectF], look: BoxLook) -> None:
    """Draw boxes with fill, pattern and outline; narrow boxes are filled with ink."""
    painter = ink.painter
    if look.pattern is Pattern.SOLID:
        _ground(painter, rects, look)
        return
    line = ink.style.line
    half = line / 2
    wide: list[QRectF] = []
    narrow: list[QRectF] = []
    for rect in rects:
        shorter_side = min(rect.width(), rect.height())
        if shorter_side > NARROW * line:
            wide.append(rect)
        else:
            narrow.append(rect)
    _ground(painter, wide, look)
    colour = QColor(look.ink)
    solid = Qt.PenStyle.SolidLine
    flat = Qt.PenCapStyle.FlatCap
    painter.setPen(QPen(colour, 0.7 * line, solid, flat))
    # The lines of the pattern end in the middle of the outline.
    inner = [rect.adjusted(half, half, -half, -half) for rect in wide]
    hatching = pattern_lines(look.pattern, inner, PITCH * line)
    _draw_pattern(painter, hatching)
    painter.setPen(QPen(colour, line, solid, flat, Qt.PenJoinStyle.MiterJoin))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRects(inner)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRects(narrow)


def _draw_pattern(painter: QPainter, lines: list[QLineF]) -> None:
    """Draw slanted lines with antialiasing, and others without, so that they are sharp."""
    # The lines of a pattern are either all slanted or none is.
    first = lines[0] if lines else QLineF()
    slanted = first.dx() != 0 and first.dy() != 0
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, slanted)
    painter.drawLines(lines)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _ground(painter: QPainter, rects: list[QRectF], look: BoxLook) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(look.ground))
    painter.drawRects(rects)


def draw_numbers(ink: FigureInk) -> None:
    """Draw the labels, each on a plain area so that it can be read."""
    figure = ink.figure
    style = figure.style
    face = style.number
    families = style.looks.families
    seam = SEAM * style.line
    for label, words in labels(figure.panels, figure.left, face, families):
        look = label.look
        box = label.box
        if look.pattern not in (Pattern.SOLID, None):
            clear = _clearing(style, box, words)
            _ground(ink.painter, [clear], look)
        filled = box.adjusted(0, 0, -seam, 0)
        ink.write(face, filled, words, CENTRE, look.text)


def _clearing(style: Style, box: QRectF, words: str) -> QRectF:
    """Return the part of a box that is plain, so that `words` in its middle can be read."""
    face = style.number
    outlines = 2 * style.line
    seam = SEAM * style.line
    room = box.width() - (2 + SEAM) * style.line
    width = face.width(words) + 0.3 * face.pixels
    if width > room - 0.5 * face.pixels:
        width = room  # the remaining pattern would only be specks
    height = min(0.95 * face.pixels, box.height() - outlines)
    clear = QRectF(0, 0, width, height)
    middle = box.center() - QPointF(seam / 2, 0)
    clear.moveCenter(middle)
    return clear
