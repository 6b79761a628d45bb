"""Draws the results of a sweep as bars and curves, on screen and in files."""

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
from gui.look.painter import saved
from gui.look.text import significant, tr
from gui.look.writing import CENTRE, RIGHT
from gui.timeline.layout.axis import round_step
from gui.timeline.paint.ink import Ink

MARKER = 4.5  # half the width of a marker, in pixels
CAP = 5.0  # half the width of a whisker's ends, in pixels
GRID = 34.0  # approximate distance between two grid lines, in pixels
KEY = 8.0  # half the length of a line in the legend, in pixels
ALL_VALUES = 34.0  # least width of a place in pixels if each result's time is written
_UP = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom


def draw_chart(painter: QPainter, chart: Chart) -> None:
    """Draw bars, curves, whiskers, the ideal, axis and legend."""
    ink = Ink(painter, chart.fonts, chart.theme)
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _words(ink, chart)
        _axis(ink, chart)
        for place in chart.places:
            if place.series < 0:
                _bar(ink, chart, place)
        # After the bars, which would hide it.
        _ideal(ink, chart)
        for number in range(len(chart.results.series)):
            _curve(ink, chart, number)
        for place in chart.places:
            _whisker(ink, chart, place)
        for place in chart.places:
            # After all whiskers and curves, which the background of a number may have to cover.
            _value(ink, chart, place)
        _labels(ink, chart)
        _draw_legend(ink, chart)


def _words(ink: Ink, chart: Chart) -> None:
    """Write the sentence and the notes."""
    area = chart.area
    left = area.left() + EDGE
    room = area.width() - EDGE
    rect = QRectF(left, area.top(), room, SENTENCE)
    for line in chart.sentence:
        ink.base(rect, line)
        rect.translate(0, SENTENCE)
    top = area.bottom() - LINE * len(chart.notes)
    rect = QRectF(left, top, room, LINE)
    for line in chart.notes:
        ink.small(rect, line)
        rect.translate(0, LINE)


def _axis(ink: Ink, chart: Chart) -> None:
    """Draw the grid lines with their times, and the unit above them."""
    plot = chart.plot
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
        colour = ink.theme.grid if count else ink.theme.line
        ink.pen(colour)
        ink.level(plot.left(), plot.right(), y)
        number = round(ms / unit_ms, 6)
        top = y - LINE / 2
        rect = QRectF(left, top, room, LINE)
        ink.small(rect, f"{number:g}", RIGHT)
    unit_top = plot.top() - LINE - 2
    above = QRectF(left, unit_top, room, LINE)
    ink.small(above, unit, RIGHT)


def _bar(ink: Ink, chart: Chart, place: Place) -> None:
    is_best = place.result is chart.results.fastest
    colour = ink.theme.accent if is_best else ink.theme.memory
    bar = chart.bar(place)
    ink.fill(bar, colour)


def _ideal(ink: Ink, chart: Chart) -> None:
    """Draw a line at the ideal, or a short line at each place if the ideals differ."""
    plot = chart.plot
    _set_ideal_pen(ink)
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
        ink.level(plot.left(), plot.right(), y)
        return
    half = chart.pitch / 2 - 3
    for x, ideal_ms in known:
        y = chart.y(ideal_ms)
        ink.level(x - half, x + half, y)


def _set_ideal_pen(ink: Ink) -> None:
    ink.pen(ink.theme.text, 1.4, Qt.PenStyle.DashLine)


def _curve(ink: Ink, chart: Chart, number: int) -> None:
    spots = []
    for place in chart.places:
        if place.series == number:
            y = chart.y(place.result.mean_ms)
            spots.append(QPointF(place.x, y))
    lines = [QLineF(a, b) for a, b in pairwise(spots)]
    colour = _colour(chart, number)
    ink.pen(colour, 2)
    ink.painter.drawLines(lines)


def _whisker(ink: Ink, chart: Chart, place: Place) -> None:
    """Draw a whisker, one deviation up and down, and the marker of a point on a curve."""
    is_on_curve = place.series >= 0
    result = place.result
    ends = chart.spread(result)
    low, high = ends
    # y grows downwards, so the shorter time has the larger y. Without a deviation they are equal.
    if low > high:
        colour = ink.theme.text
        if is_on_curve and len(chart.results.series) > 1:
            colour = _colour(chart, place.series)
        _draw_whisker(ink, colour, place.x, ends, CAP)
    if is_on_curve:
        y = chart.y(result.mean_ms)
        at = QPointF(place.x, y)
        is_best = result is chart.results.fastest
        size = MARKER + 2 if is_best else MARKER
        _draw_marker(ink, chart, place.series, at, size)


def _draw_whisker(ink: Ink, colour: str, x: float, ends: tuple[float, float], cap: float) -> None:
    """Draw a line with a cap at each end, `cap` pixels to either side."""
    ink.pen(colour, 1.2)
    low, high = ends
    ink.upright(x, low, high)
    for y in ends:
        ink.level(x - cap, x + cap, y)


