"""Above Devices: what another program's trace tells of its ranks, and what was odd about it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from core.explain.ranks import RankTime, rank_times
from core.trace.odd import sentences
from core.trace.trace import Trace
from gui.look.label import Label
from gui.look.layouts import column
from gui.look.text import duration_text, percent_text, tr
from gui.panels.tables import dress_tree
from gui.timeline.state.scene import Scene


class ForeignPanel(QWidget):
    """A row for each rank or process of a trace, and below it a line for all that was odd."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Trace"))
        self._trace: Trace | None = None
        self.list, self.odd = QTreeWidget(), Label()
        heads = (
            tr("Rank"), tr("Time"), tr("Idle"), tr("Compute"), tr("Transfer alone"),
            tr("Communication"), tr("Of it overlapped"),
        )  # fmt: skip
        dress_tree(self.list, tr("Ranks"), heads, len(heads) - 1)
        for place in range(1, len(heads)):
            self.list.headerItem().setTextAlignment(place, Qt.AlignmentFlag.AlignRight)
        self.odd.setWordWrap(True)
        self.odd.setMargin(8)
        self.odd.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column(self.list, self.odd, of=self, margins=(0, 0, 0, 0), spacing=0)
        self.hide()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Show a trace that is whole; nothing is seen of a run of the app's own."""
        trace = scene.trace if scene is not None and scene.trace.header.foreign else None
        trace = None if live else trace  # its figures are those of the whole
        self.setVisible(trace is not None)
        if trace is None or trace is self._trace:
            return
        self._trace = trace
        self.list.clear()
        for time in rank_times(trace):
            self._add(time)
        rows = self.list.topLevelItemCount()
        height = self.list.sizeHintForRow(0) * rows + self.list.header().sizeHint().height()
        self.list.setFixedHeight(height + 2 * self.list.frameWidth())
        self.odd.setText(odd_text(trace))

    def _add(self, time: RankTime) -> None:
        item = QTreeWidgetItem(self.list, rank_words(time))
        for place in range(1, self.list.columnCount()):
            item.setTextAlignment(place, Qt.AlignmentFlag.AlignRight)


def rank_words(time: RankTime) -> list[str]:
    """A rank's row."""
    span = max(1, time.span_ns)
    shares = (time.idle_ns, time.compute_ns, time.moving_ns, time.communication_ns)
    overlap = percent_text(time.overlap_fraction) if time.communication_ns else "–"
    words = (percent_text(share / span) for share in shares)
    return [time.place, duration_text(time.span_ns), *words, overlap]


def odd_text(trace: Trace) -> str:
    """A line for each thing that was odd about a trace's file."""
    return "\n".join(sentences(trace.odd, tr)) or tr(
        "Nothing was odd about the file: all of it is shown."
    )
