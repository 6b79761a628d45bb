"""Ranks of another program's trace, and the irregularities in it; shown above Devices."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from core.explain.ranks import RankTime, rank_times
from core.trace.trace import Trace
from gui.look.ranks import issue_lines, rank_heads, rank_words
from gui.look.text import tr
from gui.timeline.state.scene import Scene
from gui.widgets.label import Label
from gui.widgets.layouts import joined
from gui.widgets.tables import dress_tree


class ImportedPanel(QWidget):
    """A row for each rank or process of a trace, and below them a line for each irregularity."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Trace"))
        self._trace: Trace | None = None
        self.list, self.issues = QTreeWidget(), Label(wrapped=True, selectable=True)
        heads = rank_heads()
        dress_tree(self.list, tr("Ranks"), heads, len(heads) - 1)
        for place in range(1, len(heads)):
            self.list.headerItem().setTextAlignment(place, Qt.AlignmentFlag.AlignRight)
        self.issues.setMargin(8)
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        joined(self.list, self.issues, of=self)
        self.hide()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Show the trace of an opened file; the panel is hidden for runs of this app."""
        # The figures are of a whole trace and of launches, which jobs do not record.
        trace = None if scene is None or live or scene.trace.imported is None else scene.trace
        self.setVisible(trace is not None)
        if trace is None or trace is self._trace:
            return
        self._trace = trace
        self.list.clear()
        for time in rank_times(trace):
            self._add(time)
        rows = self.list.topLevelItemCount()
        # As high as its rows: the page scrolls as a whole, and a list that scrolls inside a page
        # that scrolls is hard to use.
        height = self.list.sizeHintForRow(0) * rows + self.list.header().sizeHint().height()
        self.list.setFixedHeight(height + 2 * self.list.frameWidth())
        self.issues.setText("\n".join(issue_lines(trace)))

    def _add(self, time: RankTime) -> None:
        item = QTreeWidgetItem(self.list, rank_words(time))
        for place in range(1, self.list.columnCount()):
            item.setTextAlignment(place, Qt.AlignmentFlag.AlignRight)
