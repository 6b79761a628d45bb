"""Durations of whole spans: a histogram of all kinds or of one, and the outliers."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.explain.name_statistics import NameStatistics, Outlier
from core.explain.percentiles import histogram
from core.explain.statistics import RangeStatistics, longest_span
from core.plan.task import KINDS
from core.trace.trace import Trace
from gui.features.statistics.histogram import HistogramChart
from gui.features.statistics.range_tables import outlier_table
from gui.features.statistics.range_view import RangeTable
from gui.look.text import tr
from gui.timeline.interact.describe import kind_title
from gui.widgets.fields import Choice
from gui.widgets.label import Label
from gui.widgets.layouts import NO_MARGINS, column, named, row


class Durations(QWidget):
    """Histogram of durations and list of outliers.

    `span_chosen` carries the lane and index of a span: the longest one of a bar, or an outlier.
    """

    span_chosen = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Trace, RangeStatistics, NameStatistics | None] | None = None
        self.outliers: list[Outlier] = []
        tip = tr("Kind of span shown in the histogram.")
        self.which = named(Choice(), tr("Kind in the histogram"), tip)
        self.which.currentIndexChanged.connect(self._show)
        self.histogram = HistogramChart()
        self.histogram.chosen.connect(self._select_longest)
        self.far = RangeTable(tr("Outliers"))
        self.far.chosen.connect(self._select_outlier)
        title = Label(tr("Durations of whole spans"), "heading")
        column(
            across(title, self.which),
            self.histogram,
            self.far,
            of=self,
            margins=NO_MARGINS,
            spacing=6,
        )

    def show_spans(
        self, trace: Trace, counted: RangeStatistics, by_name: NameStatistics | None
    ) -> None:
        """Show the spans of a range; keep the chosen kind if the range has spans of it."""
        self._shown = trace, counted, by_name
        wanted = self.which.currentData()
        # Otherwise `clear` and the first entry would emit changes of the index.
        with QSignalBlocker(self.which):
            self.which.clear()
            self.which.addItem(tr("All kinds"), None)
            for figures in counted.kinds:
                self.which.addItem(kind_title(figures.kind), figures.kind)
            self.which.setCurrentIndex(max(0, self.which.findData(wanted)))
        self._show()

    def choose_kind(self, number: int) -> None:
        """Show one of the range's kinds."""
        self.which.setCurrentIndex(number + 1)  # entry 0 is "All kinds"

    def _show(self) -> None:
        if self._shown is None:
            return
        trace, counted, by_name = self._shown
        kind = self.which.currentData()
        sizes = counted.sizes
        own = sizes.sum(axis=0)
        if kind is not None:
            own = sizes[KINDS.index(kind)]
        self.histogram.show_bins(histogram(own))
        found = by_name.outliers if by_name else ()
        self.outliers = [one for one in found if kind in (None, one.kind)]
        self.far.show_table(outlier_table(trace, self.outliers))
        self.far.setVisible(bool(self.outliers))

    def _select_outlier(self, number: int) -> None:
        self.span_chosen.emit(self.outliers[number].lane, self.outliers[number].index)

    def _select_longest(self, number: int) -> None:
        if self._shown is None:
            return
        trace, counted, _ = self._shown
        codes = self.histogram.bins.codes
        ends = int(codes[number]), int(codes[number + 1])
        found = longest_span(trace, counted, ends, self.which.currentData())
        if found is not None:
            self.span_chosen.emit(*found)


def across(first: QWidget, *others: QWidget) -> QHBoxLayout:
    """Return widgets side by side; the first one grows."""
    return row(
        first,
        *others,
        growing=first,
        margins=NO_MARGINS,
        spacing=6,
    )
