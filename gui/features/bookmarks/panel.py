"""Marks panel: lists a run's bookmarks; the user can go to, name and delete them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from core.recording.bookmarks import Bookmark
from gui.look.text import duration_text, time_text, tr
from gui.widgets.label import hint, plain_tip
from gui.widgets.layouts import button, joined, row, stacked, widget_of
from gui.widgets.tables import dress_tree

NOTE = 2  # index of the column


class BookmarksPanel(QWidget):
    """A row for each bookmark, in order of time.

    `chosen` carries the index of the bookmark to go to, `renamed` an index and the new note, and
    `removed` the index of the bookmark to delete. The button `steps` turns them into steps.
    """

    chosen = Signal(int)
    renamed = Signal(int, str)
    removed = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        nothing = tr(
            "Press M to mark the moment under the pointer, or the start of the selection; "
            "Shift+M marks the selection from start to end. Marks are kept next to the "
            "recording."
        )
        self.list = QTreeWidget()
        heads = (tr("Time in run"), tr("Length"), tr("Note"))
        dress_tree(self.list, tr("Marks of the run"), heads, stretched=NOTE)
        # A click goes to the mark; only `rename` opens an editor.
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        for key, do in ((Qt.Key.Key_F2, self.rename), (Qt.Key.Key_Delete, self.remove)):
            # Only in the list: in the field for a note, Delete removes a character.
            QShortcut(key, self.list, do, context=Qt.ShortcutContext.WidgetShortcut)
        self.list.itemActivated.connect(lambda item, _: self.chosen.emit(self._index(item)))
        self.list.itemClicked.connect(lambda item, _: self.chosen.emit(self._index(item)))
        self.list.itemChanged.connect(self._rename)
        body = widget_of(joined(self.list, self._buttons(), growing=self.list))
        self._stack = stacked(self, hint(nothing), body)

    def show_bookmarks(self, bookmarks: Sequence[Bookmark]) -> None:
        """Replace the rows, and keep the position of the current row."""
        current = self.current
        # Filling a row emits `itemChanged`, just as an edited note does.
        with QSignalBlocker(self.list):
            self.list.clear()
            for bookmark in bookmarks:
                start = bookmark.start
                end = bookmark.end
                note = bookmark.note
                length = "" if end is None else duration_text(end - start)
                item = QTreeWidgetItem(self.list, [time_text(start), length, note])
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                item.setToolTip(NOTE, plain_tip(note))
        if bookmarks:
            wanted = max(0, current or 0)
            last = len(bookmarks) - 1
            self.set_current(min(wanted, last))
        self._stack.setCurrentIndex(1 if bookmarks else 0)

    @property
    def current(self) -> int | None:
        """The index of the current row, or None."""
        item = self.list.currentItem()
        return None if item is None else self._index(item)

    def set_current(self, index: int) -> None:
        """Make a bookmark's row the current one."""
        item = self.list.topLevelItem(index)
        if item is not None:
            self.list.setCurrentItem(item)

    def go(self) -> None:
        """Go to the current bookmark."""
        if self.current is not None:
            self.chosen.emit(self.current)

    def rename(self) -> None:
        """Edit the current bookmark's note in its row."""
        item = self.list.currentItem()
        if item is not None:
            self.list.editItem(item, NOTE)

    def remove(self) -> None:
        """Delete the current bookmark."""
        if self.current is not None:
            self.removed.emit(self.current)

    def _buttons(self) -> QHBoxLayout:
        tip = tr("Show the mark in the timeline. (Return)")
        go = button(QPushButton, tr("Go to"), tip, self.go)
        edit = button(QPushButton, tr("Edit note"), tr("Write another note. (F2)"), self.rename)
        tip = tr("Delete the mark; Ctrl+Z brings it back. (Del)")
        delete = button(QPushButton, tr("Delete"), tip, self.remove)
        tip = tr(
            "Explain this trace by steps: each mark starts a step that lasts until the next "
            "mark; the last step ends with its mark."
        )
        self.steps = button(QPushButton, tr("Use as steps"), tip)
        self.steps.hide()
        return row(go, edit, delete, self.steps, None, margins=(8, 4, 8, 6), spacing=6)

    def _index(self, item: QTreeWidgetItem) -> int:
        return self.list.indexOfTopLevelItem(item)

    def _rename(self, item: QTreeWidgetItem, column: int) -> None:
        if column == NOTE:
            self.renamed.emit(self._index(item), item.text(NOTE))
