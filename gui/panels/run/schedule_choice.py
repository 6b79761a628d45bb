"""The field for a schedule: a built-in one, or one's own from a file of actions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox

from core.plan.schedules import SCHEDULES
from core.plan.specification import DEFAULT_SCHEDULE
from gui.app.dialogs import ask_open
from gui.look.label import plain_tip
from gui.look.text import tr
from gui.panels.run.fields import Choice

OWN = "own file"


class ScheduleChoice(Choice):
    """`value` is a schedule's name, or the path of a file in torch's compute-only CSV form."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._file = ""
        self._lines = {schedule.name: tr(schedule.line) for schedule in SCHEDULES.values()}
        for schedule in SCHEDULES.values():
            self.addItem(tr(schedule.title), schedule.name)
        self.addItem(tr("From a file…"), OWN)
        self._lines[OWN] = tr("Every lane's actions from a file, as torch writes them.")
        self.allow({})
        self._last = self.currentIndex()
        self.activated.connect(self._picked)

    @property
    def value(self) -> str:
        """The schedule's name, or its file."""
        chosen = str(self.currentData())
        return self._file if chosen == OWN else chosen

    @value.setter
    def value(self, name: str | None) -> None:
        if name is not None and name not in SCHEDULES:
            self._take_file(name)
            return
        self.setCurrentIndex(self.findData(name or DEFAULT_SCHEDULE))
        self._last = self.currentIndex()

    def allow(self, problems: Mapping[str, str]) -> None:
        """Let all be chosen but those with a problem, which their tooltips say."""
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        for index in range(self.count()):
            name = self.itemData(index)
            model.item(index).setEnabled(name not in problems)
            tip = problems.get(name, self._lines[name])
            self.setItemData(index, plain_tip(tip), Qt.ItemDataRole.ToolTipRole)

    def _picked(self, index: int) -> None:
        if self.itemData(index) != OWN:
            self._last = index
            return
        if not self._file:
            self.setCurrentIndex(self._last)  # until there is one
        ask_open(
            self, tr("Choose a schedule"), Path(self._file).parent, [tr("Schedules (*.csv)")],
            lambda paths: self._take_file(str(paths[0])),
        )  # fmt: skip

    def _take_file(self, name: str) -> None:
        self._file = name
        index = self.findData(OWN)
        self.setItemText(index, tr("From {name}", name=Path(name).name))
        self.setCurrentIndex(index)
        self._last = index
