"""Log: what the engine and the ranks wrote while a run was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.app.feature import Dock, Feature, Panel, Shell
from gui.look.text import tr
from gui.look.theme import Theme
from gui.timeline.state.scene import Scene

if TYPE_CHECKING:
    from gui.features.log.panel import LogPanel


class LogFeature(Feature):
    """The Log panel."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.panel = Panel("log", tr("Log"), Dock.DATA, self._make_panel)
        self.panels = (self.panel,)

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        if self.panel.made:
            self.panel.widget.show_scene(scene, live)

    def set_theme(self, theme: Theme) -> None:
        if self.panel.made:
            self.panel.widget.set_theme(theme)

    def _make_panel(self) -> LogPanel:
        from gui.features.log.panel import LogPanel

        return LogPanel()
