"""A drop-down list of steps: named choices first, then the latest steps."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QSizePolicy

from gui.timeline.state.scene import step_name
from gui.widgets.fields import Choice
from gui.widgets.layouts import named

LISTED = 100  # most steps in the list


class StepChoice(Choice):
    """A list of steps. The first `entries` are (text, data); the data of a step is its number."""

    def __init__(self, name: str, tip: str, *entries: tuple[str, str]) -> None:
        super().__init__()
        named(self, name, tip)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for text, data in entries:
            self.addItem(text, data)
        self._general = len(entries)
        self._listed = list[int]()

    def list_steps(self, steps: Sequence[int], warmup: int) -> None:
        """Offer the latest of `steps`, newest first; keep the selected step if it is among them."""
        wanted = list(steps)[-LISTED:][::-1]
        # Not while the list is open: its entries would move under the pointer.
        if wanted == self._listed or self.view().isVisible():
            return
        chosen = self.currentData()
        self._listed = wanted
        with QSignalBlocker(self):
            while self.count() > self._general:
                self.removeItem(self.count() - 1)
            for step in wanted:
                self.addItem(step_name(step, warmup), step)
            self.setCurrentIndex(max(0, self.findData(chosen)))
