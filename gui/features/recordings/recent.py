"""Menu of the recordings that were opened or saved last."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from gui.app.settings import Settings
from gui.look.text import tr
from gui.widgets.label import plain_tip


class RecentMenu(QObject):
    """Fills a menu with the recent files; missing ones are marked, and can be removed."""

    def __init__(self, menu: QMenu, settings: Settings, choose: Callable[[Path], None]) -> None:
        super().__init__(menu)
        self.menu = menu
        self._settings = settings
        self._choose = choose
        menu.aboutToShow.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """List the recent files again."""
        for action in self.menu.actions():  # deleted later: one of them may have called this
            self.menu.removeAction(action)
            action.deleteLater()
        paths = self._settings.recent
        gone = [path for path in paths if not path.exists()]
        for path in paths:
            is_missing = path in gone
            name = tr("{name} (missing)", name=path.name) if is_missing else path.name
            action = self._add(name, partial(self._choose, path), str(path))
            action.setEnabled(not is_missing)
        self.menu.addSeparator()
        if gone:
            present = set(paths) - set(gone)
            self._add(tr("Remove missing files"), partial(self._keep, present))
        clear = self._add(tr("Clear the list"), partial(self._keep, set()))
        clear.setEnabled(bool(paths))

    def _add(self, text: str, do: Callable[[], None], tip: str = "") -> QAction:
        # A single & would make the next letter the item's mnemonic.
        action = QAction(text.replace("&", "&&"), self.menu)
        action.setToolTip(plain_tip(tip))
        action.triggered.connect(lambda _=False: do())
        self.menu.addAction(action)
        return action

    def _keep(self, kept: set[Path]) -> None:
        for path in self._settings.recent:
            if path not in kept:
                self._settings.forget(path)
        self.refresh()
