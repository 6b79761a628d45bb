"""Table of all spans: sorts, filters, saves, and follows the selection in the timeline."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QItemSelection, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QPushButton,
    QTableView,
    QToolButton,
    QWidget,
)

from core.errors import PlanError
from core.files import check_is_no_input
from core.override import override
from core.recording.exporters.span_files import write_spans
from core.trace.listing import Listing
from core.trace.query import Query
from core.trace.search import Search
from core.trace.span import Span
from core.trace.trace import Trace
from gui.app.dialogs import ask_save
from gui.app.jobs import Runner, Work
from gui.features.spans.model import COLUMNS, MOST_ROWS, SpansModel
from gui.features.spans.search_bar import QueryField
from gui.features.spans.searching import Searcher
from gui.look.text import ntr, percent_text, problem_text, tr
from gui.timeline.state.scene import Scene
from gui.widgets.label import Label
from gui.widgets.layouts import NO_MARGINS, button, column, named, row
from gui.widgets.tables import dress

Rows = Listing | Work[Listing]
AT_ONCE_S = 0.2  # seconds; a file that takes less is written when `save_to` returns
AT_ONCE = 200_000  # rows that are sorted without a thread, at most
ROW_HEIGHT = 20
WIDTHS = {
    "lane": 66,
    "task": 62,
    "kind": 100,
    "step": 48,
    "start": 104,
    "microbatch": 84,
    "name": 220,
}
WIDTH = 76


class SpansTable(QTableView):
    """The table; clicks on a column's header sort it ascending, then descending, then not."""

    def __init__(self, model: SpansModel) -> None:
        super().__init__()
        dress(self, tr("Table of spans"), ROW_HEIGHT)
        self.setModel(model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setWordWrap(False)
        across = self.horizontalHeader()
        across.setSectionsClickable(True)
        across.setSortIndicatorShown(True)
        # A third click ends the sorting, which the header reports as column -1.
        across.setSortIndicatorClearable(True)
        across.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        for number, shown in enumerate(COLUMNS):
            self.setColumnWidth(number, WIDTHS.get(shown.key, WIDTH))


class SpansPanel(QWidget):
    """All spans of a run as a table, or the spans that match a query.

    `chosen` carries lane and index of the span whose row was selected by hand; `message` and
    `failed` carry a line about a table that was saved.
    """

    chosen = Signal(int, int)
    message = Signal(str)
    failed = Signal(str)
    inputs: Callable[[], Sequence[Path]] = staticmethod(tuple)
    """Returns the opened files, which must not be overwritten; the window sets it."""

    def __init__(self) -> None:
        super().__init__()
        self._trace: Trace | None = None
        self._live = False
        self._selected: Span | None = None
        # The filtered rows in the trace's order, None while the table is hidden. The model has the
        # same rows, sorted.
        self._listing: Listing | None = None
        self.model = SpansModel(self)
        self.table = SpansTable(self.model)
        self.field = QueryField()
        self.count = Label(look="quiet")
        self.problem = Label(look="problem", wrapped=True)
        self.searcher = Searcher(self)
        self._sorter = Runner(self, "sorting")
        self.saver = Runner(self, "saving spans")
        self._build()
        self._connect()
        self._show_count()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Show another run, or new spans of the same run; a hidden table is emptied instead."""
        trace = None if scene is None else scene.trace
        ended = self._live and not live
        new = trace is not self._trace
        self._trace = trace
        self._live = live
        # Millions of rows are not sorted and filtered for a hidden table.
        if trace is None or not self.isVisible():
            self.searcher.clear()
            self._sorter.cancel()
            self._listing = None
            self.model.show(None)
            self._show_count()
        elif new or ended or self._listing is None:
            self._filter()
        else:
            self._grow()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._listing is None and self._trace is not None:
            self._filter()

    def select_span(self, span: Span | None) -> None:
        """Select a span's row and scroll to it, if it has one, without emitting `chosen`."""
        self._selected = span
        listing = self.model.listing
        rows = self.table.selectionModel()
        row = None
        if listing is not None and span is not None and span.index >= 0:
            row = listing.row_of(span.lane, span.index)
        with QSignalBlocker(self):
            if row is None or row >= MOST_ROWS:
                rows.clear()
            elif row != self.table.currentIndex().row():
                self.table.setCurrentIndex(self.model.index(row, 0))

    def sort_by(self, column: int, order: Qt.SortOrder) -> None:
        """Sort by a column of the table; -1 restores the order lane by lane."""
        # The header and the field report each other's changes. With their signals blocked, the
        # table is sorted only once.
        with QSignalBlocker(self.sort_column):
            self.sort_column.setCurrentIndex(column + 1)
        with QSignalBlocker(self.table.horizontalHeader()):
            self.table.horizontalHeader().setSortIndicator(column, order)
        self.descending.setChecked(order is Qt.SortOrder.DescendingOrder)
        self._sort()

    def ask_where_to_save(self) -> None:
        """Ask for a file and save the rows that are shown now, in their order."""
        rows = self._rows_to_save()
        if rows is None:
            self.failed.emit(tr("There is no run to write yet: press Run, or open a recording."))
            return
        kinds = [tr("Table (*.csv *.parquet)")]
        # These rows, although the table may show others before the user has named a file.
        save = partial(self.save_to, rows=rows)
        ask_save(self, tr("Save spans"), Path("spans.csv"), kinds, save)

    def save_to(self, path: Path, rows: Rows | None = None) -> None:
        """Save `rows` (default: the rows that are shown), in their order."""
        try:
            check_is_no_input(tr("Save spans"), path, self.inputs())
        except PlanError as error:
            self.failed.emit(problem_text(error))
            return
        if rows is None:
            rows = self._rows_to_save()
        if rows is not None:
            self.saver.start(_written(rows, path), AT_ONCE_S)
            self._show_count()

    def _rows_to_save(self) -> Rows | None:
        """Return the rows of the run that are shown; of a hidden table, those it would show."""
        trace = self._trace
        if trace is None:
            return None
        listing = self.model.listing
        if listing is not None and listing.trace is trace:
            return listing
        # A run without an outcome may still be live, and grow before the rows are listed.
        still = trace.snapshot() if trace.outcome is None else trace
        column = self.sort_column.currentIndex() - 1
        key = "" if column < 0 else COLUMNS[column].key
        return _listed(still, self.field.query, key, self.descending.isChecked())

    def _filter(self) -> None:
        """Search for the spans that match the query, and show them."""
        if self._trace is None:
            return
        query = self.field.query
        if query.terms:
            self.searcher.ask(self._trace, query)
        else:
            self.searcher.clear()
            self._take(Listing.of(self._trace))

    def _take_hits(self) -> None:
        if self.searcher.search is not None and self._trace is not None:
            self._take(Listing.of(self._trace, self.searcher.search.hits))

    def _take(self, listing: Listing) -> None:
        self._listing = listing
        self._sort()

    def _grow(self) -> None:
        """Add new spans; a sorted or filtered table is updated when the run ends."""
        listing = self.model.listing
        if listing is None or listing.order is not None or listing.chosen is not None:
            return
        self.model.grow(Listing.of(listing.trace).counts)
        self._listing = self.model.listing
        self._show_count()

    def _sort(self) -> None:
        self._sorter.cancel()
        column = self.sort_column.currentIndex() - 1
        if self._listing is None:
            return
        if column < 0:
            self._show(self._listing)
        else:
            self._show_count(tr("sorting…"))
            work = _sorted(self._listing, COLUMNS[column].key, self.descending.isChecked())
            # A listing has a fixed number of spans, so new spans do not disturb the thread.
            self._sorter.start(work, math.inf, thread=len(self._listing) > AT_ONCE)

    def _show(self, listing: Listing) -> None:
        with QSignalBlocker(self):
            self.model.show(listing)
        self.table.setColumnHidden(len(COLUMNS) - 1, not listing.trace.table.names)
        self._show_count()
        self.select_span(self._selected)

    def _show_count(self, text: str = "") -> None:
        """Show the number of rows, or the progress of the work."""
        search = self.searcher.search
        if not text and self.searcher.running and search is not None:
            looked, there = search.searched
            text = tr("searching, {share}", share=percent_text(looked / max(1, there)))
        self.cancel.setVisible(self.searcher.running or self.saver.running)
        self.save.setEnabled(self.model.rowCount() > 0 and not self.saver.running)
        count = count_text(self.model.listing, self._trace)
        if self.searcher.cancelled:
            count = tr("{spans}, cancelled", spans=count)
        self.count.setText(text or count)

    def _stop(self) -> None:
        if self.searcher.running:
            self.searcher.cancel()
            self._take_hits()
        self.saver.cancel()

    def _choose(self, chosen: QItemSelection) -> None:
        """Emit `chosen` for a selected row."""
        if not chosen.isEmpty():
            self._selected = span = self.model.span_at(chosen.first().top())
            self.chosen.emit(span.lane, span.index)

    def _connect(self) -> None:
        self.field.changed.connect(self.problem.hide)
        self.field.changed.connect(self._filter)
        self.field.wrong.connect(self.problem.say)
        self.field.stepped.connect(lambda _: self.table.setFocus())
        self.field.left.connect(self.field.clear)
        self.searcher.done.connect(self._take_hits)
        self.searcher.advanced.connect(lambda _: self._show_count())
        self._sorter.done.connect(self._show)
        for failed in (self.searcher.failed, self._sorter.failed):
            failed.connect(self.problem.say)
            failed.connect(lambda _: self._show_count())
        self.saver.advanced.connect(
            lambda share: self._show_count(tr("saving, {share}", share=percent_text(share)))
        )
        self.saver.ended.connect(self._show_count)
        self.saver.done.connect(self.message.emit)
        self.saver.failed.connect(self.failed)
        self.cancel.clicked.connect(self._stop)
        self.save.clicked.connect(self.ask_where_to_save)
        self.sort_column.currentIndexChanged.connect(lambda _: self._sort_again())
        self.table.horizontalHeader().sortIndicatorChanged.connect(self.sort_by)
        # The selection model belongs to the table's model, which was set before.
        self.table.selectionModel().selectionChanged.connect(lambda chosen, _: self._choose(chosen))

    def _sort_again(self) -> None:
        way = Qt.SortOrder.DescendingOrder if self.descending.isChecked() else None
        chosen = self.sort_column.currentIndex() - 1
        self.sort_by(chosen, way or Qt.SortOrder.AscendingOrder)

    def _build(self) -> None:
        tip = tr("Sort by a column; you can also click its header.")
        self.sort_column = named(QComboBox(), tr("Sort by"), tip)
        self.sort_column.addItem(tr("lane by lane"))
        for shown in COLUMNS:
            self.sort_column.addItem(tr(shown.title))
        tip = tr("Largest first")
        self.descending = button(QToolButton, "↓", tip, self._sort_again, name=tip)
        self.descending.setCheckable(True)
        self.field.setAccessibleName(tr("Show only matching spans"))
        self.cancel = QPushButton(tr("Cancel"))
        self.save = QPushButton(tr("Save as CSV…"))
        self.cancel.hide()
        self.problem.hide()
        line = row(
            self.field,
            self.count,
            growing=self.field,
            margins=(8, 6, 8, 2),
            spacing=6,
        )
        under = row(
            Label(tr("Sort by")),
            self.sort_column,
            self.descending,
            None,
            self.cancel,
            self.save,
            margins=(8, 0, 8, 4),
            spacing=6,
        )
        self.problem.setContentsMargins(10, 0, 10, 2)
        column(
            line,
            self.problem,
            under,
            self.table,
            of=self,
            growing=self.table,
            margins=NO_MARGINS,
            spacing=2,
        )


def _sorted(listing: Listing, column: str, descending: bool) -> Work[Listing]:
    yield 0.0
    return listing.sorted_by(column, descending)


def _listed(trace: Trace, query: Query, column: str, descending: bool) -> Work[Listing]:
    """List the spans that match a query, sorted by `column` unless it is ""."""
    search = Search(trace, query)
    while query.terms and not search.advance():
        yield 0.0
    listing = Listing.of(trace, search.hits if query.terms else None)
    return listing.sorted_by(column, descending) if column else listing


def _written(rows: Rows, path: Path) -> Work[str]:
    """Save rows and return a message; if this does not finish, no file remains."""
    listing = rows if isinstance(rows, Listing) else (yield from rows)
    count = len(listing)
    for written in write_spans(listing, path):
        yield written / count
    return tr("Saved {count} spans as {name}.", count=f"{count:,}", name=path.name)


def count_text(listing: Listing | None, trace: Trace | None) -> str:
    """Return `3,481 spans`, `12 of 3,481 spans`, or `the first N of M spans` above MOST_ROWS."""
    if listing is None or trace is None:
        return tr("no run yet") if trace is None else ""
    count = len(listing)
    if count > MOST_ROWS:
        return tr("the first {shown} of {count} spans", shown=f"{MOST_ROWS:,}", count=f"{count:,}")
    if listing.chosen is not None:
        every = f"{trace.span_count:,}"
        return tr("{count} of {all} spans", count=f"{count:,}", all=every)
    return ntr("{n:,} span", "{n:,} spans", count)
