"""Widgets put together: in rows and columns, and with what they say when they are pointed at."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict, TypeVar, Unpack

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QDockWidget,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

Button = TypeVar("Button", bound=QAbstractButton)
Widget = TypeVar("Widget", bound=QWidget)
Box = TypeVar("Box", bound=QBoxLayout)
Part = QWidget | QLayout | int | None
"""What a row or column is made of: an int is so many free pixels, None all that are left."""


class How(TypedDict, total=False):
    """How parts stand: `of` a widget if one is given; the `growing` one takes what is left.

    Margins (left, top, right, bottom) and spacing are the style's unless given.
    """

    of: QWidget | None
    growing: Part
    margins: tuple[int, int, int, int]
    spacing: int


def row(*parts: Part, **how: Unpack[How]) -> QHBoxLayout:
    """Parts side by side."""
    return _filled(QHBoxLayout(), parts, how)


def column(*parts: Part, **how: Unpack[How]) -> QVBoxLayout:
    """Parts below one another."""
    return _filled(QVBoxLayout(), parts, how)


def joined(*parts: Part, of: QWidget | None = None, growing: Part = None) -> QVBoxLayout:
    """Parts below one another, with no free pixels around and between them."""
    return column(*parts, of=of, growing=growing, margins=(0, 0, 0, 0), spacing=0)


def widget_of(layout: QLayout, look: str = "") -> QWidget:
    """A widget that is laid out so; `look` names it for the style sheet."""
    made = QWidget()
    made.setObjectName(look)
    made.setLayout(layout)
    return made


def column_of(*parts: QWidget, growing: QWidget | None = None) -> QWidget:
    """A widget with parts below one another, without margins between them."""
    return widget_of(joined(*parts, growing=growing))


def bring(dock: QDockWidget) -> None:
    """Bring a dock to the front, wherever it stands."""
    dock.show()
    dock.raise_()
    if (panel := dock.widget()) is not None:  # now: Qt tells later who came to the front
        panel.show()


def grid(across: int = -1, down: int = -1) -> QGridLayout:
    """A grid with so many free pixels between its columns and its rows; -1 are the style's."""
    made = QGridLayout()
    made.setHorizontalSpacing(across)
    made.setVerticalSpacing(down)
    return made


def stacked(parent: QWidget, *pages: QWidget) -> QStackedLayout:
    """Pages of which one is seen at a time; they fill the parent."""
    stack = QStackedLayout(parent)
    for page in pages:
        stack.addWidget(page)
    return stack


def named(widget: Widget, name: str, tip: str = "") -> Widget:
    """A widget that screen readers call by a name, with a tip, which they tell too."""
    widget.setAccessibleName(name)
    if tip:
        widget.setToolTip(tip)
    return widget


def button(
    kind: type[Button],
    text: str,
    tip: str,
    slot: Callable[[], object] | None = None,
    name: str = "",
    look: str = "",
) -> Button:
    """A button with a tip, which screen readers tell too.

    They call it by its `name`, as where its text is a mere sign. `look` names it for the style
    sheet.
    """
    made = kind()
    made.setText(text)
    made.setToolTip(tip)
    made.setAccessibleName(name)
    made.setObjectName(look)
    if slot is not None:
        # `clicked` carries whether the button is checked; a
        # slot with a default would take that for its own.
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


def _filled(box: Box, parts: tuple[Part, ...], how: How) -> Box:
    if (owner := how.get("of")) is not None:
        owner.setLayout(box)
    if "margins" in how:
        box.setContentsMargins(*how["margins"])
    if "spacing" in how:
        box.setSpacing(how["spacing"])
    for part in parts:
        stretch = int(part is how.get("growing"))
        if part is None:
            box.addStretch(1)
        elif isinstance(part, int):
            box.addSpacing(part)
        elif isinstance(part, QLayout):
            box.addLayout(part, stretch)
        else:
            box.addWidget(part, stretch)
    return box
