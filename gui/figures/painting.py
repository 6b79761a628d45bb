"""Draws a figure: lanes with names and makespans, axis, legend, title and caption."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from gui.figures.box_painting import draw_boxes, draw_idle, draw_numbers, draw_patterned
from gui.figures.figure_ink import FigureInk
from gui.figures.legend import SPACE, SWATCH, entry_width
from gui.figures.parts import KeyEntry, Panel, Row, Textbook, lane_name
from gui.figures.style import Face
from gui.look.painter import fill
from gui.look.text import duration_text, tr
from gui.look.writing import CENTRE, LEFT, RIGHT, elided_name, shared_start
from gui.timeline.layout.axis import ticks
from gui.timeline.layout.moments import Origin
from gui.timeline.paint.boxes import stacked
from gui.timeline.paint.margins import step_labels

TICK_EM = 6.5  # em; least distance between ticks
BAND = 1.2  # em; height of the band above the lanes, with makespans and the header of idle times


def draw_textbook(painter: QPainter, figure: Textbook) -> None:
    """Draw a figure in its units; everything is within `width` by `height`."""
    style = figure.style
    ink = FigureInk(painter, figure)
    page = QRectF(0, 0, style.width, figure.height)
    fill(painter, page, style.looks.paper)
    _lines(ink, style.edge, figure.title_face, figure.title)
    for panel in figure.panels:
        _heading(ink, panel)
        _makespans(ink, panel)
        _idle_header(ink, panel)
        for row in panel.rows:
            draw_idle(ink, panel, row)
            draw_boxes(ink, row)
        _names(ink, panel)
        _lines(ink, panel.totals_top, style.small, panel.totals)
    # After all panels, because the plain ground under a label covers the patterns.
    draw_numbers(ink)
    if figure.options.axis:
        _axis(ink)
    _legend(ink)
    caption_top = figure.caption_top + 0.4 * style.em
    _lines(ink, caption_top, style.base, figure.caption)


def _lines(ink: FigureInk, top: float, face: Face, lines: list[str]) -> None:
    """Write lines of text below one another, as wide as the figure."""
    for number, line in enumerate(lines):
        y = top + number * face.line
        rect = ink.across(y, face.line)
        ink.write(face, rect, line)


def _heading(ink: FigureInk, panel: Panel) -> None:
    heading = panel.run.heading
    if not heading:
        return
    face = ink.style.bold
    rect = ink.across(panel.top, face.line)
    shown = face.elided(heading, rect.width())
    ink.write(face, rect, shown)


def _makespans(ink: FigureInk, panel: Panel) -> None:
    """Draw each step's length as a dimension line above it, if there is room for them."""
    figure = ink.figure
    if not figure.options.makespan:
        return
    trace = panel.run.scene.trace
    steps = panel.run.shown.steps
    view = panel.view
    narrowest = ink.em
    if len(steps) * narrowest > view.width:
        return
    warmup = trace.header.specification.warmup
    height = BAND * ink.em
    for step in steps:
        start, end = trace.step_bounds(step)
        makespan = end - start
        choices = step_labels(step, warmup, makespan)
        if len(steps) == 1:
            choices = (duration_text(makespan),)
        left = figure.left + view.x(start)
        right = figure.left + view.x(end)
        band = QRectF(left, panel.band, right - left, height)
        _dimension(ink, band, choices)


def _idle_header(ink: FigureInk, panel: Panel) -> None:
    """Write the header of the column of idle times, if any lane has one."""
    if not any(row.idle for row in panel.rows):
        return
    style = ink.style
    rect = ink.right_column(panel.band, BAND * ink.em)
    ink.write(style.small, rect, tr("idle"), RIGHT, style.looks.muted)


def _dimension(ink: FigureInk, band: QRectF, choices: tuple[str, ...]) -> None:
    """Draw a line with arrows at its ends, and the first of `choices` that fits in its middle."""
    em = ink.em
    face = ink.style.small
    colour = ink.style.looks.muted
    arrow = 0.28 * em
    words = ""
    for choice in choices:
        if face.width(choice) + 4 * arrow <= band.width():
            words = choice
            break
    left = band.left()
    right = band.right()
    y = band.center().y()
    tall = 0.35 * em
    lines = [
        QLineF(left, y - tall, left, y + tall),
        QLineF(right, y - tall, right, y + tall),
    ]
    has_arrows = band.width() > 3 * arrow
    if has_arrows:
        middle = band.center().x()
        half = 0.0
        if words:
            half = face.width(words) / 2 + 0.3 * em
        lines.append(QLineF(left, y, middle - half, y))
        lines.append(QLineF(middle + half, y, right, y))
    painter = ink.painter
    ink.pen(colour, 0.6)
    painter.drawLines(lines)
    if has_arrows:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        _arrow_head(painter, left, left + arrow, y, arrow)
        _arrow_head(painter, right, right - arrow, y, arrow)
    ink.write(face, band, words, CENTRE)


