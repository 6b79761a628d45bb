"""Rows and columns of widgets, and buttons with tooltips and accessible names."""

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
LayoutPart = QWidget | QLayout | int | None
"""Part of a row or column: an int is a gap of that many pixels, None takes all free space."""
NO_MARGINS = (0, 0, 0, 0)


class How(TypedDict, total=False):
    """Options of a layout: `of` is the widget to set it on, `growing` the part that stretches.

    Margins (left, top, right, bottom) and spacing are the style's unless given.
    """

    of: QWidget | None
    growing: LayoutPart
    margins: tuple[int, int, int, int]
    spacing: int


def row(*parts: LayoutPart, **how: Unpack[How]) -> QHBoxLayout:
    """Return a layout with parts side by side."""
    return _filled(QHBoxLayout(), parts, how)


def column(*parts: LayoutPart, **how: Unpack[How]) -> QVBoxLayout:
    """Return a layout with parts below one another."""
    return _filled(QVBoxLayout(), parts, how)


def joined(
    *parts: LayoutPart, of: QWidget | None = None, growing: LayoutPart = None
) -> QVBoxLayout:
    """Return a layout with parts below one another, without margins and spacing."""
    return column(
        *parts,
        of=of,
        growing=growing,
        margins=NO_MARGINS,
        spacing=0,
    )


def widget_of(layout: QLayout, look: str = "") -> QWidget:
    """Return a widget with a layout; `look` is its name in the style sheet."""
    made = QWidget()
    made.setObjectName(look)
    made.setLayout(layout)
    return made


def column_of(*parts: QWidget, growing: QWidget | None = None) -> QWidget:
    """Return a widget with parts below one another, without margins and spacing."""
    return widget_of(joined(*parts, growing=growing))


def bring(dock: QDockWidget) -> None:
    """Show a dock, in front of the docks that share its place."""
    dock.show()
    dock.raise_()
    panel = dock.widget()
    if panel is not None:
        # Shown now, because Qt reports only later that the dock is in front.
        panel.show()


def grid(across: int = -1, down: int = -1) -> QGridLayout:
    """Return a grid with this spacing between columns and rows; -1 is the style's."""
    made = QGridLayout()
    made.setHorizontalSpacing(across)
    made.setVerticalSpacing(down)
    return made


def stacked(parent: QWidget, *pages: QWidget) -> QStackedLayout:
    """Return a stack of pages, one visible at a time, that fills the parent."""
    stack = QStackedLayout(parent)
    for page in pages:
        stack.addWidget(page)
    return stack


def named(widget: Widget, name: str, tip: str = "") -> Widget:
    """Give a widget an accessible name and a tooltip, and return it."""
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
    """Return a button with a tooltip.

    `name` is for screen readers, needed if the text is only a symbol. `look` is its name in the
    style sheet.
    """
    made = kind()
    made.setText(text)
    made.setToolTip(tip)
    made.setAccessibleName(name)
    made.setObjectName(look)
    if slot is not None:
        # `clicked` passes the checked state, which a slot would take as its first argument.
        made.clicked.connect(lambda _=False: slot())
    return made


def make_foldable(made: QToolButton, slot: Callable[[], object]) -> None:
    """Make a button checkable, with an arrow that shows whether the part below is unfolded."""
    made.setCheckable(True)
    made.setAutoRaise(True)
    made.setArrowType(Qt.ArrowType.RightArrow)
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)

    def toggled(unfolded: bool) -> None:
        made.setArrowType(Qt.ArrowType.DownArrow if unfolded else Qt.ArrowType.RightArrow)
        slot()

    made.toggled.connect(toggled)


def _filled(box: Box, parts: tuple[LayoutPart, ...], how: How) -> Box:
    owner = how.get("of")
    if owner is not None:
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
