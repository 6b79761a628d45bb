"""The layout of a sweep's results: bars, curves, legend and notes, in pixels of an area."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont

from core.sweep.results import Result, Results
from gui.app.setting_names import settings_text
from gui.features.sweep.words import fastest_text, setting_title
from gui.look.text import sentence as ends
from gui.look.text import tr
from gui.look.theme import Theme
from gui.look.writing import in_lines, wrapped
from gui.timeline.layout.fonts import Fonts, text_width

LINE = 16.0  # pixels from one line of small text to the next
SENTENCE = 19.0  # the same for the sentence
AXIS = 46.0  # pixels for the numbers of the time axis
EDGE = 14.0
UNDER = 20.0  # pixels between the legend and the plot, with room for the unit
WIDEST = 110.0  # largest width of a result's place, in pixels
BAR = 0.56  # width of a bar, as a share of its place
GAP = 0.6  # distance between the bars and the curves, as a share of a place
ASIDE = 5.0  # horizontal distance in pixels between two curves' markers at the same number
NEAR = 11.0  # pixels around a marker that react to the pointer
APART = 14.0  # pixels between two entries of the legend
# Room above the highest result for its time and the word "fastest".
HEADROOM = 1.16
LABEL_LINES = 3
SWATCH = 22.0
UNITS = ((1e3, "s"), (1.0, "ms"), (1e-3, "µs"))


@dataclass(frozen=True, slots=True)
class Place:
    """Position of one result in the chart: x in pixels, and index of its curve (-1 for a bar)."""

    x: float
    result: Result
    series: int = -1


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """An entry of the legend: a curve by its number, -1 for the ideal, -2 for a whisker."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """The results laid out in `area`. Positions are in pixels.

    `pitch` is the distance from one place to the next. `numbers` has the numbers along the curves,
    each with its x. The lines of `sentence`, on the fastest result, are at the top of the area, and
    the lines of `notes`, on the times, at the bottom.
    """

    results: Results
    area: QRectF
    plot: QRectF
    top_ms: float
    pitch: float
    places: tuple[Place, ...]
    numbers: tuple[tuple[float, float], ...]
    legend: tuple[list[LegendEntry], ...]
    sentence: tuple[str, ...]
    notes: tuple[str, ...]
    theme: Theme
    fonts: Fonts

    def y(self, ms: float) -> float:
        """Return the y of a time, in pixels."""
        plot = self.plot
        return plot.bottom() - plot.height() * ms / self.top_ms

    @property
    def unit(self) -> tuple[float, str]:
        """The unit of all times in the chart: its length in ms, and its name."""
        for ms, name in UNITS:
            if self.top_ms >= ms:
                return ms, name
        return UNITS[-1]

    def spot(self, place: Place) -> QRectF:
        """Return the area in which the pointer hits a result: its bar, or around its marker."""
        if place.series < 0:
            # Starts above the bar, so that a nearly flat bar can be hit too.
            return self.bar(place).adjusted(0, -8, 0, 0)
        y = self.y(place.result.mean_ms)
        size = 2 * NEAR
        return QRectF(place.x - NEAR, y - NEAR, size, size)

    def bar(self, place: Place) -> QRectF:
        """Return the rectangle of a bar."""
        y = self.y(place.result.mean_ms)
        wide = self.pitch * BAR
        left = place.x - wide / 2
        high = self.plot.bottom() - y
        return QRectF(left, y, wide, high)

    def spread(self, result: Result) -> tuple[float, float]:
        """Return the y of one deviation below the mean time, and of one above it."""
        low, high = result.spread
        return self.y(low), self.y(high)

    def at(self, point: QPointF) -> Result | None:
        """Return the result at a pixel; None without one."""
        # The result that is drawn last is on top.
        for place in reversed(self.places):
            if self.spot(place).contains(point):
                return place.result
        return None


@dataclass(frozen=True, slots=True)
class _Columns:
    """Places from left to right, `pitch` pixels wide: bars, a gap, and the curves' numbers."""

    left: float
    pitch: float
    bars: int
    gap: float

    @classmethod
    def of(cls, results: Results, left: float, room: float) -> _Columns:
        """Return the columns of all results, from `left` on and at most `room` pixels wide."""
        bars = len(results.bars)
        numbers = len(results.numbers)
        gap = GAP if bars and numbers else 0.0
        count = bars + gap + numbers
        pitch = min(WIDEST, room / max(1.0, count))
        return cls(left, pitch, bars, gap)

    def bar_x(self, position: int) -> float:
        """Return the middle of a bar."""
        return self.left + self.pitch * (position + 0.5)

    def number_x(self, position: int) -> float:
        """Return the middle of a number's place."""
        middle = self.bars + self.gap + position + 0.5
        return self.left + self.pitch * middle

    def width(self, numbers: int) -> float:
        """Return the width of all bars, the gap, and the places of this many numbers."""
        return self.pitch * (self.bars + self.gap + numbers)


