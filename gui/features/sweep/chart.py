"""The results of a sweep as bars and curves, for the dock and for files alike."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPolygonF

from core.sweep.results import Result, Results
from gui.app.setting_names import option_title, settings_text
from gui.features.sweep.words import fastest_text, setting_title
from gui.look.painter import fill, saved
from gui.look.text import sentence as ends
from gui.look.text import significant, tr
from gui.look.theme import Theme
from gui.look.writing import CENTRE, LEFT, RIGHT, elided, in_lines, wrapped, write
from gui.timeline.layout.axis import round_step
from gui.timeline.layout.fonts import Fonts, text_width

LINE, SENTENCE = 16.0, 19.0  # from one line of small text, or of the sentence, to the next
AXIS = 46.0  # for the numbers of the axis of time
EDGE = 14.0
UNDER = 20.0  # the legend, with room for the unit
WIDEST = 110.0  # of a result's place
BAR = 0.56  # of its place
GAP = 0.6  # of a place, between the bars and the curves
MARKER = 4.5  # half of a marker
ASIDE = 5.0  # from a curve's marker to the next curve's
CAP = 5.0  # half of a whisker's end
# Room above the highest result for its time and the word "fastest".
HEADROOM = 1.16
LABEL_LINES = 3
SWATCH = 22.0
ALL_VALUES = 34.0  # pixels of a place from which on each result's time is written
UNITS = ((1e3, "s"), (1.0, "ms"), (1e-3, "µs"))
_UP = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom


@dataclass(frozen=True, slots=True)
class Place:
    """Position of one result in the chart: x in pixels, index of its curve, -1 for a bar."""

    x: float
    result: Result
    series: int = -1


@dataclass(frozen=True, slots=True)
class Chart:
    """The results laid out in an area; `pitch` pixels from one place to the next.

    The lines of the `sentence` on the fastest are above, the lines of `notes` on the times below.
    """

    results: Results
    area: QRectF
    plot: QRectF
    top_ms: float
    pitch: float
    places: tuple[Place, ...]
    numbers: tuple[tuple[float, float], ...]
    legend: tuple[tuple[tuple[int, str], ...], ...]
    sentence: tuple[str, ...]
    notes: tuple[str, ...]
    theme: Theme
    fonts: Fonts

    def y(self, ms: float) -> float:
        """Return the y of a time, in pixels."""
        return self.plot.bottom() - self.plot.height() * ms / self.top_ms

    @property
    def unit(self) -> tuple[float, str]:
        """The unit of all its times: ms of one, and its name."""
        return next((unit for unit in UNITS if self.top_ms >= unit[0]), UNITS[-1])

    def spot(self, place: Place) -> QRectF:
        """Return the area of a result that reacts to the pointer: its bar, or around its marker."""
        y = self.y(place.result.mean_ms)
        if place.series < 0:
            half = self.pitch * BAR / 2
            # From 8 pixels above, so that a bar that is nearly flat can be hit too.
            return QRectF(place.x - half, y - 8, 2 * half, self.plot.bottom() - y + 8)
        return QRectF(place.x - 11, y - 11, 22, 22)

    def at(self, point: QPointF) -> Result | None:
        """Return the result at a pixel; None without one."""
        # The result that is drawn last is on top.
        hits = (place for place in reversed(self.places) if self.spot(place).contains(point))
        return next((place.result for place in hits), None)


def lay_out(results: Results, area: QRectF, theme: Theme, fonts: Fonts) -> Chart:
    """Return the layout of the results so far, with room for results that are still to be run."""
    room = area.width() - 2 * EDGE
    sentence = _lines(fastest_text(results), fonts.base, room)
    notes = [line for note in results.timings for line in _lines(ends(note), fonts.small, room)]
    bars, numbers = results.bars, results.numbers
    places = len(bars) + len(numbers)
    legend = _legend(results, fonts, area.width() - AXIS - EDGE)
    left, right = area.left() + AXIS, area.right() - EDGE
    gap = GAP if bars and numbers else 0.0
    pitch = min(WIDEST, (right - left) / max(1.0, places + gap))
    lines = max((len(_label(results, bar, pitch, fonts)) for bar in bars), default=1)
    # Two lines below curves: the numbers, and the option that they are values of.
    below = LINE * (max(lines, 1 + bool(numbers)) + len(notes)) + 8
    top = area.top() + SENTENCE * len(sentence) + 4 + LINE * len(legend) + UNDER
    wide = pitch * (places + gap)
    # At least a pixel: a dock can be lower than the words, and the axis divides by the height.
    plot = QRectF(left, top, max(1.0, wide), max(1.0, area.bottom() - top - below))
    xs = {
        number: left + pitch * (len(bars) + gap + place + 0.5)
        for place, number in enumerate(numbers)
    }
    found = [Place(left + pitch * (at + 0.5), bar) for at, bar in enumerate(bars)]
    for number, series in enumerate(results.series):
        # Curves are shifted a little, evenly about their number, so that no marker hides another.
        aside = ASIDE * (number - (len(results.series) - 1) / 2)
        found += [Place(xs[value] + aside, result, number) for value, result in series.results]
    return Chart(
        results,
        area,
        plot,
        _top(results),
        pitch,
        tuple(found),
        tuple(xs.items()),
        legend,
        tuple(sentence),
        tuple(notes),
        theme,
        fonts,
    )


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


def _top(results: Results) -> float:
    shown = [max(r.spread[1], r.ideal_ms or 0.0) for r in results.by_setting.values()]
    return HEADROOM * max(shown, default=1.0)


def _legend(results: Results, fonts: Fonts, room: float) -> tuple[tuple[tuple[int, str], ...], ...]:
    """Lines of entries: the curves by number, -1 for the ideal, -2 for a whisker."""
    series = results.series
    entries = [
        (number, settings_text(one.settings)) for number, one in enumerate(series) if one.settings
    ]
    if any(result.ideal_ms is not None for result in results.by_setting.values()):
        entries.append((-1, tr("ideal: single ÷ lanes")))
    if any(result.deviation_ms for result in results.by_setting.values()):
        entries.append((-2, tr("deviation from run to run")))
    measured = [(entry, SWATCH + text_width(fonts.small, entry[1]) + 4) for entry in entries]
    return tuple(tuple(line) for line in in_lines(measured, 14.0, room))


def _lines(text: str, font: QFont, room: float) -> list[str]:
    return wrapped(text, room, lambda words: text_width(font, words))


def _words(painter: QPainter, chart: Chart) -> None:
    """Write the sentence and the notes."""
    area, theme = chart.area, chart.theme
    left, room = area.left() + EDGE, area.width() - EDGE
    for number, line in enumerate(chart.sentence):
        rect = QRectF(left, area.top() + SENTENCE * number, room, SENTENCE)
        write(painter, chart.fonts.base, theme.text, rect, line)
    for number, line in enumerate(reversed(chart.notes), 1):
        rect = QRectF(left, area.bottom() - LINE * number, room, LINE)
        write(painter, chart.fonts.small, theme.muted, rect, line)


def _axis(painter: QPainter, chart: Chart) -> None:
    plot, theme, (unit_ms, unit) = chart.plot, chart.theme, chart.unit
    # round_step takes ns; a grid line about every 34 pixels.
    step = round_step(1e6 * chart.top_ms * 34.0 / plot.height()) / 1e6
    for count in range(math.floor(chart.top_ms / step) + 1):
        y = chart.y(count * step)
        painter.setPen(QPen(QColor(theme.line if not count else theme.grid), 1))
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        rect = QRectF(plot.left() - AXIS, y - LINE / 2, AXIS - 8, LINE)
        text = f"{round(count * step / unit_ms, 6):g}"
        write(painter, chart.fonts.small, theme.muted, rect, text, RIGHT)
    rect = QRectF(plot.left() - AXIS, plot.top() - LINE - 2, AXIS - 8, LINE)
    write(painter, chart.fonts.small, theme.muted, rect, unit, RIGHT)


def _bar(painter: QPainter, chart: Chart, place: Place) -> None:
    best = place.result is chart.results.fastest
    y, half = chart.y(place.result.mean_ms), chart.pitch * BAR / 2
    colour = chart.theme.accent if best else chart.theme.memory
    fill(painter, QRectF(place.x - half, y, 2 * half, chart.plot.bottom() - y), colour)


def _ideal(painter: QPainter, chart: Chart) -> None:
    """Draw a line at the ideal, or a piece for each place if the ideals differ."""
    pen = QPen(QColor(chart.theme.text), 1.4, Qt.PenStyle.DashLine)
    painter.setPen(pen)
    known = [p for p in chart.places if p.result.ideal_ms is not None]
    # Rounded, since equal ideals may differ in a double's last digit; then one line for all of
    # them.
    if len({round(p.result.ideal_ms or 0.0, 9) for p in known}) == 1:
        y = chart.y(known[0].result.ideal_ms or 0.0)
        painter.drawLine(QLineF(chart.plot.left(), y, chart.plot.right(), y))
        return
    for place in known:
        y, half = chart.y(place.result.ideal_ms or 0.0), chart.pitch / 2 - 3
        painter.drawLine(QLineF(place.x - half, y, place.x + half, y))


def _curve(painter: QPainter, chart: Chart, number: int) -> None:
    mine = [place for place in chart.places if place.series == number]
    colour = _colour(chart, number)
    painter.setPen(QPen(QColor(colour), 2))
    spots = [QPointF(place.x, chart.y(place.result.mean_ms)) for place in mine]
    painter.drawLines([QLineF(a, b) for a, b in pairwise(spots)])


def _whisker(painter: QPainter, chart: Chart, place: Place) -> None:
    """One deviation up and down, and on a curve the marker."""
    low, high = (chart.y(ms) for ms in place.result.spread)
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
    painter.setPen(QPen(QColor(colour), 1.2))
    caps = (QLineF(x - cap, y, x + cap, y) for y in ends)
    painter.drawLines([QLineF(x, ends[0], x, ends[1]), *caps])


def _draw_marker(painter: QPainter, chart: Chart, number: int, at: QPointF, half: float) -> None:
    """Draw the marker of a curve, in the shape of that curve."""
    painter.setPen(QPen(QColor(chart.theme.plot), 1.2))
    painter.setBrush(QColor(_colour(chart, number)))
    # Five shapes and a theme's eight colours have no
    # common factor: 40 curves differ in one of them.
    corners = (0, 4, 3, 5, 6)[number % 5]
    if not corners:
        painter.drawEllipse(at, half, half)
        return
    turns = [2 * math.pi * corner / corners - math.pi / 2 for corner in range(corners)]
    # A polygon is smaller than the circle around it: farther out it looks as large as the ellipse.
    x, y, far = at.x(), at.y(), 1.25 * half
    spots = [QPointF(x + far * math.cos(turn), y + far * math.sin(turn)) for turn in turns]
    painter.drawPolygon(QPolygonF(spots))


def _value(painter: QPainter, chart: Chart, place: Place) -> None:
    """Write a result's time above it, and mark the fastest."""
    best = place.result is chart.results.fastest
    crowded = len(chart.results.series) > 1 and place.series >= 0
    if not best and (crowded or chart.pitch < ALL_VALUES):
        return
    y = chart.y(place.result.spread[1]) - 7
    font, theme = chart.fonts.bold if best else chart.fonts.small, chart.theme
    text = significant(place.result.mean_ms / chart.unit[0])
    half = text_width(font, text) / 2 + 2
    rect = QRectF(place.x - 60, y - LINE, 120, LINE)
    # A ground of the plot's colour: whiskers and curves would run through the number.
    fill(painter, QRectF(place.x - half, y - LINE, 2 * half, LINE), theme.plot)
    write(painter, font, theme.text, rect, text, _UP)
    if best:
        write(
            painter, chart.fonts.small, theme.accent, rect.translated(0, -LINE), tr("fastest"), _UP
        )


