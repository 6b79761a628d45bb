"""Compare panel: the main reason in a sentence, the compared steps, and the differences."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from core.compare.runs import TwoRuns
from core.plan.task import Kind
from core.trace.median_step import median_step, whole_steps
from core.trace.trace import Trace
from gui.features.compare.table import DifferenceTable
from gui.look.core_texts import translated
from gui.look.text import NO_BREAK, duration_text, join_clauses, ntr, tr
from gui.timeline.interact.describe import TITLES
from gui.timeline.state.scene import step_name
from gui.widgets.label import Label, hint, sentence_label
from gui.widgets.layouts import button, column, grid, joined, row, stacked, widget_of
from gui.widgets.sheet import scrolling
from gui.widgets.step_choice import StepChoice

MEDIAN = "median"
ALL = "all"
MOST_STEPS = 1000  # the mean covers at most this many of the latest steps
LEAST = 150  # least height of the table in pixels; a lower panel scrolls


class RunStepChoice(StepChoice):
    """Choice of the compared step of a run: the median, the mean of all, or one by number."""

    def __init__(self, letter: str) -> None:
        super().__init__(
            tr("Step of run {letter}", letter=letter),
            tr("Which step of run {letter} is compared.", letter=letter),
            (tr("median step"), MEDIAN),
            (tr("mean of all steps"), ALL),
        )

    def chosen(self, trace: Trace, live: bool) -> list[int]:
        """Return the chosen steps of a run; empty while it has no whole step."""
        steps = whole_steps(trace, live)
        warmup = trace.header.specification.warmup
        if not steps:
            return []
        self.list_steps(steps, warmup)
        last = tr("mean of the last {n} steps", n=MOST_STEPS)
        mean = tr("mean of {n} steps", n=len(steps))
        self.setItemText(1, last if len(steps) > MOST_STEPS else mean)
        median = median_step(trace, steps)
        self.setItemText(0, tr("median: {step}", step=step_name(median, warmup)))
        data = self.currentData()
        if data == ALL:
            return steps[-MOST_STEPS:]
        return [median if data == MEDIAN else data]


class ComparePanel(QWidget):
    """Differences of two runs. `row_chosen` carries the Difference of a row, or None.

    `steps_chosen` is emitted when the user chooses other steps, `asked` when the button of the
    empty panel is pressed.
    """

    row_chosen = Signal(object)
    steps_chosen = Signal()
    asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.sentence = sentence_label(tr("The main reason for the difference"))
        self.step_a = RunStepChoice(tr("A"))
        self.step_b = RunStepChoice(tr("B"))
        self.table = DifferenceTable()
        self.matched = Label(look="quiet", wrapped=True)
        for choice in (self.step_a, self.step_b):
            # Changing the text of the current item, as `chosen` does, emits no signal.
            choice.currentIndexChanged.connect(lambda _: self.steps_chosen.emit())
        self.table.chosen.connect(self.row_chosen)
        self._stack = stacked(self, self._build_empty(), self._build_body())

    def show_two(self, two: TwoRuns) -> None:
        """Show the differences between two runs."""
        words = translated(two.sentence(duration_text))
        self.sentence.setText(words.replace(" %", f"{NO_BREAK}%"))
        self.table.show_two(two)
        self.matched.setText(matched_text(two))
        self._stack.setCurrentIndex(1)

    def steps(
        self, a: Trace, a_live: bool, b: Trace, b_live: bool, alike: bool
    ) -> tuple[list[int], list[int]]:
        """Return the chosen steps of both runs; none for a run without a whole step.

        `alike` means that B is the prediction of A. Then A's steps replace B's median step.
        """
        of_a = self.step_a.chosen(a, a_live)
        of_b = self.step_b.chosen(b, b_live)
        # A prediction need not have every step of its run.
        has_all = set(of_a) <= set(b.steps)
        if alike and has_all and self.step_b.currentData() == MEDIAN:
            self.step_b.setItemText(0, tr("the same as in A"))
            of_b = of_a
        return of_a, of_b

    def say(self, text: str) -> None:
        """Show why there is nothing to compare yet."""
        self.sentence.setText(text)
        self.table.show_two(None)
        self.matched.setText("")
        self._stack.setCurrentIndex(1)

    def clear(self) -> None:
        """Show the empty panel."""
        self.table.show_two(None)
        self._stack.setCurrentIndex(0)

    def _build_empty(self) -> QWidget:
        words = tr(
            "Show another run, a recording or the prediction below the current run, and see "
            "what takes longer and why."
        )
        self.button = button(QToolButton, tr("Compare with…"), "", self.asked.emit)
        page = column(None, hint(words, margin=0), self.button, None)
        page.setAlignment(self.button, Qt.AlignmentFlag.AlignCenter)
        return widget_of(page, "plot")

    def _build_body(self) -> QWidget:
        self.table.setMinimumHeight(LEAST)
        steps = grid(across=10)
        steps.setContentsMargins(12, 2, 12, 6)
        choices = ((tr("A"), self.step_a), (tr("B"), self.step_b))
        for place, (name, choice) in enumerate(choices):
            label = Label(name, "said")
            label.setBuddy(choice)
            steps.addLayout(row(label, choice, growing=choice), 0, place)
        self.matched.setContentsMargins(12, 4, 12, 6)
        page = joined(self.sentence, steps, self.table, self.matched, growing=self.table)
        return scrolling(widget_of(page, "plot"), tr("Comparison"))


def matched_text(two: TwoRuns) -> str:
    """Return the number of matched tasks, and the unmatched ones, in words."""
    words = [ntr("{n:,} task matched", "{n:,} tasks matched", len(two.matches))]
    only = (tr("only in A: {tasks}"), tr("only in B: {tasks}"))
    for template, counts in zip(only, two.matches.unmatched(), strict=True):
        if counts:
            tasks = ", ".join(_counted(counts))
            words.append(template.format(tasks=tasks))
    return join_clauses(words) + "."


def _counted(counts: dict[Kind, int]) -> list[str]:
    parts = []
    for kind, count in counts.items():
        title = tr(TITLES.get(kind, "Other"))
        parts.append(f"{count:,} {title.lower()}")
    return parts
