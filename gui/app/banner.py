"""A message above the timeline that does not interrupt the user."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QToolButton

from core.message import Text
from core.plain import shortened
from gui.look.core_texts import translated
from gui.look.text import tr
from gui.widgets.label import Label, wrapped_tip
from gui.widgets.layouts import button, row


class Banner(QFrame):
    """A message, hidden until `say`; closed by its button or by the next success."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.label = Label(wrapped=True, selectable=True)
        tip = tr("Close this message.")
        name = tr("Close the message")
        close = button(QToolButton, "×", tip, self.hide, name)
        row(
            self.label,
            close,
            of=self,
            growing=self.label,
            margins=(12, 5, 6, 5),
        )
        self.hide()

    def say(self, text: Text, level: str = "error") -> None:
        """Show a line; `level` is info, warning or error.

        Long lines are shortened, with the whole text as tooltip.
        """
        self.setProperty("level", level)
        # The style sheet evaluates `level` only when a widget is polished.
        self.style().unpolish(self)
        self.style().polish(self)
        words = translated(text)
        short = shortened(words)
        self.label.setText(short)
        self.label.setToolTip("" if short == words else wrapped_tip(words))
        self.setAccessibleName(words)
        self.show()
