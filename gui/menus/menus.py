"""Actions from their table: menus, shortcuts, submenus of choices, and the docks' own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from operator import attrgetter

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from gui.look.text import tr
from gui.menus.actions import ENTRIES, MENUS, Entry

DIGITS = 10  # the first docks are shown and hidden by Ctrl and a digit, the next by Alt and one
WAYS = ("1", "-1")
"""What a slot takes that goes both ways, as in `timeline.selector.step(-1)`; else it is a text."""


class Menus(QObject):
    """The menus of a window, which owns them. Actions come from ENTRIES, in their order."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window, self._bar = window, window.menuBar()
        self._groups: dict[str, QActionGroup] = {}
        self._menus: dict[str, QMenu] = {}
        for name in MENUS:
            self.menu(name)
        self.actions = {entry.name: self._make(entry) for entry in ENTRIES}

    def menu(self, path: str) -> QMenu:
        """The menu of a path such as `View` or `View/Colour by`, made where there is none."""
        if path not in self._menus:
            above, _, name = path.rpartition("/")
            parent = self.menu(above) if above else self._bar
            # Alt and the first letter open one of the bar's.
            self._menus[path] = QMenu(tr(name) if above else f"&{tr(name)}", parent)
            parent.addMenu(self._menus[path])
        return self._menus[path]

    def list_docks(self, actions: Iterable[QAction]) -> None:
        """List in the View menu what brings docks to the front, the first twenty with a key."""
        view = self.menu("View")
        view.addSeparator()
        for number, action in enumerate(actions, 1):
            keys = f"{'Ctrl' if number <= DIGITS else 'Alt'}+{number % DIGITS}"
            if number <= 2 * DIGITS:
                action.setShortcut(keys)
            tip = tr("Bring {panel} to the front; again: hide it.", panel=action.text())
            action.setToolTip(_with_keys(tip, action))
            view.addAction(action)

    def _make(self, entry: Entry) -> QAction:
        action = QAction(tr(entry.text), self._window)
        action.setObjectName(entry.name)
        action.setShortcuts([QKeySequence(keys) for keys in entry.keys.split(" or ") if keys])
        action.setCheckable(bool(entry.checked))
        action.setToolTip(_with_keys(tr(entry.tip), action))
        action.setStatusTip("")
        path, _, way = entry.slot.rstrip(")").partition("(")
        # Looked up once and kept: what stands on the
        # path has to be there before the menus are made.
        method = attrgetter(path)(self._window)
        slot = partial(method, int(way) if way in WAYS else way) if way else method
        if entry.is_choice:
            self._group(entry.menu).addAction(action)
            # `triggered` always carries whether the action
            # is checked, which only slots of checks want.
            action.triggered.connect(lambda _=False: slot(entry.value))
        elif entry.checked:
            action.triggered.connect(lambda on: slot(on))
        else:
            action.triggered.connect(lambda _=False: slot())
        self.menu(entry.menu).addAction(action)
        return action

    def _group(self, name: str) -> QActionGroup:
        if name not in self._groups:
            self._groups[name] = QActionGroup(self._window)
        return self._groups[name]


def listed_actions(menu: QMenu, above: str = "") -> Iterator[tuple[str, QAction]]:
    """Every action of a menu and its submenus, with the path of the menu that it stands in."""
    menu.aboutToShow.emit()  # to those that list what there is at the moment
    title = menu.title().replace("&", "")
    path = f"{above} › {title}" if above else title
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from listed_actions(inner, path)
        elif not action.isSeparator():
            yield path, action


def keys_text(action: QAction) -> str:
    """The first shortcut of an action as the platform writes it; empty if it has none."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def all_keys_text(action: QAction) -> str:
    """All shortcuts of an action, the first one first."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(keys.toString(native) for keys in action.shortcuts())


def _with_keys(tip: str, action: QAction) -> str:
    keys = keys_text(action)
    return f"{tip} ({keys})" if keys else tip
