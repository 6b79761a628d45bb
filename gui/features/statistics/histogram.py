"""A histogram of durations on a logarithmic axis; a click on a bar shows its longest span."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from core.explain.percentiles import Histogram, histogram
from core.override import override
from gui.look.text import duration_text, join_clauses, ntr, percent_text, tr
from gui.timeline.paint.ink import Ink
from gui.widgets.drawing import PAD, Drawing

HEIGHT = 132.0
TOP = 18.0
FOOT = 20.0
WIDEST = 34.0  # pixels of a bar, at most
APART = 14.0  # pixels between two labels, at least
CHOOSES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class HistogramChart(Drawing):
    """Histogram chart; `chosen` carries the bar that was clicked, or picked with Return."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__(tr("Histogram of durations"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.bins = histogram(np.zeros(0, np.int64))
        self.cursor_bin = 0
        self.refresh()

    def show_bins(self, bins: Histogram) -> None:
        """Show other durations."""
        self.bins = bins
        self.cursor_bin = int(np.argmax(bins.counts)) if len(bins) else 0
        self.refresh()

    def content_height(self) -> float:
        """Return the height of the content in pixels."""
        return HEIGHT

    def words(self) -> str:
        """Return the content for screen readers."""
        used = np.flatnonzero(self.bins.counts)
        return join_clauses(map(self._tip, used.tolist()))

    def rect_of(self, number: int) -> QRectF:
        """Return the column of a bar, from the chart's top to its axis."""
        room = self.width() - 2 * PAD
        even = room / max(1, len(self.bins))
        width = min(WIDEST, even)
        left = PAD + number * width
        height = HEIGHT - TOP - FOOT
        return QRectF(left, TOP, width, height)

    def bin_at(self, x: float) -> int | None:
        """Return the bar whose column contains a pixel, or None."""
        if x < PAD:
            return None
        number = int((x - PAD) // self.rect_of(0).width())
        return number if number < len(self.bins) else None

    def draw(self, ink: Ink) -> None:
        """Draw bars and axis."""
        if not len(self.bins):
            return
        most = int(self.bins.counts.max())
        ink.small(self.across(0, TOP), _spans(most))
        hint = tr("Click to select the longest.")
        for number, count in enumerate(self.bins.counts.tolist()):
            if not count:
                continue
            column = self.rect_of(number)
            # Two pixels at least, because bars of few spans, such as outliers, must be visible.
            height = max(2.0, column.height() * count / most)
            gap = 1.0 if column.width() > 4 else 0.0
            bar = QRectF(column)
            bar.setTop(column.bottom() - height)
            bar.setRight(column.right() - gap)
            ink.fill(bar, self.theme.accent)
            self.spot(column, f"{self._tip(number)}\n{hint}")
        self._draw_axis(ink)
        if self.hasFocus():
            cursor = self.rect_of(self.cursor_bin).adjusted(-1, 0, 0, 1)
            ink.outline(cursor, self.theme.text, 1.5)

    def _draw_axis(self, ink: Ink) -> None:
        """Label as many of the bars' edges as there is room for."""
        last = self.rect_of(len(self.bins) - 1)
        foot = last.bottom() + 0.5
        line = self.theme.line
        ink.pen(line)
        ink.level(PAD, last.right(), foot)
        free = 0.0
        for number, edge in enumerate(self.bins.edges.tolist()):
            x = PAD + number * last.width()
            text = duration_text(edge)
            width = ink.small_width(text)
            rightmost = self.width() - width - 2
            centred = x - width / 2
            left = min(max(centred, 2.0), rightmost)
            if left >= free:
                ink.pen(line)
                ink.upright(x, foot, foot + 4)
                label = QRectF(left, foot + 4, width + 2, FOOT - 5)
                ink.small(label, text)
                free = left + width + APART

    def _tip(self, number: int) -> str:
        # n bars have n + 1 edges.
        first, last = self.bins.edges[number : number + 2].tolist()
        count = int(self.bins.counts[number])
        share = count / int(self.bins.counts.sum())
        return tr(
            "{first} to {last}: {spans}, {share}",
            first=duration_text(first),
            last=duration_text(last),
            spans=_spans(count),
            share=percent_text(share),
        )

    def _choose(self, number: int | None) -> None:
        if number is not None and self.bins.counts[number]:
            self.cursor_bin = number
            self.update()
            self.chosen.emit(number)

    def _step(self, by: int) -> None:
        """Move to the next bar that is not empty."""
        used = np.flatnonzero(self.bins.counts).tolist()
        if by > 0:
            nearest = min((i for i in used if i > self.cursor_bin), default=None)
        else:
            nearest = max((i for i in used if i < self.cursor_bin), default=None)
        if nearest is not None:
            self.cursor_bin = nearest
            self.update()

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._choose(self.bin_at(event.position().x()))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if not len(self.bins):
            super().keyPressEvent(event)
        elif key == Qt.Key.Key_Left:
            self._step(-1)
        elif key == Qt.Key.Key_Right:
            self._step(1)
        elif key in CHOOSES:
            self._choose(self.cursor_bin)
        else:
            super().keyPressEvent(event)


def _spans(count: int) -> str:
    return ntr("{n:,} span", "{n:,} spans", count)
