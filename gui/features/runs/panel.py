"""Runs: everything that was run or opened in this sitting, to be shown again."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from core.engine.messages import Outcome
from core.trace.columns import sorted_positions
from core.trace.source import Source
from core.trace.warmup import first_measured
from gui.app.run_names import shown_title
from gui.app.session import Run
from gui.look.text import duration_text, tr
from gui.widgets.label import plain_tip
from gui.widgets.tables import dress_tree

RUN_ROLE = Qt.ItemDataRole.UserRole


class RunsPanel(QTreeWidget):
    """A row for each run; `chosen` carries the run that was picked.

    `menu_wanted` carries a run and the place on screen where its menu is asked for.
    """

    chosen = Signal(object)
    menu_wanted = Signal(object, QPoint)

    def __init__(self) -> None:
        super().__init__()
        heads = (tr("#"), tr("Run"), tr("Outcome"), tr("Step"))
        dress_tree(self, tr("Runs of this sitting"), heads, stretched=1)
        self.itemSelectionChanged.connect(self._emit_chosen)

    def add(self, run: Run) -> None:
        """List a run, once, and mark it, without choosing it."""
        if self._item(run) is None:
            QTreeWidgetItem(self).setData(0, RUN_ROLE, run)
        self.update_run(run)
        self.mark(run)

    def mark(self, run: Run) -> None:
        """Mark the run that is shown, without choosing it."""
        item = self._item(run)
        if item is not None and item is not self.currentItem():
            with QSignalBlocker(self):
                self.setCurrentItem(item)
            self.scrollToItem(item)

    def update_run(self, run: Run) -> None:
        """Write what is now known of a run."""
        item = self._item(run)
        if item is not None:
            for column, text in enumerate(run_columns(run)):
                item.setText(column, text)
                item.setToolTip(column, plain_tip(run.note or run.text or text))

    def remove(self, run: Run) -> None:
        """Take a run off the list, without choosing another."""
        with QSignalBlocker(self):
            if (item := self._item(run)) is not None:
                self.takeTopLevelItem(self.indexOfTopLevelItem(item))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: D102
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        item = self.currentItem() if by_key else self.itemAt(event.pos())
        if item is not None:
            self.menu_wanted.emit(item.data(0, RUN_ROLE), event.globalPos())

    def _item(self, run: Run) -> QTreeWidgetItem | None:
        items = (self.topLevelItem(index) for index in range(self.topLevelItemCount()))
        return next((item for item in items if item and item.data(0, RUN_ROLE) is run), None)

    def _emit_chosen(self) -> None:
        for item in self.selectedItems():
            self.chosen.emit(item.data(0, RUN_ROLE))


def run_columns(run: Run) -> tuple[str, str, str, str]:
    """Number, title, outcome and median makespan of the measured steps."""
    table = run.trace.step_table
    first = int(sorted_positions(table.numbers, first_measured(run.trace)))
    lengths = table.ends[first:] - table.starts[first:]
    step = duration_text(float(np.median(lengths))) if len(lengths) and not run.live else ""
    return str(run.number), shown_title(run), outcome_text(run), step


def outcome_text(run: Run) -> str:
    """How a run ended, in a word."""
    if run.source is not None:
        return run.source.name
    if run.trace.header.source is Source.PREDICTED:
        return tr("predicted")
    words = {
        None: tr("running"),
        Outcome.FINISHED: tr("finished"),
        Outcome.STOPPED: tr("stopped"),
        Outcome.FAILED: tr("failed"),
        Outcome.REFUSED: tr("refused"),
    }
    return words[run.outcome]
