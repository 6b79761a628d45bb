"""Options of the timeline: its parts and the grouping of lanes, kept between sessions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog

from gui.app.settings import Settings
from gui.look.text import tr
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.groups import MOST_NODE_DEVICES, NODE_DEVICES, Grouping, TrackState
from gui.timeline.layout.moments import CountFrom

STRIPS = {
    "memory": "memory",
    "prediction": "prediction",
    "critical_path": "path",
    "nested": "nested",
    "arrows": "arrows",
    "counters": "counters",
}
"""Names of the timeline's optional parts, by action and setting."""


class ViewOptions(QObject):
    """Between the View menu, the settings and a timeline's lanes."""

    def __init__(self, timeline: TimelineView, settings: Settings) -> None:
        super().__init__(timeline)
        self._timeline = timeline
        self._settings = settings
        self.dialog: QInputDialog | None = None

    def attach(self, action: Callable[[str], QAction]) -> None:
        """Restore the options of the last session and check their actions, found by `action`."""
        self._action = action
        state = self._timeline.state
        settings = self._settings
        node_devices = max(0, settings.node_devices) or NODE_DEVICES
        state.stack.state = TrackState(grouping_of(settings.grouping), node_devices)
        state.tracks_changed.connect(self._keep)
        self._keep()
        self.count_from(settings.time_from)
        strips = {}
        for name, strip in STRIPS.items():
            strips[strip] = getattr(settings, name)
            action(name).setChecked(strips[strip])
        # All at once, because the timeline lays out its lanes each time.
        state.show_strips(**strips)

    def group_by(self, name: str) -> None:
        """Group the lanes by a Grouping."""
        self._timeline.lanes.group_by(grouping_of(name))

    def ask_node_devices(self) -> None:
        """Ask how many devices a node has, and group by nodes."""
        dialog = self.dialog = QInputDialog(self._timeline)
        dialog.setInputMode(QInputDialog.InputMode.IntInput)
        dialog.setIntRange(1, MOST_NODE_DEVICES)
        dialog.setIntValue(self._timeline.lanes.tracks.node_devices)
        dialog.setWindowTitle(tr("Devices of a node"))
        dialog.setLabelText(tr("Devices of a node, if their names do not contain the host:"))
        dialog.intValueSelected.connect(self.set_node_devices)
        dialog.open()  # nothing waits for it: a run goes on

    def set_node_devices(self, count: int) -> None:
        """Group by nodes of so many devices, and remember it."""
        self._settings.node_devices = count
        self._timeline.lanes.group_by(Grouping.NODE, count)

    def count_from(self, name: str) -> None:
        """Count moments from the zero of a CountFrom, and remember it."""
        chosen = CountFrom(name) if name in list(CountFrom) else CountFrom.STEP
        self._settings.time_from = chosen.value
        self._action(f"time_{chosen.value}").setChecked(True)
        self._timeline.navigator.count_from(chosen)

    def show(self, name: str, shown: bool) -> None:
        """Show one of STRIPS, or do not, and remember it."""
        setattr(self._settings, name, shown)
        self._timeline.state.show_strips(**{STRIPS[name]: shown})

    def follow(self, following: bool) -> None:
        """Follow the present, or stay where one is."""
        if following:
            self._timeline.navigator.follow()
        # Unchecking ends nothing, as following ends when one moves away: the action is set back.
        self._action("follow").setChecked(self._timeline.state.following)

    def forget_path(self) -> None:
        """Show the critical path of the run that is shown now, if it is wanted."""
        self._action("critical_path").setChecked(False)
        self.show("critical_path", False)

    def _keep(self) -> None:
        grouping = self._timeline.lanes.tracks.grouping
        self._settings.grouping = grouping.value
        self._action(f"group_{grouping.value}").setChecked(True)


def grouping_of(name: str) -> Grouping:
    """Return the grouping with a name; by devices if there is none."""
    return Grouping(name) if name in list(Grouping) else Grouping.DEVICE
