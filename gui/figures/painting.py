"""Draws a figure: lanes with names and makespans, axis, legend, title and caption."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from gui.figures.box_painting import (
    draw_boxes,
    draw_idle,
    draw_numbers,
    draw_patterned,
    write_text,
)
from gui.figures.legend import SPACE, SWATCH, entry_width
from gui.figures.parts import KeyEntry, Panel, Row, Textbook, lane_name
from gui.figures.style import Face, Style
from gui.look.painter import fill, pen
from gui.look.text import duration_text, tr
from gui.look.writing import CENTRE, LEFT, RIGHT, elided_name, shared_start
from gui.timeline.layout.axis import ticks
from gui.timeline.layout.moments import Origin
from gui.timeline.paint.boxes import stacked
from gui.timeline.paint.margins import step_labels

TICK_EM = 6.5  # em; least distance of ticks
BAND = 1.2  # em; height of the band above the lanes, with makespans and the header of idle times


def draw_textbook(painter: QPainter, figure: Textbook) -> None:
    """Draw a figure in its units; everything is within `width` by `height`."""
    style = figure.style
    page = QRectF(0, 0, style.width, figure.height)
    fill(painter, page, style.looks.paper)
    _lines(painter, figure, style.edge, figure.title_face, figure.title)
    for panel in figure.panels:
        _heading(painter, figure, panel)
        _makespans(painter, figure, panel)
        _idle_header(painter, figure, panel)
        for row in panel.rows:
            draw_idle(painter, figure, panel, row)
            draw_boxes(painter, figure, row)
        _names(painter, figure, panel)
        _lines(painter, figure, panel.totals_top, style.small, panel.totals)
    # After all panels, because the plain ground under a label covers the patterns.
    draw_numbers(painter, figure)
    if figure.options.axis:
        _axis(painter, figure)
    _legend(painter, figure)
    caption_top = figure.caption_top + 0.4 * style.em
    _lines(painter, figure, caption_top, style.base, figure.caption)


def _lines(painter: QPainter, figure: Textbook, top: float, face: Face, lines: list[str]) -> None:
    """Write lines of text below one another, as wide as the figure."""
    edge = figure.style.edge
    room = figure.style.width - 2 * edge
    for number, line in enumerate(lines):
        y = top + number * face.line
        rect = QRectF(edge, y, room, face.line)
        write_text(painter, figure, face, rect, line)


def _heading(painter: QPainter, figure: Textbook, panel: Panel) -> None:
    heading = panel.run.heading
    if not heading:
        return
    face = figure.style.bold
    edge = figure.style.edge
    room = figure.style.width - 2 * edge
    rect = QRectF(edge, panel.top, room, face.line)
    write_text(painter, figure, face, rect, face.elided(heading, room))


def _makespans(painter: QPainter, figure: Textbook, panel: Panel) -> None:
    """Draw each step's length as a dimension line above it, if there is room for them."""
    if not figure.options.makespan:
        return
    trace = panel.run.scene.trace
    steps = panel.run.shown.steps
    view = panel.view
    narrowest = figure.style.em
    if len(steps) * narrowest > view.width:
        return
    warmup = trace.header.specification.warmup
    height = BAND * figure.style.em
    for step in steps:
        start, end = trace.step_bounds(step)
        makespan = end - start
        choices = step_labels(step, warmup, makespan)
        if len(steps) == 1:
            choices = (duration_text(makespan),)
        left = figure.left + view.x(start)
        right = figure.left + view.x(end)
        band = QRectF(left, panel.band, right - left, height)
        _dimension(painter, figure, band, choices)


def _idle_header(painter: QPainter, figure: Textbook, panel: Panel) -> None:
    """Write the header of the column of idle times, if any lane has one."""
    if not any(row.idle for row in panel.rows):
        return
    style = figure.style
    colour = style.looks.muted
    width = style.width - style.edge - figure.right
    height = BAND * style.em
    rect = QRectF(figure.right, panel.band, width, height)
    write_text(painter, figure, style.small, rect, tr("idle"), RIGHT, colour)


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
    write_text(painter, figure, face, band, words, CENTRE)


def _arrow_head(painter: QPainter, tip: float, base: float, y: float, length: float) -> None:
    """Draw the head of a horizontal arrow from the x of its `base` to the x of its `tip`."""
    half = length / 2.6
    corners = [
        QPointF(tip, y),
        QPointF(base, y - half),
        QPointF(base, y + half),
    ]
    painter.drawPolygon(QPolygonF(corners))


