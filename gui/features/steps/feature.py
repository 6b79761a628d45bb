"""Steps: thumbnails, durations and losses of all steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Dock, OnePanelFeature
from gui.features.steps.panel import StepsPanel
from gui.look.theme import Theme
from gui.timeline.state.scene import Scene

if TYPE_CHECKING:
    from gui.features.steps.panel import StepsPanel


class StepsFeature(OnePanelFeature):
    """The Steps panel; a click or drag over the steps shows them in the timeline."""

    name = "steps"
    title = N_("Steps")
    dock = Dock.STEPS

    def show_step(self, scene: Scene, live: bool) -> None:
        if self.panel.made:
            self.panel.widget.strip.mark()

    def set_theme(self, theme: Theme) -> None:
        if self.panel.made:
            self.panel.widget.set_theme(theme)

    def make_panel(self) -> StepsPanel:
        from gui.features.steps.panel import StepsPanel

        panel = StepsPanel()
        panel.chosen.connect(self.shell.timeline.navigator.fit_between)
        return panel
