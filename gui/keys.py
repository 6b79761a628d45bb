"""The `?` sheet: every key and what the mouse does."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QLabel, QWidget

from gui.actions import sheet_rows
from gui.text import tr


class KeySheet(QDialog):
    """A list that stays beside the window until it is closed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keys and mouse"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        grid = QGridLayout(self)
        grid.setContentsMargins(18, 14, 18, 14)
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(4)
        for number, (keys, name, does) in enumerate(sheet_rows()):
            key = QLabel(keys)
            key.setStyleSheet("font-weight: bold")
            what = QLabel(does)
            what.setObjectName("quiet")
            grid.addWidget(key, number, 0)
            grid.addWidget(QLabel(name), number, 1)
            grid.addWidget(what, number, 2)
