"""Sweeps: runs with several values of an option, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Action, Feature, Group, Menu, Shell
from gui.app.run import Run
from gui.features.predict.feature import PredictFeature
from gui.features.run.feature import RunFeature
from gui.look.text import tr

if TYPE_CHECKING:
    from gui.features.sweep.panel import SweepPanel
    from gui.features.sweep.sweeping import Sweeping


class SweepFeature(Feature):
    """Sweeps; their panel is part of the Try page."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        shell.feature(PredictFeature).sweep_panel = self._panel

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.RUN,
                (
                    Action(
                        "sweep",
                        N_("Sweep…"),
                        self.open,
                        "",
                        N_("Run with several values of an option, and see which is the fastest."),
                    ),
                ),
            ),
        )

    def claims(self, run: Run) -> bool:
        return "sweeping" in vars(self) and self.sweeping.running

    def group_of_new_run(self) -> str:
        if not ("sweeping" in vars(self) and self.sweeping.running):
            return ""
        return tr("Sweep: {option}", option=self.sweeping.panel.option.currentText())

    def open(self) -> None:
        """Show the panel on the Try page, with the keyboard focus on the values."""
        self.shell.bring("try")
        self.shell.feature(PredictFeature).trying.page.open_sweep()
        self.sweeping.panel.values.setFocus()

    @cached_property
    def sweeping(self) -> Sweeping:
        """The controller, with its panel."""
        from gui.features.sweep.sweeping import Sweeping

        made = Sweeping(self.shell, self.shell.feature(RunFeature).form)
        self.keep_until_shown(made.panel)
        made.opened.connect(self.shell.show_run)
        self.report_from(made.files)
        return made

    def _panel(self) -> SweepPanel:
        return self.sweeping.panel
