"""Opening a large recording while the window goes on, with a strip that shows how far it is."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QToolButton, QWidget

from core.recording.index import Cancelled
from core.recording.index_process import build_apart
from core.recording.recording import Opened, open_recording
from gui.look.label import Label
from gui.look.text import problem_text, tr

PARTS = 1000  # of the strip's bar


class Opening(QObject):
    """One recording on its way, in a thread that mostly waits for the process that reads it.

    `progressed` carries 0 to 1. `ended` carries what was opened or the error, and nothing after
    `cancel`.
    """

    progressed = Signal(float)
    ended = Signal(object)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._open, daemon=True, name="opening")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Give up, and wait the moment until nothing of it is left."""
        self._cancelled.set()
        self._thread.join()

    def _open(self) -> None:
        try:
            self._end(open_recording(self.path, self._tell, build=build_apart))
        except Cancelled:
            return
        except Exception as error:  # the strip would stay for ever
            self._end(error)

    def _tell(self, done: int, total: int) -> bool:
        if self._cancelled.is_set():
            return False
        self.progressed.emit(done / max(1, total))
        return True

    def _end(self, result: Opened | Exception) -> None:
        if not self._cancelled.is_set():
            self.ended.emit(result)


class OpeningStrip(QFrame):
    """Says above the timeline which recording is being opened, and lets one cancel it.

    `opened` carries path and Opened, `failed` the error's line.
    """

    opened = Signal(object, object)
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("opening")
        self.label, self.bar, self.cancel_button = Label(), QProgressBar(), QToolButton()
        self.bar.setRange(0, PARTS)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(220)
        self.bar.setAccessibleName(tr("Progress of opening the recording"))
        self.cancel_button.setText(tr("Cancel"))
        self.cancel_button.setToolTip(tr("Do not open this recording; nothing is left behind."))
        self.cancel_button.clicked.connect(self.cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 6, 5)
        row.setSpacing(10)
        row.addWidget(self.label)
        row.addWidget(self.bar)
        row.addStretch(1)
        row.addWidget(self.cancel_button)
        self._opening: Opening | None = None
        self.hide()

    def open(self, path: Path) -> None:
        """Begin to open a recording; one that was on its way is given up."""
        self.cancel()
        self._opening = opening = Opening(path, self)
        opening.progressed.connect(self._show_progress)
        opening.ended.connect(self._take)
        self._show_progress(0.0)
        self.show()
        opening.start()

    def cancel(self) -> None:
        """Give up what is on its way; does nothing if nothing is."""
        if self._opening is not None:
            self._opening.cancel()
            self._leave()

    def _show_progress(self, share: float) -> None:
        if self._opening is None:
            return
        text = tr("Opening {name}: {share} %",
                  name=self._opening.path.name, share=round(100 * share))  # fmt: skip
        self.label.setText(text)
        self.bar.setValue(round(PARTS * share))

    def _take(self, result: Opened | Exception) -> None:
        if self._opening is None or self.sender() is not self._opening:
            return
        path = self._opening.path
        self._leave()
        if isinstance(result, Opened):
            self.opened.emit(path, result)
        else:
            self.failed.emit(problem_text(result))

    def _leave(self) -> None:
        if self._opening is not None:
            self._opening.deleteLater()
        self._opening = None
        self.hide()
