"""The critical path as a list: each row leads to its task in the timeline."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from core.explain.critical import PathPiece
from core.explain.explanation import Explanation
from core.trace.trace import Trace
from gui.features.why.shares import SHARE_WORDS
from gui.look.text import duration_text, tr
from gui.look.writing import RIGHT
from gui.timeline.interact.describe import bar_name
from gui.widgets.tables import dress_tree

MOST = 200
HEIGHT = 210
TASK_ROLE = Qt.ItemDataRole.UserRole


class PathList(QTreeWidget):
    """A row for each of the first MOST pieces of a path; `chosen` carries a step and a task."""

    chosen = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        heads = (tr("Share"), tr("Task"), tr("Lane"), tr("Time"))
        dress_tree(self, tr("Critical path"), heads, stretched=1)
        self.setToolTip(tr("Pick a piece to show its task in the timeline."))
        self.setFixedHeight(HEIGHT)
        self._shown: tuple[int, Explanation] | None = None
        self.itemSelectionChanged.connect(self._emit_chosen)

    def show_path(
        self, trace: Trace, step: int, explanation: Explanation, path: list[PathPiece]
    ) -> None:
        """List the path of a step; if it is listed already, keep the position and selection."""
        # Compared by identity: a step that has grown has a new explanation.
        if self._shown is not None and self._shown[1] is explanation:
            return
        self.clear_path()
        self._shown = (step, explanation)
        with QSignalBlocker(self):
            for piece in path[:MOST]:
                self._add(trace, step, explanation, piece)

    def clear_path(self) -> None:
        """Clear the list."""
        self._shown = None
        with QSignalBlocker(self):
            self.clear()

    def _add(self, trace: Trace, step: int, explanation: Explanation, piece: PathPiece) -> None:
        task = explanation.columns[piece.task]
        span = trace.find(step, task.index)
        name = str(task)
        if span is not None:
            name = span.name or bar_name(trace, span)
        word, _ = SHARE_WORDS[piece.share]
        share = tr(word)
        length = duration_text(piece.end - piece.start)
        item = QTreeWidgetItem([share, name, trace.header.lanes[task.lane].name, length])
        item.setData(0, TASK_ROLE, task.index)
        item.setTextAlignment(3, RIGHT)
        self.addTopLevelItem(item)

    def _emit_chosen(self) -> None:
        for item in self.selectedItems():
            if self._shown is not None:
                self.chosen.emit(self._shown[0], item.data(0, TASK_ROLE))
