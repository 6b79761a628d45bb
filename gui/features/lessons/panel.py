"""Lesson panel: the text of a step, its question, its runs, and buttons to the other steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from core.lessons.curve import run_of
from core.lessons.figures import StepBar
from core.lessons.lesson import MOST_RUNS, Lesson, LessonStep, differing, filled
from core.lessons.straggler import Straggler, judged, straggler_of
from core.override import override
from core.plan.specification import Specification
from core.sweep.results import Result, Results
from gui.app.setting_names import settings_text
from gui.features.lessons.guess import GuessFields
from gui.features.lessons.prediction import PredictionField
from gui.features.lessons.run_bar import RunBar
from gui.features.sweep.view import SweepView
from gui.look.core_texts import translated
from gui.look.text import tr
from gui.widgets.label import Label, wrapped_tip
from gui.widgets.layouts import button, column, grid, joined, row, widget_of
from gui.widgets.sheet import scrolling

MARGINS = (12, 8, 10, 8)
CURVE = 210  # pixels, height of the curve of a step's runs
RESULT = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight


@dataclass(frozen=True, slots=True)
class Page:
    """State of a step of a lesson; the step has not run yet if `figures` is empty.

    `bars` are the median steps of its runs, and `curve` shows them over the number in which the
    runs differ. `judged` says whether the learner's prediction was right, "" if none was made.
    `progress` is a message on the runs, and `whole` is the message in full if `progress` is
    shortened. `after` is the text of the button to the next step.
    """

    lesson: Lesson
    place: int
    figures: list[dict[str, str]]
    progress: str
    running: bool
    allowed: bool
    after: str
    whole: str = ""
    bars: Sequence[StepBar] = ()
    curve: Results | None = None
    judged: str = ""

    @property
    def step(self) -> LessonStep:
        """The step of the lesson."""
        return self.lesson.steps[self.place]

    @property
    def answer(self) -> str:
        """The answer, preceded by a verdict on the prediction; "" until there are figures."""
        if not self.figures:
            return ""
        answer = filled(self.step.answer, self.figures)
        return f"{self.judged} {answer}".strip()


class LessonPanel(QWidget):
    """Shows a page. The controller connects to its buttons `run` and `again`.

    `stepped` carries 1 for the next step and -1 for the previous one, `chosen` the place of a run
    to show. `shown` carries True when the panel becomes visible, and False when it is hidden or
    covered. `revealed` is emitted when the user asks for the answer. `entered` asks to run the
    step, as a click on `run` does.
    """

    stepped = Signal(int)
    chosen = Signal(int)
    shown = Signal(bool)
    revealed = Signal()
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("lesson_panel")
        self.page: Page | None = None
        self.prediction = PredictionField()
        self._asked: LessonStep | None = None
        self._build()
        self.show_page(None)

    @property
    def is_finding(self) -> bool:
        """True while the learner looks for a slow lane: from the first run to the answer."""
        page = self.page
        if page is None or not page.step.find:
            return False
        return (page.running or bool(page.figures)) and self.answer.isHidden()

    def show_page(self, page: Page | None) -> None:
        """Show a step; None shows the purpose of the panel."""
        if page is None:
            self.title.setText(tr("A lesson guides you through a few steps with real runs."))
            self.text.setText(tr("Choose one in Help > Lessons, or on the first page."))
        # Not `isVisible`, which is also false while another tab covers the panel.
        is_revealed = not self.answer.isHidden()
        for part in self._parts_of_a_step:
            part.setVisible(page is not None)
        if page is not None:
            self._show(page, is_revealed)
        self.page = page

    def show_end(self, lesson: Lesson) -> None:
        """Show that the lesson is done, and suggest the user's own model."""
        for part in self._parts_of_a_step:
            part.setVisible(part in (self.lesson, self._foot))
        self._clear_runs()
        self.curve.hide()
        self.lesson.setText(lesson.title)
        self.title.setText(tr("Done, and next: your own model"))
        self.text.setText(
            tr(
                "Put it into a Python file with a function build(), choose From a file… under "
                "Model, and press Run. Everything that the lessons showed works for it too."
            )
        )
        self.back.setEnabled(True)
        self.forth.setText(tr("Choose a model"))
        self.page = None

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit(True)

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.shown.emit(False)

    def show_answer(self) -> None:
        """Show the answer to the question, after a verdict on the user's own guess."""
        page = self.page
        if page is not None and page.step.find:
            self._judge(page)
        self.reveal.hide()
        self.guess.hide()
        self.answer.show()
        self.revealed.emit()
        QTimer.singleShot(0, self, self._scroll_to_answer)

    def _judge(self, page: Page) -> None:
        """Put the verdict on the user's guess in front of the answer."""
        slow_lane = straggler_of(page.step.runs[-1])
        if slow_lane is None:
            return
        guess = Straggler(self.guess.lane, self.guess.factor)
        verdict = translated(judged(guess, slow_lane))
        self.answer.setText(f"{verdict} {page.answer}")

    def _scroll_to_answer(self) -> None:
        self._scrolled.ensureWidgetVisible(self.answer, 0, 8)

    def _show(self, page: Page, is_revealed: bool) -> None:
        # The same page is shown again when a run begins or ends; a revealed answer stays visible.
        is_same = False
        if self.page is not None:
            is_same = _identity(self.page) == _identity(page)
        # A learner who made a prediction sees at once whether it was right.
        revealed = bool(page.judged) or (is_same and is_revealed)
        step = page.step
        figures = page.figures
        count = len(page.lesson.steps)
        self.lesson.setText(page.lesson.title)
        self.place.setText(tr("Step {n} of {count}", n=page.place + 1, count=count))
        self.title.setText(step.title)
        self.text.setText(filled(step.text, figures))
        self.question.setText(filled(step.question, figures))
        if page.judged or not revealed:
            self.answer.setText(page.answer)
        self._show_prediction(page)
        self.guess.setVisible(step.find and not revealed)
        self.guess.set_lanes(_lanes_of(step))
        self.progress.say(page.progress)
        self.progress.setToolTip(wrapped_tip(page.whole))
        self._say_run(page)
        self.run.setEnabled(page.allowed)
        bars = page.bars if page.curve is None else ()  # the curve shows the same
        self._show_runs(step.runs, figures, bars)
        self.curve.show_results(page.curve)
        self.curve.setVisible(page.curve is not None)
        self.again.setVisible(bool(page.answer))
        self.reveal.setVisible(not revealed)
        self.reveal.setEnabled(bool(page.answer))
        self.answer.setVisible(revealed)
        if revealed and not is_revealed:
            # Later, when the page has been laid out with the answer.
            QTimer.singleShot(0, self, self._scroll_to_answer)
        self.back.setEnabled(page.place > 0)
        self.forth.setText(page.after)
        self.forth.setVisible(bool(page.after))

    def take_focus(self) -> None:
        """Give the focus to the first part that the user fills in: the prediction, or Run."""
        if self.prediction.isHidden():
            self.run.setFocus()
        else:
            self.prediction.take_focus()

    def _show_prediction(self, page: Page) -> None:
        """Ask for the prediction, which cannot be changed once the step runs."""
        is_fixed = page.running or bool(page.figures)
        if self._asked is not page.step:
            self._asked = page.step
            self.prediction.ask(page.step)
        is_asked = page.step.prediction is not None
        has_guess = self.prediction.guess is not None
        self.prediction.setVisible(is_asked and (has_guess or not is_fixed))
        if is_fixed and self.prediction.has_focus:
            # Qt would give the focus of a disabled field to any other widget.
            self.run.setFocus()
        self.prediction.lock(is_fixed)

    def _say_run(self, page: Page | None) -> None:
        if page is not None:
            is_unpredicted = page.step.prediction is not None and self.prediction.guess is None
            self.run.setText(_run_text(page, is_unpredicted))

    def _show_runs(
        self,
        runs: Sequence[Specification],
        figures: Sequence[dict[str, str]],
        bars: Sequence[StepBar],
    ) -> None:
        """Show the settings of a step's runs, with the durations of finished runs."""
        self._clear_runs()
        longest_ns = max((bar.step_ns for bar in bars), default=0)
        for place, run in enumerate(runs):
            title = settings_text(differing(run, runs))
            self._runs.addWidget(Label(title, "quiet", wrapped=True), 2 * place, 0)
            if figures:
                tip = tr("Duration of a step in this run. Click to show the run.")
                show = partial(self.chosen.emit, place)
                link = button(QToolButton, figures[place]["step_ms"], tip, show, look="link")
                self._runs.addWidget(link, 2 * place, 1, RESULT)
            if len(bars) > 1:
                bar = self.bars[place]
                bar.show_step(bars[place], longest_ns)
                self._runs.addWidget(bar, 2 * place + 1, 0, 1, 2)
                bar.show()

    def _choose_result(self, result: Result) -> None:
        if self.page is not None:
            self.chosen.emit(run_of(result.setting, self.page.step.runs))

    def _clear_runs(self) -> None:
        item = self._runs.takeAt(0)
        while item is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                if not isinstance(widget, RunBar):
                    # Later: this may be called from the click of one of these links.
                    widget.deleteLater()
            item = self._runs.takeAt(0)

    def _build(self) -> None:
        self.lesson = Label("", "heading", wrapped=True)
        self.place = Label("", "quiet")
        self.title = Label("", "said", wrapped=True)
        self.text = Label("", wrapped=True)
        self.progress = Label("", "quiet", wrapped=True)
        self.question = Label(wrapped=True)
        self.answer = Label("", "answer", wrapped=True, selectable=True)
        tip = tr("Run what this step describes; the settings in the form do not change.")
        self.run = button(QPushButton, tr("▶  Run this step"), tip)
        self.run.setObjectName("primary")
        # Made once: the docks set the theme of existing widgets.
        self.bars = [RunBar() for _ in range(MOST_RUNS)]
        for bar in self.bars:
            bar.setParent(self)
            bar.hide()
        self.curve = SweepView()
        self.curve.setFixedHeight(CURVE)
        self.curve.chosen.connect(self._choose_result)
        self.curve.hide()
        tip = tr("Highlight what this step is about.")
        self.again = button(QToolButton, tr("Show me where"), tip, look="link")
        self.prediction.changed.connect(lambda: self._say_run(self.page))
        self.prediction.entered.connect(self.entered)
        self.guess = GuessFields()
        tip = tr("Think first: the answer is taken from the runs.")
        self.reveal = button(QPushButton, tr("Show the answer"), tip, self.show_answer)
        tip = tr("Go to the previous step.")
        to_previous = partial(self.stepped.emit, -1)
        self.back = button(QPushButton, tr("Back"), tip, to_previous)
        tip = tr("Go to the next step.")
        to_next = partial(self.stepped.emit, 1)
        self.forth = button(QPushButton, tr("Next"), tip, to_next)
        self._lay_out()

    def _lay_out(self) -> None:
        self._heading = Label(tr("QUESTION"), "heading")
        self._runs = grid(down=3)
        self._runs.setColumnStretch(0, 1)
        text = (self.lesson, self.place, 4, self.title, self.text, 4)
        question = (self._heading, self.question, self.prediction, 4)
        runs = (self.run, self.progress, self._runs, self.curve, self.again)
        answer = (self.guess, self.reveal, self.answer)
        parts = (*text, *question, *runs, *answer, None)
        page = column(*parts, margins=MARGINS, spacing=6)
        self._foot = widget_of(row(self.back, self.forth, margins=MARGINS, spacing=8), "footer")
        self._parts_of_a_step: tuple[QWidget, ...] = (
            self.lesson,
            self.place,
            self._heading,
            self.question,
            self.prediction,
            self.run,
            self.progress,
            self.again,
            self.guess,
            self.reveal,
            self.answer,
            self._foot,
        )
        self._scrolled = scrolling(widget_of(page, "sheet"), tr("Lesson"))
        joined(self._scrolled, self._foot, of=self, growing=self._scrolled)


def _lanes_of(step: LessonStep) -> int:
    """Return the number of lanes of a step's last run, from its devices: `4xvirtual`."""
    count = step.runs[-1].devices.partition("x")[0]
    return int(count) if count.isdigit() else 1


def _identity(page: Page) -> tuple[int, str, str]:
    return page.place, page.step.title, page.answer


def _run_text(page: Page, is_unpredicted: bool) -> str:
    if page.running:
        return tr("Stop")
    if is_unpredicted and not page.figures:
        return tr("▶  Run it without a prediction")
    if page.answer:
        return tr("▶  Run it again")
    return tr("▶  Run this step")
