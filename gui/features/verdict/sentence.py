"""Label of the verdict: its main sentence in bold, then as much of the others as fits."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy

from core.override import override
from core.plain import plain_lines
from gui.widgets.label import Label

ELLIPSIS = "…"


class VerdictText(Label):
    """Text of a fixed number of lines; its main sentence is drawn first, in bold.

    So the others are cut before the main sentence, and the height does not depend on the text.
    `text()` returns the sentences in their original order.
    """

    def __init__(self) -> None:
        super().__init__(look="said")
        self._drawn = ""
        self._bold = 0
        self._lines = 1
        # Ignored, because a label would ask for the width of its whole text.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_text(self, text: str, sentence: str = "") -> None:
        """Show a text with `sentence` in bold; without a main sentence, all of it is bold."""
        self.setText(text)
        # Read back, because the label drops characters that would reverse the text direction.
        whole = self.text()
        first = plain_lines(sentence)
        self._drawn = whole
        self._bold = len(whole)
        if first and first in whole:
            before, _, after = whole.partition(first)
            others = f"{before.strip()} {after.strip()}".strip()
            self._drawn = f"{first} {others}"
            self._bold = len(first)
        self.update()

    def set_lines(self, count: int) -> None:
        """Set the height to `count` lines."""
        self._lines = count
        self.updateGeometry()
        self.update()

    @property
    def is_sentence_whole(self) -> bool:
        """True if the main sentence fits at the current width."""
        return self._fits(self._drawn[: self._bold])

    @override
    def sizeHint(self) -> QSize:
        return QSize(0, self._lines * self.fontMetrics().lineSpacing())

    @override
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        layout = self._laid_out(self._shortened())
        room = self.contentsRect()
        above = max(0.0, (room.height() - layout.boundingRect().height()) / 2)
        with QPainter(self) as painter:
            painter.setPen(self.palette().text().color())
            layout.draw(painter, QPointF(room.left(), room.top() + above))

    def _shortened(self) -> str:
        """Return the text; if it has too many lines, it is cut and ends with an ellipsis."""
        text = self._drawn
        if self._fits(text):
            return text
        fits = 0
        cut = len(text)
        while cut - fits > 1:
            middle = (fits + cut) // 2
            if self._fits(text[:middle].rstrip() + ELLIPSIS):
                fits = middle
            else:
                cut = middle
        return text[:fits].rstrip() + ELLIPSIS

    def _fits(self, text: str) -> bool:
        return self._laid_out(text).lineCount() <= self._lines

    def _laid_out(self, text: str) -> QTextLayout:
        """Return the layout of a text in lines of the label's width."""
        font = QFont(self.font())
        font.setBold(False)
        layout = QTextLayout(text, font)
        layout.setTextOption(_wrapped())
        main = QTextLayout.FormatRange()
        main.start = 0
        main.length = min(self._bold, len(text))
        main.format = _bold_format()
        layout.setFormats([main])
        layout.beginLayout()
        y = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(self.contentsRect().width())
            line.setPosition(QPointF(0, y))
            y += self.fontMetrics().lineSpacing()
        layout.endLayout()
        return layout


def _wrapped() -> QTextOption:
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    return option


def _bold_format() -> QTextCharFormat:
    bold = QTextCharFormat()
    bold.setFontWeight(QFont.Weight.Bold)
    return bold
