"""Details: the selected span, gap or range as a table."""

from __future__ import annotations

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
from gui.timeline.describe import Facts, facts
from gui.timeline.selection import Selection


class DetailsPanel(QWidget):
    """Names and values of what is selected; screen readers find the selection here."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Details"))
        self._hint = QLabel(
            tr(
                "Click a bar or an idle gap to see what it is and what it waited for. Drag to measure a range."
            )
        )
        self._hint.setObjectName("quiet")
        self._hint.setWordWrap(True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setMargin(14)
        self.table = QTableWidget(0, 2)
        self.table.setAccessibleName(tr("Details of the selection"))
        self.table.horizontalHeader().hide()
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setWordWrap(True)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.horizontalHeader().setSectionResizeMode(
            0, QHeaderView.ResizeMode.ResizeToContents
        )
        self.table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
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
        self._fill(facts(trace, selection, now))
        self._stack.setCurrentWidget(self.table)

    def _fill(self, rows: Facts) -> None:
        self.table.setRowCount(len(rows))
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                item = QTableWidgetItem(text)
                item.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
                self.table.setItem(number, column, item)
