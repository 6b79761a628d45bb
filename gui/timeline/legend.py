"""The legend: what the colours of a picture mean, of those that are in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.families import family_letters
from gui.text import tr
from gui.theme import Theme
from gui.timeline.boxes import stacked
from gui.timeline.critical import draw_sample
from gui.timeline.painter import HATCH, Fonts, hatch_brush, hatch_lines, text_width
from gui.timeline.rows import Strips
from gui.timeline.scene import Scene
from gui.timeline.strips import PALE, blend, memory_colours

BOX = 12.0
WIDE = 22.0  # the hatch needs more room to be seen
GAP = 6.0  # between a box and its words
SPACE = 18.0  # between entries
LINE = 18.0  # from one line to the next
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """What a colour or pattern means; `draw` fills its box, which is `width` pixels wide."""

    text: str
    width: float
    draw: Callable[[QPainter, QRectF], None]


def legend_entries(
    scene: Scene, theme: Theme, strips: Strips, vector: bool = False
) -> list[LegendEntry]:
    """The families that the scene has spans of, idle time, and what else is shown."""
    entries = [
        LegendEntry(
            f"{tr(family.value)} ({letters})", BOX, _filled(*map(QColor, theme.colours_of(family)))
        )
        for family, letters in family_letters(scene.kinds).items()
    ]
    if entries:
        entries.append(LegendEntry(tr("idle"), WIDE, _hatched(theme, vector)))
    if entries and strips.path:
        entries.append(LegendEntry(tr("critical path"), WIDE, _path(theme)))
    if strips.ghosts:
        entries.append(LegendEntry(tr("predicted"), WIDE, _outlined(theme)))
    if strips.memory:
        rest, activations = memory_colours(theme)
        entries.append(LegendEntry(tr("activations held"), BOX, _filled(activations)))
        entries.append(LegendEntry(tr("other memory"), BOX, _filled(rest)))
    return entries


def legend_lines(entries: list[LegendEntry], fonts: Fonts, width: float) -> list[list[LegendEntry]]:
    """The entries in as many lines as they need within `width` pixels."""
    lines: list[list[LegendEntry]] = []
    free = 0.0
    for entry in entries:
        wide = entry.width + GAP + text_width(fonts.small, entry.text) + SPACE
        if not lines or wide - SPACE > free:
            lines.append([])
            free = width
        lines[-1].append(entry)
        free -= wide
    return lines


def draw_legend(
    painter: QPainter, theme: Theme, fonts: Fonts, at: QPointF, lines: list[list[LegendEntry]]
) -> None:
    """The entries line by line, from `at` on."""
    painter.setFont(fonts.small)
    for number, line in enumerate(lines):
        x, y = at.x(), at.y() + number * LINE
        for entry in line:
            entry.draw(painter, QRectF(round(x), y, entry.width, BOX))
            painter.setPen(QColor(theme.text))
            width = text_width(fonts.small, entry.text)
            words = QRectF(round(x) + entry.width + GAP, y - 3, width + 4, BOX + 6)
            painter.drawText(words, _LEFT, entry.text)
            x += entry.width + GAP + width + SPACE


def _filled(*colours: QColor) -> Callable[[QPainter, QRectF], None]:
    def draw(painter: QPainter, box: QRectF) -> None:
        for part, colour in zip(stacked(box, len(colours)), colours, strict=True):
            painter.fillRect(part, colour)

    return draw


def _hatched(theme: Theme, vector: bool) -> Callable[[QPainter, QRectF], None]:
    def draw(painter: QPainter, box: QRectF) -> None:
        if vector:
            painter.setPen(QPen(QColor(theme.idle), 0.6))
            painter.drawLines(hatch_lines(box))
        else:
            painter.setBrushOrigin(QPointF(box.left() % HATCH, 0))
            painter.fillRect(box, hatch_brush(theme.idle, painter.device().devicePixelRatioF()))

    return draw


def _path(theme: Theme) -> Callable[[QPainter, QRectF], None]:
    return lambda painter, box: draw_sample(painter, box, QColor(theme.path))


def _outlined(theme: Theme) -> Callable[[QPainter, QRectF], None]:
    """Two empty boxes as low as ghosts are, in the colours of forward and backward."""

    def draw(painter: QPainter, box: QRectF) -> None:
        low = box.adjusted(0, 3, 0, -3)
        half = low.width() / 2
        for number, colour in enumerate((theme.forward, theme.backward)):
            outer = QRectF(low.left() + number * half, low.top(), half - 1, low.height())
            painter.fillRect(outer, QColor(colour))
            painter.fillRect(
                outer.adjusted(1, 1, -1, -1), blend(QColor(colour), QColor(theme.plot), PALE)
            )

    return draw
