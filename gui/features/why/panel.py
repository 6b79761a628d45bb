"""Why: the reasons for a step's length, from the ideal step to the measured one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget

from core.message import N_
from core.override import override
from core.plan.schedules import SCHEDULES
from core.report.step_figures import StepFigures, mean_figures
from core.report.verdict import Verdict
from core.trace.source import Source
from gui.app.explaining import why_not_yet
from gui.features.why.arrivals import ArrivalsList
from gui.features.why.path_list import MOST, PathList
from gui.features.why.shares import IdleBars, PathBar
from gui.features.why.waterfall import WaterfallChart
from gui.look.core_texts import translated
from gui.look.text import ntr, percent_text, tr
from gui.timeline.layout.fonts import Fonts
from gui.timeline.state.explained import Wanted
from gui.timeline.state.scene import Scene, shown_steps, step_name
from gui.widgets.label import Label, hint
from gui.widgets.layouts import button, column, grid, joined, named, row, stacked, widget_of
from gui.widgets.sheet import scrolling
from gui.widgets.step_choice import LISTED, StepChoice

ON_SCREEN = "on screen"
MEAN = "mean"
SHARE_S = 0.02  # seconds for which computing figures may block the window
NONE = "–"


class WhyPanel(QWidget):
    """Waterfall, critical path, idle time by cause and bubbles of a step, or the means of several.

    Above them is the verdict on the whole run, once it has ended. The step is the one on screen,
    unless another one is chosen here. `path` emits the piece of the path that was picked. `asked`
    carries an ExplanationCache and the steps that the user wants explained, however long it takes.
    """

    asked = Signal(object, list)

    def __init__(self) -> None:
        super().__init__()
        self.figures: StepFigures | None = None
        self._scene: Scene | None = None
        self._live = self._asked = False
        self._verdict = ""
        entries = (tr("step on screen"), ON_SCREEN), (tr("mean of the measured steps"), MEAN)
        self.chooser = StepChoice(tr("Step"), tr("Which step is explained."), *entries)
        self.chooser.currentIndexChanged.connect(lambda _: self._refresh())
        self.waterfall = WaterfallChart()
        self.path_bar = PathBar()
        self.idle = IdleBars()
        self.verdict = named(Label(wrapped=True, selectable=True), tr("Verdict"))
        self.verdict.setContentsMargins(12, 8, 12, 2)
        self.verdict.hide()
        self.path = PathList()
        self.path_button = QToolButton()
        self._path_heading = _heading("")
        self.bubbles = _Bubbles()
        self.arrivals = ArrivalsList()
        title = tr("COLLECTIVES · last to arrive, mean wait and transfer")
        self._arrivals_heading = _heading(title)
        self._build()

    # Content

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Show another run or none, or the new data of the same run."""
        if scene is not self._scene:
            self.path.clear_path()
            self._asked = False
        self._scene = scene
        self._live = live
        self._refresh()

    @property
    def steps(self) -> list[int]:
        """The steps that are explained: one, or those of the mean; [] if there is no such step."""
        if self._scene is None:
            return []
        choice = self.chooser.currentData()
        if choice == MEAN:
            return shown_steps(self._scene.trace, self._live)
        step = self._scene.described if choice == ON_SCREEN else choice
        return [step] if step in self._scene.trace.steps else []

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        """Update everything from the scene; a hidden panel is updated when it is shown."""
        scene = self._scene
        self._say_verdict()
        if scene is not None and not self.isVisible():
            return
        steps = [] if scene is None else self._offer_steps(scene)
        if scene is None or not steps or not scene.trace.span_count:
            self.figures = None
            self._empty.setText(self._why_empty())
            self._stack.setCurrentIndex(0)
            return
        missing = self._not_at_hand(scene, steps)
        if missing:
            self.figures = None
            self._ask_for(scene, missing)
            self._stack.setCurrentIndex(1)
        elif scene.explained.warm(steps, SHARE_S, Wanted.FIGURES):
            self._show(scene, steps)
        else:
            # Continue after the waiting events, and look everything up again, because another run
            # or step may be shown by then.
            QTimer.singleShot(0, self, self._refresh)

    def _why_empty(self) -> str:
        """Return the panel's text while it has no step to explain."""
        if self._scene is not None and not self._live and self._scene.trace.span_count:
            return tr("This trace has no steps.")
        return tr("Where a step's time goes, from the ideal step to the measured one.")

    def _offer_steps(self, scene: Scene) -> list[int]:
        """Offer the steps of the run, and return them."""
        trace = scene.trace
        warmup = trace.header.specification.warmup
        last = scene.open_step if self._live else None
        listed = [step for step in trace.steps[-LISTED:] if step != last]
        self.chooser.list_steps(listed, warmup)
        step = scene.described
        name = NONE if step is None else step_name(step, warmup)
        self.chooser.setItemText(0, tr("on screen: {step}", step=name))
        self.chooser.setItemText(1, mean_text(shown_steps(trace, self._live), warmup))
        return self.steps

    def _show(self, scene: Scene, steps: list[int]) -> None:
        explained = scene.explained
        header = scene.trace.header
        figures = mean_figures([explained.figures(step) for step in steps])
        self.figures = figures
        self.waterfall.show_waterfall(figures.ladder, header.source is Source.PREDICTED)
        self.path_bar.show_shares(figures.critical_path)
        self.idle.show_idle(header.lanes, figures.idle_by_cause, figures.makespan_ns)
        self.arrivals.show_arrivals(scene.trace, figures.collectives)
        for widget in (self._arrivals_heading, self.arrivals):
            widget.setVisible(bool(figures.collectives))
        title = ""
        pipeline = explained.pipeline(steps[-1])
        if pipeline is not None and pipeline.schedule in SCHEDULES:
            title = tr(SCHEDULES[pipeline.schedule].title)
        self.bubbles.show_bubbles(figures, title)
        self._show_path(scene, steps)
        self._stack.setCurrentIndex(2)

    def show_verdict(self, found: Verdict | None) -> None:
        """Show the limit of the run and, on a second line, the part that makes it uneven."""
        texts = [] if found is None else [found.text, found.uneven_text]
        lines = [translated(text) for text in texts if text is not None]
        self._verdict = "\n".join(lines)
        self._say_verdict()

    def _say_verdict(self) -> None:
        is_concealed = self._scene is not None and bool(self._scene.concealed)
        self.verdict.say("" if is_concealed else self._verdict)

    def _not_at_hand(self, scene: Scene, steps: list[int]) -> list[int]:
        """Return the steps that still take long to explain; a mean needs only their figures."""
        explained = scene.explained
        is_mean = len(steps) > 1
        missing = []
        for step in steps:
            # Figures are kept even after the large explanation itself has left the cache.
            is_known = is_mean and explained.knows(step, Wanted.FIGURES)
            if not explained.at_hand(step) and not is_known:
                missing.append(step)
        return missing

    def _ask_for(self, scene: Scene, steps: list[int]) -> None:
        """Show why steps are not explained; if the user has asked for it, have them explained."""
        explained = scene.explained
        hopeless = [step for step in steps if explained.problem(step)]
        self._question.setText(why_not_yet(explained, (hopeless or steps)[0], self._live))
        possible = not hopeless and not self._live
        self.explain_button.setVisible(possible and not self._asked)
        if possible and self._asked:
            self._question.setText(tr("Explaining…"))
            self.asked.emit(explained, steps)

    def _ask(self) -> None:
        self._asked = True
        self._refresh()

    def _show_path(self, scene: Scene, steps: list[int]) -> None:
        if len(steps) > 1:
            self.path.clear_path()
            self.path.hide()
            self._path_heading.setText(tr("CRITICAL PATH"))
            return
        known = scene.explained.step(steps[0])
        path = known.path
        self.path.show_path(scene.trace, steps[0], known.explanation, path)
        self.path.show()
        if len(path) > MOST:
            text = tr("CRITICAL PATH · first {most} of {n} pieces", most=MOST, n=len(path))
        else:
            text = ntr("CRITICAL PATH · {n} piece", "CRITICAL PATH · {n} pieces", len(path))
        self._path_heading.setText(text)

    # Building

    def _build(self) -> None:
        self._empty = hint()
        self._stack = stacked(self, self._empty, self._build_question(), self._build_body())

    def _build_question(self) -> QWidget:
        """Build the page for steps with so many tasks that explaining them takes a while."""
        self._question = hint(margin=0)
        tip = tr("Work out the ladder and the idle time of this run.")
        self.explain_button = button(QPushButton, tr("Explain it"), tip, self._ask)
        page = column(None, self._question, self.explain_button, None)
        page.setAlignment(self.explain_button, Qt.AlignmentFlag.AlignCenter)
        return widget_of(page, "plot")

    def _build_body(self) -> QWidget:
        top = row(self.chooser, growing=self.chooser, margins=(12, 6, 12, 6))
        area = scrolling(self._build_sections(), tr("Why, as charts and lists"))
        return widget_of(joined(self.verdict, top, area, growing=area))

    def _build_sections(self) -> QWidget:
        heading = self._path_heading
        sheet = column(
            _heading(tr("FROM IDEAL TO MEASURED · ms")),
            self.waterfall,
            8,
            _heading(tr("IDLE BY CAUSE · share of all lanes' time")),
            self.idle,
            8,
            self._arrivals_heading,
            self.arrivals,
            _heading(tr("BUBBLE")),
            self.bubbles,
            8,
            row(heading, self.path_button, growing=heading, margins=(0, 0, 12, 0)),
            self.path_bar,
            self.path,
            None,
            margins=(0, 6, 0, 8),
            spacing=4,
        )
        return widget_of(sheet, "plot")


