"""Ranks of another program's trace, and the irregularities in it; shown above Devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from core.trace.trace import Trace
from gui.app.jobs import Runner, Work
from gui.look.ranks import issue_lines, rank_heads, rank_words
from gui.look.text import tr
from gui.timeline.state.scene import Scene
from gui.widgets.label import Label
from gui.widgets.layouts import joined
from gui.widgets.tables import dress_tree

if TYPE_CHECKING:  # imported when first used, because it would slow the start of the window
    from core.explain.ranks import RankTime

AT_ONCE_S = 0.02
"""Seconds for which computing the first ranks may block the window."""


class ImportedPanel(QWidget):
    """A row for each rank or process of a trace, and below them a line for each irregularity.

    If there are many ranks, their rows are added in slices.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Trace"))
        self._trace: Trace | None = None
        self._runner = Runner(self, "ranks")
        self._runner.done.connect(self._fit)
        self.list = QTreeWidget()
        self.issues = Label(wrapped=True, selectable=True)
        heads = rank_heads()
        dress_tree(self.list, tr("Ranks"), heads, stretched=0)
        for place in range(1, len(heads)):
            self.list.headerItem().setTextAlignment(place, Qt.AlignmentFlag.AlignRight)
        self.issues.setMargin(8)
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        joined(self.list, self.issues, of=self)
        self.hide()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Show the trace of an opened file; the panel is hidden for runs of this app."""
        # The figures need a whole trace and its launches; a live job records no launches.
        trace = None if scene is None or live else scene.trace
        if trace is not None and trace.imported is None:
            trace = None
        self.setVisible(trace is not None)
        if trace is self._trace:
            return
        self._runner.cancel()
        if trace is None:
            self._trace = None
            return
        self._trace = trace
        self.list.clear()
        self.issues.setText("\n".join(issue_lines(trace)))
        self._runner.start(self._add_ranks(trace), AT_ONCE_S)
        if self._runner.running:
            self._fit()

    def _add_ranks(self, trace: Trace) -> Work[None]:
        from core.explain.ranks import each_rank_time

        for time in each_rank_time(trace):
            self._add(time)
            yield 0.0

    def _fit(self) -> None:
        """Make the list as high as its rows.

        The page scrolls as a whole, and a list that scrolls inside a page that scrolls is hard to
        use.
        """
        rows = self.list.topLevelItemCount()
        rows_height = self.list.sizeHintForRow(0) * rows
        header_height = self.list.header().sizeHint().height()
        frame = 2 * self.list.frameWidth()
        self.list.setFixedHeight(rows_height + header_height + frame)

    def _add(self, time: RankTime) -> None:
        item = QTreeWidgetItem(self.list, rank_words(time))
        for place in range(1, self.list.columnCount()):
            item.setTextAlignment(place, Qt.AlignmentFlag.AlignRight)
