"""The results of a sweep as bars and curves, for the dock and for files alike."""

from __future__ import annotations

import math
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from gui.app.setting_names import option_title
from gui.features.sweep.layout import (
    APART,
    AXIS,
    EDGE,
    LINE,
    SENTENCE,
    SWATCH,
    UNDER,
    Chart,
    Place,
    bar_label,
)
from gui.look.painter import fill, pen, saved
from gui.look.text import significant, tr
from gui.look.writing import CENTRE, LEFT, RIGHT, elided, write
from gui.timeline.layout.axis import round_step
from gui.timeline.layout.fonts import text_width

MARKER = 4.5  # half of a marker
CAP = 5.0  # half of a whisker's end
GRID = 34.0  # pixels between two lines of the grid, about
KEY = 8.0  # half of a line in the legend
ALL_VALUES = 34.0  # pixels of a place from which on each result's time is written
_UP = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom


def draw_chart(painter: QPainter, chart: Chart) -> None:
    """Draw bars, curves, whiskers, the ideal, axis and legend."""
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _words(painter, chart)
        _axis(painter, chart)
        for place in chart.places:
            if place.series < 0:
                _bar(painter, chart, place)
        # Over the bars, which would hide it.
        _ideal(painter, chart)
        for number in range(len(chart.results.series)):
            _curve(painter, chart, number)
        for place in chart.places:
            _whisker(painter, chart, place)
        for place in chart.places:
            # Last, because the background of a number covers whiskers and curves of any result.
            _value(painter, chart, place)
        _labels(painter, chart)
        _draw_legend(painter, chart)


def _words(painter: QPainter, chart: Chart) -> None:
    """Write the sentence and the notes."""
    area = chart.area
    theme = chart.theme
    left = area.left() + EDGE
    room = area.width() - EDGE
    for number, line in enumerate(chart.sentence):
        rect = QRectF(left, area.top() + SENTENCE * number, room, SENTENCE)
        write(painter, chart.fonts.base, theme.text, rect, line)
    for number, line in enumerate(reversed(chart.notes), 1):
        rect = QRectF(left, area.bottom() - LINE * number, room, LINE)
        write(painter, chart.fonts.small, theme.muted, rect, line)


def _axis(painter: QPainter, chart: Chart) -> None:
    plot = chart.plot
    theme = chart.theme
    unit_ms, unit = chart.unit
    ms_per_pixel = chart.top_ms / plot.height()
    step = round_step(1e6 * GRID * ms_per_pixel) / 1e6  # round_step takes ns
    left = plot.left() - AXIS
    room = AXIS - 8
    for count in range(math.floor(chart.top_ms / step) + 1):
        y = chart.y(count * step)
        painter.setPen(pen(theme.grid if count else theme.line))
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        number = round(count * step / unit_ms, 6)
        rect = QRectF(left, y - LINE / 2, room, LINE)
        write(painter, chart.fonts.small, theme.muted, rect, f"{number:g}", RIGHT)
    above = QRectF(left, plot.top() - LINE - 2, room, LINE)
    write(painter, chart.fonts.small, theme.muted, above, unit, RIGHT)


def _bar(painter: QPainter, chart: Chart, place: Place) -> None:
    best = place.result is chart.results.fastest
    colour = chart.theme.accent if best else chart.theme.memory
    fill(painter, chart.bar(place), colour)


def _ideal(painter: QPainter, chart: Chart) -> None:
    """Draw a line at the ideal, or a piece for each place if the ideals differ."""
    painter.setPen(pen(chart.theme.text, 1.4, Qt.PenStyle.DashLine))
    known: list[tuple[float, float]] = []  # x of the place, and its ideal
    for place in chart.places:
        if place.result.ideal_ms is not None:
            known.append((place.x, place.result.ideal_ms))
    # Rounded, since equal ideals may differ in a double's last digit; then one line for all of
    # them.
    different = {round(ideal_ms, 9) for _, ideal_ms in known}
    if len(different) == 1:
        y = chart.y(known[0][1])
        painter.drawLine(QLineF(chart.plot.left(), y, chart.plot.right(), y))
        return
    half = chart.pitch / 2 - 3
    for x, ideal_ms in known:
        y = chart.y(ideal_ms)
        painter.drawLine(QLineF(x - half, y, x + half, y))


def _curve(painter: QPainter, chart: Chart, number: int) -> None:
    spots = []
    for place in chart.places:
        if place.series == number:
            spots.append(QPointF(place.x, chart.y(place.result.mean_ms)))
    painter.setPen(pen(_colour(chart, number), 2))
    painter.drawLines([QLineF(a, b) for a, b in pairwise(spots)])


def _whisker(painter: QPainter, chart: Chart, place: Place) -> None:
    """Draw one deviation up and down, and on a curve the marker."""
    low, high = chart.spread(place.result)
    # Pixels grow downwards, so the shorter time lies lower; both are the same without a deviation.
    if low > high:
        several = place.series >= 0 and len(chart.results.series) > 1
        colour = _colour(chart, place.series) if several else chart.theme.text
        _draw_whisker(painter, colour, place.x, (low, high), CAP)
    if place.series >= 0:
        at = QPointF(place.x, chart.y(place.result.mean_ms))
        best = place.result is chart.results.fastest
        _draw_marker(painter, chart, place.series, at, MARKER + 2 * best)


