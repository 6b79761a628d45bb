"""Controller of the comparison: shows run B below run A, and keeps both up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, Signal

from core.compare.differences import Difference
from core.compare.runs import TwoRuns
from gui.app.feature import Shell
from gui.app.run import Run
from gui.features.compare.aligner import Aligner
from gui.features.compare.chooser import Other, titles
from gui.features.compare.choosing import OtherChoice
from gui.features.compare.exporting import ComparisonExport
from gui.features.compare.frame import CompareFrame
from gui.features.compare.panel import ComparePanel
from gui.features.compare.worker import CompareWorker
from gui.look.text import tr
from gui.look.theme import Theme
from gui.timeline.state.scene import Scene

if TYPE_CHECKING:
    from gui.features.compare.picture import Both

LIVE_MS = 1000  # least time between two comparisons while one of the runs is live


class Comparing(QObject):
    """Compare mode of a window: run A is the run shown, run B the other one.

    `begun` and `left` are emitted when it is entered and left. Three parts have signals of their
    own: `choice` chooses run B, `aligner` aligns both timelines, and `files` writes reports.
    """

    begun = Signal()
    left = Signal()

    def __init__(self, shell: Shell) -> None:
        self.frame = CompareFrame(shell.timeline)
        self.panel = ComparePanel()
        super().__init__(self.frame)
        self._shell = shell
        self._settings = shell.settings
        self.a = self.frame.a
        self._b = self.frame.b.state
        session = shell.session
        frame = self.frame
        panel = self.panel
        self.other: Other | None = None
        self.two: TwoRuns | None = None
        self._fresh = False
        self._row: Difference | None = None
        # A function, because another run may be shown by the time it is called.
        self.choice = OtherChoice(frame, lambda: shell.run_shown, session, shell.settings)
        self.choice.chosen.connect(self.begin)
        self.aligner = Aligner(frame.a, frame.b.state)
        self.files = ComparisonExport(frame, self.seen, shell.settings)
        self._worker = CompareWorker(self)
        self._worker.done.connect(self._take)
        # `_take` gets a str for an error, a TwoRuns for a result.
        self._worker.failed.connect(self._take)
        self._clock = QElapsedTimer()
        panel.row_chosen.connect(self.outline)
        panel.steps_chosen.connect(self._refresh_anew)
        panel.asked.connect(self.choice.choose)
        frame.a.state.strips_changed.connect(lambda _: self._show_strips())
        session.ticked.connect(self._tick)
        session.run_ended.connect(self._end)

    # Commands of the user

    @property
    def shown(self) -> Run | None:
        """Run A: the run that the window shows, if any."""
        return self._shell.run_shown

    def begin(self, other: Other) -> None:
        """Show another run below the run shown."""
        if self._shell.run_shown is None:
            return
        self.begun.emit()  # first: the overview may make room for the second timeline
        self.frame.divide()
        self.other = other
        self._fresh = True
        self._b.set_theme(self.a.state.theme)
        self._b.show_scene(Scene(other.trace))
        self.frame.colour()
        self.a.state.show_strips(prediction=False)  # one comparison at a time
        self._show_strips()
        self.refresh()

    def leave(self) -> None:
        """End the comparison; only run A stays visible."""
        if self.other is None:
            return
        self._worker.cancel()
        # First: the slots of the signals below must not find a comparison.
        self.other = self.two = None
        self.aligner.leave()
        self._b.show_scene(None)
        self.outline(None)
        self.frame.unite()
        self.a.state.show_strips(prediction=self._settings.prediction)
        self.panel.clear()
        self.aligner.aligned.emit(False)
        self.a.setFocus()
        self.left.emit()

    def escape(self) -> None:
        """Clear the selection; with nothing selected, leave the comparison."""
        if self.a.state.selection is not None:
            self.a.selector.clear()
        elif self._row is not None:
            self.panel.table.choose_nothing()
        else:
            self.leave()

    # Hooks of the window

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._b.set_theme(theme)

    def show_run(self) -> None:
        """Make the run shown run A, after another one.

        Leave the comparison if no run is shown, if the run shown is run B, or if B is the
        prediction of the earlier run A.
        """
        if self.other is None:
            return
        is_prediction = self.other.run is None
        if self.shown is None or self.shown is self.other.run or is_prediction:
            self.leave()
        else:
            self._refresh_anew()

    # Comparing

    def refresh(self) -> None:
        """Compare the chosen steps again."""
        run = self._shell.run_shown
        other = self.other
        if run is None or other is None:
            return
        self._clock.start()
        a, b = self.panel.steps(run.trace, run.live, other.trace, other.live, other.run is None)
        if not a or not b:
            name = "A" if not a else "B"
            self._take(tr("Run {name} has no whole step to compare yet.", name=name))
        else:
            self._worker.ask(run.trace, other.trace, a, b)
            # If the tasks are few, `ask` has compared them already, and the result is shown.
            if self._worker.running:
                self.panel.say(tr("Comparing two large steps…"))

    def _refresh_anew(self) -> None:
        self._fresh = True
        self.refresh()

    def outline(self, row: Difference | None) -> None:
        """Outline the spans of a table row in both timelines; None removes the outlines."""
        self._row = row
        self.frame.overlay.show_two(self.two, row)

    def _take(self, answer: TwoRuns | str) -> None:
        run = self._shell.run_shown
        other = self.other
        if run is None or other is None:
            return
        if isinstance(answer, str):
            self.two = None
            self.panel.say(answer)
        else:
            # If a message was shown instead of a comparison, there is no view to keep.
            self._fresh |= self.two is None
            self.two = answer
            self.panel.show_two(answer)
        self.aligner.show(run, other, self.two)
        self._say_titles(run, other)
        # While a run is live, `_tick` lets the aligner follow its steps; the results, one every
        # LIVE_MS, must not move the view too.
        if self._fresh or not (run.live or other.live):
            self.aligner.lay_over(self._fresh)
        self.frame.overlay.show_two(self.two, self._row)
        self._fresh = False

    def _say_titles(self, run: Run, other: Other) -> None:
        strips = self.frame.strip_a, self.frame.strip_b
        for strip, text in zip(strips, titles(run, other, self.two), strict=True):
            strip.show_title(text)

    def seen(self) -> tuple[Both, str] | None:
        """Return the visible part of both runs and the theme's name; None without a comparison."""
        # Imported here, because it would delay the first paint.
        from gui.features.compare.picture import Both

        run = self._shell.run_shown
        state = self.a.state
        if self.two is None or self.other is None or run is None:
            return None
        both = Both(
            self.two,
            (run.trace, self.other.trace),
            self.aligner.alignment,
            part=(state.viewport.start, state.viewport.end),
            joins=self.frame.overlay.joins,
        )
        return both, state.theme.name

    def _show_strips(self) -> None:
        """Show the same strips below the lanes of B as below the lanes of A."""
        if self.other is not None:
            wanted = self.a.state.stack.chosen
            self._b.show_strips(memory=wanted.memory, path=wanted.path, counters=wanted.counters)

    def _tick(self) -> None:
        other = self.other
        run = self._shell.run_shown
        if other is None or run is None:
            return
        if other.live:
            self._refresh_b()
        self.aligner.follow()
        waited = self._clock.hasExpired(LIVE_MS) and not self._worker.running
        if waited and (run.live or other.live):
            self.refresh()

    def _end(self, run: Run) -> None:
        if self.other is None:
            return
        if run is self.other.run:
            self._refresh_b(ended=True)
        if run in (self.other.run, self._shell.run_shown):
            self.refresh()

    def _refresh_b(self, ended: bool = False) -> None:
        scene = self._b.scene
        if scene is not None:
            scene.update()
            self._b.refresh(None)
            if ended:
                scene.update_figures()
