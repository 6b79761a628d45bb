"""A choice of a step: two that are named by what they are, and below them the latest ones."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QSizePolicy

from gui.timeline.state.scene import step_name
from gui.widgets.fields import Choice
from gui.widgets.layouts import named

LISTED = 100  # of the latest steps


class StepChoice(Choice):
    """The first entries are given, each as its text and its data; a step's data is its number."""

    def __init__(self, name: str, tip: str, *entries: tuple[str, str]) -> None:
        super().__init__()
        named(self, name, tip)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for text, data in entries:
            self.addItem(text, data)
        self._general, self._listed = len(entries), list[int]()

    def list_steps(self, steps: Sequence[int], warmup: int) -> None:
        """Offer the latest of `steps`, newest first; what is chosen stays while it is there."""
        wanted = list(steps)[-LISTED:][::-1]
        # Not while the list is open: its entries would move away under the pointer.
        if wanted == self._listed or self.view().isVisible():
            return
        chosen, self._listed = self.currentData(), wanted
        with QSignalBlocker(self):
            while self.count() > self._general:
                self.removeItem(self.count() - 1)
            for step in wanted:
                self.addItem(step_name(step, warmup), step)
            self.setCurrentIndex(max(0, self.findData(chosen)))
