"""Advisor: every way to run the shown model on its lanes, predicted and ranked."""

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
from core.plan.pipeline.options import CHUNKS, MICROBATCHES, SCHEDULE
from core.plan.schedules import schedule_title
from core.plan.specification import Specification, with_defaults
from core.plan.strategies import STRATEGIES
from core.plan.strategies.dp_pp import REPLICAS
from core.predict.advisor import Advice, AdviceResult
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
PADDING = 19  # pixels of a column next to its widest text
STEP = 1  # the column that ranks


@dataclass(frozen=True, slots=True)
class Ranked:
    """An advice with its place, compared with the present settings.

    `against` is its step over the present settings' predicted step, less 1; None if these cannot
    be predicted. `present` marks the present settings. `measured_ns` is the step time of the last
    run of this way, None if it was not run yet.
    """

    place: int
    advice: Advice
    against: float | None
    present: bool
    measured_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table: its heading, text, sort key and tooltip.

    It is as wide as `widest`; one without is as wide as its longest name.
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
        N_("The schedule (×2 is with two chunks a lane), or the strategy that has none."),
    ),
    Column(
        N_("Step"),
        lambda r: ("" if r.advice.known else "≈ ") + duration_text(r.advice.step_ns),
        lambda r: r.place,
        N_(
            "Predicted time of a step. ≈ marks micro-batches smaller or larger than all that were "
            "measured: their time is a guess, and they come last."
        ),
        N_("≈ 99.9 ms"),
    ),
    Column(
        N_("Change"),
        lambda r: against_text(r),
        lambda r: r.against or 0.0,
        N_("The step against that of the present settings, which is predicted alike."),
        "−99.9 %",
    ),
    Column(
        N_("Memory"),
        lambda r: bytes_text(r.advice.memory_bytes),
        lambda r: r.advice.memory_bytes,
        N_("The most that a lane holds: an estimate from the model and the plan."),
        N_("99.9 MB"),
    ),
    Column(
        N_("Micro-batches"),
        lambda r: pieces_text(r.advice.specification),
        lambda r: r.advice.specification[MICROBATCHES] or 0,
        N_("How many micro-batches, where the strategy makes some."),
        N_("Micro-batches"),
    ),
    Column(
        N_("Range"),
        lambda r: range_text(r.advice.low_ns, r.advice.high_ns),
        lambda r: r.advice.high_ns,
        N_(
            "From the least to the most that a step is expected to take: as far as measured costs "
            "differ from each other, and the prediction of the run that was made from its step."
        ),
        N_("99.9 to 99.9 ms"),
    ),
    Column(
        N_("Measured"),
        lambda r: NONE if r.measured_ns is None else duration_text(r.measured_ns),
        lambda r: r.measured_ns or 0,
        N_("What the median step took where this way was run."),
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
    """The ranked ways, a row each."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.heads = [Head(tr(c.heading), tr(c.tip), numeric=n > 0) for n, c in enumerate(COLUMNS)]
        self.rows: list[Ranked] = []

    def show(self, rows: list[Ranked]) -> None:
        """Replace the rows."""
        with self.other_rows():
            self.rows = rows

    def count(self) -> int:
        """Return the number of ways."""
        return len(self.rows)

    def text(self, row: int, column: int) -> str:
        """Return a way's text in a column."""
        return COLUMNS[column].text(self.rows[row])

    def role_data(self, row: int, column: int, role: int) -> object:
        """Return the tooltip of a way, or the sort key of a column."""
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.heads[column].title}: {self.text(row, column)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(way_tip(self.rows[row].advice.specification))
        return COLUMNS[column].key(self.rows[row]) if role == SORT else None


class _Ways(QSortFilterProxyModel):
    """The rows of an AdviceModel; of each strategy and schedule only the `best`, if wanted."""

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
    """The table of ranked ways, below a line with its source.

    `picked` carries the Ranked that the user selects, `chosen` the Specification of a way to be
    run. `opened` is emitted when the panel becomes visible. The button `again` wants all ways
    predicted again, and `cancel` wants that given up.
    """

    picked = Signal(object)
    chosen = Signal(object)
    opened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = AdviceModel(self)
        self._proxy = _Ways(self)
        self._proxy.setSourceModel(self.model)
        # By figures: as texts, 9 ms would come after 10 ms.
        self._proxy.setSortRole(SORT)
        self.table = ReturnTable()
        self.line = Elided("quiet")
        tip = tr("Predict every way again, from the run that is shown.")
        self.again = button(QToolButton, tr("Predict all"), tip, look="link")
        self.cancel = button(QToolButton, tr("Cancel"), tr("Stop predicting."), look="link")
        self.best = QCheckBox(tr("Best of each"))
        self.best.setToolTip(tr("Of each strategy and schedule, list the quickest way alone."))
        self.best.setChecked(True)
        self.best.toggled.connect(self._filter)
        self.progress = named(QProgressBar(textVisible=False), tr("Ways predicted"))
        self._build_table()
        self._lay_out()
        self.table.doubleClicked.connect(lambda _: self._choose())
        self.table.chosen.connect(lambda _: self._choose())
        self.table.selectionModel().selectionChanged.connect(self._pick)
        self.show_line(tr("Run once: the costs come from its calibration."), False)

    def show_line(self, text: str, can_ask: bool) -> None:
        """Show the source of the table, or what to do first."""
        self.line.setText(text)
        self.line.setToolTip(plain_tip(text))
        self.again.setEnabled(can_ask)

    def show_ways(self, rows: Sequence[Ranked]) -> None:
        """Show ranked ways, none of them selected."""
        self.model.show(list(rows))
        self._proxy.best = best_of_each(rows)
        self._filter()
        self.table.sortByColumn(STEP, Qt.SortOrder.AscendingOrder)
        self.table.scrollToTop()

    def clear_selection(self) -> None:
        """Select no way, as something else was asked."""
        self.table.clearSelection()
        self.table.setCurrentIndex(QModelIndex())

    def show_progress(self, done: int, total: int) -> None:
        """Show that so many of so many ways are predicted."""
        self.progress.setRange(0, total)
        self.progress.setValue(done)

    def set_busy(self, busy: bool) -> None:
        """Offer to cancel the prediction, or to predict again."""
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
            mode = QHeaderView.ResizeMode
            whole = mode.Interactive if shown.widest else mode.ResizeToContents
            header.setSectionResizeMode(number, whole)
            if shown.widest:
                wide = self.fontMetrics().horizontalAdvance(tr(shown.widest))
                header.resizeSection(number, wide + PADDING)

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
        column(top, self.table, of=self, growing=self.table, margins=(4, 0, 4, 0), spacing=3)
        self.set_busy(False)

    def _current(self) -> Ranked | None:
        index = self.table.currentIndex()
        if not index.isValid():
            return None
        # The table shows the proxy's rows, as they are sorted now; the model has its own order.
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


def ranked(
    advised: AdviceResult, measured: Callable[[Specification], int | None] = lambda _: None
) -> list[Ranked]:
    """Return each way with its place and its step compared with the present one, which is included.

    Known ways come first, and both parts are sorted by step time; but the present way is the first
    of all unless a known way saves enough. `measured` returns the step time of a way in ns.
    """
    present = advised.present
    ways = list(advised.ways)
    if present is not None and not any(_is_same(way, present) for way in ways):
        ways.append(present)
    stays = advised.better is None

    def rank(way: Advice) -> tuple[bool, bool, int]:
        is_first = stays and present is not None and _is_same(way, present)
        return not is_first, not way.known, way.step_ns

    rows = []
    for place, way in enumerate(sorted(ways, key=rank), 1):
        against = way.step_ns / present.step_ns - 1 if present and present.step_ns else None
        is_present = present is not None and _is_same(way, present)
        took = advised.measured_ns if is_present else measured(way.specification)
        rows.append(Ranked(place, way, against, is_present, took))
    return rows


def best_of_each(rows: Sequence[Ranked]) -> set[int]:
    """Return the places in `rows` of the first of each strategy and schedule, and the present."""
    best: set[int] = set()
    seen: set[tuple[str, str | None]] = set()
    for place, one in enumerate(rows):
        specification = one.advice.specification
        kind = (specification.strategy, with_defaults(specification)[SCHEDULE])
        if kind not in seen or one.present:
            best.add(place)
        seen.add(kind)
    return best


def _is_same(way: Advice, present: Advice) -> bool:
    """Return True for the present way, whose numbers may be left to their defaults."""
    one = way.specification
    other = present.specification
    named = (MICROBATCHES, CHUNKS, REPLICAS)
    return (
        one.strategy == other.strategy
        and one[SCHEDULE] == with_defaults(other)[SCHEDULE]
        and all(other[option] in (None, one[option]) for option in named)
        and (way.step_ns, way.memory_bytes) == (present.step_ns, present.memory_bytes)
    )


def way_text(specification: Specification) -> str:
    """Return the schedule with chunks and replicas, or the strategy: `Interleaved 1F1B ×2`."""
    s = specification
    schedule = with_defaults(s)[SCHEDULE]
    if schedule is None:
        return tr(STRATEGIES[s.strategy].title)
    name = tr(schedule_title(schedule))
    name += f" ×{s[CHUNKS]}" if s[CHUNKS] else ""
    return tr("{schedule}, {n} replicas", schedule=name, n=s[REPLICAS]) if s[REPLICAS] else name


def pieces_text(specification: Specification) -> str:
    """Return the number of micro-batches; "" for a strategy without them."""
    takes = MICROBATCHES in STRATEGIES[specification.strategy].options
    return str(specification[MICROBATCHES] or tr("usual")) if takes else ""


def way_tip(specification: Specification) -> str:
    """Return the tooltip of a way."""
    title = tr(STRATEGIES[specification.strategy].title)
    way = way_text(specification)
    title_and_way = title if way == title else tr("{strategy}: {way}", strategy=title, way=way)
    hint = tr("Double-click or press Enter to run this.")
    return f"{title_and_way}\n{hint}"


def against_text(row: Ranked) -> str:
    """Return the change of the step, `-12.3 %`, or a word for the present settings."""
    if row.present:
        return tr("present")
    return NONE if row.against is None else change_text(row.against)