def lay_out(results: Results, area: QRectF, theme: Theme, fonts: Fonts) -> Chart:
    """Return the layout of the results so far, with room for all numbers of the curves."""
    room = area.width() - 2 * EDGE
    sentence = _lines(fastest_text(results), fonts.base, room)
    notes: list[str] = []
    for note in results.timings:
        notes += _lines(ends(note), fonts.small, room)
    left = area.left() + AXIS
    width = area.width() - AXIS - EDGE
    legend = _legend(results, fonts, width)
    columns = _Columns.of(results, left, width)
    words_above = SENTENCE * len(sentence) + LINE * len(legend) + 4
    lines_below = _label_lines(results, columns.pitch, fonts) + len(notes)
    words_below = LINE * lines_below + 8
    top = area.top() + words_above + UNDER
    height = area.bottom() - top - words_below
    # At least a pixel, because a dock can be lower than the words, and the axis divides by this.
    plot_width = max(1.0, columns.width(len(results.numbers)))
    plot = QRectF(left, top, plot_width, max(1.0, height))
    found = []
    for position, bar in enumerate(results.bars):
        found.append(Place(columns.bar_x(position), bar))
    xs: dict[float, float] = {}
    for position, number in enumerate(results.numbers):
        xs[number] = columns.number_x(position)
    found += _curve_places(results, xs)
    return Chart(
        results=results,
        area=area,
        plot=plot,
        top_ms=_top(results),
        pitch=columns.pitch,
        places=tuple(found),
        numbers=tuple(xs.items()),
        legend=legend,
        sentence=tuple(sentence),
        notes=tuple(notes),
        theme=theme,
        fonts=fonts,
    )


def _curve_places(results: Results, xs: Mapping[float, float]) -> list[Place]:
    """Return the places of all curves, given the x of each number."""
    found = []
    middle = (len(results.series) - 1) / 2
    for number, series in enumerate(results.series):
        # Curves are shifted a little, symmetrically, so that no marker hides another.
        aside = ASIDE * (number - middle)
        for value, result in series.results:
            x = xs[value] + aside
            found.append(Place(x, result, number))
    return found


def _label_lines(results: Results, pitch: float, fonts: Fonts) -> int:
    """Return the number of lines of the longest label below the plot."""
    # Two lines below curves: the numbers, and the title of their option.
    count = 2 if results.numbers else 1
    for bar in results.bars:
        label = bar_label(results, bar, pitch, fonts)
        count = max(count, len(label))
    return count


def bar_label(results: Results, result: Result, pitch: float, fonts: Fonts) -> list[str]:
    """Return the name of a bar, in at most LABEL_LINES lines."""
    title = setting_title(results.sweep, result.setting)
    lines = _lines(title, fonts.small, pitch - 4)
    return lines[:LABEL_LINES]


def _top(results: Results) -> float:
    """Return the time in ms at the upper edge of the chart."""
    if not results.by_setting:
        return HEADROOM
    highest = 0.0
    for result in results.by_setting.values():
        _, above = result.spread
        ideal_ms = result.ideal_ms or 0.0
        highest = max(highest, above, ideal_ms)
    return HEADROOM * highest


def _legend(results: Results, fonts: Fonts, room: float) -> tuple[list[LegendEntry], ...]:
    """Return the entries of the legend, in lines that fit `room`."""
    entries = []
    for number, series in enumerate(results.series):
        if series.settings:
            entries.append(LegendEntry(number, settings_text(series.settings)))
    shown = results.by_setting.values()
    if any(result.ideal_ms is not None for result in shown):
        entries.append(LegendEntry(-1, tr("ideal: single ÷ lanes")))
    if any(result.deviation_ms for result in shown):
        entries.append(LegendEntry(-2, tr("deviation from run to run")))
    widths = []
    for entry in entries:
        width = SWATCH + text_width(fonts.small, entry.text) + 4
        widths.append((entry, width))
    return tuple(in_lines(widths, APART, room))


def _lines(text: str, font: QFont, room: float) -> list[str]:
    return wrapped(text, room, lambda words: text_width(font, words))
