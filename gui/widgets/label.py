"""Labels and tooltips that show text literally, even if Qt would take it for HTML."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from core.override import override
from core.plain import plain_lines
from gui.look.writing import LEFT, elided


class Label(QLabel):
    """A label whose text is plain, even if it contains names from files.

    `look` is its name in the style sheet: `quiet`, `heading`, `problem`, `hint` and so on. Text
    that is `selectable` can be copied with the mouse.
    """

    def __init__(
        self, text: str = "", look: str = "", wrapped: bool = False, selectable: bool = False
    ) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        if selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setObjectName(look)
        self.setWordWrap(wrapped)
        self.setText(text)

    # Overridden, so that no caller can forget it: names from files may contain characters that
    # reverse the direction of a line.
    @override
    def setText(self, text: str) -> None:
        super().setText(plain_lines(text))

    def say(self, text: str) -> None:
        """Show a text; hide the label if it is empty."""
        self.setText(text)
        self.setVisible(bool(text))


class Elided(Label):
    """One line of text that ends with an ellipsis if it does not fit."""

    def __init__(self, look: str = "") -> None:
        super().__init__(look=look)
        # A label asks for the width of its whole text: one long name would widen the window.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            room = self.contentsRect()
            # Shortened at each paint, because the width that the layout gives is known only here.
            painter.drawText(room, LEFT, elided(painter, self.text(), room.width()))


def hint(text: str = "", margin: int = 14) -> Label:
    """Return the centred label of a panel that has nothing to show yet."""
    made = Label(text, "hint", wrapped=True)
    made.setAlignment(Qt.AlignmentFlag.AlignCenter)
    made.setMargin(margin)
    return made


def sentence_label(name: str) -> Label:
    """Return a label for a panel's leading sentence, which can be selected and copied.

    `name` is its accessible name.
    """
    made = Label(look="sentence", wrapped=True)
    made.setAccessibleName(name)
    made.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return made


def plain_tip(text: str) -> str:
    """Return a tooltip that shows a text literally."""
    # Tooltips have no plain format: Qt takes text for HTML if it looks like it.
    return wrapped_tip(text) if "<" in text else plain_lines(text)


def wrapped_tip(text: str) -> str:
    """Return a tooltip that shows a text literally, in lines of limited length; "" for none."""
    # Qt wraps only the lines of HTML.
    return f'<p style="white-space: pre-wrap">{escape(plain_lines(text))}</p>' if text else ""
