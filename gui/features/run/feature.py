"""Running: the settings of a run, and the actions that start and stop it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from core.message import N_
from core.plan.specification import Specification
from gui.app.feature import Action, Dock, Feature, Group, Menu, Panel, Shell
from gui.app.run import Run
from gui.features.run.control import RunControl
from gui.features.run.panel import StrategyPanel
from gui.features.status.feature import StatusFeature
from gui.features.verdict.feature import VerdictFeature
from gui.look.text import tr
from gui.widgets.file_choice import FileChoice
from gui.widgets.layouts import column_of


class RunFeature(Feature):
    """The Settings panel, Run and Stop."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.form = StrategyPanel()
        self.control = RunControl(self.form, shell)
        self.panels = (Panel("strategy", tr("Settings"), Dock.SETTINGS, self._make_page),)

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.RUN,
                (
                    Action("run", N_("Run"), self.control.run, "F5", N_("Run these settings.")),
                    Action(
                        "stop",
                        N_("Stop"),
                        self.shell.session.stop,
                        "Shift+F5",
                        N_("Stop the run. What was recorded is kept."),
                    ),
                ),
            ),
        )

    def start(self) -> None:
        status = self.shell.feature(StatusFeature)
        run = self.shell.action("run")
        stop = self.shell.action("stop")
        self.control.attach(run, stop, status.bar, status.line)
        self.shell.feature(VerdictFeature).line.chosen.connect(self._offer)
        self.control.restore()
        self.control.allow()

    def keep(self) -> None:
        self.control.keep()

    def use(self, run: Run | None) -> None:
        """Copy the settings of a run into the form, and show it."""
        if self.control.use(run):
            self.shell.bring("strategy")

    def choose_model(self) -> None:
        """Show the form, with the focus on the choice of the model."""
        self.shell.bring("strategy")
        self.form.options.field("model", FileChoice).setFocus()

    def _make_page(self) -> QWidget:
        return column_of(self.form, self.form.footer, growing=self.form)

    def _offer(self, specification: Specification) -> None:
        self.form.set_specification(specification)
        self.shell.bring("strategy")
