"""Menu of the lessons, which the command palette also lists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from core.lessons.lesson import read_heading, shipped
from core.lessons.text import LessonError
from gui.app.language import in_language
from gui.look.text import tr


class LessonMenu(QObject):
    """Inserts the shipped lessons at the top of a menu when it is first opened."""

    def __init__(self, menu: QMenu, choose: Callable[[Path], None]) -> None:
        super().__init__(menu)
        self._menu = menu
        self._choose = choose
        self._filled = False
        menu.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        """List the lessons."""
        if self._filled:
            return
        self._filled = True
        first = self._menu.actions()[0]
        for number, path in enumerate(shipped(), 1):
            self._menu.insertAction(first, self._action(number, path))
        self._menu.insertSeparator(first)

    def _action(self, number: int, path: Path) -> QAction:
        try:
            title = read_heading(in_language(path)).title
        except LessonError:
            title = path.stem
        text = tr("Lesson {n}: {title}", n=number, title=title)
        # A single & would be dropped, and make the next letter the item's mnemonic.
        action = QAction(text.replace("&", "&&"), self._menu)
        action.triggered.connect(lambda _=False: self._choose(path))
        return action
