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
CAP = 5.0  # half of the line at a whisker's end
GRID = 34.0  # pixels between two lines of the grid, about
KEY = 8.0  # half of a line in the legend
ALL_VALUES = 34.0  # least width of a place in pixels if each result's time is written
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
        y = area.top() + SENTENCE * number
        rect = QRectF(left, y, room, SENTENCE)
        write(painter, chart.fonts.base, theme.text, rect, line)
    for number, line in enumerate(reversed(chart.notes), 1):
        y = area.bottom() - LINE * number
        rect = QRectF(left, y, room, LINE)
        write(painter, chart.fonts.small, theme.muted, rect, line)


def _axis(painter: QPainter, chart: Chart) -> None:
    plot = chart.plot
    theme = chart.theme
    unit_ms, unit = chart.unit
    ms_per_pixel = chart.top_ms / plot.height()
    step_ns = round_step(1e6 * GRID * ms_per_pixel)
    step_ms = step_ns / 1e6
    left = plot.left() - AXIS
    room = AXIS - 8
    lines = math.floor(chart.top_ms / step_ms) + 1
    for count in range(lines):
        ms = count * step_ms
        y = chart.y(ms)
        painter.setPen(pen(theme.grid if count else theme.line))
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        number = round(ms / unit_ms, 6)
        rect = QRectF(left, y - LINE / 2, room, LINE)
        write(painter, chart.fonts.small, theme.muted, rect, f"{number:g}", RIGHT)
    above = QRectF(left, plot.top() - LINE - 2, room, LINE)
    write(painter, chart.fonts.small, theme.muted, above, unit, RIGHT)


def _bar(painter: QPainter, chart: Chart, place: Place) -> None:
    is_best = place.result is chart.results.fastest
    colour = chart.theme.accent if is_best else chart.theme.memory
    fill(painter, chart.bar(place), colour)


def _ideal(painter: QPainter, chart: Chart) -> None:
    """Draw a line at the ideal, or a piece for each place if the ideals differ."""
    painter.setPen(pen(chart.theme.text, 1.4, Qt.PenStyle.DashLine))
    known: list[tuple[float, float]] = []  # x of the place, and its ideal
    for place in chart.places:
        if place.result.ideal_ms is not None:
            known.append((place.x, place.result.ideal_ms))
    # Rounded, because equal ideals may differ in a double's last digit.
    different = {round(ideal_ms, 9) for _, ideal_ms in known}
    if len(different) == 1:
        _, shared_ms = known[0]
        y = chart.y(shared_ms)
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
            y = chart.y(place.result.mean_ms)
            spots.append(QPointF(place.x, y))
    lines = [QLineF(a, b) for a, b in pairwise(spots)]
    painter.setPen(pen(_colour(chart, number), 2))
    painter.drawLines(lines)


def _whisker(painter: QPainter, chart: Chart, place: Place) -> None:
    """Draw one deviation up and down, and on a curve the marker."""
    is_on_curve = place.series >= 0
    low, high = chart.spread(place.result)
    # Pixels grow downwards, so the shorter time lies lower; both are the same without a deviation.
    if low > high:
        colour = chart.theme.text
        if is_on_curve and len(chart.results.series) > 1:
            colour = _colour(chart, place.series)
        _draw_whisker(painter, colour, place.x, (low, high), CAP)
    if is_on_curve:
        at = QPointF(place.x, chart.y(place.result.mean_ms))
        is_best = place.result is chart.results.fastest
        size = MARKER + 2 if is_best else MARKER
        _draw_marker(painter, chart, place.series, at, size)


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
    # Five shapes and a theme's eight colours have no common factor, so each of 40 curves has its
    # own pair.
    corners = (0, 4, 3, 5, 6)[number % 5]
    if not corners:
        painter.drawEllipse(at, half, half)
        return
    # A polygon is smaller than the circle around it: farther out it looks as large as the ellipse.
    radius = 1.25 * half
    spots = []
    for corner in range(corners):
        turn = math.tau * corner / corners - math.pi / 2  # the first corner is at the top
        x = radius * math.cos(turn)
        y = radius * math.sin(turn)
        spots.append(at + QPointF(x, y))
    painter.drawPolygon(QPolygonF(spots))


def _value(painter: QPainter, chart: Chart, place: Place) -> None:
    """Write a result's time above it, and mark the fastest."""
    is_best = place.result is chart.results.fastest
    if not is_best:
        is_crowded = len(chart.results.series) > 1 and place.series >= 0
        if is_crowded or chart.pitch < ALL_VALUES:
            return
    small = chart.fonts.small
    font = chart.fonts.bold if is_best else small
    unit_ms, _ = chart.unit
    text = significant(place.result.mean_ms / unit_ms)
    _, highest = chart.spread(place.result)
    top = highest - 7 - LINE
    # A plain ground, because whiskers and curves would run through the number.
    ground = QRectF(0, top, text_width(font, text) + 4, LINE)
    ground.moveCenter(QPointF(place.x, ground.center().y()))
    fill(painter, ground, chart.theme.plot)
    rect = QRectF(place.x - 60, top, 120, LINE)
    write(painter, font, chart.theme.text, rect, text, _UP)
    if is_best:
        above = rect.translated(0, -LINE)
        write(painter, small, chart.theme.accent, above, tr("fastest"), _UP)


def _labels(painter: QPainter, chart: Chart) -> None:
    """Draw the names of the bars, the numbers along the curves, and the title of those numbers."""
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
    """Write the numbers below the curves, and the option that they are values of."""
    small = chart.fonts.small
    theme = chart.theme
    widest = max(text_width(small, f"{value:g}") for value, _ in chart.numbers)
    # If places are narrower than a number, only every second, third... is written.
    every_nth = max(1, math.ceil((widest + 8) / chart.pitch))
    for value, x in chart.numbers[::every_nth]:
        rect = QRectF(x - 60, top, 120, LINE)
        write(painter, small, theme.text, rect, f"{value:g}", CENTRE)
    axis = chart.results.sweep.axis
    if axis is not None:
        _, first = chart.numbers[0]
        _, last = chart.numbers[-1]
        middle = (first + last) / 2
        rect = QRectF(middle - 150, top + LINE, 300, LINE)
        title = option_title(axis.option)
        write(painter, small, theme.muted, rect, title, CENTRE)


def _draw_legend(painter: QPainter, chart: Chart) -> None:
    small = chart.fonts.small
    y = chart.plot.top() - UNDER - LINE * len(chart.legend)
    for line in chart.legend:
        x = chart.plot.left()
        for number, text in line:
            middle = QPointF(x + SWATCH / 2 - 4, y + LINE / 2)
            _swatch(painter, chart, number, middle)
            rect = QRectF(x + SWATCH, y, text_width(small, text) + 4, LINE)
            write(painter, small, chart.theme.muted, rect, text, LEFT)
            x = rect.right() + APART
        y += LINE


def _swatch(painter: QPainter, chart: Chart, number: int, at: QPointF) -> None:
    """Draw the sign of an entry of the legend, which is numbered as in `Chart.legend`."""
    x = at.x()
    y = at.y()
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
