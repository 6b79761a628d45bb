"""Table widget for the tables of a range: as high as its rows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractItemView, QSizePolicy, QWidget

from core.override import override
from gui.features.statistics.range_tables import Table
from gui.widgets.tables import ReturnTable, TableModel, dress

LISTED = 12  # rows of a table that are shown without scrolling
SHORT = 11  # letters; titles of columns from this length on are split into two lines


class _Rows(TableModel):
    """Qt model of a Table."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.table = Table("", (), ())

    def show_table(self, table: Table) -> None:
        with self.replaced_rows():
            self.table = table
            self.heads = table.heads

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        found = super().headerData(section, orientation, role)
        is_title = role == Qt.ItemDataRole.DisplayRole and isinstance(found, str)
        # In one line, titles would push the last columns out of the panel.
        return in_two_lines(str(found)) if is_title else found

    def count(self) -> int:
        return len(self.table.rows)

    def text(self, row: int, column: int) -> str:
        return self.table.rows[row][column]

    def role_data(self, row: int, column: int, role: int) -> object:
        if role == Qt.ItemDataRole.FontRole and row == self.table.sums:
            bold = QFont()
            bold.setBold(True)
            return bold
        return None


def in_two_lines(title: str) -> str:
    """Return a title with a line break in place of the space that is nearest to its middle.

    Titles that are shorter than SHORT, or have no space, are returned unchanged.
    """
    spaces = [place for place, letter in enumerate(title) if letter == " "]
    if len(title) < SHORT or not spaces:
        return title
    middle = len(title) / 2
    place = min(spaces, key=lambda space: abs(space - middle))
    return f"{title[:place]}\n{title[place + 1 :]}"


class RangeTable(ReturnTable):
    """A table as high as its rows, up to LISTED; wide tables scroll sideways.

    `chosen` carries the number of a row that was clicked, or picked with Return.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        dress(self, name, 21)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        # Measure 50 rows for the width of a column; Qt would measure a thousand.
        self.horizontalHeader().setResizeContentsPrecision(50)
        self.rows = _Rows(self)
        self.setModel(self.rows)
        self.clicked.connect(lambda index: self.chosen.emit(index.row()))

    def show_table(self, table: Table) -> None:
        """Show other rows."""
        self.rows.show_table(table)
        self.resizeColumnsToContents()
        head = self.horizontalHeader().sizeHint().height()
        shown = 21 * min(LISTED, len(table.rows))
        # Leave room for the horizontal scroll bar, which would otherwise hide the last row.
        scroll_bar = self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(head + shown + scroll_bar + 2)
