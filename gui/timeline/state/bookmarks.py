"""The bookmarks of the run that is shown, as the timeline has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from core.recording.bookmarks import Bookmark, sorted_bookmarks


class Bookmarks(QObject):
    """Bookmarks in order of time.

    `shown` comes whenever others are shown; `changed` carries them when the user changed them, or
    took a change back. `remember` is called before a change, so that it can be taken back.
    """

    shown = Signal()
    changed = Signal(object)

    def __init__(self, remember: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._remember = remember
        self.listed: tuple[Bookmark, ...] = ()

    def show(self, bookmarks: Sequence[Bookmark]) -> None:
        """Have the bookmarks that are kept with a run."""
        self.listed = sorted_bookmarks(bookmarks)
        self.shown.emit()

    def change(self, bookmarks: Sequence[Bookmark], together: bool = False) -> None:
        """Have other bookmarks, which can be taken back: `together` with the change before."""
        if not together:
            self._remember()
        self.show(bookmarks)
        self.changed.emit(self.listed)

    def take_back(self, bookmarks: tuple[Bookmark, ...]) -> None:
        """Return to other bookmarks, as the history has them."""
        if bookmarks != self.listed:
            self.show(bookmarks)
            self.changed.emit(self.listed)

    def nearest(self, time_ns: float, reach: float) -> int | None:
        """The bookmark that begins closest to a moment, at most `reach` ns away, or None."""
        near = ((abs(one.start - time_ns), index) for index, one in enumerate(self.listed))
        distance, index = min(near, default=(reach + 1, 0))
        return index if distance <= reach else None
