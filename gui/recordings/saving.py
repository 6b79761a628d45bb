"""Saving a recording while the window goes on."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QProgressDialog, QWidget

from gui.app.dialogs import progress_dialog
from gui.app.session import Run
from gui.look.text import problem_text, tr

AT_ONCE_S = 0.1  # a recording that takes longer is saved bit by bit
BIT_S = 0.008
PARTS = 1000  # of the progress bar


class SaveJob(QObject):
    """Saves a run to `path`: small ones before `start` returns, others bit by bit.

    `done` comes when the file is there, `failed` with one line if it cannot be written; neither
    comes if it was cancelled, and no file then.
    """

    done = Signal()
    failed = Signal(str)

    def __init__(self, window: QWidget, run: Run, path: Path) -> None:
        super().__init__(window)
        self._window, self._run, self._path = window, run, path
        self._work = run.saving(path)
        self._size = 1
        self.progress: QProgressDialog | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(lambda: self._go_on(BIT_S))

    @property
    def working(self) -> bool:
        """Whether there is more to come."""
        return self._timer.isActive()

    def start(self) -> None:
        """Begin."""
        try:
            self._size = max(1, self._run.size)
        except OSError as error:
            self._end()
            self.failed.emit(str(error))
            return
        self._go_on(AT_ONCE_S)

    def cancel(self) -> None:
        """Give up; nothing is left behind."""
        self._work.close()
        self._end()

    def _go_on(self, seconds: float) -> None:
        """Write for so long."""
        until = time.perf_counter() + seconds
        try:
            for written in self._work:
                if time.perf_counter() > until:
                    self._show(written)
                    return
        except Exception as error:  # the next call would find the work at its end
            self._end()
            self.failed.emit(problem_text(error))
            return
        self._end()
        self.done.emit()

    def _show(self, written: int) -> None:
        if self.progress is None:
            text = tr("Saving {name}…", name=self._path.name)
            self.progress = progress_dialog(self._window, text, PARTS, self.cancel)
            self._timer.start(0)
        self.progress.setValue(min(PARTS - 1, PARTS * written // self._size))

    def _end(self) -> None:
        self._timer.stop()
        if self.progress is not None:
            self.progress.hide()
            self.progress.deleteLater()
            self.progress = None
