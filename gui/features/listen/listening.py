"""Listening for training jobs: who opens its dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.app.dialogs import to_front
from gui.app.session import Session

if TYPE_CHECKING:  # the window is there sooner without what few ask for
    from gui.features.listen.dialog import ListenDialog


class Listening(QObject):
    """Opens the dialog; the session listens, whether the dialog is there or not."""

    def __init__(self, window: QWidget, session: Session) -> None:
        super().__init__(window)
        self._window, self._session = window, session
        self.dialog: ListenDialog | None = None

    def open(self) -> None:
        """Show where to listen, or who is connected."""
        if self.dialog is None:
            from gui.features.listen.dialog import ListenDialog

            self.dialog = ListenDialog(self._window, self._session)
        to_front(self.dialog)
