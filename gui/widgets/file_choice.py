"""A drop-down list of built-in items (schedules, models) with one more entry for a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox

from gui.app.dialogs import ask_open
from gui.look.text import tr
from gui.widgets.fields import Choice
from gui.widgets.label import plain_tip

OWN = "own file"


class FileChoice(Choice):
    """A list whose `value` is the name of a built-in item, or the path of a file.

    `entries` are title, name and explanation; `usual` is the name that is selected for None; `kind`
    is the file dialog's filter.
    """

    def __init__(self, entries: Sequence[tuple[str, str, str]], usual: str, kind: str) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._usual = usual
        self._kind = kind
        self._file = ""
        self._lines = {name: line for _, name, line in entries}
        for title, name, _ in entries:
            self.addItem(title, name)
        self.addItem(tr("From a file…"), OWN)
        self.allow({})
        self._last = self.currentIndex()
        # Not currentIndexChanged, which is also emitted when the form is filled: the dialog opens
        # only when the user picks the item.
        self.activated.connect(self._picked)

    @property
    def value(self) -> str:
        """The name, or the path."""
        chosen = str(self.currentData())
        return self._file if chosen == OWN else chosen

    def take(self, name: str | None) -> None:
        """Select a built-in item or a file; None selects the usual item."""
        index = self.findData(name or self._usual)
        if index < 0:
            self._take_file(str(name))
            return
        self.setCurrentIndex(index)
        self._last = index

    def allow(self, problems: Mapping[str, str]) -> None:
        """Disable the items that have a problem, and show it as their tooltip."""
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        for index in range(self.count()):
            name = self.itemData(index)
            model.item(index).setEnabled(name not in problems)
            tip = problems.get(name, self._lines.get(name, ""))
            self.setItemData(index, plain_tip(tip), Qt.ItemDataRole.ToolTipRole)

    def _picked(self, index: int) -> None:
        if self.itemData(index) != OWN:
            self._last = index
            return
        if not self._file:
            self.setCurrentIndex(self._last)  # until a file is chosen
        ask_open(
            self,
            tr("Choose a file"),
            Path(self._file).parent,
            [self._kind],
            lambda paths: self._take_file(str(paths[0])),
        )

    def _take_file(self, name: str) -> None:
        self._file = name
        index = self.findData(OWN)
        self.setItemText(index, tr("From {name}", name=Path(name).name))
        self.setCurrentIndex(index)
        self._last = index
