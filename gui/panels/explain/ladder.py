"""The ladder: from the ideal step to the measured one as a waterfall."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from gui.look.causes import RUNG_LOOKS
from gui.look.text import NO_BREAK, percent_text, significant, tr
from gui.panels.drawing import Drawing
from gui.timeline.layout.frame import Fonts, text_width

HEIGHT = 232.0
PAD = 6.0
VALUES = 34.0  # above the highest bar, for its two figures
NAMES = 32.0  # below the bars
BELOW = 32.0  # under a bar that goes down, for its two figures
BAR = 0.66  # of a column
WIDEST = 64.0
GAP = 5.0  # between the names of two bars
SMALLEST = 0.8  # of the usual size of small text
TOTAL = "measured"
MINUS = "\u2212"

RUNG_NAMES: dict[str, tuple[str, ...]] = {
    "ideal": ("perfect division",),
    "imbalance": ("imbalance",),
    "bubble": ("bubble",),
    "communication": ("exposed communication", "exposed comm."),
    "contention": ("contention",),
    "host": ("host",),
    TOTAL: ("measured",),
}
"""What stands under a bar; the second choice where the first has no room."""
RUNG_TIPS: dict[str, str] = {
    "ideal": "All computing, divided evenly over the lanes: the best that they can do.",
    "imbalance": "What the lane with the most computing has above an even share.",
    "bubble": "What the order of the tasks adds, though nothing moves and nobody is late.",
    "communication": "What moving data adds, where no computing hides it.",
    "contention": "What the tasks took longer than they were measured to cost before the run.",
    "host": "All the rest: tasks that began late because of launch, Python or the system.",
    TOTAL: "The whole step, from its first start to its last end.",
}


@dataclass(frozen=True, slots=True)
class Rung:
    """A bar of the waterfall: from `below` to `above` ns, `above` being lower where it descends."""

    name: str
    below: int
    above: int

    @property
    def value(self) -> int:
        """What the rung adds, in ns; less than 0 where it descends."""
        return self.above - self.below


def rungs_of(ladder: dict[str, int]) -> list[Rung]:
    """Where each rung stands, and at the end the whole step; `ladder` is that of StepFigures."""
    rungs, level = [], 0
    for name, value in ladder.items():
        rungs.append(Rung(name, level, level + value))
        level += value
    return [*rungs, Rung(TOTAL, 0, level)]


class LadderChart(Drawing):
    """A bar for each rung, each standing where the one before it ends."""

    def __init__(self) -> None:
        super().__init__(tr("Ladder from the ideal step to the measured one"))
        self.rungs: list[Rung] = []
        self._total = TOTAL

    def show_ladder(self, ladder: dict[str, int], predicted: bool = False) -> None:
        """Show the rungs of a step, measured or predicted, or the means of several."""
        self.rungs = rungs_of(ladder)
        self._total = tr("predicted") if predicted else tr("measured")
        self.refresh()

    @property
    def makespan(self) -> int:
        """What the rungs add up to, in ns."""
        return self.rungs[-1].value if self.rungs else 0

    def content_height(self) -> float:  # noqa: D102
        return HEIGHT

    def words(self) -> str:  # noqa: D102
        return "; ".join(f"{self.name(rung)} {self.value_words(rung)}" for rung in self.rungs)

    def name(self, rung: Rung) -> str:
        """What a rung is called."""
        return self._total if rung.name == TOTAL else tr(RUNG_NAMES[rung.name][0])

    def value_words(self, rung: Rung) -> str:
        """`12.1 ms, 24.1 %`."""
        share = rung.value / self.makespan if self.makespan else 0.0
        return f"{significant(rung.value / 1e6)}{NO_BREAK}ms, {percent_text(share)}"

    def draw(self, painter: QPainter, fonts: Fonts) -> None:  # noqa: D102
        if not self.rungs:
            return
        wide = (self.width() - 2 * PAD) / len(self.rungs)
        texts = self._texts(fonts, wide)
        previous: QRectF | None = None
        for number, rung in enumerate(self.rungs):
            column = QRectF(PAD + number * wide, 0, wide, HEIGHT)
            bar = self._bar(column, rung)
            self._draw_bar(painter, rung, bar)
            if previous is not None:
                self._connect(painter, previous, bar, self.rungs[number - 1])
            self._values(painter, fonts, column, bar, texts[number])
            self._name(painter, fonts, column, rung)
            self.spot(column, self._tip(rung))
            previous = bar
        painter.setPen(QPen(QColor(self.theme.line), 1))
        base = self._y(0)
        painter.drawLine(QPointF(PAD, base), QPointF(self.width() - PAD, base))

    def _y(self, value: float) -> float:
        """The height of a value in ns; room is left below where a rung descends to the ground."""
        levels = [level for rung in self.rungs for level in (rung.below, rung.above)]
        low, high = min(levels), max([*levels, 1])
        falls = any(r.value < 0 and self._is_low(r, high) for r in self.rungs)
        bottom = HEIGHT - NAMES - (BELOW if falls else 0)
        return bottom - (value - low) / (high - low) * (bottom - VALUES)

    @staticmethod
    def _is_low(rung: Rung, high: int) -> bool:
        return rung.above < 0.25 * high

    def _bar(self, column: QRectF, rung: Rung) -> QRectF:
        y0, y1 = self._y(rung.below), self._y(rung.above)
        width = round(min(WIDEST, BAR * column.width()))
        left = round(column.center().x() - width / 2)
        return QRectF(left, min(y0, y1), width, max(1.0, abs(y1 - y0)))

    def _draw_bar(self, painter: QPainter, rung: Rung, bar: QRectF) -> None:
        if rung.name == TOTAL:
            painter.fillRect(bar, QColor(self.theme.text))
            return
        look = RUNG_LOOKS[rung.name]
        self.fill(painter, bar, look)
        painter.setPen(QPen(QColor(str(getattr(self.theme, look.colour))), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))

    def _connect(self, painter: QPainter, before: QRectF, bar: QRectF, rung: Rung) -> None:
        """A thin line at the level that the bar before has reached."""
        y = self._y(rung.above)
        painter.setPen(QPen(QColor(self.theme.muted), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(before.right(), y), QPointF(bar.left(), y))

    def _texts_of(self, rung: Rung, unit: str = "") -> tuple[str, str]:
        """A rung's value in ms and its share of the makespan."""
        sign = "+" if rung.below and rung.value > 0 and rung.name != TOTAL else ""
        value = sign + significant(rung.value / 1e6) + unit
        share = percent_text(rung.value / (self.makespan or 1))
        return value.replace("-", MINUS), share.replace("-", MINUS)

    def _texts(self, fonts: Fonts, wide: float) -> list[tuple[str, str]]:
        """All values and shares; with the unit where all have room for it."""
        texts = [self._texts_of(rung, f"{NO_BREAK}ms") for rung in self.rungs]
        if max(text_width(fonts.bold, value) for value, _ in texts) <= wide - 2:
            return texts
        return [self._texts_of(rung) for rung in self.rungs]

    def _values(
        self, painter: QPainter, fonts: Fonts, column: QRectF, bar: QRectF, texts: tuple[str, str]
    ) -> None:
        """Above a bar, or below one that descends."""
        value, share = texts
        y = bar.bottom() + 1 if value.startswith(MINUS) else bar.top() - 30
        centre = Qt.AlignmentFlag.AlignCenter
        painter.setFont(fonts.bold)
        painter.setPen(QColor(self.theme.text))
        painter.drawText(QRectF(column.left() - 4, y, column.width() + 8, 16), centre, value)
        painter.setFont(fonts.small)
        painter.setPen(QColor(self.theme.muted))
        painter.drawText(QRectF(column.left(), y + 14, column.width(), 14), centre, share)

    def _name(self, painter: QPainter, fonts: Fonts, column: QRectF, rung: Rung) -> None:
        painter.setFont(self._name_font(fonts, column.width()))
        painter.setPen(QColor(self.theme.text))
        below = QRectF(column.left() - 2, HEIGHT - NAMES + 3, column.width() + 4, NAMES - 3)
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        name = self._names(fonts, column.width())[rung.name]
        painter.drawText(below, int(flags | Qt.TextFlag.TextWordWrap), name)

    def _names(self, fonts: Fonts, room: float) -> dict[str, str]:
        """What stands under each bar: the first choice whose words fit into `room` pixels."""
        names = {}
        for rung in self.rungs:
            choices = [tr(name) for name in RUNG_NAMES[rung.name]]
            if rung.name == TOTAL:
                choices = [self._total]
            fitting = (c for c in choices if _widest_word(fonts, c) <= room)
            names[rung.name] = next(fitting, choices[-1])
        return names

    def _name_font(self, fonts: Fonts, room: float) -> QFont:
        """One size for all names, smaller where the longest word would touch its neighbour."""
        widest = max(_widest_word(fonts, n) for n in self._names(fonts, room).values()) + GAP
        font = QFont(fonts.small)
        if widest > room:
            font.setPointSizeF(font.pointSizeF() * max(SMALLEST, room / widest))
        return font

    def _tip(self, rung: Rung) -> str:
        return f"{self.name(rung)}: {self.value_words(rung)}\n{tr(RUNG_TIPS[rung.name])}"


def _widest_word(fonts: Fonts, text: str) -> float:
    return max(text_width(fonts.small, word) for word in text.split())
