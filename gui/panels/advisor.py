"""Advisor: every way to run the shown model on its lanes, predicted and ranked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification, with_defaults
from core.plan.strategies import STRATEGIES
from core.predict.advisor import Advice
from gui.text import bytes_text, change_text, duration_text, percent_text, tr

SORT = Qt.ItemDataRole.UserRole
ROW = 24
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Ranked:
    """An advice with its place, and how it compares with what is run now.

    `against` is its step over the present settings' predicted step, less 1; None if these cannot
    be predicted. `present` marks the present settings.
    """

    place: int
    advice: Advice
    against: float | None
    present: bool


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table: its heading, its text, what it is sorted by, and a tooltip."""

    heading: str
    text: Callable[[Ranked], str]
    key: Callable[[Ranked], Any]
    tip: str


COLUMNS = (
    Column("#", lambda r: str(r.place), lambda r: r.place, "Place by predicted step time."),
    Column(
        "Way",
        lambda r: way_text(r.advice.specification),
        lambda r: way_text(r.advice.specification),
        "Strategy, and its schedule.",
    ),
    Column(
        "Cut",
        lambda r: cut_text(r.advice.specification),
        lambda r: r.advice.specification.microbatches or 0,
        "Micro-batches, chunks of each lane and replicas, where the strategy takes them.",
    ),
    Column(
        "Step",
        lambda r: ("≈ " if r.advice.extrapolated else "") + duration_text(r.advice.step_ns),
        lambda r: r.advice.step_ns,
        "Predicted time of a step; ≈ where micro-batches are of a size that was not measured.",
    ),
    Column(
        "Against now",
        lambda r: against_text(r),
        lambda r: 0.0 if r.against is None else r.against,
        "The step against that of the present settings, predicted alike.",
    ),
    Column(
        "Memory",
        lambda r: bytes_text(r.advice.memory_bytes),
        lambda r: r.advice.memory_bytes,
        "Most that a lane holds: an estimate from the model and the plan.",
    ),
    Column(
        "Bubble",
        lambda r: percent_text(r.advice.bubble),
        lambda r: r.advice.bubble,
        "Idle time of the compute lanes over lanes times makespan.",
    ),
)


