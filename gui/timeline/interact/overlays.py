"""Overlay of a timeline: crosshair, tooltip, flags of bookmarks, distances, selection."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF, Signal
from PySide6.QtWidgets import QWidget

from gui.timeline.interact.crosshair import SNAP, Crosshair, crosshair_at, draw_crosshair
from gui.timeline.interact.describe import Card
from gui.timeline.interact.hover import card_at
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import AXIS, STEPS
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.dimensions import draw_measure
from gui.timeline.paint.flags import Flag, bookmark_text, draw_bookmarks, flag_at, flags, hide_ticks
from gui.timeline.paint.margins import time_tag
from gui.timeline.paint.overlay import Hovered, draw_outline, draw_overlay, rect_of
from gui.timeline.paint.summaries import group_card
from gui.timeline.state.measure import Measure
from gui.timeline.state.timeline import TimelineState


class TimelineOverlays(QObject):
    """Draws over the picture of a `state`, in the widget `over`, and follows the pointer.

    `flag_clicked` has the index of a bookmark.
    """

    flag_clicked = Signal(int)

    def __init__(self, state: TimelineState, over: QWidget) -> None:
        super().__init__(over)
        self._state = state
        self._over = over
        self.crosshair: Crosshair | None = None
        self.hovered: Hovered | None = None
        self._pointer: QPointF | None = None
        state.scene_changed.connect(lambda: self.hover_at(None))
        state.moved.connect(self._follow_move)

    # Pointing

    def hover_at(self, at: QPointF | None) -> None:
        """Move the crosshair and the tooltip to a pixel; None means that the pointer has left."""
        hovered = None
        if at is not None:
            card = self._card_at(at)
            if card is not None:
                hovered = (at, *card)
        # Moves are more frequent than frames, and most of them change nothing that is drawn.
        if hovered != self.hovered:
            self.hovered = hovered
            self._over.update()
        self._point_at(at)

    def show_moment(self, time_ns: float) -> None:
        """Move the crosshair to a time until the pointer moves."""
        self.crosshair = Crosshair(time_ns)
        self._over.update()

    def click_at(self, at: QPointF) -> bool:
        """Emit `flag_clicked` if there is a flag at a pixel; return True if there is."""
        index = self._flag_at(at)
        if index is None:
            return False
        self.flag_clicked.emit(index)
        return True

    def flag(self, index: int) -> QRectF:
        """Return the rectangle of a bookmark's flag; empty if it is not visible."""
        for flag in self._flags():
            if flag.index == index:
                return flag.rect
        return QRectF()

    @property
    def bookmark_here(self) -> int | None:
        """The index of the bookmark at the crosshair, or None."""
        if self.crosshair is None:
            return None
        reach = SNAP * self._state.viewport.ns_per_pixel
        return self._state.bookmarks.nearest(self.crosshair.time, reach)

    # Drawing

    def draw(self, canvas: Canvas) -> None:
        """Draw everything over the lanes and the axis."""
        state = self._state
        scene = state.scene
        if scene is None:
            return
        painter = canvas.painter
        frame = canvas.frame
        area = QRectF(self._over.rect())
        bottom = min(area.bottom(), frame.bottom)
        width = frame.view.width
        measure = Measure.between(state.anchor, state.selection)
        if measure is not None and state.anchor is not None:
            lanes = QRectF(frame.left, frame.ceiling, width, area.height())
            painter.setClipRect(lanes)
            anchor = rect_of(scene.trace, frame, state.anchor)
            draw_outline(canvas, anchor)
            draw_measure(canvas, measure, area.bottom())
        plot = QRectF(frame.left - 1, 0, width + 2, area.height())
        painter.setClipRect(plot)
        # Before flags and crosshair: erases labels of the axis that these would partly cover.
        self._hide_ticks(canvas)
        draw_bookmarks(canvas, state.bookmarks.listed, bottom)
        if self.crosshair is not None:
            draw_crosshair(canvas, self.crosshair, bottom)
        painter.setClipping(False)
        draw_overlay(canvas, scene, area, state.selection, self.hovered)

    # Inside

    def _follow_move(self) -> None:
        """Hide the tooltip and update the crosshair after the picture moved under the pointer."""
        # Stored first: `hover_at(None)` resets the pointer, which has not moved.
        pointer = self._pointer
        self.hover_at(None)
        self._point_at(pointer)

    def _point_at(self, at: QPointF | None) -> None:
        scene = self._state.scene
        self._pointer = at
        found = None
        if scene is not None and at is not None:
            found = crosshair_at(scene, self._state.frame, at.x(), at.y())
        if found != self.crosshair:
            self.crosshair = found
            self._over.update()

    def _card_at(self, at: QPointF) -> Card | None:
        """Return the tooltip for a pixel: of a flag on the axis, or of an item on the lanes."""
        scene = self._state.scene
        frame = self._state.frame
        index = self._flag_at(at)
        if index is not None:
            bookmark = self._state.bookmarks.listed[index]
            title = bookmark_text(bookmark, frame.origin)
            return title, bookmark.note.splitlines()
        if scene is None or at.y() < AXIS + STEPS:
            return None
        of_group = group_card(scene, frame, at.x(), at.y())
        return of_group or card_at(scene, frame, at.x(), at.y())

    def _hide_ticks(self, canvas: Canvas) -> None:
        """Erase the labels of the axis that are partly under a flag or the crosshair's time."""
        over = [flag.rect for flag in self._flags()]
        if self.crosshair is not None:
            _, tag = time_tag(canvas.frame, canvas.fonts, self.crosshair.time)
            over.append(tag)
        hide_ticks(canvas, over)

    def _flags(self) -> list[Flag]:
        fonts = Fonts.of(self._over.font())
        return flags(self._state.frame, fonts, self._state.bookmarks.listed)

    def _flag_at(self, at: QPointF) -> int | None:
        if at.y() >= AXIS:
            return None
        return flag_at(self._flags(), at.x(), at.y())