def _labels(painter: QPainter, chart: Chart) -> None:
    """Draw the names of the bars, the numbers along the curves, and the title of the latter."""
    small, theme, below = chart.fonts.small, chart.theme, chart.plot.bottom() + 5
    painter.setFont(small)
    room = chart.pitch - 4
    for place in chart.places:
        if place.series < 0:
            lines = _label(chart.results, place.result, chart.pitch, chart.fonts)
            for number, line in enumerate(lines):
                rect = QRectF(place.x - room / 2, below + number * LINE, room, LINE)
                write(painter, small, theme.text, rect, elided(painter, line, room), CENTRE)
    widest = max((text_width(small, f"{value:g}") for value, _ in chart.numbers), default=0.0)
    # As many of the numbers as there is room for, evenly.
    for value, x in chart.numbers[:: max(1, math.ceil((widest + 8) / chart.pitch))]:
        write(painter, small, theme.text, QRectF(x - 60, below, 120, LINE), f"{value:g}", CENTRE)
    along = chart.results.sweep.axis
    if along is not None and chart.numbers:
        first, last = chart.numbers[0][1], chart.numbers[-1][1]
        rect = QRectF((first + last) / 2 - 150, below + LINE, 300, LINE)
        write(painter, small, theme.muted, rect, option_title(along.option), CENTRE)