def _draw_whisker(
    painter: QPainter, colour: str, x: float, ends: tuple[float, float], cap: float
) -> None:
    """Draw a line with a cap at each end, `cap` pixels to either side."""
    painter.setPen(pen(colour, 1.2))
    low, high = ends
    painter.drawLine(QLineF(x, low, x, high))
    for y in ends:
        painter.drawLine(QLineF(x - cap, y, x + cap, y))


def _draw_marker(painter: QPainter, chart: Chart, number: int, at: QPointF, half: float) -> None:
    """Draw the marker of a curve, in the shape of that curve."""
    painter.setPen(pen(chart.theme.plot, 1.2))
    painter.setBrush(QColor(_colour(chart, number)))
    # Five shapes and a theme's eight colours have no
    # common factor: 40 curves differ in one of them.
    corners = (0, 4, 3, 5, 6)[number % 5]
    if not corners:
        painter.drawEllipse(at, half, half)
        return
    # A polygon is smaller than the circle around it: farther out it looks as large as the ellipse.
    radius = 1.25 * half
    spots = []
    for corner in range(corners):
        turn = math.tau * corner / corners - math.pi / 2  # the first corner is at the top
        spots.append(at + QPointF(radius * math.cos(turn), radius * math.sin(turn)))
    painter.drawPolygon(QPolygonF(spots))


def _value(painter: QPainter, chart: Chart, place: Place) -> None:
    """Write a result's time above it, and mark the fastest."""
    best = place.result is chart.results.fastest
    crowded = len(chart.results.series) > 1 and place.series >= 0
    if not best and (crowded or chart.pitch < ALL_VALUES):
        return
    small = chart.fonts.small
    font = chart.fonts.bold if best else small
    unit_ms, _ = chart.unit
    text = significant(place.result.mean_ms / unit_ms)
    _, highest = chart.spread(place.result)
    top = highest - 7 - LINE
    ground = QRectF(0, top, text_width(font, text) + 4, LINE)
    ground.moveCenter(QPointF(place.x, ground.center().y()))
    # Whiskers and curves would run through the number.
    fill(painter, ground, chart.theme.plot)
    rect = QRectF(place.x - 60, top, 120, LINE)
    write(painter, font, chart.theme.text, rect, text, _UP)
    if best:
        above = rect.translated(0, -LINE)
        write(painter, small, chart.theme.accent, above, tr("fastest"), _UP)


def _labels(painter: QPainter, chart: Chart) -> None:
    """Draw the names of the bars, the numbers along the curves, and the title of the latter."""
    below = chart.plot.bottom() + 5
    painter.setFont(chart.fonts.small)
    for place in chart.places:
        if place.series < 0:
            _bar_name(painter, chart, place, below)
    if chart.numbers:
        _numbers(painter, chart, below)


def _bar_name(painter: QPainter, chart: Chart, place: Place, top: float) -> None:
    room = chart.pitch - 4
    for line in bar_label(chart.results, place.result, chart.pitch, chart.fonts):
        rect = QRectF(place.x - room / 2, top, room, LINE)
        shown = elided(painter, line, room)
        write(painter, chart.fonts.small, chart.theme.text, rect, shown, CENTRE)
        top += LINE


def _numbers(painter: QPainter, chart: Chart, top: float) -> None:
    """Write the numbers that the curves have values at, and the option that takes them."""
    small = chart.fonts.small
    theme = chart.theme
    widest = max(text_width(small, f"{value:g}") for value, _ in chart.numbers)
    # As many of the numbers as there is room for, evenly.
    every = max(1, math.ceil((widest + 8) / chart.pitch))
    for value, x in chart.numbers[::every]:
        rect = QRectF(x - 60, top, 120, LINE)
        write(painter, small, theme.text, rect, f"{value:g}", CENTRE)
    along = chart.results.sweep.axis
    if along is not None:
        _, first = chart.numbers[0]
        _, last = chart.numbers[-1]
        rect = QRectF((first + last) / 2 - 150, top + LINE, 300, LINE)
        write(painter, small, theme.muted, rect, option_title(along.option), CENTRE)


def _draw_legend(painter: QPainter, chart: Chart) -> None:
    small = chart.fonts.small
    y = chart.plot.top() - UNDER - LINE * len(chart.legend)
    for line in chart.legend:
        x = chart.plot.left()
        for number, text in line:
            _swatch(painter, chart, number, QPointF(x + SWATCH / 2 - 4, y + LINE / 2))
            rect = QRectF(x + SWATCH, y, text_width(small, text) + 4, LINE)
            write(painter, small, chart.theme.muted, rect, text, LEFT)
            x = rect.right() + APART
        y += LINE


def _swatch(painter: QPainter, chart: Chart, number: int, at: QPointF) -> None:
    x, y = at.x(), at.y()
    line = QLineF(x - KEY, y, x + KEY, y)
    if number >= 0:
        painter.setPen(pen(_colour(chart, number), 2))
        painter.drawLine(line)
        _draw_marker(painter, chart, number, at, MARKER - 0.5)
    elif number == -1:
        painter.setPen(pen(chart.theme.text, 1.4, Qt.PenStyle.DashLine))
        painter.drawLine(line)
    else:
        _draw_whisker(painter, chart.theme.text, x, (y - 5, y + 5), 4)


def _colour(chart: Chart, number: int) -> str:
    """Return the colour of a curve; a single curve has the accent."""
    if len(chart.results.series) == 1:
        return chart.theme.accent
    return chart.theme.series[number % len(chart.theme.series)]
