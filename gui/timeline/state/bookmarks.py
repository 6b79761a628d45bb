"""Bookmarks in the timeline of the run on screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from core.recording.bookmarks import Bookmark, sorted_bookmarks


class Bookmarks(QObject):
    """Bookmarks in order of time.

    `shown` is emitted when the bookmarks on screen change; `changed`, with the bookmarks, after a
    change by the user or its undo. `remember` is called before a change, so that it can be undone.
    """

    shown = Signal()
    changed = Signal(object)

    def __init__(self, remember: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._remember = remember
        self.listed: tuple[Bookmark, ...] = ()

    def show(self, bookmarks: Sequence[Bookmark]) -> None:
        """Show the bookmarks of a run."""
        self.listed = sorted_bookmarks(bookmarks)
        self.shown.emit()

    def change(self, bookmarks: Sequence[Bookmark], together: bool = False) -> None:
        """Change the bookmarks; `together` makes undo revert it with the change before."""
        if not together:
            self._remember()
        self.show(bookmarks)
        self.changed.emit(self.listed)

    def take_back(self, bookmarks: tuple[Bookmark, ...]) -> None:
        """Restore the bookmarks of the undo history."""
        if bookmarks != self.listed:
            self.show(bookmarks)
            self.changed.emit(self.listed)

    def nearest(self, time_ns: float, reach: float) -> int | None:
        """Return the index of the bookmark closest to a time, at most `reach` ns away, or None."""
        near = ((abs(one.start - time_ns), index) for index, one in enumerate(self.listed))
        distance, index = min(near, default=(reach + 1, 0))
        return index if distance <= reach else None
