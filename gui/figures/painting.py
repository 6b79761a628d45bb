"""Draws a figure: boxes with patterns, numbers, makespans, axis, legend, title and caption."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.plan.plan import Role
from gui.figures.legend import SPACE, SWATCH, entry_width
from gui.figures.looks import BoxLook, pattern_lines
from gui.figures.numbers import labels
from gui.figures.parts import Panel, Row, Textbook, lane_name
from gui.figures.style import Face
from gui.look.causes import Pattern
from gui.look.painter import fill, pen
from gui.look.text import duration_text, tr
from gui.look.writing import CENTRE, LEFT, RIGHT, elided_name, shared_start
from gui.timeline.layout.axis import ticks
from gui.timeline.layout.moments import Origin
from gui.timeline.paint.boxes import stacked
from gui.timeline.paint.idle import seen_steps
from gui.timeline.paint.margins import step_labels

PITCH = 4.4  # line widths between two lines of a pattern
NARROW = 4.0  # line widths; narrower boxes are filled with ink, without a pattern
SEAM = 0.7  # line widths of free space at a box's right end, to separate it from its neighbour
IDLE_PITCH = 6.0
TICK_EM = 6.5  # em; least distance of ticks


def draw_textbook(painter: QPainter, figure: Textbook) -> None:
    """Draw a figure in its units; everything is within `width` by `height`."""
    style = figure.style
    fill(painter, QRectF(0, 0, style.width, figure.height), style.looks.paper)
    _lines(painter, figure, style.edge, figure.title_face, figure.title)
    for panel in figure.panels:
        _heading(painter, figure, panel)
        _makespans(painter, figure, panel)
        for row in panel.rows:
            _idle(painter, figure, panel, row)
            _boxes(painter, figure, row)
        _names(painter, figure, panel)
        _lines(painter, figure, panel.totals_top, style.small, panel.totals)
    # After all panels, because the plain ground under a label covers the patterns.
    _numbers(painter, figure)
    if figure.options.axis:
        _axis(painter, figure)
    _legend(painter, figure)
    _lines(painter, figure, figure.caption_top + 0.4 * style.em, style.base, figure.caption)


def _lines(painter: QPainter, figure: Textbook, top: float, face: Face, lines: list[str]) -> None:
    """Write lines of text below one another, as wide as the figure."""
    edge = figure.style.edge
    room = figure.style.width - 2 * edge
    for number, line in enumerate(lines):
        y = top + number * face.line
        rect = QRectF(edge, y, room, face.line)
        _text(painter, figure, face, rect, line)


def _text(
    painter: QPainter,
    figure: Textbook,
    face: Face,
    rect: QRectF,
    text: str,
    flags: Qt.AlignmentFlag = LEFT,
    colour: str = "",
) -> None:
    if not text:
        return
    painter.setFont(face.font)
    painter.setPen(QColor(colour or figure.style.looks.text))
    # Clipped text would be cut off in viewers whose font is wider.
    unclipped = Qt.TextFlag.TextDontClip | Qt.TextFlag.TextSingleLine
    painter.drawText(rect, int(flags | unclipped), text)


def _heading(painter: QPainter, figure: Textbook, panel: Panel) -> None:
    heading = panel.run.heading
    if not heading:
        return
    face = figure.style.bold
    edge = figure.style.edge
    room = figure.style.width - 2 * edge
    rect = QRectF(edge, panel.top, room, face.line)
    _text(painter, figure, face, rect, face.elided(heading, room))


def _makespans(painter: QPainter, figure: Textbook, panel: Panel) -> None:
    """Draw each step's length as a dimension line above it, and the header of the last column."""
    style = figure.style
    trace = panel.run.scene.trace
    warmup = trace.header.specification.warmup
    steps = panel.run.shown.steps
    view = panel.view
    height = 1.2 * style.em
    enough_room = len(steps) * style.em <= view.width
    if figure.options.makespan and enough_room:
        for step in steps:
            start, end = trace.step_bounds(step)
            makespan = end - start
            left = figure.left + view.x(start)
            right = figure.left + view.x(end)
            choices = step_labels(step, warmup, makespan)
            if len(steps) == 1:
                choices = (duration_text(makespan),)
            band = QRectF(left, panel.band, right - left, height)
            _dimension(painter, figure, band, choices)
    if any(row.idle for row in panel.rows):
        width = style.width - style.edge - figure.right
        rect = QRectF(figure.right, panel.band, width, height)
        _text(painter, figure, style.small, rect, tr("idle"), RIGHT, style.looks.muted)


