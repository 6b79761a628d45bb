"""The mouse on the timeline: wheel, drags, clicks and hovering."""

from __future__ import annotations

from enum import Enum, auto
from typing import Protocol

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent

DRAG = 4.0  # pixels that the pointer moves before a press becomes a drag
NOTCH = 120.0  # angleDelta of one notch of a wheel
ZOOM = 0.8  # of the time stays visible for each notch
HEIGHTEN = 1.15  # times as high are lanes after each notch


class Target(Protocol):
    """What the mouse moves: the timeline's view, in pixels of its widget."""

    def zoom_at(self, factor: float, x: float) -> None:
        """Show `factor` times as much time around a pixel."""

    def pan_by(self, pixels: float) -> None:
        """Move later by so many pixels."""

    def scroll_by(self, pixels: float) -> None:
        """Move the rows up by so many pixels."""

    def scale_lanes(self, factor: float, y: float) -> None:
        """Make the lanes `factor` times as high; what is at the height `y` stays there."""

    def over_names(self, x: float) -> bool:
        """Whether a pixel lies in the column of the lanes' names."""

    def select_area(self, start: QPointF, end: QPointF) -> None:
        """Select the time between two pixels, over the lanes between them."""

    def measure_at(self, x: float, y: float) -> None:
        """Measure from what is selected to what is at a pixel."""

    def select_at(self, x: float, y: float) -> None:
        """Select what is at a pixel."""

    def fit_at(self, x: float, y: float) -> None:
        """Fill the view with what is at a pixel."""

    def hover_at(self, at: QPointF | None) -> None:
        """Say what is at a pixel; None when the pointer has left."""

    def end_gesture(self) -> None:
        """A drag is over."""


class Names(Protocol):
    """What the mouse moves in the column of the lanes' names, by heights in the widget."""

    def click_at(self, y: float) -> None:
        """Choose a lane, or fold and open a group."""

    def drag_to(self, start: float, y: float) -> None:
        """Show where the lane at `start` would go."""

    def drop(self) -> None:
        """Put the lane that was dragged where it was shown."""


class _Drag(Enum):
    NONE = auto()
    PRESSED = auto()
    SELECT = auto()
    PAN = auto()
    NAME = auto()
    CARRY = auto()


class MouseNavigator:
    """Turns mouse events into moves of a `Target`, and of its lanes' `Names`."""

    def __init__(self, target: Target, names: Names) -> None:
        self._target, self._names = target, names
        self._drag = _Drag.NONE
        self._from = self._last = QPointF()

    @property
    def panning(self) -> bool:
        """Whether the view is being dragged."""
        return self._drag is _Drag.PAN

    def press(self, event: QMouseEvent) -> None:
        """Middle or Shift+left begins a pan; left a click or a selection."""
        self._from = self._last = event.position()
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        left = event.button() is Qt.MouseButton.LeftButton
        if event.button() is Qt.MouseButton.MiddleButton or (left and shifted):
            self._drag = _Drag.PAN
            self._target.hover_at(None)
        elif left:
            named = self._target.over_names(event.position().x())
            self._drag = _Drag.NAME if named else _Drag.PRESSED

    def move(self, event: QMouseEvent) -> None:
        """Pan, stretch the selection, or hover."""
        at = event.position()
        if self._drag is _Drag.PAN:
            self._target.pan_by(self._last.x() - at.x())
            self._target.scroll_by(self._last.y() - at.y())
        elif self._drag is _Drag.PRESSED and abs(at.x() - self._from.x()) >= DRAG:
            self._drag = _Drag.SELECT
            self._target.hover_at(None)
        elif self._drag is _Drag.NAME and abs(at.y() - self._from.y()) >= DRAG:
            self._drag = _Drag.CARRY
        elif self._drag is _Drag.NONE:
            self._target.hover_at(at)
        if self._drag is _Drag.SELECT:
            self._target.select_area(self._from, at)
        elif self._drag is _Drag.CARRY:
            self._names.drag_to(self._from.y(), at.y())
        self._last = at

    def release(self, event: QMouseEvent) -> None:
        """A press that did not move far is a click."""
        if self._drag is _Drag.PRESSED:
            self._target.select_at(event.position().x(), event.position().y())
        elif self._drag is _Drag.NAME:
            self._names.click_at(event.position().y())
        elif self._drag is _Drag.CARRY:
            self._names.drop()
        elif self._drag is _Drag.PAN and self._is_click(event):
            self._target.measure_at(event.position().x(), event.position().y())
        self._drag = _Drag.NONE
        self._target.end_gesture()

    def _is_click(self, event: QMouseEvent) -> bool:
        """Whether a press of the left button, which would have panned, did not move far."""
        moved = (event.position() - self._from).manhattanLength()
        return event.button() is Qt.MouseButton.LeftButton and moved < DRAG

    def double_click(self, event: QMouseEvent) -> None:
        """Fit what is under the pointer."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._target.fit_at(event.position().x(), event.position().y())

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom at the pointer, over the names scroll; Shift or sideways pan; Ctrl: lane height."""
        turn, at = event.angleDelta(), event.position()
        modifiers = event.modifiers()
        if modifiers & Qt.KeyboardModifier.ShiftModifier or abs(turn.x()) > abs(turn.y()):
            self._target.pan_by(-(turn.x() or turn.y()) / 2)
        elif modifiers & Qt.KeyboardModifier.ControlModifier:
            self._target.scale_lanes(HEIGHTEN ** (turn.y() / NOTCH), at.y())
        elif self._target.over_names(at.x()):
            self._target.scroll_by(-turn.y() / 3)
        else:
            self._target.zoom_at(ZOOM ** (turn.y() / NOTCH), at.x())
        event.accept()
