"""The Lesson panel: what a step says, its runs, its question, and the way to the next step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from core.lessons.figures import StepBar
from core.lessons.lesson import MOST_RUNS, Lesson, LessonStep, differing, filled
from core.plan.specification import Specification
from gui.app.setting_names import settings_text
from gui.features.lessons.run_bar import RunBar
from gui.look.text import tr
from gui.widgets.label import Label, wrapped_tip
from gui.widgets.layouts import button, column, grid, joined, row, widget_of
from gui.widgets.sheet import scrolling

MARGINS = (12, 8, 10, 8)
RESULT = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight


@dataclass(frozen=True, slots=True)
class Page:
    """How it stands with the step at a place of a lesson; without `figures` it has not run yet.

    `bars` are the steps of its runs. `progress` says what goes on or went wrong, `whole` all of
    that where it is shortened, and `after` what the way on is called.
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

    @property
    def step(self) -> LessonStep:
        """What is shown."""
        return self.lesson.steps[self.place]

    @property
    def answer(self) -> str:
        """The answer, once there are figures for it."""
        return filled(self.step.answer, self.figures) if self.figures else ""


class LessonPanel(QWidget):
    """`stepped` carries the way that one wants to go, back or forth.

    `chosen` carries the place of a run that shall be shown. The button `run` wants the step run, or
    stopped, and `again` what it is about shown again.
    """

    stepped = Signal(int)
    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("lesson_panel")
        self.page: Page | None = None
        self._build()
        self.show_page(None)

    def show_page(self, page: Page | None) -> None:
        """Show a step as it is now, or what the panel is for."""
        if page is None:
            self.title.setText(tr("A lesson goes through a few steps that really run."))
            self.text.setText(tr("Choose one in Help > Lessons, or on the first page."))
        for part in (self.lesson, self.place, self.run, *self._asks, self._foot):
            part.setVisible(page is not None)
        if page is not None:
            self._show(page)
        self.page = page

    def show_answer(self) -> None:
        """Show the answer to the question."""
        self.reveal.hide()
        self.answer.show()

    def _show(self, page: Page) -> None:
        # The same page comes again whenever a run begins
        # or ends: an answer that was revealed stays open.
        before, step, figures = self.page, page.step, page.figures
        known = before is not None and (before.place, before.step.title, before.answer) == (
            page.place, step.title, page.answer,
        )  # fmt: skip
        # Not `isVisible`, which is false as well while the panel lies behind another tab.
        revealed = known and not self.answer.isHidden()
        place = tr("Step {n} of {count}", n=page.place + 1, count=len(page.lesson.steps))
        for label, text in (
            (self.lesson, page.lesson.title), (self.place, place), (self.title, step.title),
            (self.text, filled(step.text, figures)), (self.answer, page.answer),
            (self.question, filled(step.question, figures)),
        ):  # fmt: skip
            label.setText(text)
        self.progress.say(page.progress)
        self.progress.setToolTip(wrapped_tip(page.whole))
        self.run.setText(_run_text(page))
        self.run.setEnabled(page.allowed)
        self._show_runs(step.runs, figures, page.bars)
        self.again.setVisible(bool(page.answer))
        self.reveal.setVisible(not revealed)
        self.reveal.setEnabled(bool(page.answer))
        self.answer.setVisible(revealed)
        self.back.setEnabled(page.place > 0)
        self.forth.setText(page.after)
        self.forth.setVisible(bool(page.after))

    def _show_runs(
        self,
        runs: Sequence[Specification],
        figures: Sequence[dict[str, str]],
        bars: Sequence[StepBar],
    ) -> None:
        """What a step's runs are, and how long a step took in each that was made."""
        while (item := self._runs.takeAt(0)) is not None:
            widget = item.widget()
            if widget is None:
                continue
            widget.hide()
            if not isinstance(widget, RunBar):
                # Not at once: this may be called from the click of one of these very links.
                widget.deleteLater()
        longest_ns = max((bar.step_ns for bar in bars), default=0)
        for place, run in enumerate(runs):
            title = settings_text(differing(run, runs))
            self._runs.addWidget(Label(title, "quiet", wrapped=True), 2 * place, 0)
            if figures:
                time, show = figures[place]["step_ms"], partial(self.chosen.emit, place)
                tip = tr("Show this run; a step takes so long in it.")
                link = button(QToolButton, time, tip, show, look="link")
                self._runs.addWidget(link, 2 * place, 1, RESULT)
            if len(bars) > 1:
                bar = self.bars[place]
                bar.show_step(bars[place], longest_ns)
                self._runs.addWidget(bar, 2 * place + 1, 0, 1, 2)
                bar.show()

    def _build(self) -> None:
        self.lesson, self.place = Label("", "heading", wrapped=True), Label("", "quiet")
        self.title, self.text = Label("", "said", wrapped=True), Label("", wrapped=True)
        self.progress = Label("", "quiet", wrapped=True)
        self.question = Label(wrapped=True)
        self.answer = Label("", "answer", wrapped=True, selectable=True)
        tip = tr("Run what this step is about; the settings in the form stay as they are.")
        self.run = button(QPushButton, tr("▶  Run this step"), tip)
        self.run.setObjectName("primary")
        # Made once, as the theme is given to those that are there.
        self.bars = [RunBar() for _ in range(MOST_RUNS)]
        for bar in self.bars:
            bar.setParent(self)
            bar.hide()
        tip = tr("Put the light on what this step is about.")
        self.again = button(QToolButton, tr("Show me where"), tip, look="link")
        tip = tr("Think first; the answer comes from what ran.")
        self.reveal = button(QPushButton, tr("Show the answer"), tip, self.show_answer)
        tip = tr("Go back to the step before.")
        self.back = button(QPushButton, tr("Back"), tip, partial(self.stepped.emit, -1))
        tip = tr("Go on to what comes next.")
        self.forth = button(QPushButton, tr("Next"), tip, partial(self.stepped.emit, 1))
        self._lay_out()

    def _lay_out(self) -> None:
        self._heading = Label(tr("QUESTION"), "heading")
        self._runs = grid(down=3)
        self._runs.setColumnStretch(0, 1)
        page = column(
            self.lesson, self.place, 4, self.title, self.text, 4, self._heading, self.question, 4,
            self.run, self.progress, self._runs, self.again, self.reveal, self.answer, None,
            margins=MARGINS, spacing=6,
        )  # fmt: skip
        self._foot = widget_of(row(self.back, self.forth, margins=MARGINS, spacing=8), "footer")
        self._asks: tuple[QWidget, ...] = (
            self._heading, self.question, self.reveal, self.answer, self.progress, self.again,
        )  # fmt: skip
        scrolled = scrolling(widget_of(page, "sheet"), tr("Lesson"))
        joined(scrolled, self._foot, of=self, growing=scrolled)


def _run_text(page: Page) -> str:
    if page.running:
        return tr("Stop")
    return tr("▶  Run it again") if page.answer else tr("▶  Run this step")
