"""Runs: the list of this session's runs, their tabs above the timeline, and their menu."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Action, Dock, Feature, Group, Menu, Panel, Shell
from gui.app.run import Run
from gui.app.run_names import name_apart
from gui.features.run.feature import RunFeature
from gui.features.runs.baseline import Baseline
from gui.features.runs.menu import RunMenu
from gui.features.runs.tabs import RunTabs
from gui.features.status.feature import StatusFeature
from gui.look.text import tr
from gui.timeline.state.scene import Scene

if TYPE_CHECKING:
    from gui.features.runs.panel import RunsPanel


class RunsFeature(Feature):
    """The Runs panel and the tabs."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.panel = Panel("runs", tr("Runs"), Dock.DATA, self._make_panel)
        self.panels = (self.panel,)
        self.tabs = RunTabs()
        self.baseline = Baseline()
        use = shell.feature(RunFeature).use
        self.menu = RunMenu(shell, self.panel, self.tabs, use, self.baseline)
        self.tabs.menu_wanted.connect(self.menu.popup)

    @property
    def groups(self) -> Sequence[Group]:
        tabs = self.tabs
        return (
            Group(
                Menu.FILE,
                (
                    Action(
                        "close_tab",
                        N_("Close tab"),
                        tabs.close_current,
                        "Ctrl+W",
                        N_("Close this tab. The run continues and stays in the Runs panel."),
                    ),
                ),
            ),
            Group(
                Menu.RUN,
                (
                    Action(
                        "use_settings",
                        N_("Use this run's settings"),
                        self._use_shown,
                        "Ctrl+U",
                        N_("Copy the settings of this run into the form; Run then starts them."),
                    ),
                ),
            ),
            Group(
                Menu.GO,
                (
                    Action(
                        "next_tab",
                        N_("Next tab"),
                        partial(tabs.step, 1),
                        "Ctrl+Tab or Ctrl+PgDown",
                        N_("Show the next open run."),
                    ),
                    Action(
                        "previous_tab",
                        N_("Previous tab"),
                        partial(tabs.step, -1),
                        "Ctrl+Shift+Tab or Ctrl+PgUp",
                        N_("Show the previous open run."),
                    ),
                ),
            ),
        )

    def add(self, run: Run) -> None:
        """List a run, and make its name differ from those of runs with the same title."""
        if self.panel.made:
            self.panel.widget.add(run)
        for renamed in name_apart(self.shell.session.runs):
            self.menu.report(renamed)

    def show_run(self, run: Run | None) -> None:
        if self.panel.made:
            self.panel.widget.mark(run)

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        shown = self.shell.run_shown
        text = "" if shown is None else self.baseline.text_for(shown)
        self.shell.feature(StatusFeature).bar.show_baseline(text)
        if shown is not None and self.panel.made:
            self.panel.widget.update_run(shown)

    def end_run(self, run: Run) -> None:
        self.menu.report(run)

    def _make_panel(self) -> RunsPanel:
        from gui.features.runs.panel import RunsPanel

        panel = RunsPanel()
        for run in self.shell.session.runs:
            panel.add(run)
        panel.mark(self.shell.run_shown)
        panel.chosen.connect(self.shell.show_run)
        panel.menu_wanted.connect(self.menu.popup)
        return panel

    def _use_shown(self) -> None:
        self.shell.feature(RunFeature).use(self.shell.run_shown)
