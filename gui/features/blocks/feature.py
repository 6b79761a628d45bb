"""Blocks: costs of a model's blocks, and the borders of a pipeline's stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.app.feature import Dock, Feature, Panel, Shell
from gui.features.predict.feature import PredictFeature
from gui.features.run.feature import RunFeature
from gui.look.text import tr

if TYPE_CHECKING:
    from gui.features.blocks.panel import BlocksPanel
    from gui.features.blocks.stage_editor import StageEditor


class BlocksFeature(Feature):
    """The Blocks panel and its controller."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.panel = Panel("blocks", tr("Blocks"), Dock.DATA, self._make_panel)
        self.panels = (self.panel,)
        self._editor: StageEditor | None = None

    def close(self) -> None:
        if self._editor is not None:
            self._editor.close()

    def _make_panel(self) -> BlocksPanel:
        from gui.features.blocks.panel import BlocksPanel
        from gui.features.blocks.stage_editor import StageEditor

        panel = BlocksPanel()
        run = self.shell.feature(RunFeature)
        service = self.shell.feature(PredictFeature).service
        self._editor = StageEditor(
            panel, run.form, self.shell.session, run.control.run_beside, service
        )
        return panel