def _draw_marker(ink: Ink, chart: Chart, number: int, at: QPointF, half: float) -> None:
    """Draw the marker of a curve, in the shape of that curve."""
    painter = ink.painter
    colour = _colour(chart, number)
    ink.pen(ink.theme.plot, 1.2)
    painter.setBrush(QColor(colour))
    # There are five shapes and eight colours. These numbers have no common factor, so the first 40
    # curves differ in shape or colour.
    corners = (0, 4, 3, 5, 6)[number % 5]
    if not corners:
        painter.drawEllipse(at, half, half)
        return
    # A polygon is smaller than its circumscribed circle, so it has a larger radius to look as big.
    radius = 1.25 * half
    spots = []
    for corner in range(corners):
        turn = math.tau * corner / corners - math.pi / 2  # the first corner is at the top
        x = radius * math.cos(turn)
        y = radius * math.sin(turn)
        from_centre = QPointF(x, y)
        spots.append(at + from_centre)
    painter.drawPolygon(QPolygonF(spots))


def _value(ink: Ink, chart: Chart, place: Place) -> None:
    """Write a result's time above it, and mark the fastest."""
    result = place.result
    is_best = result is chart.results.fastest
    if not is_best and not _has_room(chart, place):
        return
    theme = ink.theme
    unit_ms, _ = chart.unit
    text = significant(result.mean_ms / unit_ms)
    _, highest = chart.spread(result)
    top = highest - 7 - LINE
    text_wide = ink.bold_width(text) if is_best else ink.small_width(text)
    # A plain background, because whiskers and curves would cross the number.
    ground = _around(place.x, top, text_wide + 4)
    ink.fill(ground, theme.plot)
    rect = _around(place.x, top, 120)
    if is_best:
        ink.bold(rect, text, _UP)
        rect.translate(0, -LINE)
        ink.small(rect, tr("fastest"), _UP, theme.accent)
    else:
        ink.small(rect, text, _UP, theme.text)


def _around(x: float, top: float, width: float) -> QRectF:
    """Return the rectangle of a line of text that is centred at `x`."""
    return QRectF(x - width / 2, top, width, LINE)


def _has_room(chart: Chart, place: Place) -> bool:
    """Return True if a result that is not the fastest has room for its time above it."""
    has_several_curves = len(chart.results.series) > 1
    is_on_curve = place.series >= 0
    if has_several_curves and is_on_curve:
        return False
    return chart.pitch >= ALL_VALUES


def _labels(ink: Ink, chart: Chart) -> None:
    """Draw the names of the bars, the numbers along the curves, and the title of those numbers."""
    below = chart.plot.bottom() + 5
    for place in chart.places:
        if place.series < 0:
            _bar_name(ink, chart, place, below)
    if chart.numbers:
        _numbers(ink, chart, below)


def _bar_name(ink: Ink, chart: Chart, place: Place, top: float) -> None:
    room = chart.pitch - 4
    rect = _around(place.x, top, room)
    lines = bar_label(chart.results, place.result, chart.pitch, chart.fonts)
    for line in lines:
        shown = ink.small_elided(line, room)
        ink.small(rect, shown, CENTRE, ink.theme.text)
        rect.translate(0, LINE)


def _numbers(ink: Ink, chart: Chart, top: float) -> None:
    """Write the numbers below the curves, and the title of their option."""
    widest = 0.0
    for value, _ in chart.numbers:
        width = ink.small_width(f"{value:g}")
        widest = max(widest, width)
    # If places are narrower than a number, only every second, or every third and so on, is written.
    needed = widest + 8
    every_nth = max(1, math.ceil(needed / chart.pitch))
    for value, x in chart.numbers[::every_nth]:
        rect = _around(x, top, 120)
        ink.small(rect, f"{value:g}", CENTRE, ink.theme.text)
    axis = chart.results.sweep.axis
    if axis is not None:
        _, first = chart.numbers[0]
        _, last = chart.numbers[-1]
        middle = (first + last) / 2
        rect = _around(middle, top + LINE, 300)
        title = option_title(axis.option)
        ink.small(rect, title, CENTRE)


def _draw_legend(ink: Ink, chart: Chart) -> None:
    height = LINE * len(chart.legend)
    y = chart.plot.top() - UNDER - height
    for line in chart.legend:
        x = chart.plot.left()
        middle = y + LINE / 2
        for entry in line:
            swatch_x = x + SWATCH / 2 - 4
            at = QPointF(swatch_x, middle)
            _swatch(ink, chart, entry.number, at)
            width = ink.small_width(entry.text) + 4
            rect = QRectF(x + SWATCH, y, width, LINE)
            ink.small(rect, entry.text)
            x = rect.right() + APART
        y += LINE


def _swatch(ink: Ink, chart: Chart, number: int, at: QPointF) -> None:
    """Draw the symbol of an entry of the legend; for `number` see LegendEntry."""
    x = at.x()
    y = at.y()
    left = x - KEY
    right = x + KEY
    if number >= 0:
        colour = _colour(chart, number)
        ink.pen(colour, 2)
        ink.level(left, right, y)
        _draw_marker(ink, chart, number, at, MARKER - 0.5)
    elif number == -1:
        _set_ideal_pen(ink)
        ink.level(left, right, y)
    else:
        ends = (y - 5, y + 5)
        _draw_whisker(ink, ink.theme.text, x, ends, 4)


def _colour(chart: Chart, number: int) -> str:
    """Return the colour of a curve; a single curve has the accent."""
    if len(chart.results.series) == 1:
        return chart.theme.accent
    colours = chart.theme.series
    return colours[number % len(colours)]
