"""The slowdown matrix as a heat map, with the kinds of work below it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent

from core.override import override
from core.report.slowdown import Slowdown
from gui.features.slowdown.cells import (
    Cell,
    cell_sentence,
    kind_cells,
    lanes_line,
    matrix_cells,
    next_cell,
    saving_name,
    share_text,
)
from gui.features.slowdown.heat_map import (
    GAP,
    LEAST_SCALE,
    LEGEND,
    NARROWEST,
    ROW,
    SECTION,
    WIDEST,
    WIDEST_NAME,
    Places,
    draw_kinds,
    draw_legend,
    draw_names,
    share_colour,
)
from gui.look.text import tr
from gui.look.writing import CENTRE
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.paint.ink import Ink
from gui.widgets.drawing import LINE, PAD, Drawing

STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
ACTIVATE = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class SlowdownChart(Drawing):
    """The matrix of workers with its margins, and a row for each kind of work.

    `activated` carries the cell that was clicked or picked with Enter; `moved_to` the rectangle of
    the cell that the arrow keys moved to. `marked` is the cell that the timeline shows.
    """

    activated = Signal(object)
    moved_to = Signal(QRectF)

    def __init__(self) -> None:
        super().__init__(tr("Slowdown matrix"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.found: Slowdown | None = None
        self.cells: list[Cell] = []
        self.current: Cell | None = None
        self.marked: Cell | None = None
        self._matrix: list[Cell] = []
        self._kinds: list[Cell] = []
        self._lane_names: tuple[str, ...] = ()

    def show_slowdown(self, found: Slowdown, lane_names: tuple[str, ...]) -> None:
        """Show savings; `lane_names` has the name of every lane of the run."""
        self.found = found
        self._lane_names = lane_names
        self._matrix = matrix_cells(found)
        self._kinds = kind_cells(found)
        self.cells = [*self._matrix, *self._kinds]
        self.current = max(self.cells, key=lambda cell: cell.saving.share)
        self.marked = None
        self.setMinimumWidth(self.minimumSizeHint().width())
        self.refresh()

    def mark(self, cell: Cell | None) -> None:
        """Mark the cell that the timeline shows, or none."""
        self.marked = cell
        self.update()

    @property
    def scale(self) -> float:
        """The share at the dark end of the colours."""
        return max(LEAST_SCALE, *(cell.saving.share for cell in self.cells))

    def places(self) -> Places:
        """Return the positions for the current width and font."""
        assert self.found is not None
        fonts = Fonts.of(self.font())
        names = [tr("all of {axis}", axis=self.found.rows)]
        names += [row.name for row in self.found.of_rows]
        names += [saving_name(cell.saving) for cell in self._kinds]
        widest = max(text_width(fonts.small, name) for name in names)
        left = PAD + min(widest, WIDEST_NAME) + 10
        columns = len(self.found.of_columns)
        rows = len(self.found.of_rows)
        right_margin = GAP + WIDEST / 2
        room = self.width() - left - PAD - right_margin
        even = room / (columns + 1)
        column = min(WIDEST, max(NARROWEST, even))
        top = LEGEND + LINE
        below = top + ROW * rows
        if rows > 1:
            below += GAP + ROW
        return Places(left, column, top, below + SECTION, rows, columns)

    @override
    def content_height(self) -> float:
        if self.found is None:
            return 0
        kinds = ROW * len(self._kinds)
        return self.places().kinds + kinds + 6

    @override
    def minimumSizeHint(self) -> QSize:
        if self.found is None:
            return super().minimumSizeHint()
        places = self.places()
        columns = NARROWEST * places.columns + GAP + WIDEST / 2
        width = places.left + max(columns, 2 * WIDEST) + PAD
        return QSize(int(width), self.height())

    @override
    def words(self) -> str:
        largest = sorted(self.cells, key=lambda cell: -cell.saving.share)[:8]
        return " ".join(cell_sentence(cell) for cell in largest)

    def lane_names(self, cell: Cell) -> list[str]:
        """Return the names of a cell's lanes."""
        return [self._lane_names[lane] for lane in cell.lanes]

    def cell_at(self, at: QPointF) -> Cell | None:
        """Return the cell at a pixel, or None."""
        if self.found is None:
            return None
        places = self.places()
        for cell in self.cells:
            if places.rect(cell).contains(at):
                return cell
        return None

    @override
    def tip_at(self, at: QPointF) -> str:
        cell = self.cell_at(at)
        if cell is None:
            return ""
        names = self.lane_names(cell)
        sentence = cell_sentence(cell)
        if names == [cell.saving.name]:
            return sentence  # which contains the worker's name
        listed = lanes_line(cell, names)
        return f"{sentence}\n{listed}" if listed else sentence

    # Input

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and cell is not None:
            self._go_to(cell)
            self.activated.emit(cell)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self.cell_at(event.position()) is not None
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)

    @override
    def event(self, event: QEvent) -> bool:
        is_key = isinstance(event, QKeyEvent) and event.key() in (*STEPS, *ACTIVATE)
        if is_key and event.type() is QEvent.Type.ShortcutOverride:
            event.accept()  # otherwise the key may trigger an action of the window
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if self.current is None:
            super().keyPressEvent(event)
        elif key in STEPS:
            right, down = STEPS[key]
            cell = next_cell(self.cells, self.current, right, down)
            self._go_to(cell)
        elif key in ACTIVATE:
            self.activated.emit(self.current)
        else:
            super().keyPressEvent(event)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def _go_to(self, cell: Cell) -> None:
        self.current = cell
        self.moved_to.emit(self.places().rect(cell))
        self.update()

    # Drawing

    @override
    def draw(self, ink: Ink) -> None:
        if self.found is None:
            return
        places = self.places()
        scale = self.scale
        draw_legend(ink, self.width(), scale)
        draw_names(ink, self.width(), places, self.found)
        numbers = [share_text(cell.saving.share) for cell in self._matrix]
        widest = max(map(ink.small_width, numbers))
        has_numbers = widest + 4 <= places.column
        for cell in self.cells:
            rect = places.rect(cell)
            if not rect.intersects(self.seen):
                continue
            colour = share_colour(self.theme, cell.saving.share, scale)
            ink.fill(rect, colour)
            if has_numbers or rect.width() > places.column:
                text = share_text(cell.saving.share)
                on = self.theme.letters_on(colour)
                ink.small(rect, text, CENTRE, on)
        draw_kinds(ink, self.width(), places, self._kinds)
        self._outline(ink, places)

    def _outline(self, ink: Ink, places: Places) -> None:
        """Outline the marked cell, and the current one while the chart has the focus."""
        if self.marked is not None:
            around = places.rect(self.marked).adjusted(-0.5, -0.5, 0.5, 0.5)
            ink.outline(around, self.theme.accent, 3)
        if self.current is not None and self.hasFocus():
            inside = places.rect(self.current).adjusted(1.5, 1.5, -1.5, -1.5)
            ink.outline(inside, self.theme.text, 1, Qt.PenStyle.DashLine)
