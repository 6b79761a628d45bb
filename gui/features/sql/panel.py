"""SQL queries over the runs of the session, with their answers as a table."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFontDatabase, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTableView,
    QWidget,
)

from core.override import override
from core.sql.examples import EXAMPLES
from core.sql.query import Answer, SqlError
from core.sql.query_process import answer_in_process
from core.sql.tables import TABLES
from core.trace.trace import Trace
from gui.app.jobs import Runner, Work
from gui.app.session import Session
from gui.look.text import duration_text, ntr, tr
from gui.widgets.fields import choice
from gui.widgets.label import Label
from gui.widgets.layouts import button, column, joined, row, widget_of
from gui.widgets.tables import Head, TableModel, dress

ROW_HEIGHT = 20
MOST_SHOWN = 500
"""Characters of a value that a cell shows, at most; `bubblescope sql --csv` writes all."""
MEASURED_ROWS = 20
"""Number of rows that the widths of columns are measured from."""
WIDTHS = (420, 640)  # of the query and of its answer, in pixels
SPAN = ("step", "task")
"""The columns of an answer whose rows can be shown in the timeline."""


class AnswerModel(TableModel):
    """The rows of an answer; numbers have six significant digits, as the command prints them."""

    answer = Answer((), ())

    def show(self, found: Answer) -> None:
        """Show another answer."""
        heads = []
        for place, name in enumerate(found.columns):
            # A column is numeric if its first value is a number.
            is_numeric = bool(found.rows) and isinstance(found.rows[0][place], int | float)
            heads.append(Head(name, numeric=is_numeric))
        with self.replaced_rows():
            self.answer = found
            self.heads = heads

    @override
    def count(self) -> int:
        return len(self.answer.rows)

    @override
    def text(self, row: int, column: int) -> str:
        value = self.answer.rows[row][column]
        if value is None:
            return ""
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        if len(text) > MOST_SHOWN:
            # Qt would lay out the whole text, on the thread of the window.
            text = f"{text[: MOST_SHOWN - 1]}…"
        return text

    def span_at(self, place: int) -> tuple[int, int, int] | None:
        """Return run, step and task of a row; None if it does not have all three."""
        row = self.answer.rows[place]
        values = dict(zip(self.answer.columns, row, strict=True))
        found = []
        for name in ("run", *SPAN):
            value = values.get(name)
            if not isinstance(value, int) or value == -1:
                return None
            found.append(value)
        run, step, task = found
        return run, step, task


class QueryEdit(QPlainTextEdit):
    """Field for the query; Tab moves the focus, as in every other field."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Query"))
        self.setTabChangesFocus(True)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        tables = ", ".join(TABLES)
        self.setPlaceholderText(
            tr("SELECT … FROM {tables}. Ctrl+Enter runs the query.", tables=tables)
        )


class SqlPanel(QWidget):
    """A query on the left, its answer on the right.

    `span_asked` carries run, step and task of the selected row, if it has them.
    """

    span_asked = Signal(int, int, int)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._interrupt: Callable[[], None] = _nothing
        self.query = QueryEdit()
        self.model = AnswerModel(self)
        self.table = QTableView()
        titles = (tr("Examples"), *(tr(example.title) for example in EXAMPLES))
        self.examples = choice([(title, "", "") for title in titles])
        self.status = Label(look="quiet", wrapped=True)
        self.runner = Runner(self, "SQL")
        self._build()
        self.runner.done.connect(self._show)
        self.runner.failed.connect(self.status.setText)
        self.runner.ended.connect(self._end)

    def ask(self) -> None:
        """Run the query over all runs, on a thread; a running query is cancelled."""
        query = self.query.toPlainText().strip()
        if not query:
            self.status.setText(tr("Type a query, or choose an example."))
            return
        runs = {}
        for run in self._session.runs:
            # A snapshot, because a live run grows while the thread reads.
            runs[run.number] = run.trace.snapshot() if run.live else run.trace
        if not runs:
            self.status.setText(tr("There is no run to query: press Run, or open a recording."))
            return
        stop = threading.Event()
        self.runner.start(self._work(query, runs, stop), thread=True, stop=stop)
        self.go.setText(tr("Stop query"))
        self.status.setText(tr("Running…"))

    def _work(
        self, query: str, runs: Mapping[int, Trace], stop: threading.Event
    ) -> Work[tuple[Answer, float]]:
        def begun(interrupt: Callable[[], None]) -> None:
            # This runs on the thread. It first sets the interrupt and then reads `stop`. `cancel`
            # first sets `stop` and then calls the interrupt (through `_end`). In any order, one of
            # the two sees the other's change, so a cancelled query never continues.
            self._interrupt = interrupt
            if stop.is_set():
                raise SqlError(tr("Stopped."))

        yield 0.0
        began = time.perf_counter_ns()
        found = answer_in_process(query, runs, begun)
        return found, time.perf_counter_ns() - began

    def _show(self, done: tuple[Answer, float]) -> None:
        found, taken = done
        self.model.show(found)
        self.table.resizeColumnsToContents()
        count = len(found.rows)
        rows = ntr("{n:,} row", "{n:,} rows", count)
        parts = [rows]
        if found.cut:
            parts.append(tr("only the first {n}; add LIMIT", n=f"{count:,}"))
        parts.append(duration_text(taken))
        self.status.setText(" · ".join(parts))

    def _end(self) -> None:
        """Clean up after a query: it has ended, or it was cancelled and must be interrupted."""
        self._interrupt()
        self._interrupt = _nothing
        self.go.setText(tr("Run query"))
        self.status.setText("")

    def _go(self) -> None:
        if self.runner.running:
            # The text is set last, because `ended` clears it.
            self.runner.cancel()
            self.status.setText(tr("Stopped."))
        else:
            self.ask()

    def _take_example(self, place: int) -> None:
        # Entry 0 is the heading.
        if place > 0:
            self.query.setPlainText(EXAMPLES[place - 1].query)
            self.ask()

    def _choose(self, index: QModelIndex) -> None:
        span = self.model.span_at(index.row())
        if span is not None:
            self.span_asked.emit(*span)

    def _build(self) -> None:
        self.examples.setMinimumContentsLength(12)
        self.examples.setAccessibleName(tr("Examples"))
        self.examples.activated.connect(self._take_example)
        self.go = button(QPushButton, tr("Run query"), tr("Run the query (Ctrl+Enter)."), self._go)
        # Qt calls the main key Return, and the number pad's Enter.
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            # In the whole panel, but not in the rest of the window.
            within = Qt.ShortcutContext.WidgetWithChildrenShortcut
            QShortcut(keys, self, self.ask, context=within)
        dress(self.table, tr("Answer"), ROW_HEIGHT)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setWordWrap(False)
        self.table.horizontalHeader().setResizeContentsPrecision(MEASURED_ROWS)
        self.table.setModel(self.model)
        self.table.activated.connect(self._choose)
        self.table.clicked.connect(self._choose)
        first = row(self.examples, self.go, growing=self.examples)
        asking = column(
            first, self.query, self.status, growing=self.query, margins=(8, 6, 8, 6), spacing=6
        )
        split = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        for part in (widget_of(asking), self.table):
            split.addWidget(part)
        split.setSizes(list(WIDTHS))
        joined(split, of=self, growing=split)


def _nothing() -> None:
    """Do nothing: no query is running."""
