"""Draws a figure: boxes with patterns, numbers, makespans, axis, legend, title and caption."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.plan.plan import Role
from gui.figures.looks import Look, pattern_lines
from gui.figures.numbers import labels
from gui.figures.style import Face
from gui.figures.textbook import SPACE, SWATCH, Panel, Row, Textbook, entry_width, lane_name
from gui.look.causes import Pattern
from gui.look.text import duration_text, tr
from gui.look.writing import CENTRE, LEFT, RIGHT, elided_name, shared_start
from gui.timeline.layout.axis import ticks
from gui.timeline.layout.moments import Origin
from gui.timeline.paint.boxes import stacked
from gui.timeline.paint.idle import seen_steps
from gui.timeline.paint.margins import step_labels

PITCH = 4.4  # widths of a line from one line of a pattern to the next
NARROW = 4.0  # widths of a line; narrower boxes are filled with ink, without a pattern
SEAM = 0.7  # of a line's width is free behind a box, so that neighbours can be told apart
IDLE_PITCH = 6.0
TICK_EM = 6.5  # ticks stand at least this far apart


def draw_textbook(painter: QPainter, figure: Textbook) -> None:
    """Draw a figure in its own units. Nothing of it stands outside of `width` by `height`."""
    style = figure.style
    painter.fillRect(QRectF(0, 0, style.width, figure.height), QColor(style.looks.paper))
    _lines(painter, figure, style.edge, figure.title_face, figure.title)
    for panel in figure.panels:
        _heading(painter, figure, panel)
        _makespans(painter, figure, panel)
        for row in panel.rows:
            _idle(painter, figure, panel, row)
            _boxes(painter, figure, row)
        _names(painter, figure, panel)
    # After all panels: the clear ground under a label must lie over the patterns.
    _numbers(painter, figure)
    if figure.options.axis:
        _axis(painter, figure)
    _legend(painter, figure)
    _lines(painter, figure, figure.caption_top + 0.4 * style.em, style.base, figure.caption)


def _lines(painter: QPainter, figure: Textbook, top: float, face: Face, lines: list[str]) -> None:
    """Lines of text below one another, as wide as the figure."""
    edge, room = figure.style.edge, figure.style.width - 2 * figure.style.edge
    for number, line in enumerate(lines):
        rect = QRectF(edge, top + number * face.line, room, face.line)
        _text(painter, figure, face, rect, line)


def _text(
    painter: QPainter, figure: Textbook, face: Face, rect: QRectF, text: str,
    flags: Qt.AlignmentFlag = LEFT, colour: str = "",
) -> None:  # fmt: skip
    if not text:
        return
    painter.setFont(face.font)
    painter.setPen(QColor(colour or figure.style.looks.text))
    # What is clipped would be cut where another viewer's font is wider.
    painter.drawText(rect, int(flags | Qt.TextFlag.TextDontClip | Qt.TextFlag.TextSingleLine), text)


def _heading(painter: QPainter, figure: Textbook, panel: Panel) -> None:
    if panel.run.heading:
        face, room = figure.style.bold, figure.style.width - 2 * figure.style.edge
        rect = QRectF(figure.style.edge, panel.top, room, face.line)
        _text(painter, figure, face, rect, face.elided(panel.run.heading, room))


def _makespans(painter: QPainter, figure: Textbook, panel: Panel) -> None:
    """How long each step is, as a dimension line over it; and what the last column is."""
    style, trace, steps = figure.style, panel.run.scene.trace, panel.run.shown.steps
    height = 1.2 * style.em
    some = len(steps) * style.em <= panel.view.width  # else there is no room for lines
    if figure.options.makespan and some:
        for step in steps:
            start, end = trace.step_bounds(step)
            x0, x1 = (figure.left + panel.view.x(time) for time in (start, end))
            words = step_labels(step, trace.header.specification.warmup, end - start)
            if len(steps) == 1:
                words = (duration_text(end - start),)
            band = QRectF(x0, panel.band, x1 - x0, height)
            _dimension(painter, figure, band, words)
    if any(row.idle for row in panel.rows):
        rect = QRectF(figure.right, panel.band, style.width - style.edge - figure.right, height)
        _text(painter, figure, style.small, rect, tr("idle"), RIGHT, style.looks.muted)


def _dimension(painter: QPainter, figure: Textbook, band: QRectF, choices: tuple[str, ...]) -> None:
    """A length with arrows at its ends and the first of the `choices` that fits in its middle."""
    style = figure.style
    face, y, arrow = style.small, band.center().y(), 0.28 * style.em
    fitting = (w for w in choices if face.width(w) + 4 * arrow <= band.width())
    words = next(fitting, "")
    half = face.width(words) / 2 + 0.3 * style.em if words else 0.0
    middle = band.center().x()
    painter.setPen(QPen(QColor(style.looks.muted), 0.6 * style.line))
    tall = 0.35 * style.em
    lines = [QLineF(x, y - tall, x, y + tall) for x in (band.left(), band.right())]
    if band.width() > 3 * arrow:
        lines += [QLineF(band.left(), y, middle - half, y),
                  QLineF(middle + half, y, band.right(), y)]  # fmt: skip
    painter.drawLines(lines)
    if band.width() > 3 * arrow:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(style.looks.muted))
        for x, way in ((band.left(), 1), (band.right(), -1)):
            tip = [QPointF(x, y), QPointF(x + way * arrow, y - arrow / 2.6),
                   QPointF(x + way * arrow, y + arrow / 2.6)]  # fmt: skip
            painter.drawPolygon(QPolygonF(tip))
    _text(painter, figure, face, band, words, CENTRE)


def _idle(painter: QPainter, figure: Textbook, panel: Panel, row: Row) -> None:
    """The ground of each step that can be seen; boxes stand on it, and what stays free is idle."""
    if row.lane.role is not Role.COMPUTE:
        return
    look, scene, view = figure.style.looks.idle, panel.run.scene, panel.view
    # Steps of few pixels in the mean: one rectangle, not thousands in the file.
    steps = seen_steps(scene, view, view.width / (NARROW * figure.style.line))
    for start, end in zip(*(times.tolist() for times in steps), strict=True):
        left, right = max(0.0, view.x(start)), min(view.width, view.x(end))
        rect = QRectF(figure.left + left, row.top, right - left, row.height)
        _ground(painter, [rect], look)
        if look.pattern is not Pattern.SOLID:
            painter.setPen(QPen(QColor(look.ink), 0.5 * figure.style.line))
            _draw_pattern(
                painter, pattern_lines(look.pattern, [rect], IDLE_PITCH * figure.style.line)
            )


def _boxes(painter: QPainter, figure: Textbook, row: Row) -> None:
    boxes = row.boxes
    width = boxes.right - boxes.left
    # Free at the right end alone: the left one stays where the task began.
    width = np.where(width > NARROW * figure.style.line, width - SEAM * figure.style.line, width)
    for code in np.unique(boxes.family).tolist():
        mine = np.flatnonzero(boxes.family == code)
        looks = figure.style.looks.families[code]
        heights = boxes.share[mine] * row.height
        rects = [
            QRectF(figure.left + x, row.bottom - high, wide, high)
            for x, wide, high in zip(
                boxes.left[mine].tolist(), width[mine].tolist(), heights.tolist(), strict=True
            )
        ]
        parts = [rects] if len(looks) == 1 else zip(*(stacked(r, len(looks)) for r in rects),
                                                    strict=True)  # fmt: skip
        for look, some in zip(looks, parts, strict=True):
            _patterned(painter, figure, list(some), look)


def _patterned(painter: QPainter, figure: Textbook, rects: list[QRectF], look: Look) -> None:
    """Boxes with ground, pattern and outline; narrow ones all of ink."""
    if look.pattern is Pattern.SOLID:
        _ground(painter, rects, look)
        return
    line, half = figure.style.line, figure.style.line / 2
    wide = [rect for rect in rects if min(rect.width(), rect.height()) > NARROW * line]
    narrow = [rect for rect in rects if min(rect.width(), rect.height()) <= NARROW * line]
    _ground(painter, wide, look)
    painter.setPen(QPen(QColor(look.ink), 0.7 * line, Qt.PenStyle.SolidLine,
                        Qt.PenCapStyle.FlatCap))  # fmt: skip
    inner = [rect.adjusted(half, half, -half, -half) for rect in wide]  # lines end in the outline
    _draw_pattern(painter, pattern_lines(look.pattern, inner, PITCH * line))
    painter.setPen(QPen(QColor(look.ink), line, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap,
                        Qt.PenJoinStyle.MiterJoin))  # fmt: skip
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRects(inner)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(look.ink))
    painter.drawRects(narrow)


def _draw_pattern(painter: QPainter, lines: list[QLineF]) -> None:
    """Slanted lines are smooth; boxes and upright lines stay sharp in pixels."""
    # A pattern's lines are all slanted or none of them: the first one tells.
    slanted = bool(lines) and lines[0].dx() != 0 and lines[0].dy() != 0
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, slanted)
    painter.drawLines(lines)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _ground(painter: QPainter, rects: list[QRectF], look: Look) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(look.ground))
    painter.drawRects(rects)


def _numbers(painter: QPainter, figure: Textbook) -> None:
    """Labels, on a ground without pattern so that they can be read."""
    face, style = figure.style.number, figure.style
    for label, words in labels(figure.panels, figure.left, face, style.looks.families):
        look, box = label.look, label.box
        if look.pattern not in (Pattern.SOLID, None):
            inner = box.width() - (2 + SEAM) * style.line
            wide = face.width(words) + 0.3 * face.pixels
            if wide > inner - 0.5 * face.pixels:
                wide = inner  # what would be left of the pattern beside it is only specks
            clear = QRectF(0, 0, wide, min(0.95 * face.pixels, box.height() - 2 * style.line))
            clear.moveCenter(box.center() - QPointF(SEAM * style.line / 2, 0))
            _ground(painter, [clear], look)
        _text(
            painter,
            figure,
            face,
            box.adjusted(0, 0, -SEAM * style.line, 0),
            words,
            CENTRE,
            look.text,
        )


def _names(painter: QPainter, figure: Textbook, panel: Panel) -> None:
    """The lanes' names and idle time, of as many as have room; thin lines between the lanes."""
    style = figure.style
    # The lowest place that a name takes already. Of rows that are lower than their names only some
    # are named, and no name lies over another.
    free = -1.0
    shared = shared_start([row.lane.name for row in panel.rows if not row.helper])
    for number, row in enumerate(panel.rows):
        if number and not row.helper and row.height >= 0.8 * style.base.pixels:
            y = (panel.rows[number - 1].bottom + row.top) / 2
            painter.setPen(QPen(QColor(style.looks.line), 0.5 * style.line))
            painter.drawLine(QPointF(style.edge, y), QPointF(style.width - style.edge, y))
        face = style.small if row.helper else style.base
        middle = row.top + row.height / 2
        if middle - face.pixels / 2 < free:
            continue
        free = middle + face.pixels / 2
        room = figure.left - style.edge - 0.4 * style.em
        rect = QRectF(style.edge, middle - face.line / 2, room, face.line)
        colour = style.looks.muted if row.helper else style.looks.text
        name = elided_name(lane_name(row.lane), shared, room, face.width)
        _text(painter, figure, face, rect, name, LEFT, colour)
        if row.idle:
            rect = QRectF(figure.right, rect.top(), style.width - style.edge - figure.right,
                          face.line)  # fmt: skip
            _text(painter, figure, style.small, rect, row.idle, RIGHT, style.looks.muted)


