"""Table model of spans; rows are read from the trace when they are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QObject, Qt

from core.message import N_
from core.trace.listing import Listing
from core.trace.span import Span
from gui.look.text import bytes_text, duration_text, time_text, tr
from gui.timeline.interact.describe import TITLES, action
from gui.widgets.tables import Head, TableModel

MOST_ROWS = 100_000_000  # Qt counts the pixels of all rows in 32 bits
PAGE = 64  # rows that are read at once
MOST_PAGES = 32


@dataclass(frozen=True, slots=True)
class ColumnOf:
    """A column: its sort key, its title and tooltip, and a function for its text of a span."""

    key: str
    title: str
    say: Callable[[Span, str], str]
    numeric: bool = True
    tip: str = ""


STEP = N_("Counted from 0, including warm-up steps, like step: in searches and in files of spans.")


def _number(name: str) -> Callable[[Span, str], str]:
    def say(span: Span, lane: str) -> str:
        value = getattr(span, name)
        return "" if value is None else str(value)

    return say


def _rows(span: Span, lane: str) -> str:
    """Return `8`, or `5 + 6` for an overlap whose forward and backward have different rows."""
    own = f"{span.rows:,}" if span.rows else ""
    paired = span.paired_rows
    if paired is None or paired == span.rows:
        return own
    return f"{own} + {paired:,}"


COLUMNS = (
    ColumnOf("lane", N_("Lane"), lambda span, lane: lane, numeric=False),
    ColumnOf("task", N_("Task"), lambda span, lane: action(span) or span.name, numeric=False),
    ColumnOf(
        "kind", N_("Kind"), lambda span, lane: tr(TITLES.get(span.kind, "Other")), numeric=False
    ),
    ColumnOf("step", N_("Step"), _number("step"), tip=STEP),
    ColumnOf("start", N_("Start in run"), lambda span, lane: time_text(span.start)),
    ColumnOf(
        "duration",
        N_("Duration"),
        lambda span, lane: duration_text((span.end or 0) - span.start),
    ),
    ColumnOf("stage", N_("Stage"), _number("stage")),
    ColumnOf("microbatch", N_("Micro-batch"), _number("microbatch")),
    ColumnOf("replica", N_("Replica"), _number("replica")),
    ColumnOf("block", N_("Block"), _number("block")),
    ColumnOf("bucket", N_("Bucket"), _number("bucket")),
    ColumnOf("rows", N_("Rows"), _rows),
    ColumnOf("bytes", N_("Moves"), lambda span, lane: bytes_text(span.bytes) if span.bytes else ""),
    ColumnOf("name", N_("Name"), lambda span, lane: span.name, numeric=False),
)


class SpansModel(TableModel):
    """The rows of a listing; only visible rows are copied."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.heads = []
        for one in COLUMNS:
            tip = tr(one.tip) if one.tip else ""
            self.heads.append(Head(tr(one.title), tip, one.numeric))
        self.listing: Listing | None = None
        self._pages: dict[int, list[Span]] = {}

    def show(self, listing: Listing | None) -> None:
        """Show other rows."""
        with self.replaced_rows():
            self.listing = listing
            self._pages.clear()

    def grow(self, counts: tuple[int, ...]) -> None:
        """Add spans to each lane; only for a listing of all spans, lane by lane."""
        if self.listing is None:
            return
        # From the last lane to the first: new rows of a lane move only the rows of later lanes,
        # which are done by then. Qt must be notified of each insertion before the rows exist.
        for lane in reversed(range(len(counts))):
            have = self.listing.counts[lane]
            there = counts[lane]
            if there == have:
                continue
            first = int(self.listing.firsts[lane]) + have
            self.beginInsertRows(QModelIndex(), first, first + there - have - 1)
            self.listing = self.listing.grown(lane, there)
            self._pages.clear()
            self.endInsertRows()

    def span_at(self, row: int) -> Span:
        """Return the span in a row. Raises IndexError if there is none."""
        page = self._pages.get(row // PAGE)
        if page is None:
            page = self._read(row // PAGE)
        return page[row % PAGE]

    def count(self) -> int:
        """Return the number of rows, at most as many as Qt can count."""
        return 0 if self.listing is None else min(len(self.listing), MOST_ROWS)

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        span = self.span_at(row)
        lane = ""
        if self.listing is not None:
            lanes = self.listing.trace.header.lanes
            lane = lanes[span.lane].name
        return COLUMNS[column].say(span, lane)

    def role_data(self, row: int, column: int, role: int) -> object:
        """Return a cell's text after the title of its column, for screen readers."""
        if role != Qt.ItemDataRole.AccessibleTextRole:
            return None
        text = self.text(row, column)
        return f"{self.heads[column].title} {text}" if text else text

    def _read(self, page: int) -> list[Span]:
        if self.listing is None:
            raise IndexError(page)
        # A table that scrolls requests the same cells many times, so whole pages of rows are kept.
        if len(self._pages) >= MOST_PAGES:
            self._pages.clear()
        first = page * PAGE
        trace = self.listing.trace
        lanes, index = self.listing.places(first, first + PAGE)
        places = zip(lanes.tolist(), index.tolist(), strict=True)
        spans = [trace.span(lane, at) for lane, at in places]
        self._pages[page] = spans
        return spans
