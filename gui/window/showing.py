"""The run on screen, and a run that has begun but has no bars yet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject

from core.engine.messages import Outcome
from gui.app.faults import banner_text, faults_of
from gui.app.feature import Feature, Shell
from gui.app.live_figures import FigurePart, LiveFigures
from gui.app.run import Run
from gui.app.run_names import shown_title
from gui.features.runs.feature import RunsFeature
from gui.features.status.feature import StatusFeature
from gui.look.text import sentence, tr
from gui.timeline.state.scene import Scene
from gui.window.centre import Centre


class RunOnScreen(QObject):
    """Shows runs in the timeline, keeps live ones up to date, and calls the features' hooks.

    `coming` is a run that has begun but has no bars yet. `run` stays on screen until it has some.
    """

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell.main_window)
        self._shell = shell
        self.run: Run | None = None
        self.scene: Scene | None = None
        self.coming: Run | None = None
        self.figures = LiveFigures(self, self._is_live, self._draw_frame, self._figure_parts)
        session = shell.session
        session.records_arrived.connect(self._show_coming)
        # Connected before all other slots, so that they find the run that has ended on screen.
        session.run_ended.connect(self._show_coming)

    def start(self, features: Sequence[Feature], centre: Centre) -> None:
        """Follow the session; call it when all features have been made."""
        self._features = features
        self._centre = centre
        session = self._shell.session
        tabs = self._shell.feature(RunsFeature).tabs
        session.run_started.connect(self.begin)
        session.ticked.connect(self.figures.tick)
        session.run_ended.connect(self.end)
        tabs.chosen.connect(self.show)
        tabs.closed.connect(self._show_instead)
        self._shell.timeline.step_on_screen.changed.connect(self._show_step)
        self._shell.explainer.explained.connect(self.figures.update)
        self._shell.concealment.changed.connect(self._conceal)
        self.figures.runner.failed.connect(self._shell.banner.say)

    def begin(self, run: Run) -> None:
        """Show a run that has begun; if another run is on screen, wait until the new one has bars.

        A run that a feature claims stays in the background.
        """
        self._shell.banner.hide()
        self._centre.wait("")
        run.group = self._group_of_new_run()
        self._shell.feature(RunsFeature).add(run)
        if any(feature.claims(run) for feature in self._features):
            return
        if self.run is None:
            self.show(run)
        else:
            self.coming = run
            self._shell.feature(StatusFeature).bar.show_coming(run)

    def end(self, run: Run) -> None:
        """Draw the run's last state, pass its end to the features, and report the outcome."""
        self._centre.wait("")
        if run is self.run and self.scene is not None:
            self.scene.update()
            # The run has no present any more, so that its bars stop growing.
            self._shell.timeline.state.refresh(None)
        for feature in self._features:
            feature.end_run(run)
        self._report(run)
        if run is self.run:
            self.figures.update()

    def show(self, run: Run) -> None:
        """Show a run of this session; a coming run then stays in the background.

        If the run is on screen already, the coming run replaces it as before.
        """
        # Also for the run on screen, because the first page may cover it.
        self._centre.show_run_page()
        if run is not self.run:
            self.coming = None
            self._put_on_screen(run)

    def _put_on_screen(self, run: Run) -> None:
        """Show a run in the timeline and in all features; the page in front stays."""
        state = self._shell.timeline.state
        tabs = self._shell.feature(RunsFeature).tabs
        if self.run is not None:
            tabs.leave(self.run, self.scene, state.saved)
        kept = tabs.open(run)
        self.run = run
        self.scene = Scene(run.trace) if kept.scene is None else kept.scene
        self.scene.conceal(self._shell.concealment.text_for(run))
        self.scene.update()
        state.show_scene(self.scene, run.live, kept.saved)
        for feature in self._features:
            feature.show_run(run)
        self._shell.main_window.setWindowTitle(f"{shown_title(run)} – Bubblescope")
        self.figures.update()

    def _group_of_new_run(self) -> str:
        """Return the name of the group for which a feature makes runs now, or ""."""
        for feature in self._features:
            group = feature.group_of_new_run()
            if group:
                return group
        return ""

    def _report(self, run: Run) -> None:
        """Show how a run ended, or the faults in what it recorded."""
        banner = self._shell.banner
        if run.outcome is Outcome.FAILED:
            reason = run.text or tr("The run failed.")
            kept = tr("What was recorded is kept; press Run to start again.")
            banner.say(f"{sentence(reason)} {kept}")
            return
        faults = faults_of(run.trace)
        if faults:
            banner.say(banner_text(faults), "warning")
        elif run.outcome is Outcome.STOPPED:
            reason = run.text or tr("Stopped; what was recorded is kept.")
            self._shell.note(sentence(reason))

    def _show_coming(self, run: Run) -> None:
        """Show the coming run once it has bars or has ended; until then, its state."""
        if run is not self.coming:
            return
        if run.trace.span_count or not run.live:
            self.show(run)
        else:
            self._shell.feature(StatusFeature).bar.show_coming(run)

    def _show_instead(self, run: Run | None) -> None:
        """Show this run, or no run if it is None, because the tab on screen was closed.

        The page in front stays, but the first page replaces the run page if there is no run.
        """
        # Features that still need an explanation will request it again.
        self._shell.explainer.cancel()
        self.figures.runner.cancel()
        if run is not None:
            self._put_on_screen(run)
            return
        self.run = self.scene = None
        self._shell.timeline.state.show_scene(None)
        for feature in self._features:
            feature.show_run(None)
            feature.show_scene(None, False)
        self._shell.main_window.setWindowTitle("Bubblescope")
        if self._centre.shows_run_page:
            self._centre.show_first_page()

    def _show_step(self) -> None:
        if self.run is not None and self.scene is not None:
            for feature in self._features:
                feature.show_step(self.scene, self.run.live)

    def _conceal(self) -> None:
        """Hide or show the explanations of the run on screen."""
        if self.run is not None and self.scene is not None:
            self.scene.conceal(self._shell.concealment.text_for(self.run))
            self._shell.timeline.state.picture_changed.emit()
            self.figures.update()

    def _is_live(self) -> bool:
        return self.run is not None and self.run.live

    def _draw_frame(self) -> None:
        """Draw a live run up to the present."""
        if self.run is not None and self.scene is not None:
            self.scene.update()
            self._shell.timeline.state.refresh(self.run.now)

    def _figure_parts(self) -> list[FigurePart]:
        if self.run is None or self.scene is None:
            return []
        live = self.run.live
        # The scene's figures are first, because the features show them.
        parts: list[FigurePart] = [self.scene.update_figures]
        for feature in self._features:
            parts.append(partial(feature.show_scene, self.scene, live))
        return parts
