"""Base class of table models, and the common appearance of table and tree views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QTreeWidget

from core.override import override
from gui.look.writing import LEFT, RIGHT

Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()


@dataclass(frozen=True, slots=True)
class Head:
    """A column's header and tooltip; numeric columns are right-aligned."""

    title: str
    tip: str = ""
    numeric: bool = True

    @property
    def side(self) -> Qt.AlignmentFlag:
        """The alignment of the column's cells and of its header."""
        return RIGHT if self.numeric else LEFT


class TableModel(QAbstractTableModel):
    """Model of a table of texts. Subclasses define `heads`, `count` and `text`."""

    heads: Sequence[Head] = ()
    """The headers of the columns, from left to right."""

    def count(self) -> int:
        """Return the number of rows."""
        raise NotImplementedError

    def text(self, row: int, column: int) -> str:
        """Return a cell's text."""
        raise NotImplementedError

    def role_data(self, row: int, column: int, role: int) -> object:
        """Return a cell's value for a role other than text and alignment, or None."""
        return None

    @contextmanager
    def replaced_rows(self) -> Iterator[None]:
        """Announce that all rows, and possibly the columns, are replaced within the context."""
        self.beginResetModel()
        try:
            yield
        finally:
            self.endResetModel()

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.heads[index.column()].side
        return self.role_data(index.row(), index.column(), role)

    @override
    def rowCount(self, parent: Index = NO_PARENT) -> int:
        # With a parent, Qt asks for the rows below a cell, as in a tree. A table has none.
        return 0 if parent.isValid() else self.count()

    @override
    def columnCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.heads)

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        head = self.heads[section]
        roles: dict[int, object] = {
            Qt.ItemDataRole.DisplayRole: head.title,
            Qt.ItemDataRole.ToolTipRole: head.tip or None,
            Qt.ItemDataRole.TextAlignmentRole: head.side,
        }
        return roles.get(role)


class ReturnTable(QTableView):
    """A table that emits `chosen` with the current row when Return or Enter is pressed."""

    chosen = Signal(int)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current.isValid():
            self.chosen.emit(current.row())
        else:
            super().keyPressEvent(event)


def dress_tree(tree: QTreeWidget, name: str, heads: Sequence[str], stretched: int) -> None:
    """Give a list with columns the common appearance.

    Columns fit their text, except column `stretched`, which takes the remaining width.
    """
    tree.setAccessibleName(name)
    tree.setHeaderLabels(heads)
    tree.setRootIsDecorated(False)
    tree.setUniformRowHeights(True)
    header = tree.header()
    header.setStretchLastSection(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)


def dress(table: QTableView, name: str, row_height: int = 0, tight: bool = True) -> None:
    """Give a table the common appearance and behaviour: whole rows are selected, without a grid.

    Rows fit their text unless `row_height`, in pixels, is given. `tight` is the style with little
    padding.
    """
    table.setAccessibleName(name)
    table.setObjectName("tight" if tight else "")
    table.setShowGrid(False)
    # Tab leaves the table, as it leaves every other control.
    table.setTabKeyNavigation(False)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    rows = table.verticalHeader()
    rows.hide()
    if row_height:
        # With a fixed height, Qt does not measure each row.
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(row_height)
    else:
        rows.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
