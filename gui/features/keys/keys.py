"""The `?` sheet: every key and every mouse gesture, with a filter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QGridLayout,
    QLineEdit,
    QMenu,
    QMenuBar,
    QScrollArea,
    QWidget,
)

from gui.features.keys.gestures import MOUSE
from gui.look.text import tr
from gui.widgets.label import Label
from gui.widgets.layouts import NO_MARGINS, column, grid, named, row
from gui.widgets.menu_actions import all_keys_text, listed_actions

LINES = 28  # lines of a column, at least; a small screen has room for them
COLUMN = 400  # width of a column in pixels, at most
SHARE = 0.94  # share of the screen that the sheet takes, at most
FIELD = 320  # pixels
Section = tuple[str, list[tuple[str, str, str]]]
"""A heading, and its lines: keys or a gesture, a name or an effect, and a tooltip."""


def sections(bar: QMenuBar) -> list[Section]:
    """Return a section for each menu, with its actions that have keys, and one for the mouse."""
    found: list[Section] = []
    for top in bar.actions():
        menu = top.menu()
        if isinstance(menu, QMenu):
            rows = []
            for _, action in listed_actions(menu):
                if action.shortcuts():
                    rows.append((all_keys_text(action), action.text(), action.whatsThis()))
            title = menu.title().replace("&", "")
            found.append((title, rows))
    mouse = [(tr(gesture), tr(does), "") for gesture, does in MOUSE.items()]
    found.append((tr("Mouse"), mouse))
    return [(heading, rows) for heading, rows in found if rows]


def columns(found: Sequence[Section], most: int = LINES) -> list[list[Section]]:
    """Divide sections into columns of `most` lines; a long section goes on in the next column."""
    made: list[list[Section]] = [[]]
    free = most
    for heading, rows in found:
        rows = list(rows)
        while rows:
            if free < 3:  # a heading and one line would look lost
                made.append([])
                free = most
            taken = rows[: free - 1]
            rows = rows[free - 1 :]
            # A section that is cut continues below the same heading. Each part takes a line for the
            # heading, and one below.
            made[-1].append((heading, taken))
            free -= len(taken) + 2
    return made


def lines_of(found: Sequence[Section], width: int) -> int:
    """Return how many lines a column needs so that all columns fit into `width` pixels."""
    total = sum(len(rows) + 2 for _, rows in found)
    count = max(1, width // COLUMN)
    # Two more than the quotient, because a section that is cut repeats its heading.
    needed = math.ceil(total / count) + 2
    return max(LINES, needed)


class KeySheet(QDialog):
    """A non-modal list; Esc, `?` and its close button close it."""

    def __init__(self, found: Sequence[Section], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keys and mouse"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sheet = QWidget()
        room = self.screen().availableSize() * SHARE
        self._parts: list[_Part] = []
        lines = lines_of(found, room.width())
        grids = [self._grid(part) for part in columns(found, lines)]
        row(*grids, of=sheet, margins=(18, 12, 18, 14), spacing=28)
        area = named(QScrollArea(widgetResizable=True), tr("Keys and mouse"))
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(sheet)
        tip = tr("Show only the keys and actions that contain this text.")
        self.field = named(QLineEdit(), tr("Filter keys"), tip)
        self.field.setPlaceholderText(tr("Filter keys"))
        self.field.setMaximumWidth(FIELD)
        self.field.textChanged.connect(self._filter)
        top = row(self.field, None, margins=(18, 12, 18, 0))
        column(top, area, of=self, margins=NO_MARGINS)
        # Leave room for the vertical scroll bar. Otherwise it would cover a part of the sheet, and
        # a horizontal scroll bar would appear too.
        bar = area.verticalScrollBar().sizeHint().width()
        high = top.sizeHint().height() + 2
        size = sheet.sizeHint() + QSize(bar, high)
        self.resize(size.boundedTo(room))
        # The window's shortcut `?` does not work while this dialog has the focus.
        QShortcut("?", self, self.close)

    def _grid(self, found: Sequence[Section]) -> QGridLayout:
        made = grid(across=14, down=2)
        line = 0
        for heading, rows in found:
            title = Label(heading.upper(), "heading")
            title.setContentsMargins(0, 8 if line else 0, 0, 2)
            made.addWidget(title, line, 0, 1, 2)
            part = _Part(title)
            for number, (keys, name, tip) in enumerate(rows, line + 1):
                labels = (Label(keys, "said"), Label(name))
                for place, label in enumerate(labels):
                    label.setToolTip(tip)
                    made.addWidget(label, number, place)
                text = f"{keys} {name} {tip}".casefold()
                part.lines.append((text, labels))
            self._parts.append(part)
            line += len(rows) + 1
        made.setRowStretch(line, 1)
        made.setColumnStretch(1, 1)
        return made

    def _filter(self, wanted: str) -> None:
        """Show the lines that contain a text, and their headings."""
        wanted = wanted.strip().casefold()
        for part in self._parts:
            any_shown = False
            for text, labels in part.lines:
                is_shown = wanted in text
                any_shown = any_shown or is_shown
                for label in labels:
                    label.setVisible(is_shown)
            part.heading.setVisible(any_shown)


@dataclass(slots=True)
class _Part:
    """A heading of the sheet, and its lines: the text that is searched, and the labels."""

    heading: Label
    lines: list[tuple[str, tuple[Label, Label]]] = field(default_factory=list)
