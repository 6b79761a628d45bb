"""The line above the timeline: the verdict on a step, and changes that would help."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QToolButton

from core.message import N_
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
from gui.widgets.layouts import NO_MARGINS, button, column, row

MARGINS = (12, 4, 8, 3)
COMPACT_MARGINS = (12, 2, 8, 2)
SPACING = 12
LINK_TIP = N_("Put this into the settings; Run then starts it.")


class VerdictLine(QFrame):
    """The verdict, and below it a row of links to suggested changes and a note; hidden if empty.

    Its height does not change when predicted changes arrive, so that nothing below it moves. Runs
    of other programs have no second row unless there is a note. `opened` is emitted when the user
    wants to see all reasons. `chosen` carries the Specification of the suggestion that the user
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
        self.changes: list[QToolButton] = []
        for number in range(ALTERNATIVES):
            choose = partial(self._choose, number)
            link = button(QToolButton, tr("What would help"), tr(LINK_TIP), choose, look="link")
            link.setMinimumWidth(1)
            self.changes.append(link)
        self.predicted = Label(tr("Predicted:"), "quiet")
        self._offered: dict[Change, list[Suggestion]] = {}
        self._header: Header | None = None
        self._is_compact = False
        first = row(
            self.label,
            self.why,
            growing=self.label,
            margins=NO_MARGINS,
            spacing=8,
        )
        second = row(
            self.predicted,
            *self.changes,
            self.note,
            growing=self.note,
            margins=NO_MARGINS,
            spacing=SPACING,
        )
        self._rows = column(
            first,
            second,
            of=self,
            margins=MARGINS,
            spacing=0,
        )
        self.show_text("")

    def show_run(self, header: Header | None) -> None:
        """Remove the suggestions for the previous run, and show the timing note of the new run."""
        self._header = header
        self._show_note("" if header is None else _timing_note(header))
        self._offered.clear()
        self._show_changes()

    def set_compact(self, compact: bool) -> None:
        """Show only the verdict, or the second row too."""
        self._is_compact = compact
        margins = COMPACT_MARGINS if compact else MARGINS
        self._rows.setContentsMargins(*margins)
        self._show_changes()
        self.updateGeometry()

    def show_text(self, text: str, main_sentence: str = "") -> None:
        """Show a verdict, its main sentence first; hide the line if the text is empty."""
        self.label.show_text(text, main_sentence)
        self.setToolTip(plain_tip(text))
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def suggest(self, suggestion: Suggestion | None) -> None:
        """Offer a change that the run itself suggests, in front of predicted ones."""
        if suggestion is not None:
            self._offered[suggestion.change] = [suggestion]
            self._show_changes()

    def advise(self, ways: list[Suggestion], header: Header) -> None:
        """Offer predicted ways to make a run faster, if that run is shown."""
        if header is self._header:
            self._offered[Change.OTHER_WAY] = ways
            self._show_changes()

    def show_outcome(self, text: str, header: Header) -> None:
        """Show `text` about the prediction of a run and its outcome, if that run is shown."""
        if header is self._header:
            note = _timing_note(header)
            self._show_note(f"{text} {note}" if note else text)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        # Releasing the mouse outside cancels the click, as it does for buttons.
        is_inside = self.rect().contains(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and is_inside:
            self.opened.emit()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_changes()

    @property
    def offered(self) -> list[Suggestion]:
        """The suggestions in the order of Change, at most ALTERNATIVES."""
        every: list[Suggestion] = []
        for change in Change:
            every += self._offered.get(change, [])
        return every[:ALTERNATIVES]

    @property
    def _has_second_row(self) -> bool:
        header = self._header
        return header is None or header.source.has_plan or bool(self.note.text())

    def _show_note(self, text: str) -> None:
        self.note.setText(text)
        self.note.setToolTip(plain_tip(text))

    def _show_changes(self) -> None:
        """Show or hide the second row, and update its suggestions."""
        has_second_row = not self._is_compact and self._has_second_row
        self.note.setVisible(has_second_row)
        # Without a second row, the verdict may use its space.
        self.label.set_lines(1 if has_second_row else 2)
        offered: list[Suggestion] = []
        if self._header is not None and not self._is_compact:
            offered = self.offered
            for link, suggestion in zip(self.changes, offered, strict=False):
                link.setText(change_text(suggestion, self._header))
                link.setToolTip(change_tip(suggestion))
        has_predictions = any(one.change is Change.OTHER_WAY for one in offered)
        self.predicted.setVisible(has_predictions)
        # Keep the height of the links even without them, so that nothing moves when they arrive.
        self.note.setMinimumHeight(self.changes[0].sizeHint().height())
        self._show_links(len(offered))

    def _show_links(self, count: int) -> None:
        """Show those of the first `count` links that fit, so that they never widen the window."""
        left, _, right, _ = MARGINS
        room = self.width() - left - right
        room -= self.predicted.sizeHint().width() + SPACING
        for number, link in enumerate(self.changes):
            room -= link.sizeHint().width() + SPACING
            fits = room >= 0 or number == 0
            link.setVisible(fits and number < count)

    def _choose(self, number: int) -> None:
        self.chosen.emit(self.offered[number].specification)


def _timing_note(header: Header) -> str:
    """Return the note on a run's timing as a sentence; "" if it has none."""
    return sentence(header.timing_note) if header.timing_note else ""


def change_text(suggestion: Suggestion, header: Header) -> str:
    """Return a suggestion in a few words: `ZB-H1, 16 micro-batches: 35.2 ms, +9 MB`."""
    specification = suggestion.specification
    if suggestion.change is Change.VIRTUAL_LANES:
        lanes = len(header.compute_lanes)
        return tr("Show it without sharing, on {lanes} virtual lanes", lanes=lanes)
    if suggestion.change is Change.WIDER:
        return tr("Try width {width}", width=specification.model.width)
    schedule = SCHEDULES.get(specification[SCHEDULE] or "")
    strategy = STRATEGIES[specification.strategy]
    way = tr(strategy.title if schedule is None else schedule.title)
    pieces = specification[MICROBATCHES]
    if pieces and pieces != header.specification[MICROBATCHES]:
        way = tr("{way}, {n} micro-batches", way=way, n=pieces)
    step = duration_text(suggestion.step_ns)
    sign = "+" if suggestion.more_bytes >= 0 else MINUS
    size = bytes_text(abs(suggestion.more_bytes))
    return tr("{way}: {step}, {more}", way=way, step=step, more=f"{sign}{size}")


def change_tip(suggestion: Suggestion) -> str:
    """Return a suggestion's tooltip: the effect of a click, and the predicted change."""
    tip = tr(LINK_TIP)
    if suggestion.change is not Change.OTHER_WAY:
        return tip
    way = strategy_title(suggestion.specification)
    change = percent_change_text(suggestion.longer)
    predicted = tr("{way}: predicted step {change}.", way=way, change=change)
    return f"{predicted} {tip}"
