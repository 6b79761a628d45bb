"""Search bar above the timeline: a field, the number of hits, and buttons to step through them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QToolButton, QWidget

from core.override import override
from core.plan.task import KINDS
from core.trace.query import GROUPS, KEYS, Query, SearchError, parse_query
from core.trace.search import Hits, SpanPosition, hits_before, next_hit, position_of
from core.trace.span import Span
from core.trace.trace import Trace
from gui.features.spans.searching import Searcher
from gui.look.core_texts import translated
from gui.look.text import ntr, percent_text, problem_text, tr
from gui.timeline.state.scene import Scene
from gui.widgets.label import Label
from gui.widgets.layouts import button, column, row

PAUSE_MS = 250  # from the last key to the start of the search
PATIENCE_MS = 300  # longer searches can be cancelled
REDRAW_MS = 120  # between two redraws of the hits of a running search
EXAMPLE = "kind:forward mb:2-5 stage:1 -name:gemm* >5ms"


class QueryField(QLineEdit):
    """A field for a query, with completions; `changed` carries a query, `wrong` an error text.

    Both are emitted shortly after the last key, or with Return. `stepped` carries 1 for Return
    and -1 for Shift+Return; `left` is emitted for Esc.
    """

    changed = Signal(object)
    wrong = Signal(str)
    stepped = Signal(int)
    left = Signal()

    def __init__(self) -> None:
        super().__init__(placeholderText=EXAMPLE, clearButtonEnabled=True)
        self.setToolTip(hints())
        self.query = Query()
        self._read: str | None = ""
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.read)
        self.textChanged.connect(lambda _: self._pause.start())
        # Only for typed text: a text that the program writes needs no completions.
        self.textEdited.connect(lambda _: self._hint())
        self._offers = QListView()
        self._offers.setObjectName("offers")
        self._completer = QCompleter(_completions(self), self)
        # The completion is an item's data; its text also has the values that the key accepts.
        self._completer.setCompletionRole(Qt.ItemDataRole.UserRole)
        # Not QLineEdit.setCompleter, which completes the whole line, not the word at the cursor
        # (`_hint`, `_complete`).
        self._completer.setWidget(self)
        self._completer.setPopup(self._offers)
        self._completer.activated.connect(self._complete)

    def read(self) -> bool:
        """Parse the text, if it has changed; return False if it is not a valid query."""
        self._pause.stop()
        try:
            query = parse_query(self.text())
        except SearchError as error:
            # `wrong` ends the search: typing the previous text again starts a new one.
            self._read = None
            self.wrong.emit(problem_text(error))
            return False
        if self.text() != self._read:
            self._read = self.text()
            self.query = query
            self.changed.emit(query)
        return True

    def forget(self) -> None:
        """Clear the field; the same text starts a new search then."""
        self.clear()
        self._pause.stop()
        self._read = ""
        self.query = Query()

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
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if self.read():
                self.stepped.emit(-1 if back else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _hint(self) -> None:
        """Offer the keys and kinds that begin with the word before the cursor."""
        # A minus before a word excludes spans.
        word = self._word().lstrip("-")
        self._completer.setCompletionPrefix(word)
        known = self._completer.completionCount()
        # Nothing is offered for a word that is complete.
        if word and known and self._completer.currentCompletion() != word:
            self._completer.complete()
        else:
            self._offers.hide()

    def _complete(self, text: str) -> None:
        start = self.cursorPosition() - len(self._word().lstrip("-"))
        # `setText` would delete the undo history.
        self.setSelection(start, self.cursorPosition() - start)
        self.insert(text)

    def _word(self) -> str:
        return self.text()[: self.cursorPosition()].rpartition(" ")[2]


class SearchBar(QWidget):
    """Finds spans of a trace and steps through them in order of time.

    `hits_changed` carries the hits, `hit_chosen` lane and index of a span. `closed` is emitted when
    the bar is hidden and its hits are cleared.
    """

    hits_changed = Signal(object)
    hit_chosen = Signal(int, int)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("search")
        self._trace: Trace | None = None
        self._query: Query | None = None
        self._place = SpanPosition(-1, -1, -1)
        self._wanted = 0  # step to make when the first hit is found; 0 for none
        self._chosen: tuple[int, int] | None = None
        self.searcher = Searcher(self)
        for news in (self.searcher.advanced, self.searcher.done):
            news.connect(lambda _: self._show_progress())
        self.searcher.failed.connect(self._say_wrong)
        self.field = QueryField()
        self.count = Label(look="quiet")
        self.problem = Label(look="problem", wrapped=True)
        self._shown_since = QElapsedTimer()
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._show_progress)
        self._build()
        self.field.changed.connect(self._search)
        self.field.wrong.connect(self._say_wrong)
        self.field.stepped.connect(self.step)
        self.field.left.connect(self.close_and_clear)
        self.hide()

    @property
    def hits(self) -> Hits:
        """The hits so far."""
        search = self.searcher.search
        return {} if search is None else search.hits

    def open(self) -> None:
        """Show the bar, ready to type."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def look_for(self, text: str) -> None:
        """Show the bar and search for a text; the focus stays where it is."""
        self.show()
        self.field.setText(text)
        self.field.read()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Search another run with the same query, or the new spans of the same run."""
        trace = None if scene is None else scene.trace
        if trace is not self._trace:
            self._trace = trace
            self._chosen = None
            self._search(self._query)
        else:
            self.searcher.look_again()

    def set_place(self, place: SpanPosition, span: Span | None) -> None:
        """Set the place to step from; `span` is the selected span, or None."""
        self._place = place
        self._chosen = None
        if span is not None and span.index >= 0:
            self._chosen = (span.lane, span.index)
        self._show_count()

    def step(self, by: int) -> None:
        """Select the next hit (1) or the previous one (-1), and wrap around."""
        if self._trace is None:
            return
        # If Return is pressed before the first hit is found, the step is made then.
        self._wanted = by if self.searcher.running and not self.hits else 0
        found = next_hit(self._trace, self.hits, self._place, by)
        if found is not None:
            self._place = found
            self.hit_chosen.emit(found.lane, found.index)

    def close_and_clear(self) -> None:
        """Hide the bar and forget the search."""
        self.field.forget()
        self._search(None)
        self.hide()
        self.closed.emit()

    def _search(self, query: Query | None) -> None:
        self._query = query
        self._wanted = 0
        self.problem.hide()
        if self._trace is None or query is None or not query.terms:
            self.searcher.clear()
            self._show_progress()
        else:
            self._patience.start()
            self.searcher.ask(self._trace, query)

    def _say_wrong(self, text: str) -> None:
        self._search(None)
        self.problem.say(translated(text))
        self.field.setAccessibleDescription(translated(text))

    def _show_progress(self) -> None:
        self._cancel.setVisible(self.searcher.running and not self._patience.isActive())
        self._show_count()
        if (
            not self.searcher.running
            or not self._shown_since.isValid()
            or self._shown_since.hasExpired(REDRAW_MS)
        ):
            # Not at each new hit, because the timeline and the overview redraw all hits.
            self._shown_since.start()
            self.hits_changed.emit(self.hits)
        if self._wanted and self.hits:
            self.step(self._wanted)

    def _show_count(self) -> None:
        text = count_text(self.searcher, self._trace, self._chosen)
        self.count.setText(text)
        some = bool(self.hits)
        for step in (self._back, self._on):
            step.setEnabled(some)
        if not self.problem.isVisible():
            self.field.setAccessibleDescription(text)

    def _build(self) -> None:
        self.field.setAccessibleName(tr("Search"))
        self.count.setMinimumWidth(110)
        self.problem.hide()
        self._back = _tool("‹", tr("Previous hit (Shift+Return)"), lambda: self.step(-1))
        self._on = _tool("›", tr("Next hit (Return)"), lambda: self.step(1))
        self._cancel = _tool(tr("Cancel"), tr("Stop the search"), self._stop)
        close = _tool("✕", tr("Close the search (Esc)"), self.close_and_clear)
        line = row(
            self.field,
            self.count,
            self._cancel,
            self._back,
            self._on,
            close,
            growing=self.field,
            spacing=6,
        )
        column(
            line,
            self.problem,
            of=self,
            margins=(10, 5, 10, 5),
            spacing=3,
        )
        self._cancel.hide()

    def _stop(self) -> None:
        self.searcher.cancel()
        self._show_progress()


def count_text(searcher: Searcher, trace: Trace | None, chosen: tuple[int, int] | None) -> str:
    """Return `12 of 3,481`, `3,481 hits`, or the progress of the search; "" without a query."""
    search = searcher.search
    if search is None or trace is None:
        return ""
    count = f"{search.count:,}"
    looked, there = search.searched
    if searcher.running:
        return tr(
            "{count} so far, {share}", count=count, share=percent_text(looked / max(1, there))
        )
    hits = search.hits
    if chosen is not None and _is_hit(hits, *chosen):
        number = hits_before(trace, hits, position_of(trace, *chosen)) + 1
        text = tr("{number} of {count}", number=f"{number:,}", count=count)
    elif search.count:
        text = ntr("{n:,} hit", "{n:,} hits", search.count)
    else:
        text = tr("no hits")
    return tr("{hits}, cancelled", hits=text) if searcher.cancelled else text


def hints() -> str:
    """Return the keys of queries with their values, one per line."""
    lines = [f"{key}: {translated(accepts)}" for key, accepts in KEYS.items()]
    rest = (
        tr("A plain word is searched for in labels (F3, 2F1), kinds and names."),
        tr("Durations: >5ms <=10us. Either of two: stage:0|2. Not: -kind:copy."),
    )
    return "\n".join((*lines, *rest))


def _tool(text: str, tip: str, slot: Callable[[], object]) -> QToolButton:
    return button(QToolButton, text, tip, slot, name=tip)


def _is_hit(hits: Hits, lane: int, index: int) -> bool:
    found = hits.get(lane)
    if found is None:
        return False
    at = int(found.searchsorted(index))
    return at < len(found) and int(found[at]) == index


def _completions(owner: QObject) -> QStandardItemModel:
    """Return the completions: every key with its values, and every kind after its key."""
    model = QStandardItemModel(owner)
    completions = []
    for key, accepts in KEYS.items():
        shown = f"{key}:   {translated(accepts)}"
        completions.append((f"{key}:", shown))
    for name in [*(kind.value for kind in KINDS), *GROUPS]:
        completions.append((f"kind:{name}", f"kind:{name}"))
    for text, shown in completions:
        item = QStandardItem(shown)
        item.setData(text, Qt.ItemDataRole.UserRole)
        model.appendRow(item)
    return model
