"""The line above the timeline: the limit of a step, and alternatives."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QToolButton

from core.override import override
from core.plan.pipeline.options import MICROBATCHES, SCHEDULE
from core.plan.schedules import SCHEDULES
from core.plan.strategies import STRATEGIES
from core.trace.header import Header
from gui.app.titles import strategy_title
from gui.features.verdict.sentence import VerdictText
from gui.features.verdict.suggestion import ALTERNATIVES, Change, Suggestion
from gui.look.text import MINUS, bytes_text, duration_text, sentence, tr
from gui.look.text import change_text as percent_change_text
from gui.widgets.label import Elided, Label, plain_tip
from gui.widgets.layouts import button, column, row

MARGINS = (12, 4, 8, 3)
COMPACT_MARGINS = (12, 2, 8, 2)
SPACING = 12


class VerdictLine(QFrame):
    """The verdict, and a row of alternatives below it; hidden while there is nothing to say.

    It is as high from the start as when all is known, so that nothing moves when an answer arrives.
    Runs of other programs have neither a timing note nor alternatives, and so no second row.
    `opened` asks for the reasons in full. `chosen` carries the Specification of a change that was
    picked.
    """

    opened = Signal()
    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("verdict")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.label = VerdictText()
        self.note = Elided("quiet")
        tip = tr("Show why, from the ideal step to the measured one.")
        self.why = button(QToolButton, tr("Why"), tip, self.opened.emit, look="link")
        tip = tr("Put this into the settings; Run then starts it.")
        self.changes = [
            button(QToolButton, tr("What would help"), tip, partial(self._choose, n), look="link")
            for n in range(ALTERNATIVES)
        ]
        for link in self.changes:
            link.setMinimumWidth(1)
        self.predicted = Label(tr("Predicted:"), "quiet")
        self._offered: dict[Change, list[Suggestion]] = {}
        self._header: Header | None = None
        self._is_compact = False
        first = row(self.label, self.why, growing=self.label, margins=(0, 0, 0, 0), spacing=8)
        second = row(
            self.predicted,
            *self.changes,
            self.note,
            growing=self.note,
            margins=(0, 0, 0, 0),
            spacing=SPACING,
        )
        self.lines = column(first, second, of=self, margins=MARGINS, spacing=0)
        self.show_text("")

    def show_run(self, header: Header | None) -> None:
        """Clear the alternatives, and show the timing note of a run."""
        self._header = header
        note = "" if header is None else header.timing_note
        self._say_note(sentence(note) if note else "")
        self._offered.clear()
        self._show_changes()

    def set_compact(self, compact: bool) -> None:
        """Show the sentences alone, or the alternatives too."""
        self._is_compact = compact
        self.lines.setContentsMargins(*(COMPACT_MARGINS if compact else MARGINS))
        self._show_changes()
        self.updateGeometry()

    def show_text(self, text: str, sentence: str = "") -> None:
        """Say this, with its main sentence first, or hide."""
        self.label.show_text(text, sentence)
        self.setToolTip(plain_tip(text))
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def suggest(self, change: Suggestion | None) -> None:
        """Offer a change, ahead of the predicted ones."""
        if change is not None:
            self._offered[change.change] = [change]
            self._show_changes()

    def advise(self, ways: list[Suggestion], header: Header) -> None:
        """Offer the ways that were predicted for a run, if that run is shown."""
        if header is self._header:
            self._offered[Change.OTHER_WAY] = ways
            self._show_changes()

    def show_outcome(self, text: str, header: Header) -> None:
        """Show how a prediction of a run turned out, if that run is shown."""
        if header is self._header:
            note = header.timing_note
            self._say_note(f"{text} {sentence(note)}" if note else text)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        # As for a button: releasing the mouse outside cancels the click.
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(
            event.position().toPoint()
        ):
            self.opened.emit()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_changes()

    @property
    def offered(self) -> list[Suggestion]:
        """The changes on offer; changes that correct the picture come first."""
        every = [one for change in Change for one in self._offered.get(change, [])]
        return every[:ALTERNATIVES]

    @property
    def _has_second_row(self) -> bool:
        header = self._header
        return header is None or header.source.has_plan or bool(self.note.text())

    def _say_note(self, text: str) -> None:
        self.note.setText(text)
        self.note.setToolTip(plain_tip(text))

    def _show_changes(self) -> None:
        header = self._header
        offered = [] if header is None or self._is_compact else self.offered
        has_second_row = not self._is_compact and self._has_second_row
        self.note.setVisible(has_second_row)
        # The sentence has the room of the second row if there is none.
        self.label.set_lines(1 if has_second_row else 2)
        for link, change in zip(self.changes, offered, strict=False):
            assert header is not None
            link.setText(change_text(change, header))
            link.setToolTip(change_tip(change))
        has_predictions = any(one.change is Change.OTHER_WAY for one in offered)
        self.predicted.setVisible(has_predictions)
        # As high without links as with them, so that nothing moves when they arrive.
        self.note.setMinimumHeight(self.changes[0].sizeHint().height())
        # As many as there is room for: the timeline's width must not depend on them.
        room = self.width() - MARGINS[0] - MARGINS[2]
        room -= self.predicted.sizeHint().width() + SPACING
        for number, link in enumerate(self.changes):
            room -= link.sizeHint().width() + SPACING
            fits = room >= 0 or number == 0
            link.setVisible(fits and number < len(offered))

    def _choose(self, number: int) -> None:
        self.chosen.emit(self.offered[number].specification)


def change_text(change: Suggestion, header: Header) -> str:
    """Return a change in a few words: `ZB-H1, 16 micro-batches: 35.2 ms, +9 MB`."""
    specification = change.specification
    if change.change is Change.VIRTUAL_LANES:
        lanes = len(header.compute_lanes)
        return tr("Show it without sharing, on {lanes} virtual lanes", lanes=lanes)
    if change.change is Change.WIDER:
        return tr("Try width {width}", width=specification.model.width)
    schedule = SCHEDULES.get(specification[SCHEDULE] or "")
    strategy = STRATEGIES[specification.strategy]
    way = tr(strategy.title if schedule is None else schedule.title)
    pieces = specification[MICROBATCHES]
    if pieces and pieces != header.specification[MICROBATCHES]:
        way = tr("{way}, {n} micro-batches", way=way, n=pieces)
    size = bytes_text(abs(change.more_bytes))
    more = f"+{size}" if change.more_bytes >= 0 else f"{MINUS}{size}"
    return tr("{way}: {step}, {more}", way=way, step=duration_text(change.step_ns), more=more)


def change_tip(change: Suggestion) -> str:
    """Return the tooltip of a change: the effect of a click, and the predicted gain."""
    tip = tr("Put this into the settings; Run then starts it.")
    if change.change is not Change.OTHER_WAY:
        return tip
    way = strategy_title(change.specification)
    longer = percent_change_text(change.longer)
    return f"{tr('{way}: predicted step {change}.', way=way, change=longer)} {tip}"
