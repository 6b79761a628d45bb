"""Runs panel: every run that was made or opened in this session."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from core.override import override
from gui.app.run import Run
from gui.features.runs.columns import run_columns
from gui.look.text import tr
from gui.widgets.label import plain_tip
from gui.widgets.tables import dress_tree

RUN_ROLE = Qt.ItemDataRole.UserRole


class RunsPanel(QTreeWidget):
    """A row for each run; the runs of a sweep or a lesson are in a group.

    `chosen` carries the run that was picked, which may be the marked one: the first page may cover
    it. `menu_wanted` carries a run and the position on screen for its menu.
    """

    chosen = Signal(object)
    menu_wanted = Signal(object, QPoint)

    def __init__(self) -> None:
        super().__init__()
        heads = (tr("#"), tr("Run"), tr("Outcome"), tr("Step"))
        dress_tree(self, tr("Runs of this session"), heads, stretched=1)
        self.itemSelectionChanged.connect(self._emit_selected)
        # A click on the selected row, or Enter, does not change the selection.
        self.itemClicked.connect(self._emit_chosen)
        self.itemActivated.connect(self._emit_chosen)

    def add(self, run: Run) -> None:
        """List a run if it is not listed yet."""
        if self._item(run) is None:
            parent = self._group(run.group) if run.group else self.invisibleRootItem()
            QTreeWidgetItem(parent).setData(0, RUN_ROLE, run)
        self.update_run(run)

    def mark(self, run: Run | None) -> None:
        """Mark the run that is shown, if there is one, and no other; without a signal."""
        item = None if run is None else self._item(run)
        if item is self.currentItem():
            return
        with QSignalBlocker(self):
            if item is None:
                self.selectionModel().clear()
            else:
                self.setCurrentItem(item)
        if item is not None:
            self.scrollToItem(item)

    def update_run(self, run: Run) -> None:
        """Update the row of a run."""
        item = self._item(run)
        if item is not None:
            for column, text in enumerate(run_columns(run)):
                item.setText(column, text)
                item.setToolTip(column, plain_tip(run.note or run.text or text))

    def remove(self, run: Run) -> None:
        """Remove a run, and its group if no run is left in it, without a signal."""
        item = self._item(run)
        if item is None:
            return
        parent = item.parent() or self.invisibleRootItem()
        with QSignalBlocker(self):
            parent.removeChild(item)
            if parent is not self.invisibleRootItem() and not parent.childCount():
                self.invisibleRootItem().removeChild(parent)

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        item = self.currentItem() if by_key else self.itemAt(event.pos())
        run = None if item is None else item.data(0, RUN_ROLE)
        if run is not None:
            self.menu_wanted.emit(run, event.globalPos())

    def _group(self, name: str) -> QTreeWidgetItem:
        """Return the row of a group of runs, made if it does not exist yet."""
        root = self.invisibleRootItem()
        for place in range(self.topLevelItemCount()):
            item = self.topLevelItem(place)
            is_group = item is not None and item.data(0, RUN_ROLE) is None
            if item is not None and is_group and item.text(1) == name:
                return item
        made = QTreeWidgetItem(root, ["", name])
        made.setExpanded(True)
        self.setRootIsDecorated(True)
        return made

    def _item(self, run: Run) -> QTreeWidgetItem | None:
        for item in self.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive):
            if item.data(0, RUN_ROLE) is run:
                return item
        return None

    def _emit_selected(self) -> None:
        for item in self.selectedItems():
            self._emit_chosen(item)

    def _emit_chosen(self, item: QTreeWidgetItem, _column: int = 0) -> None:
        run = item.data(0, RUN_ROLE)
        if run is not None:
            self.chosen.emit(run)
