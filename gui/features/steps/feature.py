"""Steps: pictures, lengths and losses of all steps."""

from __future__ import annotations

from gui.app.feature import Dock, Feature, Panel, Shell
from gui.features.steps.panel import StepsPanel
from gui.look.text import tr
from gui.look.theme import Theme
from gui.timeline.state.scene import Scene


class StepsFeature(Feature):
    """The Steps panel; a click or drag over the steps shows them in the timeline."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.panel = Panel("steps", tr("Steps"), Dock.STEPS, self._make_panel)
        self.panels = (self.panel,)

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        if self.panel.made:
            self.panel.widget.show_scene(scene, live)

    def show_step(self, scene: Scene, live: bool) -> None:
        if self.panel.made:
            self.panel.widget.strip.mark()

    def set_theme(self, theme: Theme) -> None:
        if self.panel.made:
            self.panel.widget.set_theme(theme)

    def _make_panel(self) -> StepsPanel:
        panel = StepsPanel()
        panel.chosen.connect(self.shell.timeline.navigator.fit_between)
        return panel
