"""Asks whether to save unsaved runs when the user closes the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from gui.app.dialogs import ask_folder
from gui.app.run_names import free_paths, unsaved
from gui.app.session import Session
from gui.app.settings import Settings
from gui.look.text import ntr, problem_text, tr


class Leaving:
    """Asks before a window with unsaved runs closes; `fail` shows why runs could not be saved."""

    def __init__(
        self, window: QWidget, session: Session, settings: Settings, fail: Callable[[str], None]
    ) -> None:
        self._window = window
        self._session = session
        self._settings = settings
        self._fail = fail
        self._sure = False

    def leave(self) -> None:
        """Close the window, now or after the user's answer."""
        if self.may_close():
            self._window.close()

    def may_close(self) -> bool:
        """Return True if the window may close now; else ask, and close it if the user agrees."""
        count = len(unsaved(self._session.runs))
        if self._sure or not count:
            return True
        box = QMessageBox(self._window)
        # open(), not exec(): no nested event loop, in which the window could be closed a second
        # time. The box deletes itself, because this method returns before it closes.
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(tr("Close Bubblescope"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(
            ntr(
                "{n} run is not saved.",
                "{n} runs are not saved.",
                count,
            )
        )
        save = box.addButton(tr("Save all…"), QMessageBox.ButtonRole.AcceptRole)
        leave = box.addButton(tr("Close without saving"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(save)
        save.clicked.connect(self._ask_folder)
        leave.clicked.connect(self._leave)
        box.open()
        return False

    def save_all(self, folder: Path) -> None:
        """Save all unsaved runs in a folder and close; after an OSError, show it and stay open."""
        runs = unsaved(self._session.runs)
        try:
            for run, path in zip(runs, free_paths(runs, folder), strict=True):
                run.save(path)
                self._settings.remember(path)
        except OSError as error:
            self._fail(problem_text(error))
        else:
            self._leave()

    def _ask_folder(self) -> None:
        ask_folder(
            self._window, tr("Save the runs in a folder"), self._settings.folder, self.save_all
        )

    def _leave(self) -> None:
        # close() asks `may_close` again.
        self._sure = True
        self._window.close()
