"""Panel of the advisor: every way to run the shown model on its lanes, in a ranked table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHeaderView,
    QProgressBar,
    QToolButton,
    QWidget,
)

from core.message import N_
from core.override import override
from core.plan.pipeline.options import MICROBATCHES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from gui.features.predict.ranking import Ranked, best_of_each, way_text
from gui.look.text import (
    NONE,
    bytes_text,
    change_text,
    duration_text,
    percent_text,
    range_text,
    tr,
)
from gui.widgets.label import Elided, plain_tip
from gui.widgets.layouts import button, column, named, row
from gui.widgets.tables import Head, ReturnTable, TableModel, dress

SORT = Qt.ItemDataRole.UserRole
ROW = 24
PADDING = 19  # pixels of a column in addition to its widest text
STEP = 1  # the column that the table is sorted by at first


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table: its heading, text, sort key and tooltip.

    It is as wide as the text `widest`; if that is empty, as wide as its longest text.
    """

    heading: str
    text: Callable[[Ranked], str]
    key: Callable[[Ranked], Any]
    tip: str
    widest: str = ""


COLUMNS = (
    Column(
        N_("Strategy"),
        lambda r: way_text(r.advice.specification),
        lambda r: way_text(r.advice.specification),
        N_("The schedule (×2: two chunks a lane), or the strategy if it has no schedule."),
    ),
    Column(
        N_("Step"),
        lambda r: step_text(r),
        lambda r: r.place,
        N_(
            "Predicted time of a step. ≈ marks a guess, for micro-batches smaller or larger than "
            "any that was measured; guesses are listed last."
        ),
        N_("≈ 99.9 ms"),
    ),
    Column(
        N_("Change"),
        lambda r: against_text(r),
        lambda r: r.against or 0.0,
        N_(
            "Change of the step's time from the present settings, which are predicted "
            "in the same way."
        ),
        "−99.9 %",
    ),
    Column(
        N_("Memory"),
        lambda r: bytes_text(r.advice.memory_bytes),
        lambda r: r.advice.memory_bytes,
        N_("Estimated peak memory of a lane, from the model and the plan."),
        N_("99.9 MB"),
    ),
    Column(
        N_("Micro-batches"),
        lambda r: pieces_text(r.advice.specification),
        lambda r: r.advice.specification[MICROBATCHES] or 0,
        N_("Number of micro-batches, if the strategy makes some."),
        N_("Micro-batches"),
    ),
    Column(
        N_("Range"),
        lambda r: range_text(r.advice.low_ns, r.advice.high_ns),
        lambda r: r.advice.high_ns,
        N_(
            "Shortest and longest expected time of a step, from the scatter of the measured "
            "costs and the prediction error for the measured run itself."
        ),
        N_("99.9 to 99.9 ms"),
    ),
    Column(
        N_("Measured"),
        lambda r: measured_text(r),
        lambda r: r.measured_ns or 0,
        N_("Time of the median step when this way was run."),
        N_("99.9 ms"),
    ),
    Column(
        N_("Bubble"),
        lambda r: percent_text(r.advice.bubble),
        lambda r: r.advice.bubble,
        N_("Idle time of the compute lanes over lanes times makespan."),
        N_("Bubble"),
    ),
)


