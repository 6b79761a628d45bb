"""Details: the selected span, gap or range in words and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from core.explain.gaps import GapReport
from core.explain.lanes import Gap
from core.override import override
from core.trace.event_arguments import pairs
from core.trace.span import Span
from core.trace.trace import Trace
from gui.app.jobs import Runner
from gui.look.text import full_stop, tr
from gui.look.writing import PIECES
from gui.timeline.interact.facts import facts, measure_facts, range_facts
from gui.timeline.interact.gap_words import ReasonRow, gap_sentence, reason_rows
from gui.timeline.state.measure import Measure
from gui.timeline.state.selection import Selection, TimeRange
from gui.widgets.label import hint, plain_tip, sentence_label
from gui.widgets.layouts import joined, stacked, widget_of
from gui.widgets.sheet import scrolling
from gui.widgets.tables import Index, dress

TOP_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
TASK_ROLE = Qt.ItemDataRole.UserRole
AT_ONCE_S = 0.02  # seconds for which reading arguments may block the window
NARROWEST = 176  # pixels; a name and its value cannot be read in less
SHARE_COLUMN = 2  # index in the table of reasons
ROOM_FOR_SHARE = 260  # pixels; a narrower table of reasons does not show their shares
LEAST_LINK = 96  # pixels of the reasons' last column, the links, at least
PADDING = 18  # pixels at both sides of a text, together, with the focus frame and rounding
AIR = 8  # free pixels above and below a text, together
UNLIMITED = 1 << 14  # pixels, more than any text needs


class DetailsPanel(QWidget):
    """Names and values of the selection; screen readers find the selection here.

    A gap is explained by a sentence and a table of its reasons. `blocking_task_chosen` carries the
    step and the number of the blocking task that was clicked, or activated with Return.
    """

    blocking_task_chosen = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumWidth(NARROWEST)
        self._step = 0
        words = tr(
            "Click a bar or an idle gap for its details. Drag to count a range; Shift+click "
            "measures to another bar."
        )
        self.sentence = sentence_label(tr("Why the lane is idle"))
        self.sentence.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.reasons = _Rows(tr("Reasons for the gap"))
        self.reasons.itemClicked.connect(self._choose)
        self.reasons.itemActivated.connect(self._choose)
        self.table = _Rows(tr("Details of the selection"))
        whole = joined(self.sentence, self.reasons, self.table)
        whole.addStretch(1)
        self._page = scrolling(widget_of(whole, "plot"), tr("Details"))
        for table in (self.reasons, self.table):
            table.currentItemChanged.connect(self._scroll_to)
        self._stack = stacked(self, hint(words), self._page)
        self._arguments = Runner(self, "arguments")
        self._arguments.done.connect(lambda text: self._add_rows(pairs(text)))
        self._arguments.failed.connect(lambda problem: self._add_rows([("", problem)]))

    def show_selection(
        self,
        trace: Trace | None,
        selection: Selection | None,
        now: float | None = None,
        report: GapReport | None = None,
        measure: Measure | None = None,
        note: str = "",
    ) -> None:
        """Show the selection, or a hint if nothing is selected.

        `report` explains a selected gap; else `note` says why there is no explanation. `measure` is
        the distance from another span to the selected one.
        """
        # Arguments that are still being read belong to the previous selection.
        self._arguments.cancel()
        self.sentence.setText(note)
        self.sentence.setVisible(report is not None or bool(note))
        self.reasons.setVisible(report is not None)
        self.reasons.setRowCount(0)
        if trace is None or selection is None:
            self.table.setRowCount(0)
            self._stack.setCurrentIndex(0)
            return
        if isinstance(selection, Gap) and report is not None:
            self._show_report(trace, selection.step, report)
        if isinstance(selection, TimeRange):
            _fill(self.table, range_facts(trace, selection), ())
        else:
            rows = facts(trace, selection, now)
            if measure is not None:
                rows = [*measure_facts(trace, measure), *rows]
            _fill(self.table, rows, ())
            self._read_arguments(trace, selection)
        self._stack.setCurrentIndex(1)

    def _read_arguments(self, trace: Trace, selection: Selection) -> None:
        """Read a span's arguments from another program's file, and add them when they are read."""
        arguments = None if trace.imported is None else trace.imported.arguments
        if arguments is not None and isinstance(selection, Span) and selection.index >= 0:
            row = int(trace.spans(selection.lane).row[selection.index])
            self._arguments.start(arguments.read(row), AT_ONCE_S)

    def _add_rows(self, rows: Sequence[tuple[str, str]]) -> None:
        """Add rows below a heading, if there are any."""
        if not rows:
            return
        first = self.table.rowCount()
        self.table.setRowCount(first + 1 + len(rows))
        heading = QTableWidgetItem(tr("Arguments in the file"))
        bold = heading.font()
        bold.setBold(True)
        heading.setFont(bold)
        self.table.setItem(first, 0, heading)
        self.table.setSpan(first, 0, 1, 2)
        _put(self.table, rows, first + 1)

    def _show_report(self, trace: Trace, step: int, report: GapReport) -> None:
        self._step = step
        whole = full_stop(gap_sentence(trace, step, report))
        self.sentence.setText(whole)
        self.sentence.setToolTip(plain_tip(whole))
        rows = reason_rows(trace, step, report)
        heads = (tr("Because"), tr("For"), tr("Share"), tr("Held up by"))
        _fill(self.reasons, [row[:4] for row in rows], heads)
        for number, row in enumerate(rows):
            self._link(number, row)
        self.reasons.fit()

    def _link(self, number: int, row: ReasonRow) -> None:
        """Make a reason's row a link to its blocking task."""
        if row.task is None:
            return
        tip = plain_tip(tr("Show {blocking} in the timeline.", blocking=row.blocking))
        count = self.reasons.columnCount()
        for place in range(count):
            item = self.reasons.item(number, place)
            if item is not None:
                item.setData(TASK_ROLE, row.task)
                item.setToolTip(tip)
                if place == count - 1:
                    _look_like_a_link(item, self.palette())

    def _scroll_to(self, item: QTableWidgetItem | None) -> None:
        """Keep the current row visible when the keys move it."""
        whole = self._page.widget()
        table = None if item is None else item.tableWidget()
        if item is None or table is None or whole is None:
            return
        centre = table.visualItemRect(item).center()
        on_page = table.viewport().mapTo(whole, centre)
        margin = table.rowHeight(item.row())
        self._page.ensureVisible(0, on_page.y(), 0, margin)

    def _choose(self, item: QTableWidgetItem) -> None:
        task = item.data(TASK_ROLE)
        if task is not None:
            self.blocking_task_chosen.emit(self._step, task)


