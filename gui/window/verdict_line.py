"""The line above the timeline: what limits a step, and what would help."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QToolButton

from core.plan.pipeline.options import MICROBATCHES
from core.trace.header import Header
from gui.explanations.suggestion import Change, Suggestion
from gui.figures.titles import way_title
from gui.look.label import Label
from gui.look.layouts import button, column, row
from gui.look.text import duration_text, sentence, tr

MARGINS = (12, 7, 8, 7)


class VerdictLine(QFrame):
    """Hidden while there is nothing to say. `opened` asks for the reasons in full.

    `chosen` carries the Specification of a change that was picked.
    """

    opened = Signal()
    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("verdict")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.label = Label("", "said", wrapped=True)
        self.note = Label("", "quiet", wrapped=True)
        tip = tr("Show why, from the ideal step to the measured one.")
        self.why = button(QToolButton, tr("Why"), tip, self.opened.emit, look="link")
        tip = tr("Put this into the settings; Run then starts it.")
        self.change = button(QToolButton, tr("What would help"), tip, self._choose, look="link")
        self._suggestions: dict[Change, Suggestion] = {}
        self._header: Header | None = None
        first = row(self.label, self.why, growing=self.label, margins=(0, 0, 0, 0), spacing=8)
        second = row(self.change, self.note, growing=self.note, margins=(0, 0, 0, 0), spacing=8)
        column(first, second, of=self, margins=MARGINS, spacing=2)
        self.show_text("")

    def show_run(self, header: Header | None) -> None:
        """Another run is shown, or none."""
        self._header = header
        note = "" if header is None else header.timing_note
        self.note.setText(sentence(note) if note else "")
        self._suggestions.clear()
        self._show_change()

    def show_text(self, text: str) -> None:
        """Say this, or hide."""
        self.label.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def suggest(self, change: Suggestion | None) -> None:
        """Offer a change; of several the one that makes what is shown true comes first."""
        if change is not None:
            self._suggestions[change.change] = change
            self._show_change()

    def advise(self, change: Suggestion | None, header: Header) -> None:
        """Offer what was found for a run, if that is the one which is shown."""
        if header is self._header:
            self.suggest(change)

    def show_outcome(self, text: str, header: Header) -> None:
        """Show how a prediction of a run turned out, if that run is shown."""
        if header is self._header:
            note = header.timing_note
            self.note.setText(f"{text} {sentence(note)}" if note else text)
            self.note.setVisible(True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        # As of a button: who moves away before letting go has thought better of it.
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(
            event.position().toPoint()
        ):
            self.opened.emit()

    def _show_change(self) -> None:
        first = next((self._suggestions[c] for c in Change if c in self._suggestions), None)
        self.change.setVisible(first is not None)
        self.note.setVisible(first is not None or bool(self.note.text()))  # it takes what is left
        if first is not None and self._header is not None:
            self.change.setText(change_text(first, self._header))

    def _choose(self) -> None:
        first = next((self._suggestions[c] for c in Change if c in self._suggestions), None)
        if first is not None:
            self.chosen.emit(first.specification)


def change_text(change: Suggestion, header: Header) -> str:
    """A change in a few words: `Pipeline ZB-H1, 16 micro-batches: 35.2 ms predicted`."""
    if change.change is Change.VIRTUAL_LANES:
        lanes = len(header.compute_lanes)
        return tr("Show it without sharing, on {lanes} virtual lanes", lanes=lanes)
    if change.change is Change.WIDER:
        return tr("Try width {width}", width=change.specification.model.width)
    way, step = way_title(change.specification), duration_text(change.step_ns or 0)
    if pieces := change.specification[MICROBATCHES]:
        return tr("{way}, {n} micro-batches: {step} predicted", way=way, n=pieces, step=step)
    return tr("{way}: {step} predicted", way=way, step=step)
