"""Log: the lines that the engine and the ranks wrote during a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Dock, OnePanelFeature
from gui.look.theme import Theme

if TYPE_CHECKING:
    from gui.features.log.panel import LogPanel


class LogFeature(OnePanelFeature):
    """The Log panel."""

    name = "log"
    title = N_("Log")
    dock = Dock.DATA

    def set_theme(self, theme: Theme) -> None:
        if self.panel.made:
            self.panel.widget.set_theme(theme)

    def make_panel(self) -> LogPanel:
        from gui.features.log.panel import LogPanel

        return LogPanel()