def _dimension(painter: QPainter, figure: Textbook, band: QRectF, choices: tuple[str, ...]) -> None:
    """Draw a line with arrows at its ends, and the first of `choices` that fits in its middle."""
    style = figure.style
    face = style.small
    arrow = 0.28 * style.em
    words = ""
    for choice in choices:
        if face.width(choice) + 4 * arrow <= band.width():
            words = choice
            break
    left = band.left()
    right = band.right()
    y = band.center().y()
    tall = 0.35 * style.em
    lines = [
        QLineF(left, y - tall, left, y + tall),
        QLineF(right, y - tall, right, y + tall),
    ]
    has_arrows = band.width() > 3 * arrow
    if has_arrows:
        middle = band.center().x()
        half = 0.0
        if words:
            half = face.width(words) / 2 + 0.3 * style.em
        lines.append(QLineF(left, y, middle - half, y))
        lines.append(QLineF(middle + half, y, right, y))
    painter.setPen(pen(style.looks.muted, 0.6 * style.line))
    painter.drawLines(lines)
    if has_arrows:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(style.looks.muted))
        _arrow_head(painter, left, left + arrow, y, arrow)
        _arrow_head(painter, right, right - arrow, y, arrow)
    _text(painter, figure, face, band, words, CENTRE)


def _arrow_head(painter: QPainter, tip: float, base: float, y: float, length: float) -> None:
    """Draw the head of a horizontal arrow from the x of its `base` to the x of its `tip`."""
    half = length / 2.6
    corners = [QPointF(tip, y), QPointF(base, y - half), QPointF(base, y + half)]
    painter.drawPolygon(QPolygonF(corners))


def _idle(painter: QPainter, figure: Textbook, panel: Panel, row: Row) -> None:
    """Fill the visible steps of a lane as idle; boxes are drawn over it."""
    if row.lane.role is not Role.COMPUTE:
        return
    line = figure.style.line
    look = figure.style.looks.idle
    view = panel.view
    # Steps of few pixels each are one rectangle, because thousands would fill the file.
    most_steps = view.width / (NARROW * line)
    starts, ends = seen_steps(panel.run.scene, view, most_steps)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        left = max(0.0, view.x(start))
        right = min(view.width, view.x(end))
        rect = QRectF(figure.left + left, row.top, right - left, row.height)
        _ground(painter, [rect], look)
        if look.pattern is not Pattern.SOLID:
            painter.setPen(pen(look.ink, 0.5 * line))
            hatching = pattern_lines(look.pattern, [rect], IDLE_PITCH * line)
            _draw_pattern(painter, hatching)


def _boxes(painter: QPainter, figure: Textbook, row: Row) -> None:
    boxes = row.boxes
    line = figure.style.line
    width = boxes.right - boxes.left
    # Space only at the right end: the left end is where the task began.
    has_seam = width > NARROW * line
    width = np.where(has_seam, width - SEAM * line, width)
    for code in np.unique(boxes.family).tolist():
        mine = np.flatnonzero(boxes.family == code)
        looks = figure.style.looks.families[code]
        lefts = (figure.left + boxes.left[mine]).tolist()
        widths = width[mine].tolist()
        heights = (boxes.share[mine] * row.height).tolist()
        # For each part of a box, from the top, the rectangles of all boxes.
        parts: list[list[QRectF]] = [[] for _ in looks]
        for x, wide, high in zip(lefts, widths, heights, strict=True):
            box = QRectF(x, row.bottom - high, wide, high)
            for number, part in enumerate(stacked(box, len(looks))):
                parts[number].append(part)
        for look, rects in zip(looks, parts, strict=True):
            _patterned(painter, figure, rects, look)


def _patterned(painter: QPainter, figure: Textbook, rects: list[QRectF], look: BoxLook) -> None:
    """Draw boxes with fill, pattern and outline; narrow boxes are filled with ink."""
    if look.pattern is Pattern.SOLID:
        _ground(painter, rects, look)
        return
    line = figure.style.line
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
    ink = QColor(look.ink)
    solid = Qt.PenStyle.SolidLine
    flat = Qt.PenCapStyle.FlatCap
    painter.setPen(QPen(ink, 0.7 * line, solid, flat))
    # The lines of the pattern end in the middle of the outline.
    inner = [rect.adjusted(half, half, -half, -half) for rect in wide]
    hatching = pattern_lines(look.pattern, inner, PITCH * line)
    _draw_pattern(painter, hatching)
    painter.setPen(QPen(ink, line, solid, flat, Qt.PenJoinStyle.MiterJoin))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRects(inner)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawRects(narrow)


