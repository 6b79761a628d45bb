"""Mouse input of the timeline: wheel, drags, clicks and hovering."""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent

from core.explain.lanes import Gap
from core.trace.span import Span
from gui.timeline.interact.lane_names import LaneNames
from gui.timeline.interact.lifting import BarLifter
from gui.timeline.interact.overlays import TimelineOverlays
from gui.timeline.layout.frame import AXIS, LABELS, STEPS
from gui.timeline.state.lanes import LaneArranger
from gui.timeline.state.navigator import Navigator
from gui.timeline.state.selection import TimeRange, hit, lanes_between
from gui.timeline.state.selector import Selector
from gui.timeline.state.timeline import TimelineState

DRAG = 4.0  # pixels that the pointer moves before a press becomes a drag
NOTCH = 120.0  # angleDelta of one notch of a wheel
ZOOM = 0.8  # fraction of the time that stays visible, per notch
HEIGHTEN = 1.15  # factor of the lanes' height, per notch


class _Drag(Enum):
    NONE = auto()
    PRESSED = auto()
    SELECT = auto()
    PAN = auto()
    NAME = auto()
    CARRY = auto()
    LIFT = auto()


class MouseNavigator:
    """Converts mouse events, in pixels of the picture, to moves and selections of a `state`."""

    def __init__(
        self,
        state: TimelineState,
        overlays: TimelineOverlays,
        names: LaneNames,
        lifter: BarLifter,
    ) -> None:
        self._state = state
        self._overlays = overlays
        self._names = names
        self._lifter = lifter
        self._navigator = Navigator(state)
        self._selector = Selector(state)
        self._drag = _Drag.NONE
        self._from = self._last = QPointF()

    def press(self, event: QMouseEvent) -> None:
        """Begin a pan (middle button, or Shift and left), or a click or selection (left)."""
        at = event.position()
        self._from = at
        self._last = at
        is_left = event.button() is Qt.MouseButton.LeftButton
        is_middle = event.button() is Qt.MouseButton.MiddleButton
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if is_middle or (is_left and is_shifted):
            self._drag = _Drag.PAN
            self._overlays.hover_at(None)
        elif is_left and _over_names(at):
            self._drag = _Drag.NAME
        elif is_left:
            self._drag = _Drag.PRESSED

    def move(self, event: QMouseEvent) -> None:
        """Pan, extend the selection, drag a bar, or hover."""
        moved = event.position() - self._from
        at = event.position()
        if self._drag is _Drag.PAN:
            # The distance is from the last move, not from the press: the view has moved meanwhile,
            # and a distance from the press would be counted twice.
            self._navigator.pan_by(self._last.x() - at.x())
            self._scroll_by(self._last.y() - at.y())
        elif self._drag is _Drag.PRESSED and abs(moved.x()) >= DRAG:
            self._overlays.hover_at(None)
            span = self._lifter.span_at(self._from)
            if span is None:
                self._drag = _Drag.SELECT
            else:
                self._drag = _Drag.LIFT
                self._lifter.lift(span, self._from)
        elif self._drag is _Drag.NAME and abs(moved.y()) >= DRAG:
            self._drag = _Drag.CARRY
        elif self._drag is _Drag.NONE:
            self._overlays.hover_at(at)
            self._lifter.point_at(at)
        if self._drag is _Drag.LIFT:
            self._lifter.move(at)
        elif self._drag is _Drag.SELECT:
            self._select_area(self._from, at)
        elif self._drag is _Drag.CARRY:
            self._names.drag_to(self._from.y(), at.y())
        self._last = at

    def release(self, event: QMouseEvent) -> None:
        """End a drag, or handle a click if the pointer has not moved far."""
        if self._drag is _Drag.PRESSED:
            self._click(event.position())
        elif self._drag is _Drag.NAME:
            self._names.click_at(event.position().y())
        elif self._drag is _Drag.CARRY:
            self._names.drop()
        elif self._drag is _Drag.LIFT:
            self._lifter.drop(event.position())
        # Shift+click: a press with Shift begins a pan, and is a click if the pointer has not moved.
        elif self._drag is _Drag.PAN and self._is_click(event):
            self._selector.measure_to(self._at(event.position()))
        self._drag = _Drag.NONE
        # The moves of a drag are one entry of the history; the next drag begins another entry.
        self._state.history.pause()

    def double_click(self, event: QMouseEvent) -> None:
        """Fit the view to the item under the pointer."""
        found = self._at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and found is not None:
            self._selector.fit(found)

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom at the pointer, or scroll over the names; pan with Shift, resize lanes with Ctrl."""
        across = event.angleDelta().x()
        down = event.angleDelta().y()
        notches = down / NOTCH
        at = event.position()
        modifiers = event.modifiers()
        is_shifted = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        is_sideways = abs(across) > abs(down)
        if is_shifted or is_sideways:
            # With Shift, some platforms report a horizontal turn, others a vertical one.
            turn = across or down
            self._navigator.pan_by(-turn / 2)
        elif modifiers & Qt.KeyboardModifier.ControlModifier:
            arranger = LaneArranger(self._state)
            arranger.scale(HEIGHTEN**notches, at.y())
        elif _over_names(at):
            self._scroll_by(-down / 3)
        else:
            self._navigator.zoom_at(ZOOM**notches, at.x())
        event.accept()

    def _click(self, at: QPointF) -> None:
        """Select the span or gap at a pixel, or nothing; on a flag, emit `flag_clicked` instead."""
        # Flags first, because they cover the axis and the lanes.
        if self._overlays.click_at(at):
            return
        self._selector.stop_measuring()
        self._state.select(self._at(at))

    def _select_area(self, start: QPointF, end: QPointF) -> None:
        """Select the time between two pixels, on the lanes between them."""
        scene = self._state.scene
        view = self._state.viewport
        if scene is None:
            return
        first = min(start.x(), end.x()) - LABELS
        last = max(start.x(), end.x()) - LABELS
        left = min(max(0.0, first), view.width)
        right = min(max(0.0, last), view.width)
        start_ns = int(view.time(left))
        end_ns = int(view.time(right))
        lanes = lanes_between(scene, self._state.frame, start.y(), end.y())
        self._state.select(TimeRange(start_ns, end_ns, lanes))

    def _at(self, at: QPointF) -> Span | Gap | None:
        """Return the span or gap at a pixel."""
        scene = self._state.scene
        if scene is None or at.y() < AXIS + STEPS:
            return None
        return hit(scene, self._state.frame, at.x(), at.y())

    def _scroll_by(self, pixels: float) -> None:
        scroll = self._state.scroll + round(pixels)
        self._state.scroll_to(scroll)

    def _is_click(self, event: QMouseEvent) -> bool:
        """Return True if the left button was pressed and released at nearly the same place."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return False
        moved = event.position() - self._from
        return moved.manhattanLength() < DRAG


def _over_names(at: QPointF) -> bool:
    """Return True if a pixel is in the column of the lanes' names."""
    return at.x() < LABELS
