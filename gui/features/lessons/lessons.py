"""Controller of lessons: makes the runs of the current step and shows their figures."""

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
from core.message import N_
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

KIND = N_("Lessons (*.md)")
SETTLE_MS = 150  # for the layout of the window, before the spotlight is placed

ComputedFigures = tuple[list[RunFigures], Results | None]
"""The figures of each run of a step, and their curve; None if the runs form no curve."""


@dataclass(frozen=True, slots=True)
class Done:
    """The finished runs of a step, with the figures of each, and their curve if they form one.

    `judged` says whether the learner's prediction was right; "" if none was made.
    """

    runs: Sequence[Run]
    run_figures: list[RunFigures]
    curve: Results | None
    judged: str = ""

    @property
    def figures(self) -> list[dict[str, str]]:
        """The figures of each run as texts."""
        return [one.texts for one in self.run_figures]


class Lessons(QObject):
    """Leads through the steps of a lesson.

    `chosen` is emitted when a lesson has been opened, and `began` before a step runs. `opened`
    carries a run to show, `compared` the run to compare it with, and `failed` a message.
    `concealed` carries True while explanations are to be hidden because the learner has to find
    out what is slow. `own_model` is emitted when the user goes on after the end of the last
    lesson. `start` starts a run without changing the form, and returns True if that succeeded.
    """

    chosen = Signal()
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
        self._shell = shell
        self._session = shell.session
        self._pointer = pointer
        self.panel = LessonPanel()
        self.spotlight = Spotlight(shell.main_window)
        self._queue = RunQueue(start)
        self._figures = Runner(self, "lesson")
        self._settled = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self.lesson: Lesson | None = None
        self.path: Path | None = None
        self.place = 0
        """The position of the current step."""
        self.done: dict[int, Done] = {}
        """The steps that have run, by position."""
        self.running = False
        self._ended_runs: Sequence[Run] = ()
        self._message = ""
        self._whole_message = ""
        """The message in full; "" unless `_message` is shortened."""
        self._connect()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.spotlight.theme = theme

    def ask(self) -> None:
        """Ask for the file of a lesson, and begin it."""
        title = tr("Open lesson")
        window = self._shell.main_window
        folder = self._shell.settings.folder
        ask_open(window, title, folder, [tr(KIND)], lambda paths: self.open(paths[0]))

    def open(self, path: Path) -> None:
        """Begin a lesson; `failed` reports an invalid file."""
        try:
            lesson = read_lesson(in_language(path))
        except LessonError as error:
            self.failed.emit(problem_text(error))
            return
        self._leave_step()
        self.lesson = lesson
        self.path = path
        self.place = 0
        self.done = {}
        self._shell.bring("lesson")
        self.chosen.emit()
        self._show()
        self.panel.take_focus()

    def run(self) -> None:
        """Make the runs of the step, or stop the one in progress."""
        if self.running:
            self._session.stop()
        elif self.lesson is not None and not self._session.asking:
            self.spotlight.hide()
            self.began.emit()
            self.running = True
            self._clear_message()
            self._queue.run(self._step.runs, self._compute_figures)
            # The engine may have refused the first run before `_queue.run` returned.
            self.running = self._session.asking
            self._show()

    def step(self, by: int) -> None:
        """Go to the next step (1) or the previous one (-1).

        After a lesson's last step, the next lesson begins. After the last lesson, or a lesson from
        a file, the panel suggests the user's own model; one step further, it closes.
        """
        if self.lesson is None:
            return
        self.spotlight.hide()
        following = self._following()
        count = len(self.lesson.steps)
        if self.place + by >= count and following is not None:
            self.open(following)
            return
        self._leave_step()
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

        If the step has two runs, the first one is shown below for comparison.
        """
        done = self.done.get(self.place)
        if done is None:
            return
        self.opened.emit(done.runs[-1])
        if len(done.runs) == 2:
            self.compared.emit(done.runs[0])
        # The panel is not dimmed, because its text describes the subject.
        undimmed = partial(self._pointer.place_of, self.panel)
        subject = self._pointer.places(self._step.point)
        self.spotlight.point(subject, [undimmed])

    # Runs

    @property
    def _step(self) -> LessonStep:
        assert self.lesson is not None
        return self.lesson.steps[self.place]

    def _compute_figures(self, runs: Sequence[Run]) -> None:
        """Compute the figures of the step's runs, which have all ended."""
        self._ended_runs = tuple(runs)
        # The runs have ended, so nothing adds spans while the thread reads them.
        self._figures.start(_computed_figures(runs), thread=True)

    def _show_figures(self, found: ComputedFigures) -> None:
        """Show the step as done, and point at its subject."""
        figures, curve = found
        prediction = self._step.prediction
        guess = self.panel.prediction.guess
        judged = ""
        if prediction is not None and guess is not None:
            judged = translated(judged_guess(prediction, guess, figures))
        self.done[self.place] = Done(self._ended_runs, figures, curve, judged)
        self._stop_waiting("")
        self._settled.start()

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
        if not self.running:
            return
        self.running = False
        self._queue.forget()
        # The error of a user's model may have any length.
        short = shortened(message)
        self._message = sentence(short) if short else ""
        self._whole_message = "" if short == message else message
        self._show()

    def _leave_step(self) -> None:
        """Cancel the runs of the step and the work on their figures."""
        # Otherwise a late result of this step would be shown on the next one.
        self._settled.stop()
        self._figures.cancel()
        if self.running:
            self._session.stop()
        self._stop_waiting("")
        self._clear_message()

    def _clear_message(self) -> None:
        self._message = ""
        self._whole_message = ""

    # The panel

    def _following(self) -> Path | None:
        """Return the shipped lesson after this one; None after the last or a user's own."""
        every = shipped()
        if self.path not in every:
            return None
        following = every.index(self.path) + 1
        return every[following] if following < len(every) else None

    def _forward_text(self, lesson: Lesson) -> str:
        """Return the text of the button to the next step."""
        if self.place + 1 < len(lesson.steps):
            return tr("Next")
        is_last = self._following() is None
        return tr("Done") if is_last else tr("Next lesson")

    def _show(self) -> None:
        """Show the state of the current step in the panel."""
        lesson = self.lesson
        if lesson is None or self.place >= len(lesson.steps):
            return
        page = Page(
            lesson=lesson,
            place=self.place,
            figures=[],
            progress=self._progress(),
            whole=self._whole_message,
            running=self.running,
            allowed=self.running or not self._session.asking,
            after=self._forward_text(lesson),
        )
        done = self.done.get(self.place)
        if done is not None:
            page = replace(
                page,
                figures=done.figures,
                bars=[one.bar for one in done.run_figures],
                curve=done.curve,
                judged=done.judged,
            )
        self.panel.show_page(page)
        self.concealed.emit(self.panel.is_finding)

    def _progress(self) -> str:
        """Return the progress of the step's runs, or the message about the last ones."""
        if self.running and self._figures.running:
            return tr("Computing the results…")
        if not self.running:
            return self._message
        count = len(self._step.runs)
        if count == 1:
            return tr("Running…")
        return tr("Run {n} of {count} is under way…", n=self._queue.ended + 1, count=count)

    def _show_run(self, place: int) -> None:
        """Show one of the step's runs in the timeline."""
        done = self.done.get(self.place)
        if done is not None:
            self.opened.emit(done.runs[place])

    def _connect(self) -> None:
        panel = self.panel
        session = self._session
        panel.run.clicked.connect(self.run)
        panel.entered.connect(self.run)
        panel.stepped.connect(self.step)
        panel.chosen.connect(self._show_run)
        panel.again.clicked.connect(self.point)
        panel.revealed.connect(lambda: self.concealed.emit(False))
        session.run_ended.connect(self._end)
        session.refused.connect(self._stop_waiting)
        session.asking_changed.connect(lambda _: self._show())
        self._figures.done.connect(self._show_figures)
        self._figures.failed.connect(self._stop_waiting)
        self._settled.timeout.connect(self.point)


def _computed_figures(runs: Sequence[Run]) -> Work[ComputedFigures]:
    """Return the figures of runs, with verdicts in the window's language, and their curve.

    The curve is None unless the runs differ in exactly one number. Raises NothingMeasuredError if
    a run has no whole measured step.
    """
    traces = [run.trace for run in runs]
    figures: list[RunFigures] = []
    for trace in traces:
        yield 0.0
        judged = verdict(trace)
        text = "" if judged is None else translated(judged.text)
        found = run_figures(trace)
        texts = found.texts | {"verdict": text}
        figures.append(replace(found, texts=texts))
    settings = [trace.header.specification for trace in traces]
    return figures, curve_results(settings, traces)
