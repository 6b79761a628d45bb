"""The verdict: the limit of the step, in the line above the timeline."""

from __future__ import annotations

from gui.app.feature import Feature, Shell
from gui.app.run import Run
from gui.features.verdict.controller import VerdictController
from gui.features.verdict.line import VerdictLine
from gui.timeline.state.scene import Scene


class VerdictFeature(Feature):
    """The line, and the controller that finds its text."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.line = VerdictLine()
        self.controller = VerdictController(self)
        self._text = self._instead = ""
        self.controller.text_changed.connect(self._show_text)
        self.controller.suggested.connect(self.line.suggest)

    def _show_text(self, text: str) -> None:
        self._text = text
        if text and self._instead:
            self.line.show_text(self._instead)
        else:
            self.line.show_text(text, self.controller.sentence)

    def show_run(self, run: Run | None) -> None:
        if run is not None:
            self.line.show_run(run.trace.header)

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        instead = "" if scene is None else scene.concealed
        if instead != self._instead:
            self._instead = instead
            self._show_text(self._text)
        if scene is None:
            self.controller.show_nothing()
        else:
            self.controller.show_scene(scene, live)
