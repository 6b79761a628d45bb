"""Slowdown: how much shorter a step would be if one part of the job were like its peers."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from core.counts import steps_text
from core.errors import PlanError
from core.message import N_
from core.override import override
from core.report.even_split import EvenSplit, even_split
from core.report.slowdown import Slowdown, slowdown
from core.trace.median_step import whole_steps
from core.trace.trace import Trace
from gui.app.jobs import Runner, Work
from gui.features.slowdown.cells import Cell, axis_pairs, cell_sentence
from gui.features.slowdown.chart import SlowdownChart
from gui.look.core_texts import translated
from gui.look.text import duration_text, sentence, tr
from gui.timeline.state.scene import Scene
from gui.widgets.fields import Choice
from gui.widgets.label import Label, hint, sentence_label
from gui.widgets.layouts import joined, named, row, stacked, widget_of

EMPTY = N_(
    "The worker or kind of work that slows the job down appears here when the run has ended."
)
AXES = N_("Rows × columns: replicas (DP), pipeline ranks (PP), workers that share a stage (TP).")


class Found(NamedTuple):
    """Savings of a run; `split` divides the saving of an even job, None if that is unknown."""

    savings: Slowdown
    split: EvenSplit | None


class SlowdownPanel(QWidget):
    """The matrix of a finished run, computed on a thread once the panel is visible.

    `chosen` carries the cell to show in the timeline, or None to show all lanes again.
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.found: Found | None = None
        self._scene: Scene | None = None
        self._live = False
        self._computed_for: tuple[Scene, int] | None = None
        self._runner = Runner(self, "slowdown")
        self._runner.done.connect(self._show)
        self._runner.failed.connect(lambda problem: self._show_hint(sentence(problem)))
        self.hint = hint(tr(EMPTY))
        self.summary = Label(look="quiet", wrapped=True)
        self.verdict = sentence_label(tr("Uneven work"))
        self.axes = named(Choice(), tr("Axes of the matrix"), tr(AXES))
        self.axes.currentIndexChanged.connect(self._choose_axes)
        self.chart = SlowdownChart()
        self.chart.activated.connect(self._activate)
        self.chart.moved_to.connect(self._scroll_to)
        self.sentence = named(Label(wrapped=True, selectable=True), tr("Selected part"))
        self._build()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Show another run or none, or update the same run, which has grown or ended."""
        self._scene = scene
        self._live = live
        self._refresh()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def unmark(self) -> None:
        """Remove the mark of a cell that the timeline no longer shows."""
        self.chart.mark(None)

    def _refresh(self) -> None:
        """Compute the savings of the run, unless they are known or the panel is not visible."""
        scene = self._scene
        if scene is None or self._live:
            self._forget(tr(EMPTY))
            return
        if scene.concealed:
            self._forget(scene.concealed)
            return
        current = (scene, scene.trace.version)
        if current == self._computed_for or not self.isVisible():
            return
        self._forget(tr("Comparing each worker with its peers…"))
        self._computed_for = current
        # Without a snapshot: the run has ended, so its trace does not grow.
        self._runner.start(_compute(scene.trace), thread=True)

    def _forget(self, reason: str) -> None:
        """Cancel the computation and remove its result."""
        self._runner.cancel()
        self._computed_for = None
        self.found = None
        self._show_hint(reason)

    def _show_hint(self, reason: str) -> None:
        """Show why there is no matrix."""
        self.hint.setText(reason)
        self._stack.setCurrentIndex(0)

    def _show(self, found: Found) -> None:
        assert self._scene is not None
        self.found = found
        savings = found.savings
        self.verdict.say(_split_sentence(found.split))
        self.summary.setText(_summary(savings))
        with QSignalBlocker(self.axes):
            self.axes.clear()
            for rows, columns in axis_pairs(savings):
                self.axes.addItem(f"{rows} × {columns}", (rows, columns))
        self._show_chart(savings)
        self._stack.setCurrentIndex(1)

    def _choose_axes(self) -> None:
        """Show the matrix with the chosen axes, and all lanes in the timeline."""
        pair = self.axes.currentData()
        if self.found is not None and pair is not None:
            self._show_chart(self.found.savings.with_axes(*pair))
            self.chosen.emit(None)

    def _show_chart(self, savings: Slowdown) -> None:
        assert self._scene is not None
        names = tuple(lane.name for lane in self._scene.trace.header.lanes)
        self.chart.show_slowdown(savings, names)
        self._show_sentence()

    def _activate(self, cell: Cell) -> None:
        """Show a cell's lanes or spans in the timeline; if it is marked already, show all again."""
        wanted = None if cell == self.chart.marked else cell
        self.chosen.emit(wanted)
        self.chart.mark(wanted)

    def _scroll_to(self, rect: QRectF) -> None:
        """Scroll to the current cell, with a margin of a cell's size, and show its sentence."""
        centre = rect.center().toPoint()
        x_margin = int(rect.width())
        y_margin = int(rect.height())
        self._area.ensureVisible(centre.x(), centre.y(), x_margin, y_margin)
        self._show_sentence()

    def _show_sentence(self) -> None:
        """Show the sentence of the current cell."""
        cell = self.chart.current
        self.sentence.setText("" if cell is None else cell_sentence(cell))

    def _build(self) -> None:
        self._area = named(QScrollArea(), tr("Slowdown matrix"))
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        sheet = joined(self.chart, None)
        self._area.setWidget(widget_of(sheet, "plot"))
        self.verdict.setContentsMargins(12, 6, 12, 0)
        self.sentence.setContentsMargins(12, 4, 12, 6)
        top = row(self.summary, self.axes, growing=self.summary, margins=(12, 6, 12, 4))
        page = joined(self.verdict, top, self._area, self.sentence, growing=self._area)
        self._stack = stacked(self, self.hint, widget_of(page))


def _split_sentence(split: EvenSplit | None) -> str:
    """Return a sentence on how the saving of an even job is divided; "" if that is unknown."""
    text = None if split is None else split.text
    return "" if text is None else translated(text)


def _summary(savings: Slowdown) -> str:
    """Return the meaning of the numbers, and the mean step that they refer to."""
    values = {
        "time": duration_text(savings.step_ns),
        "steps": translated(steps_text(savings.steps)),
    }
    if savings.replayed < savings.steps:
        return tr(
            "Per cent of a step saved if a part were like its peers. A step takes {time}, the"
            " mean of {steps}, {replayed} of them replayed.",
            replayed=savings.replayed,
            **values,
        )
    return tr(
        "Per cent of a step saved if a part were like its peers. A step takes {time}, the "
        "mean of {steps}.",
        **values,
    )


def _compute(trace: Trace) -> Work[Found]:
    """Return the savings of a run. Raises PlanError for a trace without steps."""
    yield 0.0
    steps = whole_steps(trace)
    if not steps:
        raise PlanError(tr("This trace has no steps."))
    savings = slowdown(trace, steps)
    yield 0.5
    return Found(savings, even_split(trace, steps))
