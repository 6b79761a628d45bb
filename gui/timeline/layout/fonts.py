"""Fonts of a picture, and widths of texts in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QFont, QFontMetricsF


@dataclass(frozen=True, slots=True)
class Fonts:
    """The fonts of a picture, derived from one font."""

    base: QFont
    small: QFont
    bold: QFont

    @classmethod
    def of(cls, font: QFont) -> Fonts:
        """Return the fonts for a base font."""
        small = QFont(font)
        bold = QFont(font)
        small.setPointSizeF(max(6.0, font.pointSizeF() * 0.86))
        bold.setBold(True)
        return cls(font, small, bold)


@lru_cache(maxsize=4096)
def text_width(font: QFont, label: str) -> float:
    """Return the width of a text in pixels, cached."""
    return QFontMetricsF(font).horizontalAdvance(label)
