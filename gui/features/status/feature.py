"""Status: the toolbar above the timeline and the line below it."""

from __future__ import annotations

from gui.app.feature import Feature, Shell
from gui.app.run import Run
from gui.features.status.bars import RunBar, StatusLine
from gui.features.status.words import doubt_text, lane_notes, other_step
from gui.features.verdict.feature import VerdictFeature
from gui.timeline.state.scene import Scene


class StatusFeature(Feature):
    """The toolbar and the status line: the run, its progress, and how it was timed."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.line = StatusLine(shell.main_window.statusBar())
        self.bar = RunBar()
        shell.main_window.addToolBar(self.bar)
        shell.timeline.reduction_changed.connect(self.line.set_per_pixel)

    def start(self) -> None:
        self.bar.fill(self.shell.action)
        self.bar.other_step.clicked.connect(self._show_other_step)
        self.shell.feature(VerdictFeature).controller.text_changed.connect(self.line.show_verdict)

    def show_run(self, run: Run | None) -> None:
        if run is not None:
            self.show_comparison(run)

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        run = self.shell.run_shown
        if run is None or scene is None:
            self.bar.show_nothing()
            self.line.show_nothing()
        else:
            self.bar.show_run(run, scene, self.shell.coming)
            self.line.show_run(run, self.shell.session.backlog_s if live else 0.0)

    def show_step(self, scene: Scene, live: bool) -> None:
        self.bar.show_step(self.shell.run_shown, scene)

    def show_comparison(self, run: Run) -> None:
        """Show the prediction of a run next to its measurement, if that run is on screen."""
        if run is self.shell.run_shown:
            notes = lane_notes(run.comparison)
            why = doubt_text(run)
            self.shell.timeline.state.set_prediction(run.prediction, notes, why)
            self.line.show_comparison(run)

    def _show_other_step(self) -> None:
        """Show the slowest step, or the median one if the slowest is on screen."""
        run = self.shell.run_shown
        scene = self.shell.scene
        if run is None or scene is None:
            return
        step = other_step(run, scene)
        if step is not None:
            start, end = run.trace.step_bounds(step)
            self.shell.timeline.navigator.fit_between(float(start), float(end))
