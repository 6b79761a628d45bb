"""Blocks: costs of the model's blocks, and the borders of a pipeline's stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.app.feature import Dock, Feature, Panel, Shell
from gui.features.predict.feature import PredictFeature
from gui.features.run.feature import RunFeature
from gui.look.text import tr

if TYPE_CHECKING:
    from gui.features.blocks.cutting import Cutting
    from gui.features.blocks.panel import BlocksPanel


class BlocksFeature(Feature):
    """The Blocks panel and its controller."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.panel = Panel("blocks", tr("Blocks"), Dock.DATA, self._make_panel)
        self.panels = (self.panel,)
        self._cutting: Cutting | None = None

    def close(self) -> None:
        if self._cutting is not None:
            self._cutting.close()

    def _make_panel(self) -> BlocksPanel:
        from gui.features.blocks.cutting import Cutting
        from gui.features.blocks.panel import BlocksPanel

        panel = BlocksPanel()
        run = self.shell.feature(RunFeature)
        service = self.shell.feature(PredictFeature).service
        self._cutting = Cutting(
            panel, run.form, self.shell.session, run.control.run_beside, service
        )
        return panel
