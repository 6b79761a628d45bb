"""Command palette: a list of all commands, filtered by a few letters."""

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

WIDTH, HEIGHT = 620, 420
TOP = 44  # below the window's upper edge
MARGIN = 20
PAD = 8
NAMED = 1000.0
PLACE_ROLE = Qt.ItemDataRole.UserRole
STEPS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -10,
    Qt.Key.Key_PageDown: 10,
}
TAKES = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, *STEPS)


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, the menu that has it, and its keys."""

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
        worth = _worth(typed, command)
        if worth is not None:
            found.append((worth, command))
    if typed.strip():
        found.sort(key=lambda pair: -pair[0])
    # Stable, so that within the enabled ones, and the others, the best stay first.
    found.sort(key=lambda pair: not pair[1].enabled)
    return [command for _, command in found]


def _worth(typed: str, command: Command) -> float | None:
    named = score(typed, command.text)
    if named is not None:
        # NAMED exceeds any score, which is at most three for each typed letter.
        return named + NAMED
    return score(typed, f"{command.text} {command.where}")


class Palette(QFrame):
    """A field and a list over the window; it closes when it loses the focus.

    `commands` is called each time it opens, because commands change with the state of the window.
    """

    def __init__(self, window: QWidget, commands: Callable[[], Sequence[Command]]) -> None:
        super().__init__(window)
        self.setObjectName("palette")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._ask = commands
        self._commands = list[Command]()
        self._before: QWidget | None = None
        words = tr("Type a few letters of what you want to do")
        self.field = named(QLineEdit(placeholderText=words), tr("Command"))
        self.list = named(QTreeWidget(columnCount=3), tr("Commands"))
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the field moves it
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.itemClicked.connect(lambda item: self._do(item))
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
        # Before the field takes the focus: it returns there before the command runs.
        self._before = QApplication.focusWidget()
        self._commands = list(self._ask())
        self.field.clear()
        # Explicitly: `clear` emits no signal if the field was empty.
        self._fill("")
        window = self.parentWidget()
        assert window is not None
        width = min(WIDTH, window.width() - 2 * MARGIN)
        left = (window.width() - width) // 2
        self.setGeometry(left, TOP, width, self._height(window))
        self.show()
        self.raise_()
        self.field.setFocus()

    def leave(self) -> None:
        """Close, and give the focus back."""
        self.hide()
        if self._before is not None and isValid(self._before):  # it may have been deleted meanwhile
            self._before.setFocus()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.ShortcutOverride if _taken(event):
                event.accept()  # Esc and the arrows are the palette's, not a shortcut's
                return True
            case QEvent.Type.KeyPress if _taken(event):
                self._key(Qt.Key(event.key()))  # type: ignore[attr-defined]
                return True
            case QEvent.Type.FocusOut:
                self.hide()
        return super().eventFilter(watched, event)

    def _key(self, key: Qt.Key) -> None:
        if key is Qt.Key.Key_Escape:
            self.leave()
        elif key in STEPS:
            model = self.list.model()
            wanted = self.list.currentIndex().row() + STEPS[key]
            row = min(max(0, wanted), model.rowCount() - 1)
            self.list.setCurrentIndex(model.index(row, 0))
        else:
            self._do(self.list.currentItem())

    def _do(self, item: QTreeWidgetItem | None) -> None:
        command: Command | None = item.data(0, PLACE_ROLE) if item is not None else None
        if command is not None and command.enabled:
            self.leave()
            # After `leave`: the command may use the widget with the focus, or move the focus.
            command.do()

    def _fill(self, typed: str) -> None:
        self.list.clear()
        items = [_item(command) for command in matching(typed, self._commands)]
        if not items:
            items = [QTreeWidgetItem([tr("Nothing is called that.")])]
            items[0].setDisabled(True)
        self.list.addTopLevelItems(items)
        self.list.setCurrentItem(items[0])
        if (window := self.parentWidget()) is not None:
            self.resize(self.width(), self._height(window))

    def _height(self, window: QWidget) -> int:
        """Return the height that the list needs, limited by the window."""
        rows = self.list.topLevelItemCount() * max(1, self.list.sizeHintForRow(0))
        wanted = self.field.sizeHint().height() + rows + 4 * PAD
        return min(HEIGHT, window.height() - TOP - MARGIN, wanted)


def _item(command: Command) -> QTreeWidgetItem:
    name = f"✓ {command.text}" if command.checked else command.text
    item = QTreeWidgetItem([name, command.where, command.keys])
    item.setData(0, PLACE_ROLE, command)
    item.setDisabled(not command.enabled)
    item.setTextAlignment(2, RIGHT)
    return item


def _taken(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.key() in TAKES
