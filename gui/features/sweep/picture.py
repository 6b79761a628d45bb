"""The results of a sweep as a picture for files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.sweep.results import Results
from gui.features.sweep.chart import draw_chart
from gui.features.sweep.layout import EDGE as LEFT
from gui.features.sweep.layout import lay_out
from gui.features.sweep.words import sweep_title
from gui.figures.picture import SCREEN, Picture, write_drawn
from gui.figures.timeline import picture_fonts
from gui.look.theme import THEMES
from gui.timeline.paint.ink import Ink

WIDTH = 800.0
HEIGHT = 480.0
EDGE = 12.0
TITLE = 26.0


def export_sweep(results: Results, path: Path, theme: str = "light") -> None:
    """Write a picture of results; the suffix chooses PNG, SVG or PDF. Needs no display.

    Raises ValueError, in one line, if the file cannot be written.
    """
    write_drawn(lambda: sweep_picture(results, theme), path)


def sweep_picture(results: Results, theme: str = "light") -> Picture:
    """Return the picture: a title above the chart with its sentence and notes."""
    fonts = picture_fonts()
    colours = THEMES[theme]
    title = sweep_title(results)

    def draw(painter: QPainter) -> None:
        ink = Ink(painter, fonts, colours)
        page = QRectF(0, 0, WIDTH, HEIGHT)
        ink.fill(page, colours.plot)
        inner = page.adjusted(EDGE, EDGE, -EDGE, -EDGE)
        heading = inner.translated(LEFT, 0)
        heading.setHeight(TITLE)
        ink.bold(heading, title)
        area = inner.adjusted(0, TITLE, 0, 0)
        chart = lay_out(results, area, colours, fonts)
        draw_chart(painter, chart)

    return Picture(title, WIDTH, HEIGHT, SCREEN, draw)
