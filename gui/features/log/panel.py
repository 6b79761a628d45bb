"""Log panel: the lines that a run wrote, by level."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from core.message import N_
from core.trace.columns import GrowingArray
from core.trace.event_rows import Log, LogRow
from core.trace.trace import Trace
from gui.app.faults import log_with_faults
from gui.look.core_texts import translated
from gui.look.text import duration_text, tr
from gui.look.theme import LIGHT, Theme
from gui.timeline.state.scene import Scene
from gui.widgets.fields import Choice
from gui.widgets.label import plain_tip
from gui.widgets.layouts import column, named
from gui.widgets.tables import Head, TableModel, dress

LEVELS = (N_("info"), N_("size"), N_("warning"), N_("error"), N_("state"))


class LogModel(TableModel):
    """Table model of the lines of a log that have one of the chosen levels."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        titles = (tr("Time"), tr("Level"), tr("Message"))
        self.heads = [Head(title, numeric=False) for title in titles]
        self._source = Log()
        self._taken = 0
        self._places = GrowingArray(np.int64)  # positions of the rows in the source
        self._levels = frozenset(LEVELS)
        self.theme = LIGHT

    def show(self, source: Log, levels: frozenset[str]) -> None:
        """Show another log, or other levels."""
        with self.replaced_rows():
            self._source = source
            self._levels = levels
            self._taken = len(source)
            self._places = GrowingArray.of(source.at_levels(levels))

    def take_new(self) -> None:
        """Append the rows that were added to the log since the last call."""
        fresh = self._source.at_levels(self._levels, self._taken)
        self._taken = len(self._source)
        if len(fresh):
            first = len(self._places)
            self.beginInsertRows(QModelIndex(), first, first + len(fresh) - 1)
            self._places.extend(fresh)
            self.endInsertRows()

    def count(self) -> int:
        """Return the number of lines of the chosen levels."""
        return len(self._places)

    def text(self, row: int, column: int) -> str:
        """Return the line's time, level and text."""
        line = self._line(row)
        texts = (duration_text(line.time), tr(line.level), translated(line.text))
        return texts[column]

    def role_data(self, row: int, column: int, role: int) -> object:
        """Return the message as a tooltip, and the level's colour."""
        if role == Qt.ItemDataRole.ToolTipRole and column == 2:
            return plain_tip(self.text(row, column))
        if role == Qt.ItemDataRole.ForegroundRole:
            level = self._line(row).level
            colours = {"warning": self.theme.warning, "error": self.theme.error}
            usual = self.theme.muted if column < 2 else self.theme.text
            return QColor(colours.get(level, usual))
        return None

    def _line(self, row: int) -> LogRow:
        place = int(self._places.view[row])
        return self._source[place]


class LogPanel(QWidget):
    """The log as a table, with a choice of levels; if its end is visible, it follows new lines."""

    def __init__(self) -> None:
        super().__init__()
        self.model = LogModel(self)
        self._trace: Trace | None = None
        self._live = False
        tip = tr("Which lines of the log are shown.")
        self.level = named(Choice(), tr("Level"), tip)
        self.level.addItem(tr("All levels"), frozenset(LEVELS))
        self.level.addItem(tr("Warnings and errors"), frozenset({"warning", "error"}))
        for level in LEVELS:
            only = tr("Only {level}", level=tr(level))
            self.level.addItem(only, frozenset({level}))
        self.level.currentIndexChanged.connect(self._refilter)
        self.table = QTableView()
        self.table.setModel(self.model)
        dress(self.table, tr("Log"), 21, tight=False)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(True)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.table.setColumnWidth(0, 78)
        self.table.setColumnWidth(1, 66)
        column(self.level, self.table, of=self, margins=(8, 4, 8, 4))

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.model.theme = theme
        self.table.viewport().update()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Show another run's log, or add new lines; a run's faults are listed once it has ended."""
        trace = None if scene is None else scene.trace
        bar = self.table.verticalScrollBar()
        # Read before rows are added, because that changes the maximum.
        at_end = bar.value() >= bar.maximum() - 1
        # When a run ends, its faults are appended to its lines: the model starts again.
        if trace is self._trace and live is self._live:
            self.model.take_new()
        else:
            self._trace = trace
            self._live = live
            self._refilter()
        if at_end:
            self.table.scrollToBottom()

    def _refilter(self) -> None:
        log = Log() if self._trace is None else log_with_faults(self._trace, self._live)
        self.model.show(log, self.level.currentData())
