"""The sizes of a figure: text, lines and distances, in tenths of a point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF

from gui.app.figure_options import MM_PER_INCH, PRESETS, FigureOptions, Preset
from gui.figures.looks import Looks, looks_of
from gui.look.theme import THEMES, edited
from gui.look.writing import wrapped
from gui.timeline.layout.fonts import text_width

PT = 10.0  # units a point, so that every size of text is a whole number of units
PER_INCH = 720.0
MM = PER_INCH / MM_PER_INCH
FACES = ["Helvetica", "Arial", "Liberation Sans", "Nimbus Sans", "DejaVu Sans"]


class Face(NamedTuple):
    """A size of text in units."""

    pixels: int
    bold: bool = False

    @property
    def font(self) -> QFont:
        """The font to paint with."""
        return _font(self)

    @property
    def line(self) -> float:
        """From one line of text to the next."""
        return self.pixels * 1.3

    def width(self, text: str) -> float:
        """How wide a text is."""
        return text_width(self.font, text)

    def elided(self, text: str, room: float) -> str:
        """As much of a text as fits, with an ellipsis if that is not all."""
        return QFontMetricsF(self.font).elidedText(text, Qt.TextElideMode.ElideRight, room)

    def wrapped(self, text: str, room: float) -> list[str]:
        """A text in lines that fit; a word that does not is cut with an ellipsis."""
        return [self.elided(line, room) for line in wrapped(text, room, self.width)]


@dataclass(frozen=True, slots=True)
class Style:
    """What is the same all over a figure. `em` is the size of its text, `line` its line width.

    The figure is `width` wide, and `height` high unless that is None.
    """

    base: Face
    bold: Face
    small: Face
    number: Face
    line: float
    edge: float
    width: float
    height: float | None
    scale: float
    looks: Looks
    tallest: float

    @property
    def em(self) -> float:
        """The size of the text."""
        return float(self.base.pixels)

    @classmethod
    def of(cls, options: FigureOptions, colours: Mapping[str, str]) -> Style:
        """The style of a preset with what the options change of it. Raises KeyError without one.

        `colours` are the user's own in the options' theme.
        """
        preset = PRESETS[options.preset or ""]
        points = options.font_pt or preset.font_pt
        width_mm = options.width_mm or preset.width_mm
        size = round(points * PT)
        hatching = preset.hatching if options.hatching is None else options.hatching
        return cls(
            Face(size), Face(size, True), Face(round(0.85 * size)), Face(round(0.82 * size)),
            preset.line_pt * PT,
            # A slide has margins of its own; a figure stands in a page that has some.
            (1.6 if preset.height_mm else 0.2) * size,
            width_mm * MM,
            _height(preset, width_mm),
            options.scale or preset.scale,
            looks_of(edited(THEMES[options.theme], colours), hatching, options.greyscale),
            (5.0 if preset.height_mm else 1.5) * size,
        )  # fmt: skip


def _height(preset: Preset, width_mm: float) -> float | None:
    """A slide keeps its shape whatever its width."""
    if preset.height_mm is None:
        return None
    return preset.height_mm * width_mm / preset.width_mm * MM


@lru_cache(maxsize=64)
def _font(face: Face) -> QFont:
    font = QFont()
    font.setFamilies(FACES)
    # Pixels are units here; points would depend on the device's resolution.
    font.setPixelSize(max(1, face.pixels))
    font.setBold(face.bold)
    # Hinting rounds letters to the pixels of one size; without it widths grow in proportion, so a
    # layout holds in PNG, SVG and PDF alike.
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font
