"""Controller of lessons: the current step, its runs, and their figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from core.engine.messages import Outcome
from core.lessons.curve import curve_results
from core.lessons.figures import RunFigures, run_figures
from core.lessons.lesson import Lesson, LessonStep, read_lesson, shipped
from core.lessons.prediction import judged_guess
from core.lessons.text import LessonError
from core.plain import shortened
from core.plan.specification import Specification
from core.report.verdict import verdict
from core.sweep.results import Results
from gui.app.dialogs import ask_open
from gui.app.feature import Shell
from gui.app.jobs import Runner, Work
from gui.app.language import in_language
from gui.app.run import Run
from gui.features.lessons.panel import LessonPanel, Page
from gui.features.lessons.pointing import Pointer
from gui.features.lessons.spotlight import Spotlight
from gui.features.run.queue import RunQueue
from gui.look.core_texts import translated
from gui.look.text import problem_text, sentence, tr
from gui.look.theme import Theme

KIND = "Lessons (*.md)"
SETTLE_MS = 150  # until the window is laid out, before the spotlight is placed

WorkedOut = tuple[list[RunFigures], Results | None]


@dataclass(frozen=True, slots=True)
class Done:
    """The runs of a step, with the figures of each, and their curve.

    `judged` says whether the learner's prediction was right; "" without one.
    """

    runs: Sequence[Run]
    found: list[RunFigures]
    curve: Results | None
    judged: str = ""

    @property
    def figures(self) -> list[dict[str, str]]:
        """The figures of each run as texts."""
        return [one.texts for one in self.found]


class Lessons(QObject):
    """Steps through a lesson.

    `began` is emitted before a step runs; `opened` carries a run to show, `compared` another one to
    compare it with, `failed` a message. `concealed` says whether explanations are to be hidden,
    because the learner has to find out what is slow. `own_model` is emitted after the end of the
    last lesson. `start` starts a run without changing the form, and returns True if it could.
    """

    began = Signal()
    opened = Signal(object)
    compared = Signal(object)
    concealed = Signal(bool)
    own_model = Signal()
    failed = Signal(str)

    def __init__(
        self, shell: Shell, pointer: Pointer, start: Callable[[Specification], bool]
    ) -> None:
        super().__init__(shell.main_window)
        self._shell, self._window, self.panel = shell, shell.main_window, LessonPanel()
        self._pointer, self._session, self._settings = pointer, shell.session, shell.settings
        self.spotlight = Spotlight(shell.main_window)
        self._queue = RunQueue(start)
        self._figures = Runner(self, "lesson")
        self._soon = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self.lesson: Lesson | None = None
        self.path: Path | None = None
        self.place = 0
        self.done: dict[int, Done] = {}
        self._made: Sequence[Run] = ()
        self.running, self._message, self._whole = False, "", ""
        self._connect()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.spotlight.theme = theme

    def ask(self) -> None:
        """Ask for the file of a lesson, and begin it."""
        title, folder = tr("Open lesson"), self._settings.folder
        ask_open(self._window, title, folder, [tr(KIND)], lambda paths: self.open(paths[0]))

    def open(self, path: Path) -> None:
        """Begin a lesson; `failed` reports an invalid file."""
        try:
            lesson = read_lesson(in_language(path))
        except LessonError as error:
            self.failed.emit(problem_text(error))
            return
        self._give_up()
        self.lesson, self.path, self.place, self.done = lesson, path, 0, {}
        self._shell.bring("lesson")
        self._show()
        self.panel.take_focus()

    def run(self) -> None:
        """Make the runs of the step, or stop the one in progress."""
        if self.running:
            self._session.stop()
        elif self.lesson is not None and not self._session.asking:
            self.spotlight.hide()
            self.began.emit()
            self.running, self._message, self._whole = True, "", ""
            self._queue.run(self._step.runs, self._take)
            # The engine may have refused the run before `run` returned.
            self.running = self._session.asking
            self._show()

    def step(self, by: int) -> None:
        """Go to the next step (1) or the previous one (-1).

        After a lesson's last step the next lesson begins. After the last lesson, and after one from
        a file, the panel says what comes next, and then closes.
        """
        if self.lesson is None:
            return
        self.spotlight.hide()
        following = self._following()
        count = len(self.lesson.steps)
        if self.place + by >= count and following is not None:
            self.open(following)
            return
        self._give_up()
        self.place = max(0, self.place + by)
        if self.place < count:
            self._show()
            self.panel.take_focus()
        elif self.place == count:
            self.panel.show_end(self.lesson)
        else:
            self.place = count - 1
            self._shell.hide_panel("lesson")
            self.own_model.emit()

    def point(self) -> None:
        """Show the step's last run, with the spotlight on the subject of the step.

        Of two runs the other one is shown below it.
        """
        done = self.done.get(self.place)
        if done is not None:
            self.opened.emit(done.runs[-1])
            if len(done.runs) == 2:
                self.compared.emit(done.runs[0])
            self._light()

    # Runs

    @property
    def _step(self) -> LessonStep:
        assert self.lesson is not None
        return self.lesson.steps[self.place]

    def _take(self, runs: Sequence[Run]) -> None:
        """Compute the figures of the step's runs, which have all ended."""
        self._made = tuple(runs)
        # The runs have ended, so nothing adds spans while the thread reads them.
        self._figures.start(_worked_out(runs), thread=True)

    def _show_figures(self, found: WorkedOut) -> None:
        figures, curve = found
        prediction, guess = self._step.prediction, self.panel.prediction.guess
        judged = ""
        if prediction is not None and guess is not None:
            judged = translated(judged_guess(prediction, guess, figures))
        self.done[self.place] = Done(self._made, figures, curve, judged)
        self._stop_waiting("")
        self._soon.start()

    def _end(self, run: Run) -> None:
        """Handle the end of a run: start the next one, or show why there is none."""
        if not self.running:
            return
        self._queue.end(run)
        if run.outcome is Outcome.STOPPED:
            self._stop_waiting(tr("The run was stopped."))
        elif run.outcome is not Outcome.FINISHED:
            self._stop_waiting(run.text or tr("The run failed."))
        else:
            self._show()

    def _stop_waiting(self, message: str) -> None:
        """Leave the running state and show a message, shortened if it is long."""
        if self.running:
            self._queue.forget()
            # The error of a user's model may have any length.
            short = shortened(message)
            self._whole = "" if short == message else message
            self.running, self._message = False, sentence(short) if short else ""
            self._show()

    def _give_up(self) -> None:
        """Leave the step, without making its remaining runs."""
        # Otherwise a late result of this step would be shown on the next one.
        self._soon.stop()
        self._figures.cancel()
        if self.running:
            self._session.stop()
        self._stop_waiting("")
        self._message = self._whole = ""

    # What is shown

    def _light(self) -> None:
        # The panel is not dimmed: its text says what to look at.
        kept = partial(self._pointer.place_of, self.panel)
        self.spotlight.point(self._pointer.places(self._step.point), [kept])

    def _following(self) -> Path | None:
        """Return the shipped lesson after the open one; None after the last, or a user's own."""
        every = shipped()
        if self.path not in every:
            return None
        place = every.index(self.path) + 1
        return every[place] if place < len(every) else None

    def _after(self, lesson: Lesson) -> str:
        if self.place + 1 < len(lesson.steps):
            return tr("Next")
        return tr("Next lesson") if self._following() is not None else tr("Done")

    def _show(self) -> None:
        lesson = self.lesson
        if lesson is None or self.place >= len(lesson.steps):
            return
        done = self.done.get(self.place)
        allowed = self.running or not self._session.asking
        page = Page(
            lesson=lesson,
            place=self.place,
            figures=[] if done is None else done.figures,
            bars=[] if done is None else [one.bar for one in done.found],
            curve=None if done is None else done.curve,
            progress=self._progress(),
            whole=self._whole,
            running=self.running,
            allowed=allowed,
            after=self._after(lesson),
            judged="" if done is None else done.judged,
        )
        self.panel.show_page(page)
        self.concealed.emit(self.panel.is_finding)

    def _progress(self) -> str:
        if self.running and self._figures.running:
            return tr("Working out what ran…")
        if not self.running:
            return self._message
        count = len(self._step.runs)
        if count == 1:
            return tr("Running…")
        return tr("Run {n} of {count} is under way…", n=self._queue.ended + 1, count=count)

    def _choose(self, place: int) -> None:
        done = self.done.get(self.place)
        if done is not None:
            self.opened.emit(done.runs[place])

    def _connect(self) -> None:
        panel, session = self.panel, self._session
        panel.run.clicked.connect(self.run)
        panel.entered.connect(self.run)
        panel.stepped.connect(self.step)
        panel.chosen.connect(self._choose)
        panel.again.clicked.connect(self.point)
        panel.revealed.connect(lambda: self.concealed.emit(False))
        session.run_ended.connect(self._end)
        session.refused.connect(self._stop_waiting)
        session.asking_changed.connect(lambda _: self._show())
        self._figures.done.connect(self._show_figures)
        self._figures.failed.connect(self._stop_waiting)
        self._soon.timeout.connect(self.point)


def _worked_out(runs: Sequence[Run]) -> Work[WorkedOut]:
    """Return the figures of runs, with verdicts in the window's language, and their curve.

    The curve is None unless they differ in one number. Raises NothingMeasuredError.
    """
    traces = [run.trace for run in runs]
    figures: list[RunFigures] = []
    for trace in traces:
        yield 0.0
        judged = verdict(trace)
        text = "" if judged is None else translated(judged.text)
        found = run_figures(trace)
        figures.append(replace(found, texts=found.texts | {"verdict": text}))
    settings = [trace.header.specification for trace in traces]
    return figures, curve_results(settings, traces)
