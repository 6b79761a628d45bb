"""What helps to read times: the crosshair, marks, and the distance between two spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPointF, QRectF, Signal
from PySide6.QtGui import QPainter

from core.recording.bookmarks import Bookmark, in_order
from core.trace.trace import Span
from gui.timeline.interact.crosshair import SNAP, Crosshair, crosshair_at, draw_crosshair, tag_of
from gui.timeline.interact.describe import Card
from gui.timeline.interact.overlay import draw_outline, rect_of
from gui.timeline.layout.frame import Fonts
from gui.timeline.paint.flags import Flag, draw_marks, flag_at, flags, hide_ticks, mark_text
from gui.timeline.paint.margins import AXIS
from gui.timeline.state.measure import Measure, draw_measure
from gui.timeline.state.selection import TimeRange

if TYPE_CHECKING:
    from gui.timeline.interact.view import TimelineView


class Aids(QObject):
    """Kept beside a timeline, and drawn over it.

    `marks` are in order of time; `marks_changed` carries them when they were changed here, or when
    a change was taken back. `flag_clicked` carries the index of one. Distances are measured from
    the `anchor` to the selection, if both are spans.
    """

    marks_changed = Signal(object)
    flag_clicked = Signal(int)

    def __init__(self, view: TimelineView) -> None:
        super().__init__(view)
        self._view = view
        self.crosshair: Crosshair | None = None
        self.marks: tuple[Bookmark, ...] = ()
        self.anchor: Span | None = None
        self.pointer: QPointF | None = None

    def begin(self) -> None:
        """Another run is shown."""
        self.anchor, self.marks = None, ()

    # Pointing

    def point_at(self, at: QPointF | None) -> None:
        """The pointer is at a pixel of the timeline, or has left it."""
        view, self.pointer = self._view, at
        found = None
        if view.scene is not None and at is not None:
            found = crosshair_at(view.scene, view.frame_of_rows, at.x(), at.y())
        if found != self.crosshair:
            self.crosshair = found
            view.viewport().update()

    def show_moment(self, time_ns: float) -> None:
        """Put the crosshair at a moment until the pointer moves."""
        self.crosshair = Crosshair(time_ns)
        self._view.viewport().update()

    def card_at(self, at: QPointF) -> Card | None:
        """What a flag on the axis says in full."""
        index = self._flag_at(at)
        if index is None:
            return None
        mark = self.marks[index]
        return mark_text(mark), mark.note.splitlines()

    def click_at(self, x: float, y: float) -> bool:
        """Whether a click on the timeline met a flag, which is told."""
        index = self._flag_at(QPointF(x, y))
        if index is not None:
            self.flag_clicked.emit(index)
        return index is not None

    def select_visible(self) -> None:
        """Select the time that is visible, over all lanes."""
        view = self._view.view
        self._view.select(TimeRange(int(view.start), int(view.end)))

    # Marks

    def set_marks(self, marks: Sequence[Bookmark]) -> None:
        """Show marks."""
        self.marks = in_order(marks)
        self._view.viewport().update()

    def take_back(self, marks: object) -> None:
        """Return to other marks, as the history has them."""
        if isinstance(marks, tuple) and marks != self.marks:
            self.set_marks(marks)
            self.marks_changed.emit(self.marks)

    def change_marks(self, marks: Sequence[Bookmark], together: bool = False) -> None:
        """Have other marks, which can be taken back: `together` with the change before."""
        if not together:
            self._view.remember("marks")
        self.set_marks(marks)
        self.marks_changed.emit(self.marks)

    def flag(self, index: int) -> QRectF:
        """Where a mark's flag is; empty if it cannot be seen."""
        return next((f.rect for f in self._flags() if f.index == index), QRectF())

    @property
    def mark_here(self) -> int | None:
        """The mark that begins at the crosshair, or None."""
        if self.crosshair is None:
            return None
        reach = SNAP * self._view.view.ns_per_pixel
        near = [
            (abs(mark.start - self.crosshair.time), index) for index, mark in enumerate(self.marks)
        ]
        distance, index = min(near, default=(reach + 1, 0))
        return index if distance <= reach else None

    # Measuring

    @property
    def measure(self) -> Measure | None:
        """From the anchor to the selection, if both are spans that have ended."""
        return Measure.between(self.anchor, self._view.selection)

    def anchor_here(self) -> None:
        """Measure from the selected span on; with an anchor, no longer."""
        selected = self._view.selection
        fresh = selected if self.anchor is None and isinstance(selected, Span) else None
        self._set_anchor(fresh)

    def measure_to(self, found: object) -> None:
        """Measure from the selected span, or the one that is measured from, to another."""
        view = self._view
        if isinstance(found, Span):
            if self.anchor is None and isinstance(view.selection, Span):
                self.anchor = view.selection
            view.select(found)

    def stop_measuring(self) -> None:
        """Have no anchor."""
        if self.anchor is not None:
            self._set_anchor(None)

    def _set_anchor(self, span: Span | None) -> None:
        self.anchor = span
        self._view.selection_changed.emit(self._view.selection)
        self._view.viewport().update()

    # Drawing

    def draw(self, painter: QPainter, fonts: Fonts) -> None:
        """Draw everything over the lanes and the axis."""
        frame = self._view.frame_of_rows
        area = QRectF(self._view.viewport().rect())
        bottom = min(area.bottom(), frame.top + frame.layout.height)
        trace = self._view.trace
        if trace is not None and self.measure is not None and self.anchor is not None:
            painter.setClipRect(QRectF(frame.left, frame.ceiling, frame.view.width, area.height()))
            draw_outline(painter, frame, rect_of(trace, frame, self.anchor))
            draw_measure(painter, frame, fonts, self.measure, area.bottom())
        painter.setClipRect(QRectF(frame.left - 1, 0, frame.view.width + 2, area.height()))
        self._hide_ticks(painter, fonts)
        draw_marks(painter, frame, fonts, self.marks, bottom)
        if self.crosshair is not None:
            draw_crosshair(painter, frame, fonts, self.crosshair, bottom)
        painter.setClipping(False)

    def _hide_ticks(self, painter: QPainter, fonts: Fonts) -> None:
        frame = self._view.frame_of_rows
        over = [flag.rect for flag in self._flags()]
        if self.crosshair is not None:
            over.append(tag_of(frame, fonts, self.crosshair)[1])
        hide_ticks(painter, frame, fonts, over)

    def _flags(self) -> list[Flag]:
        view = self._view
        return flags(view.frame_of_rows, Fonts.of(view.font()), self.marks)

    def _flag_at(self, at: QPointF) -> int | None:
        return flag_at(self._flags(), at.x(), at.y()) if at.y() < AXIS else None
