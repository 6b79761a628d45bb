"""The lessons as a menu, which the command palette lists too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from core.lessons.lesson import LessonError, read_heading, shipped
from gui.app.language import in_language
from gui.look.text import tr


class LessonMenu(QObject):
    """Puts the lessons that come with the app above what a menu has, when it is first needed."""

    def __init__(self, menu: QMenu, choose: Callable[[Path], None]) -> None:
        super().__init__(menu)
        self._menu, self._choose, self._filled = menu, choose, False
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
        # A single & would be swallowed, and the letter behind it become the item's key.
        action = QAction(text.replace("&", "&&"), self._menu)
        action.triggered.connect(lambda _=False: self._choose(path))
        return action
