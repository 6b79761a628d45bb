"""Menus of the window, made from the features' actions."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from gui.app.feature import Action, Group, Menu, Style
from gui.look.text import tr
from gui.widgets.menu_actions import tip_with_keys

DIGITS = 10
"""The first panels are shown and hidden by Ctrl and a digit, the next ones by Alt and a digit."""


class Menus:
    """The menus of a window, which owns them; `actions` maps names to actions."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window
        self.actions: dict[str, QAction] = {}
        self._menus: dict[tuple[Menu, str], QMenu] = {}
        for menu in Menu:
            self.menu(menu)

    def menu(self, menu: Menu, submenu: str = "") -> QMenu:
        """Return a menu or one of its submenus, made if it does not exist yet."""
        found = self._menus.get((menu, submenu))
        if found is not None:
            return found
        if submenu:
            parent = self.menu(menu)
            made = QMenu(tr(submenu), parent)
            parent.addMenu(made)
        else:
            bar = self._window.menuBar()
            # Alt and the first letter open the menu.
            made = QMenu(f"&{tr(menu.value)}", bar)
            bar.addMenu(made)
        self._menus[menu, submenu] = made
        return made

    def add(self, group: Group) -> None:
        """Add the actions of a group, below a separator if the menu has some already."""
        menu = self.menu(group.menu, group.submenu)
        if menu.actions() and group.actions and not group.submenu:
            menu.addSeparator()
        choices = QActionGroup(menu)
        for action in group.actions:
            made = self._make(action)
            if action.style is Style.CHOICE:
                choices.addAction(made)
            menu.addAction(made)
            self.actions[action.name] = made

    def list_panels(self, actions: Iterable[QAction]) -> None:
        """List in the View menu the actions that show panels; the first twenty have a key."""
        view = self.menu(Menu.VIEW)
        view.addSeparator()
        for number, action in enumerate(actions, 1):
            modifier = "Ctrl" if number <= DIGITS else "Alt"
            if number <= 2 * DIGITS:
                action.setShortcut(f"{modifier}+{number % DIGITS}")
            tip = tr("Show {panel}, or hide it if it is in front.", panel=action.text())
            action.setWhatsThis(tip)
            action.setToolTip(tip_with_keys(tip, action))
            view.addAction(action)
            self.actions[action.objectName()] = action

    def _make(self, action: Action) -> QAction:
        made = QAction(tr(action.text), self._window)
        made.setObjectName(action.name)
        made.setShortcuts([QKeySequence(keys) for keys in action.keys.split(" or ") if keys])
        made.setCheckable(action.style is not Style.COMMAND)
        made.setWhatsThis(tr(action.tip))
        made.setToolTip(tip_with_keys(tr(action.tip), made))
        # Qt would otherwise show the tooltip in the status bar too.
        made.setStatusTip("")
        slot = action.slot
        # `triggered` carries the checked state, which only slots of CHECK actions accept.
        if action.style is Style.CHECK:
            made.triggered.connect(lambda checked: slot(checked))
        else:
            made.triggered.connect(lambda _checked=False: slot())
        return made
