"""What a sweep has found as a picture for files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from core.sweep.results import Results
from gui.figures.picture import SCREEN, Picture, application, check_target, write_picture
from gui.figures.timeline import picture_fonts
from gui.look.text import sentence
from gui.look.theme import THEMES
from gui.look.writing import wrapped, write
from gui.sweep.chart import draw_chart, lay_out
from gui.sweep.words import fastest_text, sweep_title
from gui.timeline.layout.frame import Fonts, text_width

WIDTH, HEIGHT = 800.0, 480.0
EDGE, LINE = 18.0, 17.0


def export_sweep(results: Results, path: Path, theme: str = "light") -> None:
    """Write a picture of results; the suffix chooses PNG, SVG or PDF. Needs no display.

    Raises ValueError, in one line, if the file cannot be written.
    """
    check_target(path)
    with application():
        write_picture(sweep_picture(results, theme), path)


def sweep_picture(results: Results, theme: str = "light") -> Picture:
    """The picture: title, the sentence on the fastest, bars and curves, what is to be said."""
    fonts, colours, title = picture_fonts(), THEMES[theme], sweep_title(results)
    words = _lines(fonts, [fastest_text(results)])
    notes = _lines(fonts, [sentence(timing) for timing in results.timings])
    top = EDGE + LINE * (1.3 + len(words)) + 4
    bottom = HEIGHT - EDGE / 2 - LINE * len(notes) - 6

    def draw(painter: QPainter) -> None:
        painter.fillRect(QRectF(0, 0, WIDTH, HEIGHT), QColor(colours.plot))
        rect = QRectF(EDGE, EDGE / 2, WIDTH - 2 * EDGE, LINE * 1.3)
        write(painter, fonts.bold, colours.text, rect, title)
        for y, lines, colour in ((EDGE / 2 + LINE * 1.3, words, colours.text),
                                 (bottom + 4, notes, colours.muted)):  # fmt: skip
            for number, line in enumerate(lines):
                rect = QRectF(EDGE, y + LINE * number, WIDTH - 2 * EDGE, LINE)
                write(painter, fonts.small, colour, rect, line)
        area = QRectF(EDGE / 2, top, WIDTH - EDGE, bottom - top)
        draw_chart(painter, lay_out(results, area, colours, fonts))

    return Picture(title, WIDTH, HEIGHT, SCREEN, draw)


def _lines(fonts: Fonts, texts: list[str]) -> list[str]:
    width = partial(text_width, fonts.small)
    return [line for text in texts for line in wrapped(text, WIDTH - 2 * EDGE, width)]
