"""How far two spans are apart: from the end of one to the start of the other, and from starts."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.trace.trace import Span
from gui.look.text import MINUS, duration_text, tr
from gui.timeline.layout.frame import Fonts, Frame, text_width

ROOM = 22.0  # from a lane to the first dimension line, and from there to the next
ARROW = 5.0
OUTSIDE = 14.0  # of a dimension that is too narrow for arrows inside, its arrows stand so far out


@dataclass(frozen=True, slots=True)
class Measure:
    """Two spans that have ended, the one that started first as `first`."""

    first: Span
    second: Span

    @classmethod
    def between(cls, one: object, other: object) -> Measure | None:
        """The measure of two different spans that have ended; None of anything else."""
        if not isinstance(one, Span) or not isinstance(other, Span) or one == other:
            return None
        if one.end is None or other.end is None:
            return None
        first, second = sorted((one, other), key=lambda span: (span.start, span.end))
        return cls(first, second)

    @property
    def end_to_start(self) -> int:
        """Ns from the first one's end to the second one's start; negative where they overlap."""
        assert self.first.end is not None
        return self.second.start - self.first.end

    @property
    def start_to_start(self) -> int:
        """Ns from start to start."""
        return self.second.start - self.first.start

    @property
    def end_to_end(self) -> int:
        """Ns from the first one's end to the second one's; negative if that ends before."""
        assert self.first.end is not None and self.second.end is not None
        return self.second.end - self.first.end


def signed_text(ns: int) -> str:
    """A distance with a minus sign where it is negative."""
    return f"{MINUS if ns < 0 else ''}{duration_text(abs(ns))}"


def draw_measure(
    painter: QPainter, frame: Frame, fonts: Fonts, measure: Measure, floor: float
) -> None:
    """The first span's outline, and dimension lines below the lower of the two lanes.

    Where there is no room above the pixel `floor`, they stand above the upper lane.
    """
    first, second = measure.first, measure.second
    assert first.end is not None
    rows = [
        row for row in frame.layout.rows if row.lane in (first.lane, second.lane)
    ]  # a lane that is folded away has no row
    if not rows:
        return
    below = frame.top + max(row.bottom for row in rows)
    above = frame.top + min(row.top for row in rows)
    down = below + 2 * ROOM + 6 <= floor
    heights = [below + ROOM * n if down else above - ROOM * n for n in (0.8, 1.8)]
    words = (
        (first.end, measure.end_to_start, tr("end to start {time}")),
        (first.start, measure.start_to_start, tr("start to start {time}")),
    )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for y, (begin, distance, text) in zip(heights, words, strict=True):
        edge = above if down else below
        x0, x1 = frame.x(begin), frame.x(second.start)
        _draw_poles(painter, frame, (x0, x1), edge, y)
        _draw_dimension(painter, frame, fonts, (x0, x1), y, text.format(time=signed_text(distance)))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _draw_poles(
    painter: QPainter, frame: Frame, ends: tuple[float, float], edge: float, y: float
) -> None:
    painter.setPen(QPen(QColor(frame.theme.text), 1, Qt.PenStyle.DotLine))
    for x in ends:
        if frame.left <= x <= frame.left + frame.view.width:
            painter.drawLine(QPointF(x, edge), QPointF(x, y + (4 if y > edge else -4)))


def _draw_dimension(
    painter: QPainter, frame: Frame, fonts: Fonts, ends: tuple[float, float], y: float, text: str
) -> None:
    """A line with an arrow head at both ends, and its text in the middle or beside it."""
    left, right = frame.left, frame.left + frame.view.width
    x0, x1 = min(ends), max(ends)
    if x1 < left or x0 > right:
        return
    painter.setPen(QPen(QColor(frame.theme.text), 1.4))
    tight = x1 - x0 < 4 * ARROW
    reach = OUTSIDE if tight else 0.0
    from_x, to_x = max(left, x0 - reach), min(right, x1 + reach)
    painter.drawLine(QPointF(from_x, y), QPointF(to_x, y))
    for x, way in ((x0, -1.0 if tight else 1.0), (x1, 1.0 if tight else -1.0)):
        if left <= x <= right:
            for slope in (-0.6, 0.6):
                painter.drawLine(QPointF(x, y), QPointF(x + way * ARROW, y + slope * ARROW))
    width = text_width(fonts.small, text) + 10
    middle = (max(left, x0) + min(right, x1)) / 2
    fits = width + 4 * ARROW <= min(right, x1) - max(left, x0)
    at = middle - width / 2 if fits else to_x + 4
    if at + width > right:
        at = from_x - 4 - width
    tag = QRectF(max(left, at), y - 8, width, 16)
    painter.fillRect(tag, QColor(frame.theme.plot))
    painter.setPen(QColor(frame.theme.text))
    painter.setFont(fonts.small)
    painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, text)
