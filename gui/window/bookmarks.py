"""Marks of the run that is shown: setting, naming, finding and deleting them, and keeping them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from core.recording.bookmarks import Bookmark
from core.trace.marked import with_steps
from gui.app.session import Run
from gui.look.text import tr
from gui.panels.data.bookmarks import MarksPanel
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import AXIS, LABELS
from gui.timeline.state.selection import bounds_of

EDITOR = 190  # pixels of the field in which a note is typed


class Marking(QObject):
    """What keys, the axis and the Marks panel do with marks.

    `said` is a line for the status bar, `failed` one about marks that could not be kept. `stepped`
    carries the trace that is shown with steps that begin at its marks.
    """

    said = Signal(str)
    stepped = Signal(object)
    failed = Signal(str)

    def __init__(self, timeline: TimelineView, panel: MarksPanel) -> None:
        super().__init__(timeline)
        self._timeline, self._panel = timeline, panel
        self._run: Run | None = None
        self.editor: NoteEditor | None = None
        timeline.state.bookmarks.changed.connect(self._keep)
        timeline.overlays.flag_clicked.connect(self.edit)
        panel.chosen.connect(self.go_to)
        # A row that is edited must not be taken away while it tells of it.
        panel.renamed.connect(self.rename, Qt.ConnectionType.QueuedConnection)
        panel.removed.connect(self.remove)
        panel.steps_asked.connect(self.use_as_steps)

    @property
    def marks(self) -> tuple[Bookmark, ...]:
        """The marks that are shown, in order of time."""
        return self._timeline.state.bookmarks.marks

    def show_run(self, run: Run | None) -> None:
        """Show a run's marks."""
        self._close_editor()
        self._run = run
        problem = "" if run is None else run.take_marks()
        if problem:
            self.failed.emit(problem)
        marks = () if run is None or run.marks is None else run.marks
        self._timeline.state.bookmarks.show(marks)
        self._panel.show_marks(marks)
        self._panel.steps.setVisible(run is not None and run.trace.header.foreign)

    def use_as_steps(self) -> None:
        """Let the steps of a trace of another program begin at its marks."""
        if self._run is not None:
            try:
                marks = [(mark.start, mark.last) for mark in self.marks]
                self.stepped.emit(with_steps(self._run.trace, marks))
            except ValueError:
                self.said.emit(tr("The last mark lies behind the end of the trace."))

    def mark(self) -> None:
        """Mark the moment at the crosshair, else where the selection starts; then name it.

        Where there is a mark already, name that.
        """
        overlays, selected = self._timeline.overlays, self._timeline.state.selection
        if self._run is None or (overlays.crosshair is None and selected is None):
            self.said.emit(tr("Point at a moment of a run, or select something, to mark it."))
        elif overlays.mark_here is not None:
            self.edit(overlays.mark_here)
        elif overlays.crosshair is not None:
            self._add(Bookmark(round(overlays.crosshair.time)))
        elif selected is not None:
            self._add(Bookmark(selected.start))

    def mark_range(self) -> None:
        """Mark the selection from start to end; then name it."""
        selected = self._timeline.state.selection
        if self._run is None or selected is None:
            self.said.emit(tr("Select a range, a span or an idle gap to mark it."))
        else:
            start, end = bounds_of(self._run.trace, selected, self._timeline.state.now)
            self._add(Bookmark(round(start), round(end)))

    def go_to(self, index: int) -> None:
        """Bring a mark into view, with the crosshair where it begins."""
        mark, timeline = self.marks[index], self._timeline
        timeline.navigator.show_moments(mark.start, mark.last)
        timeline.overlays.show_moment(float(mark.start))
        self._panel.set_current(index)

    def edit(self, index: int) -> None:
        """Type a mark's note where its flag is: Return keeps it, Esc leaves it as it was."""
        self._edit(index, fresh=False)

    def rename(self, index: int, note: str) -> None:
        """Give a mark another note."""
        self._rename(index, note, together=False)

    def remove(self, index: int) -> None:
        """Delete a mark."""
        self._timeline.state.bookmarks.change([m for i, m in enumerate(self.marks) if i != index])
        self.said.emit(tr("Deleted a mark; Ctrl+Z brings it back."))

    def remove_here(self) -> None:
        """Delete the mark at the crosshair."""
        here = self._timeline.overlays.mark_here
        if here is None:
            self.said.emit(tr("Point at a mark, or go to one, to delete it."))
        else:
            self.remove(here)

    def _add(self, mark: Bookmark) -> None:
        self._timeline.navigator.show_moments(mark.start, mark.start)  # its note is typed there
        self._timeline.state.bookmarks.change([*self.marks, mark])
        index = self.marks.index(mark)
        self._panel.set_current(index)
        self._edit(index, fresh=True)

    def _edit(self, index: int, fresh: bool) -> None:
        """The note of a `fresh` mark is taken back together with it."""
        self._close_editor()
        self._panel.set_current(index)
        place = self._timeline.overlays.flag(index)
        if place.isEmpty():
            self._timeline.navigator.show_moments(self.marks[index].start, self.marks[index].last)
            place = self._timeline.overlays.flag(index)
        self.editor = NoteEditor(self.marks[index].note, place, self._timeline)
        self.editor.typed.connect(lambda note: self._rename(index, note, together=fresh))
        self.editor.closed.connect(self._forget_editor)

    def _rename(self, index: int, note: str, together: bool) -> None:
        if index < len(self.marks) and note != self.marks[index].note:
            marks = list(self.marks)
            marks[index] = replace(marks[index], note=note)
            self._timeline.state.bookmarks.change(marks, together)

    def step(self, by: int) -> None:
        """Go to the next mark (1) or the one before, from where one is, or the view's middle."""
        timeline = self._timeline
        if not self.marks:
            self.said.emit(tr("There are no marks: M sets one."))
            return
        at = timeline.overlays.crosshair
        view = timeline.state.viewport
        here = view.time(view.width / 2) if at is None else at.time
        beyond = [i for i, mark in enumerate(self.marks) if (mark.start - here) * by > 0.5]
        if beyond:
            self.go_to(min(beyond) if by > 0 else max(beyond))

    def _keep(self, marks: tuple[Bookmark, ...]) -> None:
        """Marks were changed, or a change was taken back."""
        self._panel.show_marks(marks)
        if self._run is not None:
            self._run.marks = marks
            try:
                self._run.keep_marks()
            except OSError as error:
                self.failed.emit(str(error))

    def _close_editor(self) -> None:
        if self.editor is not None:
            self.editor.finish()

    def _forget_editor(self) -> None:
        self.editor = None


class NoteEditor(QLineEdit):
    """A field over the axis. `typed` carries the note that was kept; `closed` comes at the end."""

    typed = Signal(str)
    closed = Signal()

    def __init__(self, note: str, place: QRectF, timeline: TimelineView) -> None:
        over = timeline.viewport()
        super().__init__(note, over)
        self._open, self._timeline = True, timeline
        self.setAccessibleName(tr("Note of the mark"))
        self.setPlaceholderText(tr("Note"))
        left = min(max(place.left(), LABELS), max(LABELS, over.width() - EDITOR))
        self.setGeometry(int(left), 0, EDITOR, int(AXIS))
        self.selectAll()
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def finish(self, keep: bool = True) -> None:
        """Keep what was typed, or do not, and go."""
        if self._open:
            self._open = False
            if keep:
                self.typed.emit(self.text().strip())
            self.closed.emit()
            self.hide()
            self.deleteLater()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: D102
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.finish(keep=event.key() != Qt.Key.Key_Escape)
            self._timeline.setFocus()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: D102
        super().focusOutEvent(event)
        self.finish()
