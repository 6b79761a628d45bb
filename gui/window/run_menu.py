"""What can be done with any run that is listed: the menu of its tab and of its table row."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from gui.app.session import Run
from gui.look.text import tr


class RunWindow(Protocol):
    """What the menu has the window do."""

    def use_settings_of(self, run: Run | None) -> None:
        """Put a run's settings into the form."""


class RunMenu:
    """Opens the menu of a run."""

    def __init__(self, window: QWidget, state: RunWindow) -> None:
        self._window, self._state = window, state

    def popup(self, run: Run, at: QPoint) -> QMenu:
        """Show the menu of a run at a place on screen."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Use this run's settings"), lambda: self._state.use_settings_of(run))
        menu.popup(at)
        return menu
