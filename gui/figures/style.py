"""Sizes of a figure: text, lines and distances, in tenths of a point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF

from gui.app.figure_options import MM_PER_INCH, PRESETS, FigureOptions, Preset
from gui.figures.looks import FigureLooks, looks_of
from gui.look.theme import THEMES, edited
from gui.look.writing import wrapped
from gui.timeline.layout.fonts import text_width

PT = 10.0  # units per point, so that every size of text is an integer of units
PER_INCH = 720.0
MM = PER_INCH / MM_PER_INCH
FACES = ["Helvetica", "Arial", "Liberation Sans", "Nimbus Sans", "DejaVu Sans"]


class Face(NamedTuple):
    """A font for figures, with its size in units."""

    pixels: int
    bold: bool = False

    @property
    def font(self) -> QFont:
        """The font to paint with."""
        return _font(self)

    @property
    def line(self) -> float:
        """The distance between two lines of text."""
        return self.pixels * 1.3

    def width(self, text: str) -> float:
        """Return the width of a text."""
        return text_width(self.font, text)

    def elided(self, text: str, room: float) -> str:
        """Return a text, cut with an ellipsis to `room`."""
        return QFontMetricsF(self.font).elidedText(text, Qt.TextElideMode.ElideRight, room)

    def wrapped(self, text: str, room: float) -> list[str]:
        """Return a text in lines that fit `room`; a longer word is cut with an ellipsis."""
        return [self.elided(line, room) for line in wrapped(text, room, self.width)]


@dataclass(frozen=True, slots=True)
class Style:
    """Sizes and colours of a figure. `em` is the size of its text, `line` its line width.

    The figure has a fixed `width`, and a fixed `height` unless that is None.
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
    looks: FigureLooks
    tallest: float

    @property
    def em(self) -> float:
        """The size of the text."""
        return float(self.base.pixels)

    @classmethod
    def of(cls, options: FigureOptions, colours: Mapping[str, str]) -> Style:
        """Return the style of a preset, changed by the options. Raises KeyError if unknown.

        `colours` are the user's, for the options' theme.
        """
        preset = PRESETS[options.preset or ""]
        points = options.font_pt or preset.font_pt
        width_mm = options.width_mm or preset.width_mm
        size = round(points * PT)
        hatching = preset.hatching if options.hatching is None else options.hatching
        theme = edited(THEMES[options.theme], colours)
        # Only presets for slides have a fixed height. Unlike a page, a slide has no margins yet.
        edge = 0.2
        tallest = 1.5
        if preset.height_mm is not None:
            edge = 1.6
            tallest = 5.0
        return cls(
            base=Face(size),
            bold=Face(size, True),
            small=Face(round(0.85 * size)),
            number=Face(round(0.82 * size)),
            line=preset.line_pt * PT,
            edge=edge * size,
            width=width_mm * MM,
            height=_height(preset, width_mm),
            scale=options.scale or preset.scale,
            looks=looks_of(theme, hatching, options.greyscale),
            tallest=tallest * size,
        )


def _height(preset: Preset, width_mm: float) -> float | None:
    """Return the height in units: a slide keeps its aspect ratio at any width."""
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
    # Hinting rounds letters to the pixels of one size; without it widths grow in proportion, so the
    # same layout fits PNG, SVG and PDF.
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font
