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
    """Applies actions of the View menu to a timeline, and keeps them in the settings."""

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
        dialog.open()  # not exec(), because runs continue meanwhile

    def set_node_devices(self, count: int) -> None:
        """Group by nodes of `count` devices, and remember the number."""
        self._settings.node_devices = count
        self._timeline.lanes.group_by(Grouping.NODE, count)

    def count_from(self, name: str) -> None:
        """Count times from the zero that a CountFrom names, and remember it."""
        chosen = CountFrom(name) if name in list(CountFrom) else CountFrom.STEP
        self._settings.time_from = chosen.value
        self._action(f"time_{chosen.value}").setChecked(True)
        self._timeline.navigator.count_from(chosen)

    def show(self, name: str, shown: bool) -> None:
        """Show or hide one of STRIPS, and remember it."""
        setattr(self._settings, name, shown)
        self._timeline.state.show_strips(**{STRIPS[name]: shown})

    def follow(self, following: bool) -> None:
        """Follow the newest step; following ends when the user moves away."""
        if following:
            self._timeline.navigator.follow()
        # Unchecking the action does not end following, so it is set to the actual state.
        self._action("follow").setChecked(self._timeline.state.following)

    def forget_path(self) -> None:
        """Hide the critical path and uncheck its action, because another run is shown."""
        self._action("critical_path").setChecked(False)
        self.show("critical_path", False)

    def _keep(self) -> None:
        grouping = self._timeline.lanes.tracks.grouping
        self._settings.grouping = grouping.value
        self._action(f"group_{grouping.value}").setChecked(True)


def grouping_of(name: str) -> Grouping:
    """Return the grouping with a name; an unknown name means by device."""
    return Grouping(name) if name in list(Grouping) else Grouping.DEVICE
