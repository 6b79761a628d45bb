"""Devices: how busy each device was, how the batch was split, and when gradients were reduced."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea

from gui.app.feature import Dock, Feature, Panel, Shell
from gui.features.devices.batch import BatchPanel
from gui.features.devices.buckets import BucketsChart
from gui.features.devices.devices import DevicesPanel
from gui.features.devices.imported import ImportedPanel
from gui.look.text import tr
from gui.timeline.state.scene import Scene
from gui.widgets.sheet import scrolled


class DevicesFeature(Feature):
    """The Devices and the Batch split panels."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.imported, self.devices, self.buckets = ImportedPanel(), DevicesPanel(), BucketsChart()
        self.batch = BatchPanel()
        self.keep_until_shown(self.imported, self.devices, self.buckets, self.batch)
        self.panels = (
            Panel("devices", tr("Devices"), Dock.DEVICES, self._make_page),
            Panel("batch", tr("Batch split"), Dock.DEVICES, lambda: scrolled(self.batch)),
        )

    def _make_page(self) -> QScrollArea:
        return scrolled(self.imported, self.devices, self.buckets)

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        self.imported.show_scene(scene, live)
        for part in (self.devices, self.buckets, self.batch):
            part.show_scene(scene, live)

    def show_step(self, scene: Scene, live: bool) -> None:
        for part in (self.devices, self.buckets, self.batch):
            part.show_scene(scene, live)
