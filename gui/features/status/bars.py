"""Toolbar and status line: the run, its progress, and how it was measured."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QPaintEvent
from PySide6.QtWidgets import (
    QProgressBar,
    QSizePolicy,
    QStatusBar,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolBar,
    QToolButton,
    QWidgetAction,
)

from core.message import N_
from core.override import override
from gui.app.faults import faults_of, status_text
from gui.app.run import Run
from gui.app.run_names import shown_title
from gui.features.status.words import (
    behind_text,
    other_step_text,
    predicted_text,
    predicted_tip,
    progress,
    recorded_text,
    starting_text,
    step_text,
    verified_text,
)
from gui.look.core_texts import translated
from gui.look.text import tr
from gui.timeline.state.scene import Scene
from gui.widgets.label import Elided, Label, plain_tip
from gui.widgets.layouts import button, named

NAMES = {"stop": "■", "export": N_("Export"), "sheet": "?"}
"""Texts of the bar's buttons, by action."""
LEAST = 60  # pixels; least width of the title, which is elided in a narrow window
PADDING = 10  # pixels next to an elided text
RUN_WIDTH = 194  # pixels; Run and Stop together are as wide as the form below
NOTE_WIDTH = 150  # pixels; width of the timing note in a low window
_COLON = re.compile(": |：")


class RunButton(QToolButton):
    """A button of fixed width for an action; a text that does not fit is elided."""

    def __init__(self, action: QAction) -> None:
        super().__init__()
        self.setDefaultAction(action)
        self.setObjectName(action.objectName())
        self.setFixedWidth(RUN_WIDTH)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        room = self.contentsRect().width() - PADDING
        option.text = self.fontMetrics().elidedText(option.text, Qt.TextElideMode.ElideRight, room)
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        # Explicitly: a painter must end before the paint event does, but Python may free it later.
        painter.end()


class RunBar(QToolBar):
    """Run and Stop, the title and progress of the run shown, and the most frequent actions."""

    def __init__(self) -> None:
        super().__init__(tr("Tools"))
        self.setObjectName("tools")
        self.setMovable(False)
        # The window's context menu lists this action, but Run and Stop must not be hidden with the
        # bar.
        self.toggleViewAction().setEnabled(False)
        self.title = Elided("title")
        self.step = Label(look="step")
        self.baseline = named(Label(look="step"), tr("Comparison with the baseline"))
        self._progress = named(QProgressBar(textVisible=False), tr("Progress of the run"))
        tip = tr("Show the slowest step, or the median one again.")
        self.other_step = button(QToolButton, "", tip, look="link")
        self.title.setContentsMargins(PADDING, 0, 0, 0)
        self.title.setMinimumWidth(LEAST)
        self.title.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._progress.setFixedWidth(120)
        # A toolbar shows and hides its widgets through their actions; `setVisible` of a widget has
        # no effect.
        self._progress_action = QWidgetAction(self)
        self._progress_action.setDefaultWidget(self._progress)

    def fill(self, action: Callable[[str], QAction]) -> None:
        """Add buttons for the window's actions, which `action` returns by name."""
        for name, text in NAMES.items():
            action(name).setIconText(tr(text))
        self.addWidget(RunButton(action("run")))
        self.addAction(action("stop"))
        # The toolbar made this button itself; the style sheet selects it by its name.
        stop = self.widgetForAction(action("stop"))
        stop.setObjectName("stop")
        stop.setAccessibleName(tr("Stop"))
        self.addWidget(self.title)
        self.addAction(self._progress_action)
        self._baseline_action = self.addWidget(self.baseline)
        self._baseline_action.setVisible(False)
        self.addWidget(self.step)
        self._other_action = self.addWidget(self.other_step)
        self._other_action.setVisible(False)
        self.addActions([action("follow"), action("export"), action("sheet")])

    def show_run(self, run: Run, scene: Scene, coming: Run | None = None) -> None:
        """Show title and progress of a run, or the progress of `coming`, which has no bars yet."""
        title = shown_title(run)
        tip = f"{title}\n{run.note}" if run.note else title
        self.title.setText(title)
        self.title.setToolTip(plain_tip(tip))
        self.show_step(run, scene)
        self._show_progress(run)
        if coming is not None:
            self.show_coming(coming)

    def show_step(self, run: Run | None, scene: Scene | None) -> None:
        """Show the name of the step on screen, and a link to the slowest or the median step."""
        if run is not None and scene is not None:
            self.step.setText(step_text(run, scene))
            text = other_step_text(run, scene)
            self.other_step.setText(text)
            self._other_action.setVisible(bool(text))

    def show_coming(self, run: Run) -> None:
        """Show the state of a run that has no bars yet, while another run's bars stay."""
        words = starting_text(run)
        self.step.setText(tr("{title}: {words}", title=shown_title(run), words=words))
        self._show_progress(run)

    def show_baseline(self, text: str) -> None:
        """Show how the run compares with the baseline; "" hides the comparison."""
        self.baseline.setText(text)
        self._baseline_action.setVisible(bool(text))

    def _show_progress(self, run: Run) -> None:
        done, total = progress(run)
        # The total is 0 for a job whose number of steps is unknown. Qt then shows a bar that moves
        # without an end.
        self._progress.setRange(0, total)
        self._progress.setValue(done)

    def show_nothing(self) -> None:
        """Clear the texts: no run is shown."""
        self.title.setText("")
        self.step.setText("")
        self._other_action.setVisible(False)

    def set_asking(self, asking: bool) -> None:
        """Show or hide the progress bar, which is visible while something runs."""
        self._progress_action.setVisible(asking)


