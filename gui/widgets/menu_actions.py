"""Actions of the menus, and their shortcuts as text, for the palette and the key sheet."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu


def listed_actions(menu: QMenu, above: str = "") -> Iterator[tuple[str, QAction]]:
    """Yield every action of a menu and its submenus, with its menu's path: `View › Colours`."""
    menu.aboutToShow.emit()  # listeners fill some menus just before they open
    title = menu.title().replace("&", "")
    path = f"{above} › {title}" if above else title
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from listed_actions(inner, path)
        elif not action.isSeparator():
            yield path, action


def keys_text(action: QAction) -> str:
    """Return the first shortcut of an action as the platform writes it; "" if it has none."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def all_keys_text(action: QAction) -> str:
    """Return all shortcuts of an action, in their order."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(keys.toString(native) for keys in action.shortcuts())


def tip_with_keys(tip: str, action: QAction) -> str:
    """Return a tooltip that ends with the first shortcut of an action."""
    keys = keys_text(action)
    return f"{tip} ({keys})" if keys else tip
