"""Finds the run to compare with: one of this sitting, a recording, or the prediction."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.recording.recording import may_take_long, open_recording
from core.recording.stream import Opened
from gui.app.faults import banner_text, faults_of
from gui.app.session import Run, Session
from gui.app.settings import Settings
from gui.features.compare.chooser import RunChooser, other_of, others
from gui.features.compare.frame import CompareFrame
from gui.look.core_texts import translated
from gui.look.text import problem_text, tr


class OtherChoice(QObject):
    """What is to be compared with the run that `shown` gives.

    `chosen` carries an Other, `opened` a run that was opened for it, `failed` what went wrong.
    """

    chosen = Signal(object)
    opened = Signal(object)
    failed = Signal(str)

    def __init__(
        self, frame: CompareFrame, shown: Callable[[], Run | None], session: Session,
        settings: Settings,
    ) -> None:  # fmt: skip
        super().__init__(frame)
        self._frame, self._shown, self._session, self._settings = frame, shown, session, settings
        frame.opening.opened.connect(self._take)
        frame.opening.failed.connect(self.failed)

    def choose(self) -> None:
        """Offer the runs that the one that is shown can be compared with."""
        run = self._shown()
        if run is None:
            self.failed.emit(tr("There is no run to compare yet: press Run, or open a recording."))
            return
        offered = others(self._session.runs, run)
        chooser = RunChooser(self._frame.window(), run, offered, self._settings.folder)
        chooser.chosen.connect(self.chosen)
        chooser.wanted.connect(self.open)
        chooser.show()

    def open(self, path: Path) -> None:
        """Compare with a recording; with a large one, once it is there."""
        try:
            if may_take_long(path):
                self._frame.opening.open(path)
            else:
                self._take(path, open_recording(path))
        except Exception as error:
            self.failed.emit(problem_text(error))

    def _take(self, path: Path, opened: Opened) -> None:
        run = self._session.add_opened(path, opened)
        self._settings.remember(path)
        # The run is listed first; then what is wrong with it is said, and at last it is compared.
        self.opened.emit(run)
        for text in (translated(opened.warning), banner_text(faults_of(opened.trace), path)):
            if text:
                self.failed.emit(text)
        self.chosen.emit(other_of(run))
