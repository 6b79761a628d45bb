"""Widgets put together: in rows and columns, and with what they say when they are pointed at."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QHBoxLayout,
    QLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

Button = TypeVar("Button", bound=QAbstractButton)
Box = TypeVar("Box", bound=QBoxLayout)
Part = QWidget | QLayout | int | None
"""What a row or column is made of: an int is so many free pixels, None all that are left."""
Margins = tuple[int, int, int, int]


def row(
    *parts: Part,
    of: QWidget | None = None,
    growing: Part = None,
    margins: Margins | None = None,
    spacing: int | None = None,
) -> QHBoxLayout:
    """Parts side by side, `of` a widget if one is given; the `growing` one takes what is left.

    Margins (left, top, right, bottom) and spacing are the style's unless given.
    """
    return _filled(QHBoxLayout(), parts, of, growing, margins, spacing)


def column(
    *parts: Part,
    of: QWidget | None = None,
    growing: Part = None,
    margins: Margins | None = None,
    spacing: int | None = None,
) -> QVBoxLayout:
    """Parts below one another; see `row`."""
    return _filled(QVBoxLayout(), parts, of, growing, margins, spacing)


def column_of(*parts: QWidget, growing: QWidget | None = None) -> QWidget:
    """A widget with parts below one another, without margins between them."""
    whole = QWidget()
    column(*parts, of=whole, growing=growing, margins=(0, 0, 0, 0), spacing=0)
    return whole


def button(
    kind: type[Button], text: str, tip: str, slot: Callable[[], object], named: bool = False
) -> Button:
    """A button with a tip, which screen readers tell too.

    The tip is its name if it is `named` by it, as where its text is a mere sign.
    """
    made = kind()
    made.setText(text)
    made.setToolTip(tip)
    if named:
        made.setAccessibleName(tip)
    else:
        made.setAccessibleDescription(tip)
    made.clicked.connect(lambda _=False: slot())
    return made


def unfolds(made: QToolButton, slot: Callable[[], object]) -> None:
    """Make a button one that shows, with an arrow, whether what is below it is folded."""
    made.setCheckable(True)
    made.setAutoRaise(True)
    made.setArrowType(Qt.ArrowType.RightArrow)
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)

    def toggled(unfolded: bool) -> None:
        made.setArrowType(Qt.ArrowType.DownArrow if unfolded else Qt.ArrowType.RightArrow)
        slot()

    made.toggled.connect(toggled)


def _filled(
    box: Box,
    parts: tuple[Part, ...],
    of: QWidget | None,
    growing: Part,
    margins: Margins | None,
    spacing: int | None,
) -> Box:
    if of is not None:
        of.setLayout(box)
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        stretch = int(part is growing)
        if part is None:
            box.addStretch(1)
        elif isinstance(part, int):
            box.addSpacing(part)
        elif isinstance(part, QLayout):
            box.addLayout(part, stretch)
        else:
            box.addWidget(part, stretch)
    return box
