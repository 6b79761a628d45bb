"""Command palette: a list of all commands, filtered by a few typed letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from shiboken6 import isValid

from core.override import override
from gui.features.palette.fuzzy import score
from gui.look.text import tr
from gui.look.writing import RIGHT
from gui.widgets.layouts import column, named

# All in pixels.
WIDTH = 620  # in a window that is wide enough
MOST_HEIGHT = 420
TOP = 44  # below the window's upper edge
MARGIN = 20  # to the window's other edges, at least
PAD = 8
NAME_BONUS = 1000.0
"""Added to the score of a match by name. A score is at most three for each typed letter, so that
every match by name precedes all other matches."""
COMMAND_ROLE = Qt.ItemDataRole.UserRole
ROWS_OF_KEYS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -10,
    Qt.Key.Key_PageDown: 10,
}
"""Rows by which a key moves the selection."""
OWN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, *ROWS_OF_KEYS)
"""Keys that the palette handles itself, not the field or a shortcut."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, the menu that contains it, its keys, and the function that runs it."""

    text: str
    where: str
    keys: str
    do: Callable[[], object]
    enabled: bool = True
    checked: bool = False


def matching(typed: str, commands: Sequence[Command]) -> list[Command]:
    """Return the commands that match a typed text: enabled ones first, then by score.

    Commands that match by name precede commands that match only by menu.
    """
    found: list[tuple[float, Command]] = []
    for command in commands:
        match_score = _match_score(typed, command)
        if match_score is not None:
            found.append((match_score, command))
    if typed.strip():
        found.sort(key=lambda pair: -pair[0])
    # The sort is stable: enabled and disabled commands each stay in the order of their scores.
    found.sort(key=lambda pair: not pair[1].enabled)
    return [command for _, command in found]


def _match_score(typed: str, command: Command) -> float | None:
    """Return the score of a command, or None if it does not match."""
    by_name = score(typed, command.text)
    if by_name is not None:
        return by_name + NAME_BONUS
    return score(typed, f"{command.text} {command.where}")


class Palette(QFrame):
    """A text field and a list of commands, over the window; hidden when the field loses the focus.

    `commands` is called each time the palette opens, because the commands and their state change.
    """

    def __init__(self, window: QWidget, commands: Callable[[], Sequence[Command]]) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("palette")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._list_commands = commands
        self._commands: list[Command] = []
        self._focus_before: QWidget | None = None
        words = tr("Type a few letters of what you want to do")
        self.field = named(QLineEdit(placeholderText=words), tr("Command"))
        self.list = named(QTreeWidget(columnCount=3), tr("Commands"))
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        # The keys are handled by the field, which keeps the focus.
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.itemClicked.connect(lambda item: self._run(item))
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        column(self.field, self.list, of=self, margins=(PAD, PAD, PAD, PAD))
        self.hide()

    def toggle(self) -> None:
        """Open the palette, or close it if it is open."""
        if self.isVisible():
            self.leave()
            return
        # Read before the field takes the focus, so that `leave` can give it back.
        self._focus_before = QApplication.focusWidget()
        self._commands = list(self._list_commands())
        self.field.clear()
        # `clear` emits no signal if the field was empty already.
        self._fill("")
        width = min(WIDTH, self._window.width() - 2 * MARGIN)
        left = (self._window.width() - width) // 2
        self.setGeometry(left, TOP, width, self._best_height())
        self.show()
        self.raise_()
        self.field.setFocus()

    def leave(self) -> None:
        """Close, and give the focus back to the widget that had it."""
        self.hide()
        # The widget may have been deleted in the meantime.
        if self._focus_before is not None and isValid(self._focus_before):
            self._focus_before.setFocus()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.FocusOut:
            self.hide()
        elif isinstance(event, QKeyEvent) and event.key() in OWN_KEYS:
            if event.type() is QEvent.Type.ShortcutOverride:
                # Accepted, so that the key does not trigger a shortcut but arrives as a key press.
                event.accept()
                return True
            if event.type() is QEvent.Type.KeyPress:
                self._handle_key(Qt.Key(event.key()))
                return True
        return super().eventFilter(watched, event)

    def _handle_key(self, key: Qt.Key) -> None:
        if key is Qt.Key.Key_Escape:
            self.leave()
        elif key in ROWS_OF_KEYS:
            model = self.list.model()
            wanted = self.list.currentIndex().row() + ROWS_OF_KEYS[key]
            row = min(max(0, wanted), model.rowCount() - 1)
            self.list.setCurrentIndex(model.index(row, 0))
        else:
            self._run(self.list.currentItem())

    def _run(self, item: QTreeWidgetItem | None) -> None:
        """Run the command of an item; the item that says that nothing matches has none."""
        command: Command | None = None if item is None else item.data(0, COMMAND_ROLE)
        if command is not None and command.enabled:
            self.leave()
            # After `leave`, because the command may use the widget with the focus, or move it.
            command.do()

    def _fill(self, typed: str) -> None:
        """List the commands that match a typed text, and adapt the height."""
        self.list.clear()
        items = [_item(command) for command in matching(typed, self._commands)]
        if not items:
            items = [QTreeWidgetItem([tr("No matching command.")])]
            items[0].setDisabled(True)
        self.list.addTopLevelItems(items)
        self.list.setCurrentItem(items[0])
        self.resize(self.width(), self._best_height())

    def _best_height(self) -> int:
        """Return the height in pixels that the list needs, limited by the window."""
        row_height = max(1, self.list.sizeHintForRow(0))
        rows_height = self.list.topLevelItemCount() * row_height
        needed = self.field.sizeHint().height() + rows_height + 4 * PAD
        available = self._window.height() - TOP - MARGIN
        return min(MOST_HEIGHT, available, needed)


def _item(command: Command) -> QTreeWidgetItem:
    name = f"✓ {command.text}" if command.checked else command.text
    item = QTreeWidgetItem([name, command.where, command.keys])
    item.setData(0, COMMAND_ROLE, command)
    item.setDisabled(not command.enabled)
    item.setTextAlignment(2, RIGHT)
    return item