class AdviceModel(TableModel):
    """The ranked ways, with a row for each."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.heads = []
        for number, shown in enumerate(COLUMNS):
            # The first column has names, the others have figures.
            head = Head(tr(shown.heading), tr(shown.tip), numeric=number > 0)
            self.heads.append(head)
        self.rows: list[Ranked] = []

    def show(self, rows: list[Ranked]) -> None:
        """Replace the rows."""
        with self.replaced_rows():
            self.rows = rows

    def count(self) -> int:
        """Return the number of ways."""
        return len(self.rows)

    def text(self, row: int, column: int) -> str:
        """Return a way's text in a column."""
        return COLUMNS[column].text(self.rows[row])

    def role_data(self, row: int, column: int, role: int) -> object:
        """Return the accessible text, tooltip or sort key of a cell; None for other roles."""
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.heads[column].title}: {self.text(row, column)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(way_tip(self.rows[row].advice.specification))
        if role == SORT:
            return COLUMNS[column].key(self.rows[row])
        return None


class _Ways(QSortFilterProxyModel):
    """The rows of an AdviceModel, or only those in `best`, one for each strategy and schedule."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.best: set[int] = set()
        self.only_best = True

    @override
    def filterAcceptsRow(
        self, source_row: int, source_parent: QModelIndex | QPersistentModelIndex
    ) -> bool:
        return not self.only_best or source_row in self.best


class AdvisorPanel(QWidget):
    """The table of ranked ways, below a line on the run and the source of its costs.

    `picked` carries the Ranked that the user selects, `chosen` the Specification of a way to run.
    `opened` is emitted when the panel becomes visible. The controller connects to the buttons:
    `again` predicts all ways again, and `cancel` stops that.
    """

    picked = Signal(object)
    chosen = Signal(object)
    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = AdviceModel(self)
        self._proxy = _Ways(self)
        self._proxy.setSourceModel(self.model)
        # Sorted as numbers: as text, 9 ms would follow 10 ms.
        self._proxy.setSortRole(SORT)
        self.table = ReturnTable()
        self.line = Elided("quiet")
        tip = tr("Predict every way again, from the run that is shown.")
        self.again = button(QToolButton, tr("Predict all"), tip, look="link")
        self.cancel = button(QToolButton, tr("Cancel"), tr("Stop predicting."), look="link")
        self.best = QCheckBox(tr("Best of each"))
        self.best.setToolTip(tr("List only the fastest way of each strategy and schedule."))
        self.best.setChecked(True)
        self.best.toggled.connect(self._filter)
        self.progress = named(QProgressBar(textVisible=False), tr("Ways predicted"))
        self._build_table()
        self._lay_out()
        self.table.doubleClicked.connect(lambda _: self._choose())
        self.table.chosen.connect(lambda _: self._choose())
        self.table.selectionModel().selectionChanged.connect(self._pick)
        self.show_line(tr("Run once; its calibration provides the costs."), False)

    def show_line(self, text: str, can_ask: bool) -> None:
        """Show a text above the table; `can_ask` enables the button that predicts all ways."""
        self.line.setText(text)
        self.line.setToolTip(plain_tip(text))
        self.again.setEnabled(can_ask)

    def show_ways(self, rows: Sequence[Ranked]) -> None:
        """Show ranked ways in the order of their places, with none selected."""
        self.model.show(list(rows))
        self._proxy.best = best_of_each(rows)
        self._filter()
        self.table.sortByColumn(STEP, Qt.SortOrder.AscendingOrder)
        self.table.scrollToTop()

    def clear_selection(self) -> None:
        """Clear the selection, because another question was asked."""
        self.table.clearSelection()
        self.table.setCurrentIndex(QModelIndex())

    def show_progress(self, done: int, total: int) -> None:
        """Show how many of the ways have been predicted."""
        self.progress.setRange(0, total)
        self.progress.setValue(done)

    def set_busy(self, busy: bool) -> None:
        """Show the progress and a button that cancels, or the button that predicts again."""
        self.progress.setVisible(busy)
        self.cancel.setVisible(busy)
        self.again.setVisible(not busy)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.opened.emit()

    def _build_table(self) -> None:
        table = self.table
        table.setModel(self._proxy)
        dress(table, tr("Ways to run the model, by predicted step time"), ROW)
        table.setSortingEnabled(True)
        table.sortByColumn(STEP, Qt.SortOrder.AscendingOrder)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setWordWrap(False)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(30)
        for number, shown in enumerate(COLUMNS):
            if not shown.widest:
                header.setSectionResizeMode(number, QHeaderView.ResizeMode.ResizeToContents)
                continue
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Interactive)
            width = self.fontMetrics().horizontalAdvance(tr(shown.widest))
            header.resizeSection(number, width + PADDING)

    def _lay_out(self) -> None:
        self.progress.setMaximumWidth(80)
        top = row(
            self.line,
            self.best,
            self.progress,
            self.cancel,
            self.again,
            growing=self.line,
            spacing=8,
        )
        column(
            top,
            self.table,
            of=self,
            growing=self.table,
            margins=(4, 0, 4, 0),
            spacing=3,
        )
        self.set_busy(False)

    def _current(self) -> Ranked | None:
        index = self.table.currentIndex()
        if not index.isValid():
            return None
        # The view's index counts the sorted and filtered rows of the proxy, not those of the model.
        return self.model.rows[self._proxy.mapToSource(index).row()]

    def _choose(self) -> None:
        row = self._current()
        if row is not None:
            self.chosen.emit(row.advice.specification)

    def _pick(self, *_: object) -> None:
        selected = self.table.selectionModel().hasSelection()
        row = self._current() if selected else None
        if row is not None:
            self.picked.emit(row)

    def _filter(self, *_: object) -> None:
        self._proxy.only_best = self.best.isChecked()
        self._proxy.invalidate()


def step_text(row: Ranked) -> str:
    """Return the predicted time of a step, with `≈` if it is a guess."""
    time = duration_text(row.advice.step_ns)
    return time if row.advice.known else f"≈ {time}"


def measured_text(row: Ranked) -> str:
    """Return the measured time of a step, or a dash if this way was not run."""
    if row.measured_ns is None:
        return NONE
    return duration_text(row.measured_ns)


def pieces_text(specification: Specification) -> str:
    """Return the number of micro-batches; "" for a strategy without them."""
    if MICROBATCHES not in STRATEGIES[specification.strategy].options:
        return ""
    return str(specification[MICROBATCHES] or tr("usual"))


def way_tip(specification: Specification) -> str:
    """Return the tooltip of a way."""
    title = tr(STRATEGIES[specification.strategy].title)
    way = way_text(specification)
    title_and_way = title if way == title else tr("{strategy}: {way}", strategy=title, way=way)
    hint = tr("Double-click or press Enter to run this.")
    return f"{title_and_way}\n{hint}"


def against_text(row: Ranked) -> str:
    """Return the change of the step, `-12.3 %`, a word for the present settings, or a dash."""
    if row.present:
        return tr("present")
    if row.against is None:
        return NONE
    return change_text(row.against)
