"""Finds run B of a comparison: a run of this session, a recording, or the prediction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from core.recording.recording import may_take_long, open_recording
from core.recording.stream import Opened
from gui.app.faults import banner_text, faults_of
from gui.app.run import Run
from gui.app.session import Session
from gui.app.settings import Settings
from gui.features.compare.chooser import Other, RunChooser, other_of, others
from gui.features.compare.frame import CompareFrame
from gui.look.core_texts import translated
from gui.look.text import problem_text, tr


class OtherChoice(QObject):
    """Asks for the run to compare with the run that `shown` returns.

    `chosen` carries an Other, `opened` a Run that was opened for it, `failed` a message.
    """

    chosen = Signal(object)
    opened = Signal(object)
    failed = Signal(str)

    def __init__(
        self,
        frame: CompareFrame,
        shown: Callable[[], Run | None],
        session: Session,
        settings: Settings,
    ) -> None:
        super().__init__(frame)
        self._frame = frame
        self._shown = shown
        self._session = session
        self._settings = settings
        frame.opening.opened.connect(self._take)
        frame.opening.failed.connect(self.failed)

    def choose(self) -> None:
        """Show a list of runs to compare with."""
        run = self._shown()
        if run is None:
            self.failed.emit(tr("There is no run to compare yet: press Run, or open a recording."))
            return
        offered = others(self._session.runs, run)
        chooser = RunChooser(self._frame.window(), run, offered, self._settings.folder)
        chooser.chosen.connect(partial(self._choose_for, run))
        chooser.wanted.connect(self.open)
        chooser.show()

    def _choose_for(self, run: Run, other: Other) -> None:
        """Emit a choice that was made for a run, unless another run is shown by then."""
        # The list is not modal. Its prediction is of `run`, and the run now shown may be in it.
        if self._shown() is run:
            self.chosen.emit(other)
        else:
            self.failed.emit(
                tr("Another run is on screen now: choose again what to compare it with.")
            )

    def open(self, path: Path) -> None:
        """Compare with a recording; a large one is opened in the background first."""
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
        # In this order: list the run, report problems of the file, compare.
        self.opened.emit(run)
        for text in (translated(opened.warning), banner_text(faults_of(opened.trace), path)):
            if text:
                self.failed.emit(text)
        self.chosen.emit(other_of(run))
