"""Opens a large recording in the background, with a strip that shows the progress."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QToolButton

from core.recording.recording import open_recording
from core.recording.stream import Opened
from gui.app.dialogs import PARTS
from gui.app.jobs import Runner, Work
from gui.look.text import tr
from gui.widgets.label import Label
from gui.widgets.layouts import button, named, row


class OpeningStrip(QFrame):
    """Shows above the timeline which recording is being opened, with a button to cancel.

    `opened` carries the path and an Opened, `failed` a line with the error.
    """

    opened = Signal(object, object)
    failed = Signal(str)
    _progressed = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("opening")
        name = tr("Progress of opening the recording")
        self.bar = named(QProgressBar(maximum=PARTS, textVisible=False), name)
        self.label = Label()
        self.bar.setFixedWidth(220)
        tip = tr("Do not open this recording; nothing is left behind.")
        self.cancel_button = button(QToolButton, tr("Cancel"), tip, self.cancel)
        parts = (self.label, self.bar, None, self.cancel_button)
        row(*parts, of=self, margins=(12, 5, 6, 5), spacing=10)
        self._path = Path()
        self._runner = Runner(self, "opening")
        self._runner.ended.connect(self.hide)
        self._runner.done.connect(lambda opened: self.opened.emit(self._path, opened))
        self._runner.failed.connect(self.failed)
        self._progressed.connect(self._show_progress)
        self.hide()

    def open(self, path: Path) -> None:
        """Begin to open a recording; one in progress is cancelled."""
        self.cancel()
        self._path = path
        self._show_progress(0.0)
        self.show()
        stop = threading.Event()
        self._runner.start(self._opened(path, stop), thread=True, stop=stop)

    def cancel(self) -> None:
        """Cancel, and wait until the thread and its process have ended."""
        # Joins the thread, and its process ends before it. Then the file can be opened again.
        self._runner.close()

    def _opened(self, path: Path, stop: threading.Event) -> Work[Opened]:
        """Open a recording on a thread that mostly waits for the process that reads it."""
        from core.recording.index_process import build_apart

        def report(done: int, total: int) -> bool:
            # Called on the thread. Qt queues the slot in the thread where this widget lives.
            self._progressed.emit(done / max(1, total))
            return not stop.is_set()

        yield 0.0
        return open_recording(path, report, build=build_apart)

    def _show_progress(self, share: float) -> None:
        text = tr("Opening {name}: {share} %", name=self._path.name, share=round(100 * share))
        self.label.setText(text)
        self.bar.setValue(round(PARTS * share))