def _axis(painter: QPainter, figure: Textbook) -> None:
    """Time since the start of what is shown: the longest run's, which the others share."""
    style = figure.style
    panel = max(figure.panels, key=lambda panel: panel.view.width)
    y, tall = figure.axis_top + 0.25 * style.em, 0.25 * style.em
    painter.setPen(QPen(QColor(style.looks.muted), 0.7 * style.line))
    right = figure.left + panel.view.width
    painter.drawLine(QPointF(figure.left, y), QPointF(right, y))
    zero = panel.run.shown.start if panel.run.shown.zero is None else panel.run.shown.zero
    shown = ticks(panel.view, Origin(float(zero)), TICK_EM * style.em)
    painter.drawLines([QLineF(figure.left + t.x, y, figure.left + t.x, y + tall) for t in shown])
    for tick in shown:
        wide = style.small.width(tick.label)
        # Under its tick, but within the figure, as those at both ends would stick out.
        x = min(max(figure.left + tick.x - wide / 2, style.edge), style.width - style.edge - wide)
        rect = QRectF(x, y + tall, wide + 1, style.small.line)
        _text(painter, figure, style.small, rect, tick.label)


def _legend(painter: QPainter, figure: Textbook) -> None:
    style = figure.style
    y = figure.legend_top + 0.5 * style.em
    for line in figure.legend:
        x = style.edge
        for entry in line:
            box = QRectF(x, y + 0.2 * style.em, SWATCH * style.em, 0.85 * style.em)
            for part, look in zip(stacked(box, len(entry.looks)), entry.looks, strict=True):
                _patterned(painter, figure, [part], look)
            words = QRectF(box.right() + 0.4 * style.em, y, style.width, 1.25 * style.em)
            _text(painter, figure, style.small, words, entry.text)
            x += entry_width(entry, style) + SPACE * style.em
        y += 1.35 * style.em
