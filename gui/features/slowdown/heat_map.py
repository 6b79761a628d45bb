"""Positions, colours and names of the slowdown matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QLinearGradient

from core.report.slowdown import Slowdown
from gui.features.slowdown.cells import LEAST_SHARE, Cell, saving_name, share_text
from gui.look.painter import fill, pen
from gui.look.text import duration_text, percent_text, tr
from gui.look.theme import Theme, mixed
from gui.look.writing import CENTRE, LEFT, RIGHT, elided
from gui.timeline.layout.fonts import text_width
from gui.widgets.drawing import LINE, PAD, Ink

ROW = 22.0
NARROWEST, WIDEST = 9.0, 76.0  # of a column
GAP = 8.0  # between the matrix and its margins
SECTION = 30.0  # of the heading between the matrix and the kinds of work
LEGEND = 26.0
SCALE = 120.0  # width of the legend's colours
WIDEST_NAME = 220.0
GROUND = 0.08
"""Share of grey in the background of a cell without a saving."""
FAINT = 0.25
"""Share of the scale below the first colour of the ramp."""
LEAST_SCALE = 0.05
"""Share at the end of the scale if none is larger: small savings keep faint colours."""


@dataclass(frozen=True, slots=True)
class Places:
    """Positions in pixels: columns begin at `left` and are `column` wide, rows begin at `top`.

    `rows` and `columns` are the size of the matrix. The rows of kinds of work begin at `kinds`.
    """

    left: float
    column: float
    top: float
    kinds: float
    rows: int
    columns: int

    def rect(self, cell: Cell) -> QRectF:
        """Return the rectangle of a cell."""
        if cell.row > self.rows:
            y = self.kinds + ROW * (cell.row - self.rows - 1)
            return QRectF(self.left, y, WIDEST, ROW - 1)
        x = self.left + self.column * cell.column
        y = self.top + ROW * cell.row
        width = self.column
        if cell.column == self.columns:  # the right margin
            x += GAP
            # It has room for a number even if the columns of the matrix have none.
            width = max(width, WIDEST / 2)
        if cell.row == self.rows:  # the lower margin
            y += GAP
        return QRectF(x, y, width - 1, ROW - 1)


def share_colour(theme: Theme, share: float, scale: float) -> str:
    """Return the colour of a share: from the background through the theme's ramp.

    A larger share is darker (lighter on dark themes), for every kind of colour vision. Parts that
    are faster than their peers are grey.
    """
    if share < 0:
        faster = min(1.0, -share / scale)
        return mixed(theme.plot, theme.idle, GROUND + 0.3 * faster)
    ground = mixed(theme.plot, theme.idle, GROUND)
    ramp = theme.ramp
    place = min(1.0, share / scale)
    if place < FAINT:
        return mixed(ground, ramp[0], place / FAINT)
    last = len(ramp) - 1
    along = last * (place - FAINT) / (1 - FAINT)
    below = min(int(along), last - 1)
    return mixed(ramp[below], ramp[below + 1], along - below)


def draw_legend(ink: Ink, width: float, scale: float) -> None:
    """Draw the scale of colours, from 0 to the largest share."""
    y = (LEGEND - LINE) / 2
    zero = share_text(0)
    most = percent_text(scale)
    fonts = ink.fonts
    painter = ink.painter
    x = PAD
    ink.small(QRectF(x, y, 40, LINE), zero)
    x += text_width(fonts.small, zero) + 6
    bar = QRectF(x, y + 3, SCALE, LINE - 6)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for twentieth in range(21):
        share = twentieth / 20
        gradient.setColorAt(share, QColor(share_colour(ink.theme, share, 1.0)))
    painter.fillRect(bar, gradient)
    painter.setPen(pen(ink.theme.line))
    painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0.5))
    x = bar.right() + 6
    words = tr("{most} of a step would be saved", most=most)
    ink.small(QRectF(x, y, width - x, LINE), words)
    x += text_width(fonts.small, words) + 18
    box = QRectF(x, y + 3, LINE - 6, LINE - 6)
    fill(painter, box, share_colour(ink.theme, -1.0, 1.0))
    faster = tr("faster than its peers")
    ink.small(QRectF(box.right() + 6, y, width, LINE), faster)


def draw_names(ink: Ink, width: float, places: Places, found: Slowdown) -> None:
    """Draw the names of rows and columns, and of the margins."""
    _draw_row_names(ink, places, found)
    y = places.top - LINE
    names = [one.name for one in found.of_columns]
    widest = max(text_width(ink.fonts.small, name) for name in names) + 6
    # If columns are narrower than a name, only every second, third... is named.
    every_nth = 1
    while every_nth * places.column < widest and every_nth < len(names):
        every_nth += 1
    alignment = CENTRE if every_nth == 1 else LEFT
    width_of_name = max(widest, places.column - 1)
    for column in range(0, len(names), every_nth):
        x = places.left + places.column * column
        rect = QRectF(x, y, width_of_name, LINE)
        ink.small(rect, names[column], alignment, ink.theme.text)
    if places.columns > 1:
        x = places.left + places.column * places.columns + GAP
        every = tr("all of {axis}", axis=found.columns)
        ink.small(QRectF(x, y, width - x, LINE), every, LEFT)


def _draw_row_names(ink: Ink, places: Places, found: Slowdown) -> None:
    rect = QRectF(PAD, places.top, places.left - PAD - 8, ROW - 1)
    for one in found.of_rows:
        ink.small(rect, one.name, LEFT, ink.theme.text)
        rect.translate(0, ROW)
    if places.rows > 1:
        rect.translate(0, GAP)
        ink.small(rect, tr("all of {axis}", axis=found.rows), LEFT)


def draw_kinds(ink: Ink, width: float, places: Places, kinds: Sequence[Cell]) -> None:
    """Draw the heading, the names and the times of the kinds of work."""
    heading = QRectF(PAD, places.kinds - LINE - 2, width - 2 * PAD, LINE)
    ink.bold(heading, tr("By kind of work"))
    room = places.left - PAD - 8
    for cell in kinds:
        rect = places.rect(cell)
        ink.painter.setFont(ink.fonts.small)
        name = elided(ink.painter, saving_name(cell.saving), room)
        left = QRectF(PAD, rect.top(), room, rect.height())
        ink.small(left, name, LEFT, ink.theme.text)
        if abs(cell.saving.share) >= LEAST_SHARE:
            time = duration_text(cell.saving.saved_ns)
            right = QRectF(rect.right() + 2, rect.top(), 80, rect.height())
            ink.small(right, time, RIGHT)