def _arrow_head(painter: QPainter, tip: float, base: float, y: float, length: float) -> None:
    """Draw the head of a horizontal arrow from the x of its `base` to the x of its `tip`."""
    half = length / 2.6
    corners = [
        QPointF(tip, y),
        QPointF(base, y - half),
        QPointF(base, y + half),
    ]
    painter.drawPolygon(QPolygonF(corners))


def _names(ink: FigureInk, panel: Panel) -> None:
    """Write the names and idle times of the lanes that have room, with thin lines between lanes."""
    style = ink.style
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
            between = (above.bottom + row.top) / 2
            _separator(ink, between)
        above = row
        face = style.small if row.helper else style.base
        middle = row.top + row.height / 2
        half = face.pixels / 2
        if middle - half < taken:
            continue
        taken = middle + half
        _name(ink, row, face, shared)


def _separator(ink: FigureInk, y: float) -> None:
    """Draw a thin line between two lanes."""
    style = ink.style
    ink.pen(style.looks.line, 0.5)
    ink.level(style.edge, style.width - style.edge, y)


def _name(ink: FigureInk, row: Row, face: Face, shared: int) -> None:
    """Write a lane's name and idle time; all names begin with the same `shared` letters."""
    style = ink.style
    looks = style.looks
    middle = row.top + row.height / 2
    top = middle - face.line / 2
    room = ink.figure.left - style.edge - 0.4 * ink.em
    left_column = QRectF(style.edge, top, room, face.line)
    colour = looks.muted if row.helper else looks.text
    name = elided_name(lane_name(row.lane), shared, room, face.width)
    ink.write(face, left_column, name, LEFT, colour)
    if row.idle:
        right_column = ink.right_column(top, face.line)
        ink.write(style.small, right_column, row.idle, RIGHT, looks.muted)


def _axis(ink: FigureInk) -> None:
    """Draw one axis for all runs: the time since the start of the longest run's range."""
    figure = ink.figure
    longest = max(figure.panels, key=lambda panel: panel.view.width)
    view = longest.view
    tall = 0.25 * ink.em
    y = figure.axis_top + tall
    left = figure.left
    ink.pen(ink.style.looks.muted, 0.7)
    ink.level(left, left + view.width, y)
    shown = longest.run.shown
    zero = shown.start if shown.zero is None else shown.zero
    origin = Origin(float(zero))
    ticks_shown = ticks(view, origin, TICK_EM * ink.em)
    marks = []
    for tick in ticks_shown:
        x = left + tick.x
        marks.append(QLineF(x, y, x, y + tall))
    ink.painter.drawLines(marks)
    for tick in ticks_shown:
        _tick_label(ink, left + tick.x, y + tall, tick.label)


def _tick_label(ink: FigureInk, x: float, top: float, label: str) -> None:
    """Write a time, centred below its tick at `x`, but within the figure."""
    style = ink.style
    face = style.small
    width = face.width(label)
    centred = x - width / 2
    leftmost = style.edge
    rightmost = style.width - style.edge - width
    left = min(max(centred, leftmost), rightmost)
    rect = QRectF(left, top, width + 1, face.line)
    ink.write(face, rect, label)


def _legend(ink: FigureInk) -> None:
    figure = ink.figure
    style = figure.style
    em = style.em
    y = figure.legend_top + 0.5 * em
    for line in figure.legend:
        x = style.edge
        for entry in line:
            at = QPointF(x, y)
            _legend_entry(ink, entry, at)
            x += entry_width(entry, style) + SPACE * em
        y += 1.35 * em


def _legend_entry(ink: FigureInk, entry: KeyEntry, at: QPointF) -> None:
    """Draw a box with the looks of an entry, and its text next to it; `at` is the upper left."""
    style = ink.style
    em = style.em
    box_top = at.y() + 0.2 * em
    box = QRectF(at.x(), box_top, SWATCH * em, 0.85 * em)
    parts = stacked(box, len(entry.looks))
    for part, look in zip(parts, entry.looks, strict=True):
        draw_patterned(ink, [part], look)
    words_left = box.right() + 0.4 * em
    words = QRectF(words_left, at.y(), style.width, 1.25 * em)
    ink.write(style.small, words, entry.text)
