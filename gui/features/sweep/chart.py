"""The results of a sweep as bars and curves, for the dock and for files alike."""

from __future__ import annotations

import math
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

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
    """Draw the lines of the grid with their times, and the unit above them."""
    plot = chart.plot
    theme = chart.theme
    font = chart.fonts.small
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
        colour = theme.grid if count else theme.line
        painter.setPen(pen(colour))
        _level(painter, plot.left(), plot.right(), y)
        number = round(ms / unit_ms, 6)
        rect = QRectF(left, y - LINE / 2, room, LINE)
        write(painter, font, theme.muted, rect, f"{number:g}", RIGHT)
    unit_top = plot.top() - LINE - 2
    above = QRectF(left, unit_top, room, LINE)
    write(painter, font, theme.muted, above, unit, RIGHT)


def _level(painter: QPainter, left: float, right: float, y: float) -> None:
    """Draw a horizontal line."""
    line = QLineF(left, y, right, y)
    painter.drawLine(line)


def _bar(painter: QPainter, chart: Chart, place: Place) -> None:
    is_best = place.result is chart.results.fastest
    colour = chart.theme.accent if is_best else chart.theme.memory
    fill(painter, chart.bar(place), colour)


def _ideal(painter: QPainter, chart: Chart) -> None:
    """Draw a line at the ideal, or a piece for each place if the ideals differ."""
    plot = chart.plot
    painter.setPen(_ideal_pen(chart))
    known: list[tuple[float, float]] = []  # x of the place, and its ideal
    for place in chart.places:
        ideal_ms = place.result.ideal_ms
        if ideal_ms is not None:
            known.append((place.x, ideal_ms))
    # Rounded, because equal ideals may differ in a double's last digit.
    different = {round(ideal_ms, 9) for _, ideal_ms in known}
    if len(different) == 1:
        _, shared_ms = known[0]
        y = chart.y(shared_ms)
        _level(painter, plot.left(), plot.right(), y)
        return
    half = chart.pitch / 2 - 3
    for x, ideal_ms in known:
        y = chart.y(ideal_ms)
        _level(painter, x - half, x + half, y)


def _ideal_pen(chart: Chart) -> QPen:
    return pen(chart.theme.text, 1.4, Qt.PenStyle.DashLine)


def _curve(painter: QPainter, chart: Chart, number: int) -> None:
    spots = []
    for place in chart.places:
        if place.series == number:
            y = chart.y(place.result.mean_ms)
            spots.append(QPointF(place.x, y))
    lines = [QLineF(a, b) for a, b in pairwise(spots)]
    colour = _colour(chart, number)
    painter.setPen(pen(colour, 2))
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
        _level(painter, x - cap, x + cap, y)


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
    result = place.result
    is_best = result is chart.results.fastest
    if not is_best and not _has_room(chart, place):
        return
    theme = chart.theme
    small = chart.fonts.small
    font = chart.fonts.bold if is_best else small
    unit_ms, _ = chart.unit
    text = significant(result.mean_ms / unit_ms)
    _, highest = chart.spread(result)
    top = highest - 7 - LINE
    # A plain ground, because whiskers and curves would run through the number.
    width = text_width(font, text) + 4
    ground = QRectF(0, top, width, LINE)
    middle = QPointF(place.x, ground.center().y())
    ground.moveCenter(middle)
    fill(painter, ground, theme.plot)
    rect = QRectF(place.x - 60, top, 120, LINE)
    write(painter, font, theme.text, rect, text, _UP)
    if is_best:
        above = rect.translated(0, -LINE)
        write(painter, small, theme.accent, above, tr("fastest"), _UP)


def _has_room(chart: Chart, place: Place) -> bool:
    """Return True if every result like this one has room for its time above it."""
    has_several_curves = len(chart.results.series) > 1
    is_on_curve = place.series >= 0
    if has_several_curves and is_on_curve:
        return False
    return chart.pitch >= ALL_VALUES


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
    font = chart.fonts.small
    room = chart.pitch - 4
    left = place.x - room / 2
    lines = bar_label(chart.results, place.result, chart.pitch, chart.fonts)
    for line in lines:
        rect = QRectF(left, top, room, LINE)
        shown = elided(painter, line, room)
        write(painter, font, chart.theme.text, rect, shown, CENTRE)
        top += LINE


def _numbers(painter: QPainter, chart: Chart, top: float) -> None:
    """Write the numbers below the curves, and the option that they are values of."""
    small = chart.fonts.small
    theme = chart.theme
    widest = 0.0
    for value, _ in chart.numbers:
        width = text_width(small, f"{value:g}")
        widest = max(widest, width)
    # If places are narrower than a number, only every second, third... is written.
    needed = widest + 8
    every_nth = max(1, math.ceil(needed / chart.pitch))
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
    height = LINE * len(chart.legend)
    y = chart.plot.top() - UNDER - height
    for line in chart.legend:
        x = chart.plot.left()
        middle = y + LINE / 2
        for number, text in line:
            swatch_x = x + SWATCH / 2 - 4
            _swatch(painter, chart, number, QPointF(swatch_x, middle))
            width = text_width(small, text) + 4
            rect = QRectF(x + SWATCH, y, width, LINE)
            write(painter, small, chart.theme.muted, rect, text, LEFT)
            x = rect.right() + APART
        y += LINE


def _swatch(painter: QPainter, chart: Chart, number: int, at: QPointF) -> None:
    """Draw the sign of an entry of the legend, which is numbered as in `Chart.legend`."""
    x = at.x()
    y = at.y()
    if number >= 0:
        painter.setPen(pen(_colour(chart, number), 2))
        _level(painter, x - KEY, x + KEY, y)
        _draw_marker(painter, chart, number, at, MARKER - 0.5)
    elif number == -1:
        painter.setPen(_ideal_pen(chart))
        _level(painter, x - KEY, x + KEY, y)
    else:
        ends = (y - 5, y + 5)
        _draw_whisker(painter, chart.theme.text, x, ends, 4)


def _colour(chart: Chart, number: int) -> str:
    """Return the colour of a curve; a single curve has the accent."""
    if len(chart.results.series) == 1:
        return chart.theme.accent
    return chart.theme.series[number % len(chart.theme.series)]