class _Bubbles(QWidget):
    """The bubble by both definitions, and by the schedule's formula."""

    def __init__(self) -> None:
        super().__init__()
        cells = grid(across=10, down=1)
        cells.setContentsMargins(12, 0, 12, 0)
        cells.setColumnStretch(0, 1)
        self.setLayout(cells)
        self._values: list[QLabel] = []
        self.notes: list[QLabel] = []
        for number, (name, note) in enumerate(_BUBBLES):
            value = named(Label(), tr(name))
            label = Label(tr(name))
            words = Label(tr(note), "quiet", wrapped=True)
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            words.setFont(Fonts.of(self.font()).small)
            words.setContentsMargins(0, 0, 0, 6)
            cells.addWidget(label, 2 * number, 0)
            cells.addWidget(value, 2 * number, 1)
            cells.addWidget(words, 2 * number + 1, 0, 1, 2)
            self._values.append(value)
            self.notes.append(words)

    @property
    def texts(self) -> list[str]:
        """The three figures."""
        return [label.text() for label in self._values]

    def show_bubbles(self, figures: StepFigures, schedule: str) -> None:
        """Show the bubbles of a step; `schedule` is the title of its pipeline's schedule, or ""."""
        form = figures.closed_form
        texts = [
            percent_text(figures.bubble_by_makespan),
            percent_text(figures.bubble_by_lane_span),
        ]
        texts.append(NONE if form is None else percent_text(form))
        for label, text in zip(self._values, texts, strict=True):
            label.setText(text)
        if form is not None:
            note = tr(
                "Bubble by makespan from {schedule}'s formula, for this step's mean costs.",
                schedule=schedule,
            )
        elif schedule:
            note = tr("{schedule} has no formula for these numbers.", schedule=schedule)
        else:
            note = tr("There is no formula without a pipeline's schedule.")
        self.notes[-1].setText(note)


_BUBBLES = (
    (N_("by makespan"), N_("Idle time of the compute lanes over lanes times makespan.")),
    (
        N_("by the longest lane's span"),
        N_("Idle time of the lane that works longest, within its first start and last end."),
    ),
    (N_("closed form"), ""),
)


def _heading(text: str) -> QLabel:
    label = Label(text, "heading")
    label.setContentsMargins(12, 0, 12, 2)
    label.setMinimumWidth(1)  # so that a narrow dock cuts the heading, not the parts below
    return label


def mean_text(steps: Sequence[int], warmup: int) -> str:
    """Return the steps of the mean in words; warm-ups count until a step is measured."""
    if len(steps) == 1:
        return tr("mean of 1 step")
    if steps and steps[0] < warmup:
        return tr("mean of {n} warm-up steps", n=len(steps))
    return tr("mean of {n} measured steps", n=len(steps))
