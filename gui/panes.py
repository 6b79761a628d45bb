"""The keyboard's way between the window's large parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget


def step_pane(parts: Sequence[QWidget], by: int) -> None:
    """Give the focus to the part that comes `by` places after the one that has it.

    Parts that cannot be seen, or have nothing to give it to, are passed over.
    """
    targets = [(part, target) for part in parts if (target := first_focusable(part)) is not None]
    if not targets:
        return
    now = QApplication.focusWidget()
    places = [n for n, (part, _) in enumerate(targets) if now is not None and _holds(part, now)]
    place = places[0] + by if places else (0 if by > 0 else -1)
    targets[place % len(targets)][1].setFocus(Qt.FocusReason.TabFocusReason)


def first_focusable(part: QWidget) -> QWidget | None:
    """The first widget of a part, in the order of the Tab key, that can have the focus, if any.

    What only scrolls others comes last.
    """
    found = [widget for widget in _chain(part) if _is_reached(widget)]
    return min(found, key=lambda widget: isinstance(widget, QScrollArea), default=None)


def _chain(part: QWidget) -> Iterator[QWidget]:
    """The part and the widgets in it, in the order of the Tab key."""
    widget = part
    while True:
        if _holds(part, widget):
            yield widget
        widget = widget.nextInFocusChain()
        if widget is part:
            return


def _is_reached(widget: QWidget) -> bool:
    reached = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return reached and widget.isVisible() and widget.isEnabled()


def _holds(part: QWidget, widget: QWidget) -> bool:
    return part is widget or part.isAncestorOf(widget)