def _look_like_a_link(item: QTableWidgetItem, palette: QPalette) -> None:
    font = item.font()
    font.setUnderline(True)
    item.setFont(font)
    item.setForeground(palette.brush(QPalette.ColorRole.Link))


class _Wrapping(QStyledItemDelegate):
    """Gives rows the height of their wrapped text, because Qt ignores the padding of cells."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        text = index.data() or ""

        def size(width: int) -> QSize:
            room = QRect(0, 0, width, UNLIMITED)
            wrap = Qt.TextFlag.TextWordWrap
            return option.fontMetrics.boundingRect(room, wrap, text).size()

        wrapped = size(option.rect.width() - PADDING)
        on_one_line = size(UNLIMITED)
        # The same padding as above, so that a column that fits the text shows it on one line.
        return QSize(on_one_line.width() + PADDING, wrapped.height() + AIR)


class _Rows(QTableWidget):
    """A table that is as high as its rows, so that the panel scrolls and not the table."""

    def __init__(self, name: str) -> None:
        super().__init__(0, 2)
        dress(self, name)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.setWordWrap(True)
        self.setItemDelegate(_Wrapping(self))
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAutoScroll(False)
        # Texts wrap differently in a column of another width.
        self.horizontalHeader().sectionResized.connect(self.fit)
        # Qt measures rows again during layout, and emits this signal before their sum is right.
        queued = Qt.ConnectionType.QueuedConnection
        self.verticalHeader().sectionResized.connect(self._take_height, queued)
        self.fit()

    def fit(self, *_: int) -> None:
        """Make the table as high as all its rows at the current width."""
        self.resizeRowsToContents()
        self._take_height()

    def _take_height(self, *_: int) -> None:
        header = self.horizontalHeader()
        head = 0 if header.isHidden() else header.sizeHint().height()
        rows = self.verticalHeader().length()
        self.setFixedHeight(head + rows + 2 * self.frameWidth())

    def show_columns(self) -> None:
        """Set the widths of the columns.

        Reasons have one line if there is room. Otherwise they wrap, and the share is hidden in a
        narrow table. A table of facts has two columns, and the last one takes the rest.
        """
        modes = QHeaderView.ResizeMode
        header = self.horizontalHeader()
        header.setSectionResizeMode(modes.ResizeToContents)
        last = self.columnCount() - 1
        header.setSectionResizeMode(last, modes.Stretch)
        if last <= 1:
            return
        whole = self.viewport().width()
        is_narrow = whole < ROOM_FOR_SHARE
        # The share can be spared, because the time is shown too.
        self.setColumnHidden(SHARE_COLUMN, is_narrow)
        if is_narrow:
            room = whole - self._text_width(1) - self._word_width(last)
            least = self._word_width(0)
            most = self._text_width(0)
            header.setSectionResizeMode(0, modes.Fixed)
            header.resizeSection(0, min(max(room, least), most))
            return
        needed = LEAST_LINK
        for column in range(last):
            needed += self._text_width(column)
        if needed > whole:
            header.setSectionResizeMode(0, modes.Stretch)

    def _text_width(self, column: int) -> int:
        """Return the width of a column in which no text is wrapped."""
        items = [self.horizontalHeaderItem(column)]
        for row in range(self.rowCount()):
            items.append(self.item(row, column))
        return self._widest(item.text() for item in items if item)

    def _word_width(self, column: int) -> int:
        """Return the width of a column in which no word is cut."""
        header = self.horizontalHeaderItem(column)
        # A header is not wrapped.
        words = [] if header is None else [header.text()]
        for row in range(self.rowCount()):
            item = self.item(row, column)
            if item is not None:
                # Chinese text may also be wrapped between two characters.
                words += PIECES.findall(item.text())
        return self._widest(word.rstrip() for word in words)

    def _widest(self, texts: Iterable[str]) -> int:
        """Return the width of a column that fits each of the texts on a line."""
        widths = map(self.fontMetrics().horizontalAdvance, texts)
        return max(widths, default=0) + PADDING

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_columns()
        self.fit()


def _fill(table: _Rows, rows: Sequence[tuple[str, ...]], heads: tuple[str, ...]) -> None:
    # The heading of another selection's arguments may still span two cells.
    table.clearSpans()
    table.setColumnCount(len(rows[0]))
    table.setRowCount(len(rows))
    header = table.horizontalHeader()
    header.setVisible(bool(heads))
    for place, head in enumerate(heads):
        item = QTableWidgetItem(head)
        item.setToolTip(head)
        table.setHorizontalHeaderItem(place, item)
    _put(table, rows, 0)
    table.show_columns()
    table.fit()


def _put(table: _Rows, rows: Sequence[tuple[str, ...]], first: int) -> None:
    """Write rows into the table, the first one at row `first`."""
    for number, row in enumerate(rows, first):
        for place, text in enumerate(row):
            item = QTableWidgetItem(text)
            item.setTextAlignment(TOP_LEFT)
            table.setItem(number, place, item)
    table.fit()
