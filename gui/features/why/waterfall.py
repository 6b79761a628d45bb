"""Waterfall chart of the ladder: the times that lead from the ideal step to the measured one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont

from core.message import N_
from core.override import override
from core.report.waterfall import BAR_WORDS
from gui.look.causes import BAR_LOOKS
from gui.look.text import MINUS, NO_BREAK, join_clauses, percent_text, significant, tr
from gui.look.writing import CENTRE, write_wrapped
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.paint.ink import Ink
from gui.widgets.drawing import Drawing

# Pixels.
HEIGHT = 232.0
PAD = 6.0
VALUES = 34.0  # height above the highest bar, for its value and share
NAMES = 32.0  # height below the bars, for their names
BELOW = 32.0  # height below a bar that descends, for its value and share
WIDEST = 64.0  # width of a bar, at most
GAP = 5.0  # between the names of two bars
# Fractions.
BAR = 0.66  # width of a bar, as a fraction of its column
SMALLEST = 0.8  # least size of the names, as a fraction of the small font
TOTAL = N_("measured")
TOP_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop

BAR_NAMES: dict[str, tuple[str, ...]] = {
    **{name: (word,) for name, word in BAR_WORDS.items()},
    "communication": (BAR_WORDS["communication"], N_("exposed comm.")),
    TOTAL: (N_("measured"),),
}
"""Names below a bar; the second is used where the first does not fit."""
BAR_TIPS: dict[str, str] = {
    "ideal": N_("All computing, divided evenly over the lanes: the best possible step."),
    "imbalance": N_("Computing of the busiest lane above an even share."),
    "bubble": N_("Time added by the order of the tasks, without transfers or late tasks."),
    "communication": N_("Time added by moving data, where no computing hides it."),
    "data": N_("Time added by waiting for the next batch of data."),
    "between": N_("Time of the job between its update and the first work of the next step."),
    "contention": N_("Time that the tasks took beyond the costs measured before the run."),
    "host": N_("Everything else: tasks that began late because of launch, Python or the system."),
    TOTAL: N_("The whole step, from its start to its end."),
}


@dataclass(frozen=True, slots=True)
class WaterfallBar:
    """A bar of the waterfall, from the level `start` to the level `end`, in ns."""

    name: str
    start: int
    end: int

    @property
    def value(self) -> int:
        """The time that the bar adds, in ns; negative if it descends."""
        return self.end - self.start

    @property
    def low(self) -> int:
        """The level of the lower end, in ns."""
        return min(self.start, self.end)

    @property
    def high(self) -> int:
        """The level of the upper end, in ns."""
        return max(self.start, self.end)

    def descends_below(self, level: float) -> bool:
        """Return True if the bar descends, and ends below a level in ns."""
        return self.value < 0 and self.end < level


def waterfall_bars(ladder: dict[str, int]) -> list[WaterfallBar]:
    """Return a bar for each part of a ladder (see StepFigures), and one for the whole step."""
    bars: list[WaterfallBar] = []
    level = 0
    for name, value in ladder.items():
        bars.append(WaterfallBar(name, start=level, end=level + value))
        level += value
    bars.append(WaterfallBar(TOTAL, start=0, end=level))
    return bars


class WaterfallChart(Drawing):
    """Waterfall chart: each bar begins at the level where the previous one ends."""

    def __init__(self) -> None:
        super().__init__(tr("Ladder from the ideal step to the measured one"))
        self.bars: list[WaterfallBar] = []
        self._total = TOTAL

    def show_waterfall(self, ladder: dict[str, int], predicted: bool = False) -> None:
        """Show the ladder of a measured or predicted step, or the means of several steps."""
        self.bars = waterfall_bars(ladder)
        self._total = tr("predicted") if predicted else tr("measured")
        self.refresh()

    @property
    def makespan(self) -> int:
        """The sum of the bars, in ns."""
        return self.bars[-1].value if self.bars else 0

    @override
    def content_height(self) -> float:
        return HEIGHT

    @override
    def words(self) -> str:
        parts = []
        for bar in self.bars:
            value = self.value_words(bar)
            parts.append(f"{self.name(bar)} {value}")
        return join_clauses(parts)

    def name(self, bar: WaterfallBar) -> str:
        """Return the full name of a bar."""
        if bar.name == TOTAL:
            return self._total
        usual, *_ = BAR_NAMES[bar.name]
        return tr(usual)

    def value_words(self, bar: WaterfallBar) -> str:
        """Return a value and its share: `12.1 ms, 24.1 %`."""
        share = bar.value / self.makespan if self.makespan else 0.0
        ms = significant(bar.value / 1e6)
        return f"{ms}{NO_BREAK}ms, {percent_text(share)}"

    @override
    def draw(self, ink: Ink) -> None:
        if not self.bars:
            return
        room = self.width() - 2 * PAD
        column_width = room / len(self.bars)
        texts = self._value_texts(ink, column_width)
        names = [self._name_within(ink.fonts, bar, column_width) for bar in self.bars]
        name_font = _name_font(ink.fonts, column_width, names)
        previous_right = PAD
        previous_level = 0
        for number, bar in enumerate(self.bars):
            left = PAD + number * column_width
            column = QRectF(left, 0, column_width, HEIGHT)
            box = self._box(column, bar)
            self._draw_box(ink, bar, box)
            if number:
                self._draw_connection(ink, previous_right, box.left(), previous_level)
            self._write_values(ink, column, box, texts[number])
            below = column.adjusted(-2, HEIGHT - NAMES + 3, 2, 0)
            ink.painter.setFont(name_font)
            write_wrapped(ink.painter, self.theme.text, below, names[number], TOP_CENTRE)
            self.spot(column, self._tip(bar))
            previous_right = box.right()
            previous_level = bar.end
        ink.pen(self.theme.line)
        ink.level(PAD, PAD + room, self._y(0))

    def _tip(self, bar: WaterfallBar) -> str:
        meaning = tr(BAR_TIPS[bar.name])
        return f"{self.name(bar)}: {self.value_words(bar)}\n{meaning}"

    def _y(self, value: float) -> float:
        """Return the y of a level in ns; leave room for figures below bars that descend far."""
        low = min(bar.low for bar in self.bars)
        high = max(bar.high for bar in self.bars)
        # At least 1, because `high - low` is a divisor below.
        high = max(high, 1)
        bottom = HEIGHT - NAMES
        if any(bar.descends_below(0.25 * high) for bar in self.bars):
            bottom -= BELOW
        share = (value - low) / (high - low)
        height = bottom - VALUES
        return bottom - share * height

    def _box(self, column: QRectF, bar: WaterfallBar) -> QRectF:
        """Return the rectangle of a bar in its column."""
        start = self._y(bar.start)
        end = self._y(bar.end)
        top = min(start, end)
        height = max(1.0, abs(end - start))
        # Whole pixels, so that the filled box and its outline end at the same pixels.
        width = round(min(WIDEST, BAR * column.width()))
        left = round(column.center().x() - width / 2)
        return QRectF(left, top, width, height)

    def _draw_box(self, ink: Ink, bar: WaterfallBar, box: QRectF) -> None:
        if bar.name == TOTAL:
            ink.fill(box, self.theme.text)
            return
        look = BAR_LOOKS[bar.name]
        self.fill(ink.painter, box, look)
        colour = str(getattr(self.theme, look.colour))
        # Half a pixel inwards: an outline of one pixel then lies on the box's own pixels.
        edge = box.adjusted(0.5, 0.5, -0.5, -0.5)
        ink.outline(edge, colour)

    def _draw_connection(self, ink: Ink, left: float, right: float, value: int) -> None:
        """Draw a thin line from one bar to the next, at the level in ns where the first ends."""
        ink.pen(self.theme.muted, 1, Qt.PenStyle.DotLine)
        ink.level(left, right, self._y(value))

    def _texts_of(self, bar: WaterfallBar, unit: str = "") -> tuple[str, str]:
        """Return a bar's value in ms, and its share of the makespan."""
        value = significant(bar.value / 1e6) + unit
        is_added = bar.start != 0 and bar.name != TOTAL
        if is_added and bar.value > 0:
            value = f"+{value}"
        share = percent_text(bar.value / (self.makespan or 1))
        return value.replace("-", MINUS), share.replace("-", MINUS)

    def _value_texts(self, ink: Ink, column_width: float) -> list[tuple[str, str]]:
        """Return the value and share of each bar; with the unit if all columns have room for it."""
        texts = [self._texts_of(bar, f"{NO_BREAK}ms") for bar in self.bars]
        widest = max(ink.bold_width(value) for value, _ in texts)
        if widest <= column_width - 2:
            return texts
        return [self._texts_of(bar) for bar in self.bars]

    def _write_values(self, ink: Ink, column: QRectF, box: QRectF, texts: tuple[str, str]) -> None:
        """Write a bar's value and share above it, or below it if the value is negative."""
        value, share = texts
        y = box.top() - 30
        if value.startswith(MINUS):
            y = box.bottom() + 1
        left = column.left()
        width = column.width()
        first_line = QRectF(left - 4, y, width + 8, 16)
        second_line = QRectF(left, y + 14, width, 14)
        ink.bold(first_line, value, CENTRE)
        ink.small(second_line, share, CENTRE)

    def _name_within(self, fonts: Fonts, bar: WaterfallBar, room: float) -> str:
        """Return the first name of a bar whose words fit into `room` pixels, else the last."""
        if bar.name == TOTAL:
            return self._total
        names = [tr(name) for name in BAR_NAMES[bar.name]]
        for name in names:
            if _widest_word(fonts, name) <= room:
                return name
        return names[-1]


def _name_font(fonts: Fonts, room: float, names: Iterable[str]) -> QFont:
    """Return one font for all names, smaller if a word would touch the next name."""
    widest = max(_widest_word(fonts, name) for name in names) + GAP
    font = QFont(fonts.small)  # a copy, because `fonts` is shared with other widgets
    if widest > room:
        scale = max(SMALLEST, room / widest)
        font.setPointSizeF(font.pointSizeF() * scale)
    return font


def _widest_word(fonts: Fonts, text: str) -> float:
    return max(text_width(fonts.small, word) for word in text.split())
