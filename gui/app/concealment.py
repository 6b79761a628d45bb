"""Hides explanations until a learner has found the answer without them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gui.app.run import Run


class Concealment(QObject):
    """Hides the explanations of one group's runs. `changed` is emitted when that begins or ends.

    The window sets the text in the scenes of these runs (`Scene.concealed`). Panels that explain
    the duration of a step show the text instead.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._group = self._text = ""

    def begin(self, group: str, text: str) -> None:
        """Show a text in place of the explanations of the runs of a group."""
        self._set(group, text)

    def end(self) -> None:
        """Show all explanations."""
        self._set("", "")

    def text_for(self, run: Run) -> str:
        """Return the text to show in place of a run's explanations; "" to show them."""
        return self._text if self._group and run.group == self._group else ""

    def _set(self, group: str, text: str) -> None:
        if (group, text) != (self._group, self._text):
            self._group = group
            self._text = text
            self.changed.emit()
