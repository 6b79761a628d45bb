"""Devices: load, batch rows and memory of each lane, and the times of collectives."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea

from gui.app.feature import Dock, Feature, Panel, Shell
from gui.features.devices.batch import BatchPanel
from gui.features.devices.buckets import BucketsChart
from gui.features.devices.devices import DevicesPanel
from gui.features.devices.imported import ImportedPanel
from gui.features.devices.memory import MemoryPanel
from gui.look.text import tr
from gui.timeline.state.scene import Scene
from gui.widgets.layouts import NO_MARGINS, row, widget_of
from gui.widgets.sheet import scrolled, scrolling


class DevicesFeature(Feature):
    """The Devices panel, and a panel with the batch split and the memory side by side."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.imported = ImportedPanel()
        self.devices = DevicesPanel()
        self.buckets = BucketsChart()
        self.batch = BatchPanel()
        self.memory = MemoryPanel()
        self.stepped = (self.devices, self.buckets, self.batch, self.memory)
        self.keep_until_shown(self.imported, *self.stepped)
        self.panels = (
            Panel("devices", tr("Devices"), Dock.DEVICES, self._make_page),
            Panel("batch", tr("Batch split and memory"), Dock.DEVICES, self._make_batch_page),
        )

    def _make_page(self) -> QScrollArea:
        return scrolled(self.imported, self.devices, self.buckets)

    def _make_batch_page(self) -> QScrollArea:
        sides = row(self.batch, self.memory, margins=NO_MARGINS, spacing=0)
        sides.setStretch(0, 1)
        sides.setStretch(1, 1)
        return scrolling(widget_of(sides, "plot"), tr("Batch split and memory"))

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        self.imported.show_scene(scene, live)
        for part in self.stepped:
            part.show_scene(scene, live)

    def show_step(self, scene: Scene, live: bool) -> None:
        for part in self.stepped:
            part.show_scene(scene, live)