class StatusLine:
    """The labels of the status bar."""

    def __init__(self, bar: QStatusBar) -> None:
        self.recorded = Label()
        self.timing_note = Label()
        self.predicted = Label()
        self.verified = Label()
        self.engine = Label(tr("engine is loading…"))
        self._run: Run | None = None
        self._per_pixel = 0.0
        self._has_verdict = False
        self._is_compact = False
        self.behind = Label()
        self.faults = Label(look="problem")
        self._left = {self.recorded: "", self.behind: "", self.faults: ""}
        self._has_message = False
        for label in self._left:
            bar.addWidget(label)
        bar.messageChanged.connect(self._make_room)
        for label in (self.predicted, self.timing_note, self.verified, self.engine):
            bar.addPermanentWidget(label)

    def show_run(self, run: Run, backlog_s: float = 0.0) -> None:
        """Show the size, faults and timing of a recording, and the delay of the picture."""
        self._run = run
        self._say(self.behind, behind_text(backlog_s))
        self._say(self.faults, status_text(faults_of(run.trace, run.live)))
        self._show_timing_note()
        self.verified.setText(verified_text(run.trace))
        self._show_recorded()

    def show_verdict(self, text: str) -> None:
        """Hide the timing note while there is a verdict, which includes the note."""
        self._has_verdict = bool(text)
        self._show_timing_note()

    def set_compact(self, compact: bool) -> None:
        """Set whether the window is low, so that the verdict has only one line.

        Then the status bar shows the title of the timing note even with a verdict. It replaces the
        size of the recording, unless the picture is reduced.
        """
        self._is_compact = compact
        self._show_timing_note()
        self._show_recorded()

    def _say(self, label: Label, text: str) -> None:
        self._left[label] = text
        label.setText("" if self._has_message else text)

    def _make_room(self, message: str) -> None:
        # Qt hides the labels for a message, but shows them again when the height of the bar grows.
        self._has_message = bool(message)
        for label, text in self._left.items():
            self._say(label, text)

    def _show_recorded(self) -> None:
        run = self._run
        if run is None or (self._is_compact and not self._per_pixel):
            self._say(self.recorded, "")
        else:
            self._say(self.recorded, recorded_text(run.trace, self._per_pixel))

    def _show_timing_note(self) -> None:
        is_elsewhere = self._has_verdict and not self._is_compact
        run = None if is_elsewhere else self._run
        note = "" if run is None else translated(run.trace.header.timing_note)
        shown = note
        if self._is_compact:
            # The part before the colon names the clock; the tooltip has the whole note.
            title = _COLON.split(note, maxsplit=1)[0]
            metrics = self.timing_note.fontMetrics()
            shown = metrics.elidedText(title, Qt.TextElideMode.ElideRight, NOTE_WIDTH)
        self.timing_note.setText(shown)
        self.timing_note.setToolTip(plain_tip(note))

    def show_nothing(self) -> None:
        """Clear the labels: no run is shown."""
        self._run = None
        for label in (self.timing_note, self.predicted, self.verified):
            label.setText("")
            label.setToolTip("")
        for label in self._left:
            self._say(label, "")

    def set_per_pixel(self, per_pixel: float) -> None:
        """Set how many spans share a pixel; 0 if each span is drawn."""
        self._per_pixel = per_pixel
        self._show_recorded()

    def show_comparison(self, run: Run) -> None:
        """Show how the prediction of a run compares with its measurement, if there is one."""
        self.predicted.setText(predicted_text(run.comparison))
        self.predicted.setToolTip(plain_tip(predicted_tip(run.comparison)))
