"""Drags a pass of a predicted run to another place on its lane."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtWidgets import QWidget

from core.board.dropping import Dropped, Extent, dropped_at, extents_in_step, pass_of
from core.plan.schedules.schedule import Action
from core.trace.source import Source
from core.trace.span import Span
from gui.look.families import family_of
from gui.look.writing import CENTRE
from gui.timeline.interact.describe import bar_name
from gui.timeline.layout.frame import AXIS, STEPS
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.overlay import rect_of
from gui.timeline.state.selection import hit
from gui.timeline.state.timeline import TimelineState

OPACITY = 0.9
CARET = 3.0  # pixels by which the mark of a place extends above and below the bar


@dataclass(frozen=True, slots=True)
class _Lifted:
    """A bar that is dragged: its span and pass, and the passes of its lane in the same step.

    `pressed` is the pixel where the drag began, `at` the one where the pointer is now.
    """

    span: Span
    action: Action
    extents: list[Extent]
    pressed: QPointF
    at: QPointF


class BarLifter(QObject):
    """Drags bars over the picture of a `state`, in the widget `over`.

    Only bars of predicted runs can be lifted, and only while `accepts` is true. `dropped` carries
    the span and the place where it was dropped (`core.board.dropping.Dropped`).
    """

    dropped = Signal(object, object)

    def __init__(self, state: TimelineState, over: QWidget) -> None:
        super().__init__(over)
        self._state = state
        self._over = over
        self._lifted: _Lifted | None = None
        self.accepts = False

    def span_at(self, at: QPointF) -> Span | None:
        """Return the span at a pixel if it can be lifted."""
        scene = self._state.scene
        if not self.accepts or scene is None or at.y() < AXIS + STEPS:
            return None
        if scene.trace.header.source is not Source.PREDICTED:
            return None
        found = hit(scene, self._state.frame, at.x(), at.y())
        if not isinstance(found, Span) or pass_of(found) is None:
            return None
        return found

    def point_at(self, at: QPointF) -> None:
        """Show an open hand as the pointer if the bar under it can be lifted."""
        if self.span_at(at) is not None:
            self._over.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self._over.unsetCursor()

    def lift(self, span: Span, pressed: QPointF) -> None:
        """Begin to drag a span at the pixel where the mouse button was pressed."""
        trace = self._state.trace
        action = pass_of(span)
        if trace is None or action is None:
            return
        extents = extents_in_step(trace, span.step, span.lane)
        self._lifted = _Lifted(span, action, extents, pressed, pressed)
        self._over.setCursor(Qt.CursorShape.ClosedHandCursor)

    def move(self, at: QPointF) -> None:
        """Drag the lifted span to a pixel."""
        if self._lifted is not None:
            self._lifted = replace(self._lifted, at=at)
            self._over.update()

    def drop(self, at: QPointF) -> None:
        """End the drag at a pixel."""
        self.move(at)
        lifted = self._lifted
        self._lifted = None
        self._over.unsetCursor()
        self._over.update()
        if lifted is not None:
            place = self._place_of(lifted)
            self.dropped.emit(lifted.span, place)

    def draw(self, canvas: Canvas) -> None:
        """Draw the dragged bar, and mark the place where it would be put."""
        lifted = self._lifted
        trace = self._state.trace
        if lifted is None or trace is None:
            return
        painter = canvas.painter
        theme = canvas.theme
        rect = rect_of(trace, canvas.frame, lifted.span)
        self._draw_place(canvas, lifted, rect)
        distance = lifted.at.x() - lifted.pressed.x()
        moved = rect.translated(distance, 0)
        ground, *_ = theme.colours_of(family_of(lifted.span.kind))
        painter.setOpacity(OPACITY)
        canvas.fill(moved, ground)
        name = bar_name(trace, lifted.span)
        canvas.bold(moved, name, CENTRE, theme.letters_on(ground))
        painter.setOpacity(1.0)

    def _draw_place(self, canvas: Canvas, lifted: _Lifted, rect: QRectF) -> None:
        """Outline the bar that would be exchanged, or draw a line between two bars.

        `rect` is the place of the dragged bar before the drag.
        """
        frame = canvas.frame
        colour = canvas.theme.path
        place = self._place_of(lifted)
        if place.other is not None:
            other = next(one for one in lifted.extents if one.action == place.other)
            bar = QRectF(rect)
            bar.setLeft(frame.x(other.start))
            bar.setRight(frame.x(other.end))
            canvas.outline(bar.adjusted(1, 1, -1, -1), colour, 2, Qt.PenStyle.DashLine)
            return
        x = frame.x(_caret(lifted, place.position))
        top = rect.top() - CARET
        bottom = rect.bottom() + CARET
        canvas.pen(colour, 2)
        canvas.upright(x, top, bottom)

    def _place_of(self, lifted: _Lifted) -> Dropped:
        frame = self._state.frame
        time = frame.view.time(lifted.at.x() - frame.left)
        return dropped_at(lifted.extents, lifted.action, time)


def _caret(lifted: _Lifted, position: int) -> float:
    """Return the time in ns at which a position among the other passes begins."""
    others = [one for one in lifted.extents if one.action != lifted.action]
    if position < len(others):
        return others[position].start
    if others:
        return others[-1].end
    return lifted.span.start
