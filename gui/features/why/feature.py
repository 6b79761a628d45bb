"""Why: where a step's time goes, from the ideal step to the measured one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Dock, OnePanelFeature, Shell
from gui.features.verdict.feature import VerdictFeature
from gui.timeline.state.scene import Scene

if TYPE_CHECKING:
    from core.report.verdict import Verdict
    from gui.features.why.panel import WhyPanel


class WhyFeature(OnePanelFeature):
    """The Why panel."""

    name = "why"
    title = N_("Why")
    dock = Dock.WHY

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._verdict: Verdict | None = None

    def start(self) -> None:
        verdict = self.shell.feature(VerdictFeature)
        verdict.controller.judged.connect(self._take_verdict)
        verdict.line.opened.connect(lambda: self.shell.bring("why"))

    def show_step(self, scene: Scene, live: bool) -> None:
        self.show_scene(scene, live)

    def make_panel(self) -> WhyPanel:
        from gui.features.why.panel import WhyPanel

        panel = WhyPanel()
        panel.path.chosen.connect(self.shell.timeline.selector.select_task)
        panel.asked.connect(self.shell.explainer.ask)
        panel.path_button.setDefaultAction(self.shell.action("critical_path"))
        panel.show_verdict(self._verdict)
        return panel

    def _take_verdict(self, found: Verdict | None) -> None:
        self._verdict = found
        if self.panel.made:
            self.panel.widget.show_verdict(found)
