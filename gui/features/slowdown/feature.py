"""Slowdown: the matrix of workers; a click on a part shows its lanes or spans in the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Dock, OnePanelFeature, Shell
from gui.features.spans.feature import SpansFeature
from gui.look.text import tr
from gui.timeline.layout.groups import pattern_of_names

if TYPE_CHECKING:
    from gui.features.slowdown.cells import Cell
    from gui.features.slowdown.panel import SlowdownPanel


class SlowdownFeature(OnePanelFeature):
    """The Slowdown panel, and the filter and search that its cells set."""

    name = "slowdown"
    title = N_("Slowdown")
    dock = Dock.WHY

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._filter = self._query = ""

    def start(self) -> None:
        self.shell.timeline.state.tracks_changed.connect(self._check_filter)
        self.shell.feature(SpansFeature).search.closed.connect(self._check_search)

    def make_panel(self) -> SlowdownPanel:
        from gui.features.slowdown.panel import SlowdownPanel

        panel = SlowdownPanel()
        panel.chosen.connect(self._choose)
        return panel

    def _choose(self, cell: Cell | None) -> None:
        """Show the lanes of a cell, or search for its spans; None shows everything again."""
        self._undo_last()
        scene = self.shell.scene
        if cell is None or scene is None:
            return
        timeline = self.shell.timeline
        if cell.lanes:
            every = scene.trace.header.lanes
            names = [every[lane].name for lane in cell.lanes]
            only_lane = cell.lanes[0] if len(cell.lanes) == 1 else None
            self._filter = pattern_of_names(names)
            timeline.lanes.filter(self._filter)
            timeline.choice.choose(only_lane)
        elif cell.query:
            self._query = cell.query
            self.shell.feature(SpansFeature).search.look_for(cell.query)
        else:
            self.shell.note(tr("This time range has no spans to show in the timeline."))

    def _undo_last(self) -> None:
        """Remove the filter or the search of the last cell, unless the user has changed it."""
        timeline = self.shell.timeline
        search = self.shell.feature(SpansFeature).search
        last_filter = self._filter
        last_query = self._query
        # Reset first: both calls emit signals, and the checks that handle them compare with these.
        self._filter = self._query = ""
        if last_filter and timeline.lanes.tracks.filter == last_filter:
            timeline.lanes.filter("")
        if last_query and search.field.text() == last_query:
            search.close_and_clear()
            # Closing the search moves the focus to the timeline.
            self.panel.widget.chart.setFocus()

    def _check_filter(self) -> None:
        """Unmark the cell if the timeline no longer shows its lanes."""
        if self._filter and self.shell.timeline.lanes.tracks.filter != self._filter:
            self._filter = ""
            self.panel.widget.unmark()

    def _check_search(self) -> None:
        """Unmark the kind of work whose search was closed."""
        if self._query:
            self._query = ""
            self.panel.widget.unmark()
