"""The process that predicts, as the window's parts hear it."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import QObject, QTimer, Signal

from core.predict.worker.client import PredictorClient
from core.predict.worker.jobs import Job, Lost
from gui.look.text import problem_text, tr


class Predictor(QObject):
    """`replied` carries every reply (core.predict.worker.jobs) into the window's own thread."""

    replied = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = PredictorClient(self.replied.emit)

    @property
    def pid(self) -> int | None:
        """The process's id, if there is a process."""
        return self._client.pid

    def start(self) -> None:
        """Start the process, so that the first answer need not wait for that."""
        with suppress(OSError):  # whoever asks will be told
            self._client.start()

    def send(self, job: Job) -> int:
        """Ask for a job; returns the number that its replies carry."""
        try:
            return self._client.send(job)
        except OSError as error:
            lost = Lost(tr("No prediction: {reason}", reason=problem_text(error)))
            QTimer.singleShot(0, self, lambda: self.replied.emit(lost))  # once the number is known
            return 0

    def close(self) -> None:
        """End the process and its thread; nothing that was asked for is answered any more."""
        self._client.close()