def _label(results: Results, result: Result, pitch: float, fonts: Fonts) -> list[str]:
    """Return the name of a bar, in lines."""
    title = setting_title(results.sweep, result.setting)
    return _lines(title, fonts.small, pitch - 4)[:LABEL_LINES]


def _draw_legend(painter: QPainter, chart: Chart) -> None:
    small, theme = chart.fonts.small, chart.theme
    y = chart.plot.top() - UNDER - LINE * len(chart.legend)
    for line in chart.legend:
        x = chart.plot.left()
        for number, text in line:
            middle = QPointF(x + SWATCH / 2 - 4, y + LINE / 2)
            _swatch(painter, chart, number, middle)
            wide = text_width(small, text) + 4
            write(painter, small, theme.muted, QRectF(x + SWATCH, y, wide, LINE), text, LEFT)
            x += SWATCH + wide + 14
        y += LINE


def _swatch(painter: QPainter, chart: Chart, number: int, at: QPointF) -> None:
    if number >= 0:
        painter.setPen(QPen(QColor(_colour(chart, number)), 2))
        painter.drawLine(QLineF(at.x() - 8, at.y(), at.x() + 8, at.y()))
        _draw_marker(painter, chart, number, at, MARKER - 0.5)
    elif number == -1:
        painter.setPen(QPen(QColor(chart.theme.text), 1.4, Qt.PenStyle.DashLine))
        painter.drawLine(QLineF(at.x() - 8, at.y(), at.x() + 8, at.y()))
    else:
        _draw_whisker(painter, chart.theme.text, at.x(), (at.y() - 5, at.y() + 5), 4)


def _colour(chart: Chart, number: int) -> str:
    """Return the colour of a curve; a single curve has the accent."""
    if len(chart.results.series) == 1:
        return chart.theme.accent
    return chart.theme.series[number % len(chart.theme.series)]
