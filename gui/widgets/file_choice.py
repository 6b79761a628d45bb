"""A field for something built in, or one's own from a file: a schedule, a model."""

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
    """`value` is a built-in one's name, or the path of a file of the kind that is asked for.

    `entries` are title, name and a line about it; `usual` is the name that None stands for.
    """

    def __init__(self, entries: Sequence[tuple[str, str, str]], usual: str, kind: str) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._usual, self._kind, self._file = usual, kind, ""
        self._lines = {name: line for _, name, line in entries}
        for title, name, _ in entries:
            self.addItem(title, name)
        self.addItem(tr("From a file…"), OWN)
        self.allow({})
        self._last = self.currentIndex()
        # Not currentIndexChanged: filling the form must not open a dialog, only picking does.
        self.activated.connect(self._picked)

    @property
    def value(self) -> str:
        """The name, or the file."""
        chosen = str(self.currentData())
        return self._file if chosen == OWN else chosen

    def take(self, name: str | None) -> None:
        """Show a built-in one, or a file; None is the usual one."""
        index = self.findData(name or self._usual)
        if index < 0:
            self._take_file(str(name))
            return
        self.setCurrentIndex(index)
        self._last = index

    def allow(self, problems: Mapping[str, str]) -> None:
        """Let all be chosen but those with a problem, which their tooltips say."""
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
            self.setCurrentIndex(self._last)  # until there is one
        ask_open(
            self, tr("Choose a file"), Path(self._file).parent, [self._kind],
            lambda paths: self._take_file(str(paths[0])),
        )  # fmt: skip

    def _take_file(self, name: str) -> None:
        self._file = name
        index = self.findData(OWN)
        self.setItemText(index, tr("From {name}", name=Path(name).name))
        self.setCurrentIndex(index)
        self._last = index
