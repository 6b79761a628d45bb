"""Tables as Qt shows them: models with heads over their columns, and views that look alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QTreeWidget

from gui.look.writing import LEFT, RIGHT

Index = QModelIndex | QPersistentModelIndex
NOTHING = QModelIndex()


@dataclass(frozen=True, slots=True)
class Head:
    """What stands over a column, and what it tells when it is pointed at; numbers stand right."""

    title: str
    tip: str = ""
    numeric: bool = True

    @property
    def side(self) -> Qt.AlignmentFlag:
        """Where the column's cells stand, and its head."""
        return RIGHT if self.numeric else LEFT


class TableModel(QAbstractTableModel):
    """Subclasses name their `heads`, count their rows in `count`, and fill cells in `text`."""

    heads: Sequence[Head] = ()

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def text(self, row: int, column: int) -> str:
        """What a cell says."""
        raise NotImplementedError

    def role_data(self, row: int, column: int, role: int) -> object:
        """What a cell has besides its words: a colour, a tip; None for nothing."""
        return None

    @contextmanager
    def other_rows(self) -> Iterator[None]:
        """Within, all rows are replaced."""
        self.beginResetModel()
        yield
        self.endResetModel()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:  # noqa: D102
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.heads[index.column()].side
        return self.role_data(index.row(), index.column(), role)

    def rowCount(self, parent: Index = NOTHING) -> int:  # noqa: D102
        # Qt asks this of every cell too, as if it had rows below it: a table's have none.
        return 0 if parent.isValid() else self.count()

    def columnCount(self, parent: Index = NOTHING) -> int:  # noqa: D102
        return 0 if parent.isValid() else len(self.heads)

    def headerData(  # noqa: D102
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
    """`chosen` carries the number of the current row when Return is pressed."""

    chosen = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: D102
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


def dress_tree(tree: QTreeWidget, name: str, heads: Sequence[str], stretched: int) -> None:
    """Let a list look as all do: columns as wide as their words, the `stretched` one wider."""
    tree.setAccessibleName(name)
    tree.setHeaderLabels(heads)
    tree.setRootIsDecorated(False)
    tree.setUniformRowHeights(True)
    tree.header().setStretchLastSection(False)
    tree.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    tree.header().setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)


def dress(table: QTableView, name: str, row_height: int = 0, tight: bool = True) -> None:
    """Let a table look and behave as all do: whole rows, no grid, Tab leaves it.

    Its rows are as high as their words unless `row_height` says otherwise.
    """
    table.setAccessibleName(name)
    table.setObjectName("tight" if tight else "")
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)  # Tab leaves the table, as it leaves every control
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.verticalHeader().hide()
    if row_height:
        # With a height that is given, Qt measures no row, however many there are.
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.verticalHeader().setDefaultSectionSize(row_height)
    else:
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
