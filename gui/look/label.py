"""Words on screen that are shown as they are: Qt takes what looks like HTML for HTML."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from core.plain import plain_lines


class Label(QLabel):
    """A label whose text is plain, whatever names from files are in it."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: D102
        super().setText(plain_lines(text))


def plain_tip(text: str) -> str:
    """A tooltip that shows a text as it is."""
    shown = plain_lines(text)
    if "<" not in shown:
        return shown
    return f'<p style="white-space: pre-wrap">{escape(shown)}</p>'