class AdviceModel(QAbstractTableModel):
    """The ranked ways, a row each."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Ranked] = []

    def show(self, rows: list[Ranked]) -> None:
        """Show others."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: D102, B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: D102, B008
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: D102
        row, column = self.rows[index.row()], COLUMNS[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.text(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{tr(column.heading)}: {column.text(row)}"
            case Qt.ItemDataRole.TextAlignmentRole:
                right = index.column() not in (1, 2)
                side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.ToolTipRole:
                return tr("Double-click or press Enter to run this.")
        return column.key(row) if role == SORT else None

    def headerData(  # noqa: D102
        self, section: int, side: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if side is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(COLUMNS[section].tip)
        return tr(COLUMNS[section].heading) if role == Qt.ItemDataRole.DisplayRole else None


class AdviceTable(QTableView):
    """A table in which Enter chooses the current row, as a double-click does."""

    entered_row = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: D102
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.entered_row.emit()
        else:
            super().keyPressEvent(event)


class AdvisorPanel(QWidget):
    """`chosen` carries the Specification of a way that is to be run for real.

    `opened` comes when the panel becomes visible, `asked` when all is to be predicted anew, and
    `cancelled` when that is to be given up.
    """

    chosen = Signal(object)
    opened = Signal()
    asked = Signal()
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = AdviceModel()
        self._proxy = QSortFilterProxyModel(self)
        self._proxy.setSourceModel(self.model)
        self._proxy.setSortRole(SORT)
        self.table = AdviceTable()
        self.line = QLabel()
        self.line.setWordWrap(True)
        self.line.setObjectName("quiet")
        self.run = QPushButton(tr("Run this"))
        self.again = QPushButton(tr("Predict all"))
        self.cancel = QPushButton(tr("Cancel"))
        self.progress = QProgressBar()
        self._build_table()
        self._lay_out()
        self.run.clicked.connect(self._choose)
        self.again.clicked.connect(lambda: self.asked.emit())
        self.cancel.clicked.connect(lambda: self.cancelled.emit())
        self.table.doubleClicked.connect(lambda _: self._choose())
        self.table.entered_row.connect(self._choose)
        self.table.selectionModel().selectionChanged.connect(self._allow)
        self.show_line(tr("Run once: the costs come from its calibration."), False)

    def show_line(self, text: str, can_ask: bool) -> None:
        """Say what the table is made from, or what to do first."""
        self.line.setText(text)
        self.again.setEnabled(can_ask)
        self._allow()

    def show_ways(self, rows: Sequence[Ranked]) -> None:
        """Show ranked ways, the first one chosen."""
        self.model.show(list(rows))
        self.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.table.scrollToTop()
        if rows:
            self.table.selectRow(0)
        self._allow()

    def show_progress(self, done: int, total: int) -> None:
        """Show that so many of so many ways are predicted."""
        self.progress.setRange(0, total)
        self.progress.setValue(done)

    def set_busy(self, busy: bool) -> None:
        """Offer to cancel what goes on, or to begin anew."""
        self.progress.setVisible(busy)
        self.cancel.setVisible(busy)
        self.again.setVisible(not busy)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: D102
        super().showEvent(event)
        self.opened.emit()

    def _build_table(self) -> None:
        table = self.table
        table.setModel(self._proxy)
        table.setAccessibleName(tr("Ways to run the model, by predicted step time"))
        table.setSortingEnabled(True)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)

    def _lay_out(self) -> None:
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(tr("Ways predicted"))
        for button, tip in (
            (self.run, tr("Put these settings into the form and run them.")),
            (self.again, tr("Predict every way again, from the run that is shown.")),
            (self.cancel, tr("Stop predicting.")),
        ):
            button.setToolTip(tip)
            button.setAccessibleDescription(tip)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 10)
        column.setSpacing(6)
        column.addWidget(self.line)
        column.addWidget(self.table, 1)
        buttons = QHBoxLayout()
        buttons.addWidget(self.run)
        buttons.addWidget(self.again)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.progress, 1)
        buttons.addStretch(0)
        column.addLayout(buttons)
        self.set_busy(False)

    def _current(self) -> Ranked | None:
        index = self.table.currentIndex()
        if not index.isValid():
            return None
        return self.model.rows[self._proxy.mapToSource(index).row()]

    def _choose(self) -> None:
        row = self._current()
        if row is not None:
            self.chosen.emit(row.advice.specification)

    def _allow(self, *_: object) -> None:
        self.run.setEnabled(self._current() is not None)


def ranked(ways: Sequence[Advice], present: Advice | None) -> list[Ranked]:
    """Each way with its place and its step against the present one's, which is among them."""
    known = list(ways)
    if present is not None and not any(_is_same(way, present) for way in ways):
        known.append(present)
    known.sort(key=lambda way: way.step_ns)
    return [
        Ranked(
            place,
            way,
            way.step_ns / present.step_ns - 1 if present and present.step_ns else None,
            present is not None and _is_same(way, present),
        )
        for place, way in enumerate(known, 1)
    ]


def _is_same(way: Advice, present: Advice) -> bool:
    """Whether the way is the present one, whose numbers may be left to their defaults."""
    one, other = way.specification, present.specification
    named = ("microbatches", "chunks", "replicas")
    return (
        one.strategy == other.strategy
        and one.schedule == with_defaults(other).schedule
        and all(getattr(other, n) in (None, getattr(one, n)) for n in named)
        and (way.step_ns, way.memory_bytes) == (present.step_ns, present.memory_bytes)
    )


def way_text(specification: Specification) -> str:
    """Strategy and schedule: `Pipeline 1F1B`."""
    title = tr(STRATEGIES[specification.strategy].title)
    schedule = with_defaults(specification).schedule
    if schedule is None:
        return title
    known = SCHEDULES.get(schedule)
    return f"{title} {tr(known.title) if known else Path(schedule).name}"


def cut_text(specification: Specification) -> str:
    """How the batch and the model are cut: `8 micro-batches, 2 chunks`."""
    s = specification
    parts = [
        (s.microbatches, tr("1 micro-batch"), tr("{n} micro-batches", n=s.microbatches)),
        (s.chunks, tr("1 chunk"), tr("{n} chunks", n=s.chunks)),
        (s.replicas, tr("1 replica"), tr("{n} replicas", n=s.replicas)),
    ]
    return ", ".join(one if count == 1 else many for count, one, many in parts if count)


def against_text(row: Ranked) -> str:
    """`-12.3 %`, or that these are the present settings."""
    if row.present:
        return tr("present")
    return "–" if row.against is None else change_text(row.against)
