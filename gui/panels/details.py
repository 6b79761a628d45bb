"""Details: the selected span, gap or range as a table."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QStackedLayout,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from core.trace.trace import Trace
from gui.text import tr
from gui.timeline.describe import facts, range_heads, range_rows
from gui.timeline.selection import Selection, TimeRange


class DetailsPanel(QWidget):
    """Names and values of what is selected; screen readers find the selection here."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Details"))
        self._hint = QLabel(
            tr(
                "Click a bar or an idle gap to see what it is and what it waited for. "
                "Drag to measure a range."
            )
        )
        self._hint.setObjectName("hint")
        self._hint.setWordWrap(True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setMargin(14)
        self.table = QTableWidget(0, 2)
        self.table.setAccessibleName(tr("Details of the selection"))
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setWordWrap(True)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._hint)
        self._stack.addWidget(self.table)

    def show_selection(
        self, trace: Trace | None, selection: Selection | None, now: float | None = None
    ) -> None:
        """Show what is selected, or the hint."""
        if trace is None or selection is None:
            self.table.setRowCount(0)
            self._stack.setCurrentWidget(self._hint)
            return
        if isinstance(selection, TimeRange):
            self._fill(range_rows(trace, selection), range_heads(selection))
        else:
            self._fill(facts(trace, selection, now), ())
        self._stack.setCurrentWidget(self.table)

    def _fill(self, rows: Sequence[tuple[str, ...]], heads: tuple[str, ...]) -> None:
        self.table.setColumnCount(len(rows[0]))
        self.table.setRowCount(len(rows))
        self.table.setHorizontalHeaderLabels(heads)
        header = self.table.horizontalHeader()
        header.setVisible(bool(heads))
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(len(rows[0]) - 1, QHeaderView.ResizeMode.Stretch)
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                item = QTableWidgetItem(text)
                item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
                self.table.setItem(number, column, item)
