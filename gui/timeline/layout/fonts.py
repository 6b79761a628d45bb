"""The sizes of text in a picture, and how wide words are in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QFont, QFontMetricsF

from gui.timeline.layout.bar_words import Style


@dataclass(frozen=True, slots=True)
class Fonts:
    """The sizes of text in a picture, made from one font."""

    base: QFont
    small: QFont
    bold: QFont

    @classmethod
    def of(cls, font: QFont) -> Fonts:
        """Sizes around `font`'s own."""
        small, bold = QFont(font), QFont(font)
        small.setPointSizeF(max(6.0, font.pointSizeF() * 0.86))
        bold.setBold(True)
        return cls(font, small, bold)

    def style(self, staged: bool, low: bool, shrinks: bool) -> Style:
        """The words in bars of lanes that are `staged`, of rows that are `low`; on paper."""
        return Style(self.bold.toString(), self.small.toString(), staged, low, shrinks)


@lru_cache(maxsize=4096)
def text_width(font: QFont, label: str) -> float:
    """Width of a label in pixels, remembered."""
    return QFontMetricsF(font).horizontalAdvance(label)
