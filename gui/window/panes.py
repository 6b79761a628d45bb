"""Moves the keyboard focus between the large parts of the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from gui.window.focus_ring import FocusRing


class Panes:
    """Moves the focus between the parts of a window, in the order in which `parts` lists them."""

    def __init__(self, window: QWidget, parts: Callable[[], Sequence[QWidget]]) -> None:
        self._parts = parts
        self.ring = FocusRing(window)

    def step(self, by: int) -> None:
        """Give the focus to the next part (1) or the previous one (-1), and outline it."""
        part = step_pane(self._parts(), by)
        if part is not None:
            self.ring.surround(part)


def step_pane(parts: Sequence[QWidget], by: int) -> QWidget | None:
    """Give the focus to the part `by` places after the focused part, and return it.

    Skip parts without a visible, enabled widget that takes the focus. Return None if all are
    skipped.
    """
    targets: list[tuple[QWidget, QWidget]] = []
    for part in parts:
        target = first_focusable(part)
        if target is not None:
            targets.append((part, target))
    if not targets:
        return None
    now = QApplication.focusWidget()
    place = 0 if by > 0 else -1  # used if no part has the focus
    for number, (part, _) in enumerate(targets):
        if now is not None and part.isAncestorOf(now):
            place = number + by
            break
    # The last part is followed by the first one.
    part, target = targets[place % len(targets)]
    target.setFocus(Qt.FocusReason.TabFocusReason)
    return part


def first_focusable(part: QWidget) -> QWidget | None:
    """Return the first widget of a part, in the order of the Tab key, that can have the focus.

    A scroll area is returned only if there is no other widget. None if there is none at all.
    """
    found = [widget for widget in _chain(part) if _is_reached(widget)]
    return min(found, key=lambda widget: isinstance(widget, QScrollArea), default=None)


def _chain(part: QWidget) -> Iterator[QWidget]:
    """Yield the part and its widgets in the order of the Tab key."""
    yield part
    # Qt's chain is a ring through the whole window, so it returns to `part`.
    widget = part.nextInFocusChain()
    while widget is not None and widget is not part:
        if part.isAncestorOf(widget):
            yield widget
        widget = widget.nextInFocusChain()


def _is_reached(widget: QWidget) -> bool:
    reached = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return reached and widget.isVisible() and widget.isEnabled()
