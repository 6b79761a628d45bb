"""The keyboard's way between the window's large parts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


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
    """The part itself or the first widget in it that the Tab key would reach, if any."""
    if not part.isVisible():
        return None
    for widget in (part, *part.findChildren(QWidget)):
        reached = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        if reached and widget.isVisible() and widget.isEnabled():
            return widget
    return None


def _holds(part: QWidget, widget: QWidget) -> bool:
    return part is widget or part.isAncestorOf(widget)
