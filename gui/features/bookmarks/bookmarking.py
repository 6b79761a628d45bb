"""Controller of the bookmarks of the run shown: set, name, find, delete and store them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from core.override import override
from core.recording.bookmarks import Bookmark
from core.trace.own_steps import with_range, with_steps
from gui.app.run import Run
from gui.look.text import problem_text, time_text, tr
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import AXIS, LABELS
from gui.timeline.layout.moments import Origin
from gui.timeline.state.selection import TimeRange, bounds_of

if TYPE_CHECKING:
    from gui.features.bookmarks.panel import BookmarksPanel

EDITOR = 190  # width in pixels of the field for a note


class Bookmarking(QObject):
    """Changes bookmarks on request of the keys, the flags on the axis and the Marks panel.

    `message` carries a line for the status bar, and `failed` a line about bookmarks that could not
    be stored. `stepped` carries a copy of the trace, whose steps begin at the bookmarks or are the
    selected range, and a name for the new run ("" for the name of its file).
    """

    message = Signal(str)
    stepped = Signal(object, str)
    failed = Signal(str)

    def __init__(self, timeline: TimelineView) -> None:
        super().__init__(timeline)
        self._timeline = timeline
        self._panel: BookmarksPanel | None = None
        self._run: Run | None = None
        self.editor: NoteEditor | None = None
        timeline.state.bookmarks.changed.connect(self._keep)
        timeline.overlays.flag_clicked.connect(self.edit)
        # While the bookmarks are still those of the run that the note belongs to.
        timeline.state.leaving.connect(self._close_editor)

    def show_in(self, panel: BookmarksPanel) -> None:
        """List the bookmarks in a panel from now on, and connect its rows and buttons."""
        self._panel = panel
        self._fill_panel()
        panel.chosen.connect(self.go_to)
        # Queued, because a row must not be removed while it reports its own change.
        panel.renamed.connect(self.rename, Qt.ConnectionType.QueuedConnection)
        panel.removed.connect(self.remove)
        panel.steps.clicked.connect(self.use_as_steps)

    @property
    def bookmarks(self) -> tuple[Bookmark, ...]:
        """The bookmarks that are shown, in order of time."""
        return self._timeline.state.bookmarks.listed

    def show_run(self, run: Run | None) -> None:
        """Show a run's bookmarks."""
        self._run = run
        bookmarks: tuple[Bookmark, ...] = ()
        if run is not None:
            problem = run.take_bookmarks()
            if problem:
                self.failed.emit(problem)
            bookmarks = run.bookmarks or ()
        self._timeline.state.bookmarks.show(bookmarks)
        self._fill_panel()

    def use_as_steps(self) -> None:
        """Make the steps of another program's trace begin at its bookmarks."""
        if self._run is None:
            return
        bookmarks = [(one.start, one.last) for one in self.bookmarks]
        try:
            made = with_steps(self._run.trace, bookmarks)
        except ValueError:
            self.message.emit(tr("The last mark is after the end of the trace."))
            return
        self.stepped.emit(made, "")

    def explain_range(self) -> None:
        """Make the selected range the only step of another program's trace."""
        selected = self._timeline.state.selection
        run = self._run
        has_plan = run is None or run.trace.header.source.has_plan
        if run is None or has_plan or not isinstance(selected, TimeRange):
            self.message.emit(tr("Select a range of another program's trace to explain it."))
            return
        made = with_range(run.trace, selected.start, selected.end)
        if not made.steps:
            self.message.emit(tr("Nothing begins in this range: there is nothing to explain."))
            return
        start = Origin().number(selected.start, 1e6, 3)
        end = time_text(selected.end)
        source = run.source.name if run.source is not None else ""
        name = tr("{start} to {end} of {name}", start=start, end=end, name=source)
        self.stepped.emit(made, name)

    def add_moment(self) -> None:
        """Bookmark the moment at the crosshair, or the selection's start; then name it.

        If the crosshair is at a bookmark, edit the note of that bookmark instead.
        """
        overlays = self._timeline.overlays
        selected = self._timeline.state.selection
        if self._run is None or (overlays.crosshair is None and selected is None):
            self.message.emit(tr("Point at a moment of a run, or select something, to mark it."))
        elif overlays.bookmark_here is not None:
            self.edit(overlays.bookmark_here)
        elif overlays.crosshair is not None:
            self._add(Bookmark(round(overlays.crosshair.time)))
        elif selected is not None:
            self._add(Bookmark(selected.start))

    def add_range(self) -> None:
        """Bookmark the selection from start to end; then name it."""
        selected = self._timeline.state.selection
        if self._run is None or selected is None:
            self.message.emit(tr("Select a range, a span or an idle gap to mark it."))
        else:
            start, end = bounds_of(self._run.trace, selected, self._timeline.state.now)
            self._add(Bookmark(round(start), round(end)))

    def go_to(self, index: int) -> None:
        """Move a bookmark into view, with the crosshair at its start."""
        bookmark = self.bookmarks[index]
        timeline = self._timeline
        timeline.navigator.show_moments(bookmark.start, bookmark.last)
        timeline.overlays.show_moment(float(bookmark.start))
        self._set_current(index)

    def edit(self, index: int, fresh: bool = False) -> None:
        """Open a field for a bookmark's note at its flag: Return keeps the text, Esc does not.

        Undo removes a `fresh` bookmark together with its note.
        """
        self._close_editor()
        self._set_current(index)
        place = self._timeline.overlays.flag(index)
        if place.isEmpty():
            named = self.bookmarks[index]
            self._timeline.navigator.show_moments(named.start, named.last)
            place = self._timeline.overlays.flag(index)
        self.editor = NoteEditor(self.bookmarks[index].note, place, self._timeline)
        self.editor.typed.connect(lambda note: self.rename(index, note, together=fresh))
        self.editor.closed.connect(self._forget_editor)

    def rename(self, index: int, note: str, together: bool = False) -> None:
        """Change a bookmark's note; with `together`, one undo also reverts the previous change."""
        bookmarks = list(self.bookmarks)
        if index >= len(bookmarks) or note == bookmarks[index].note:
            return
        bookmarks[index] = replace(bookmarks[index], note=note)
        self._timeline.state.bookmarks.change(bookmarks, together)

    def remove(self, index: int) -> None:
        """Delete a bookmark."""
        others = [one for i, one in enumerate(self.bookmarks) if i != index]
        self._timeline.state.bookmarks.change(others)
        self.message.emit(tr("Deleted a mark; Ctrl+Z brings it back."))

    def remove_here(self) -> None:
        """Delete the bookmark at the crosshair."""
        here = self._timeline.overlays.bookmark_here
        if here is None:
            self.message.emit(tr("Point at a mark, or go to one, to delete it."))
        else:
            self.remove(here)

    def _add(self, bookmark: Bookmark) -> None:
        # Move the view first: the field for the note opens at the flag, which must be visible.
        self._timeline.navigator.show_moments(bookmark.start, bookmark.start)
        self._timeline.state.bookmarks.change([*self.bookmarks, bookmark])
        index = self.bookmarks.index(bookmark)
        self.edit(index, fresh=True)

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) bookmark.

        The search begins at the crosshair or, without one, at the middle of the view.
        """
        timeline = self._timeline
        if not self.bookmarks:
            self.message.emit(tr("There are no marks: press M to set one."))
            return
        at = timeline.overlays.crosshair
        view = timeline.state.viewport
        here = view.time(view.width / 2) if at is None else at.time
        # More than half a ns away: the crosshair may be on the mark that the previous call went to.
        beyond = []
        for index, one in enumerate(self.bookmarks):
            if (one.start - here) * by > 0.5:
                beyond.append(index)
        if beyond:
            self.go_to(min(beyond) if by > 0 else max(beyond))

    def _keep(self, bookmarks: tuple[Bookmark, ...]) -> None:
        """List and store changed bookmarks."""
        self._fill_panel()
        if self._run is not None:
            self._run.bookmarks = bookmarks
            try:
                self._run.keep_bookmarks()
            except OSError as error:
                self.failed.emit(problem_text(error))

    def _fill_panel(self) -> None:
        if self._panel is not None:
            self._panel.show_bookmarks(self.bookmarks)
            has_plan = self._run is None or self._run.trace.header.source.has_plan
            self._panel.steps.setVisible(not has_plan)

    def _set_current(self, index: int) -> None:
        if self._panel is not None:
            self._panel.set_current(index)

    def _close_editor(self) -> None:
        if self.editor is not None:
            self.editor.finish()

    def _forget_editor(self) -> None:
        self.editor = None


class NoteEditor(QLineEdit):
    """A text field over the axis. `typed` carries the new note; `closed` is emitted last."""

    typed = Signal(str)
    closed = Signal()

    def __init__(self, note: str, place: QRectF, timeline: TimelineView) -> None:
        over = timeline.viewport()
        super().__init__(note, over)
        self._open = True
        self._timeline = timeline
        self.setAccessibleName(tr("Note of the mark"))
        self.setPlaceholderText(tr("Note"))
        rightmost = max(LABELS, over.width() - EDITOR)
        left = min(max(place.left(), LABELS), rightmost)
        self.setGeometry(int(left), 0, EDITOR, int(AXIS))
        self.selectAll()
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def finish(self, keep: bool = True) -> None:
        """Keep or drop the typed note, and close the field."""
        if self._open:
            # First: the lines below move the focus, and focusOutEvent calls this method again.
            self._open = False
            if keep:
                self.typed.emit(self.text().strip())
            self.closed.emit()
            self.hide()
            # Later, because this runs inside the field's own event handler.
            self.deleteLater()

    @override
    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.ShortcutOverride
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()  # otherwise it would trigger the window's shortcut for Esc
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.finish(keep=event.key() != Qt.Key.Key_Escape)
            self._timeline.setFocus()
        else:
            super().keyPressEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.finish()
