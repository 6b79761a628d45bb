"""A report that is written bit by bit while the window goes on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from gui.app.dialogs import progress_dialog
from gui.explanations.explaining import Explainer, why_not_yet
from gui.figures.titles import run_title
from gui.look.text import problem_text, tr
from gui.report.page import Section, write_page
from gui.report.run import explained_steps, run_sections, subtitle
from gui.timeline.paint.scene import Scene

SECTIONS = 10  # about as many as a report has


class ReportJob(QObject):
    """Writes a report on a scene to `path`. It begins with the next event, and can be cancelled.

    `explainer` first explains what takes long; of a run that is `live` nothing may. `done` comes
    when the file is there, `failed` with one line if it cannot be written; neither comes if it was
    cancelled, and no file then.
    """

    done = Signal()
    failed = Signal(str)

    def __init__(
        self, window: QWidget, scene: Scene, path: Path, explainer: Explainer, live: bool
    ) -> None:
        super().__init__(window)
        self._scene, self._path = scene, path
        self._explainer, self._live = explainer, live
        self._work = run_sections(scene)
        self._sections: list[Section] = []
        self._ended = False
        whole = len(explained_steps(scene)) + SECTIONS
        text = tr("Writing the report…")
        self.progress = progress_dialog(window, text, whole, self._end)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)
        self._explainer.explained.connect(self._begin)
        QTimer.singleShot(0, self, self._begin)

    @property
    def working(self) -> bool:
        """Whether there is more to come."""
        return not self._ended

    def _begin(self) -> None:
        """Go on once every step is at hand, or fail for one that never is."""
        if self._ended or self._timer.isActive():
            return
        explained = self._scene.explained
        steps = [step for step in explained_steps(self._scene) if not explained.has_figures(step)]
        missing = [step for step in steps if not explained.at_hand(step)]
        hopeless = missing if self._live else [step for step in missing if explained.problem(step)]
        if hopeless:
            self._end()
            self.failed.emit(why_not_yet(explained, hopeless[0], self._live))
        elif missing:
            self._explainer.ask(explained, missing)
        else:
            self._timer.start(0)

    def _go_on(self) -> None:
        """Do the next bit."""
        try:
            section = next(self._work)
        except StopIteration:
            self._finish()
            return
        except Exception as error:  # the next call would find the work at its end
            self._end()
            self.failed.emit(problem_text(error))
            return
        if section is not None:
            self._sections.append(section)
        self.progress.setValue(min(self.progress.value() + 1, self.progress.maximum() - 1))

    def _finish(self) -> None:
        self._end()
        trace = self._scene.trace
        try:
            write_page(self._path, run_title(trace), subtitle(trace), self._sections)
        except Exception as error:
            self.failed.emit(problem_text(error))
            return
        self.done.emit()

    def _end(self) -> None:
        self._ended = True
        self._timer.stop()
        self.progress.hide()
        self.progress.deleteLater()