def _draw_pattern(painter: QPainter, lines: list[QLineF]) -> None:
    """Draw slanted lines antialiased; others without, so that they are sharp."""
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


def _numbers(painter: QPainter, figure: Textbook) -> None:
    """Draw labels, each on a plain ground so that it can be read."""
    style = figure.style
    face = style.number
    seam = SEAM * style.line
    for label, words in labels(figure.panels, figure.left, face, style.looks.families):
        look = label.look
        box = label.box
        if look.pattern not in (Pattern.SOLID, None):
            room = box.width() - (2 + SEAM) * style.line
            width = face.width(words) + 0.3 * face.pixels
            if width > room - 0.5 * face.pixels:
                width = room  # the remaining pattern would only be specks
            height = min(0.95 * face.pixels, box.height() - 2 * style.line)
            clear = QRectF(0, 0, width, height)
            clear.moveCenter(box.center() - QPointF(seam / 2, 0))
            _ground(painter, [clear], look)
        filled = box.adjusted(0, 0, -seam, 0)
        _text(painter, figure, face, filled, words, CENTRE, look.text)


def _names(painter: QPainter, figure: Textbook, panel: Panel) -> None:
    """Write the names and idle times of the lanes that have room, with thin lines between lanes."""
    style = figure.style
    right_edge = style.width - style.edge
    # The lower edge of the last name. If rows are lower than names, only some are named, so that
    # names do not overlap.
    taken = -1.0
    names = [row.lane.name for row in panel.rows if not row.helper]
    shared = shared_start(names)
    for number, row in enumerate(panel.rows):
        if number and not row.helper and row.height >= 0.8 * style.base.pixels:
            above = panel.rows[number - 1]
            y = (above.bottom + row.top) / 2
            painter.setPen(pen(style.looks.line, 0.5 * style.line))
            painter.drawLine(QPointF(style.edge, y), QPointF(right_edge, y))
        face = style.small if row.helper else style.base
        middle = row.top + row.height / 2
        if middle - face.pixels / 2 < taken:
            continue
        taken = middle + face.pixels / 2
        room = figure.left - style.edge - 0.4 * style.em
        rect = QRectF(style.edge, middle - face.line / 2, room, face.line)
        colour = style.looks.muted if row.helper else style.looks.text
        name = elided_name(lane_name(row.lane), shared, room, face.width)
        _text(painter, figure, face, rect, name, LEFT, colour)
        if row.idle:
            rect = QRectF(figure.right, rect.top(), right_edge - figure.right, face.line)
            _text(painter, figure, style.small, rect, row.idle, RIGHT, style.looks.muted)


def _axis(painter: QPainter, figure: Textbook) -> None:
    """Draw one axis for all runs: the time since the start of the longest run's range."""
    style = figure.style
    longest = max(figure.panels, key=lambda panel: panel.view.width)
    view = longest.view
    y = figure.axis_top + 0.25 * style.em
    tall = 0.25 * style.em
    painter.setPen(pen(style.looks.muted, 0.7 * style.line))
    right = figure.left + view.width
    painter.drawLine(QPointF(figure.left, y), QPointF(right, y))
    shown = longest.run.shown
    zero = shown.start if shown.zero is None else shown.zero
    ticks_shown = ticks(view, Origin(float(zero)), TICK_EM * style.em)
    marks = []
    for tick in ticks_shown:
        x = figure.left + tick.x
        marks.append(QLineF(x, y, x, y + tall))
    painter.drawLines(marks)
    for tick in ticks_shown:
        width = style.small.width(tick.label)
        # Centred below its tick, but within the figure.
        centred = figure.left + tick.x - width / 2
        leftmost = style.edge
        rightmost = style.width - style.edge - width
        x = min(max(centred, leftmost), rightmost)
        rect = QRectF(x, y + tall, width + 1, style.small.line)
        _text(painter, figure, style.small, rect, tick.label)


def _legend(painter: QPainter, figure: Textbook) -> None:
    style = figure.style
    em = style.em
    y = figure.legend_top + 0.5 * em
    for line in figure.legend:
        x = style.edge
        for entry in line:
            box = QRectF(x, y + 0.2 * em, SWATCH * em, 0.85 * em)
            parts = stacked(box, len(entry.looks))
            for part, look in zip(parts, entry.looks, strict=True):
                _patterned(painter, figure, [part], look)
            words = QRectF(box.right() + 0.4 * em, y, style.width, 1.25 * em)
            _text(painter, figure, style.small, words, entry.text)
            x += entry_width(entry, style) + SPACE * em
        y += 1.35 * em
