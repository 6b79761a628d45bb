"""Positions, colours and names of the slowdown matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QLinearGradient

from core.report.slowdown import Slowdown
from gui.features.slowdown.cells import LEAST_SHARE, Cell, saving_name, share_text
from gui.look.text import duration_text, percent_text, tr
from gui.look.theme import Theme, mixed
from gui.look.writing import CENTRE, LEFT, RIGHT
from gui.timeline.paint.ink import Ink
from gui.widgets.drawing import LINE, PAD

ROW = 22.0
NARROWEST, WIDEST = 9.0, 76.0  # widths of a column
GAP = 8.0  # between the matrix and its margins
SECTION = 30.0  # height of the heading between the matrix and the kinds of work
LEGEND = 26.0
SCALE = 120.0  # width of the legend's colours
WIDEST_NAME = 220.0
GROUND = 0.08
"""Share of grey in the background of a cell without a saving."""
FAINT = 0.25
"""Share of the scale below the first colour of the ramp."""
LEAST_SCALE = 0.05
"""Least share at the end of the scale, so that small savings have faint colours."""


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

    @property
    def name_width(self) -> float:
        """The width of the names left of the rows."""
        return self.left - PAD - 8

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

    Larger shares are darker (lighter on dark themes), which every kind of colour vision can see.
    Parts that are faster than their peers are grey.
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
    theme = ink.theme
    y = (LEGEND - LINE) / 2
    zero = share_text(0)
    zero_place = QRectF(PAD, y, 40, LINE)
    ink.small(zero_place, zero)
    bar_left = PAD + ink.small_width(zero) + 6
    bar = QRectF(bar_left, y + 3, SCALE, LINE - 6)
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for twentieth in range(21):
        share = twentieth / 20
        colour = share_colour(theme, share, 1.0)
        gradient.setColorAt(share, QColor(colour))
    ink.painter.fillRect(bar, gradient)
    edge = bar.adjusted(-0.5, -0.5, 0.5, 0.5)
    ink.outline(edge, theme.line)
    most = percent_text(scale)
    words = tr("{most} of a step would be saved", most=most)
    words_left = bar.right() + 6
    words_place = QRectF(words_left, y, width - words_left, LINE)
    ink.small(words_place, words)
    swatch_left = words_left + ink.small_width(words) + 18
    swatch = QRectF(swatch_left, y + 3, LINE - 6, LINE - 6)
    fastest = share_colour(theme, -1.0, 1.0)
    ink.fill(swatch, fastest)
    faster_place = QRectF(swatch.right() + 6, y, width, LINE)
    ink.small(faster_place, tr("faster than its peers"))


def draw_names(ink: Ink, width: float, places: Places, found: Slowdown) -> None:
    """Draw the names of rows and columns, and of the margins."""
    _draw_row_names(ink, places, found)
    y = places.top - LINE
    names = [one.name for one in found.of_columns]
    widest = max(map(ink.small_width, names)) + 6
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
        rect = QRectF(x, y, width - x, LINE)
        ink.small(rect, tr("all of {axis}", axis=found.columns))


def _draw_row_names(ink: Ink, places: Places, found: Slowdown) -> None:
    rect = QRectF(PAD, places.top, places.name_width, ROW - 1)
    for one in found.of_rows:
        ink.small(rect, one.name, LEFT, ink.theme.text)
        rect.translate(0, ROW)
    if places.rows > 1:
        rect.translate(0, GAP)
        ink.small(rect, tr("all of {axis}", axis=found.rows))


def draw_kinds(ink: Ink, width: float, places: Places, kinds: Sequence[Cell]) -> None:
    """Draw the heading, the names and the times of the kinds of work."""
    heading_top = places.kinds - LINE - 2
    heading = QRectF(PAD, heading_top, width - 2 * PAD, LINE)
    ink.bold(heading, tr("By kind of work"))
    room = places.name_width
    for cell in kinds:
        saving = cell.saving
        rect = places.rect(cell)
        left = QRectF(PAD, rect.top(), room, rect.height())
        name = ink.small_elided(saving_name(saving), room)
        ink.small(left, name, LEFT, ink.theme.text)
        if abs(saving.share) >= LEAST_SHARE:
            right = QRectF(rect.right() + 2, rect.top(), 80, rect.height())
            ink.small(right, duration_text(saving.saved_ns), RIGHT)