def _names(painter: QPainter, figure: Textbook, panel: Panel) -> None:
    """Write the names and idle times of the lanes that have room, with thin lines between lanes."""
    style = figure.style
    least_separated = 0.8 * style.base.pixels
    # The lower edge of the last name. If rows are lower than names, only some are named, so that
    # names do not overlap.
    taken = -1.0
    names = [row.lane.name for row in panel.rows if not row.helper]
    shared = shared_start(names)
    above = None
    for row in panel.rows:
        is_high = row.height >= least_separated
        if above is not None and is_high and not row.helper:
            _separator(painter, style, (above.bottom + row.top) / 2)
        above = row
        face = style.small if row.helper else style.base
        middle = row.top + row.height / 2
        half = face.pixels / 2
        if middle - half < taken:
            continue
        taken = middle + half
        _name(painter, figure, row, face, shared)


def _separator(painter: QPainter, style: Style, y: float) -> None:
    """Draw a thin line between two lanes."""
    left = QPointF(style.edge, y)
    right = QPointF(style.width - style.edge, y)
    painter.setPen(pen(style.looks.line, 0.5 * style.line))
    painter.drawLine(left, right)


def _name(painter: QPainter, figure: Textbook, row: Row, face: Face, shared: int) -> None:
    """Write a lane's name and idle time; all names begin with the same `shared` letters."""
    style = figure.style
    looks = style.looks
    middle = row.top + row.height / 2
    top = middle - face.line / 2
    room = figure.left - style.edge - 0.4 * style.em
    left_column = QRectF(style.edge, top, room, face.line)
    colour = looks.muted if row.helper else looks.text
    name = elided_name(lane_name(row.lane), shared, room, face.width)
    write_text(painter, figure, face, left_column, name, LEFT, colour)
    if row.idle:
        width = style.width - style.edge - figure.right
        right_column = QRectF(figure.right, top, width, face.line)
        write_text(painter, figure, style.small, right_column, row.idle, RIGHT, looks.muted)


def _axis(painter: QPainter, figure: Textbook) -> None:
    """Draw one axis for all runs: the time since the start of the longest run's range."""
    style = figure.style
    longest = max(figure.panels, key=lambda panel: panel.view.width)
    view = longest.view
    y = figure.axis_top + 0.25 * style.em
    tall = 0.25 * style.em
    painter.setPen(pen(style.looks.muted, 0.7 * style.line))
    left = figure.left
    right = left + view.width
    painter.drawLine(QPointF(left, y), QPointF(right, y))
    shown = longest.run.shown
    zero = shown.start if shown.zero is None else shown.zero
    origin = Origin(float(zero))
    ticks_shown = ticks(view, origin, TICK_EM * style.em)
    marks = []
    for tick in ticks_shown:
        x = left + tick.x
        marks.append(QLineF(x, y, x, y + tall))
    painter.drawLines(marks)
    face = style.small
    for tick in ticks_shown:
        width = face.width(tick.label)
        # Centred below its tick, but within the figure.
        centred = left + tick.x - width / 2
        leftmost = style.edge
        rightmost = style.width - style.edge - width
        x = min(max(centred, leftmost), rightmost)
        rect = QRectF(x, y + tall, width + 1, face.line)
        write_text(painter, figure, face, rect, tick.label)


def _legend(painter: QPainter, figure: Textbook) -> None:
    style = figure.style
    em = style.em
    y = figure.legend_top + 0.5 * em
    for line in figure.legend:
        x = style.edge
        for entry in line:
            _legend_entry(painter, figure, entry, QPointF(x, y))
            x += entry_width(entry, style) + SPACE * em
        y += 1.35 * em


def _legend_entry(painter: QPainter, figure: Textbook, entry: KeyEntry, at: QPointF) -> None:
    """Draw a box with the looks of an entry, and its text next to it; `at` is the upper left."""
    style = figure.style
    em = style.em
    box_top = at.y() + 0.2 * em
    box = QRectF(at.x(), box_top, SWATCH * em, 0.85 * em)
    parts = stacked(box, len(entry.looks))
    for part, look in zip(parts, entry.looks, strict=True):
        draw_patterned(painter, figure, [part], look)
    words_left = box.right() + 0.4 * em
    words = QRectF(words_left, at.y(), style.width, 1.25 * em)
    write_text(painter, figure, style.small, words, entry.text)
