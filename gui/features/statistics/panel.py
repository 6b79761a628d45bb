"""Statistics of all steps or of the selected range: by lane, by kind and by name."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget

from core.explain.percentiles import histogram
from core.message import N_
from core.override import override
from core.trace.trace import Trace
from gui.app.jobs import Runner
from gui.features.statistics.durations import Durations, across
from gui.features.statistics.range_job import RangeFigures, RangeJob
from gui.features.statistics.range_tables import (
    as_csv,
    as_markdown,
    headline,
    kind_table,
    lane_table,
    name_table,
    notes,
    outlier_table,
    steps_headline,
    steps_range,
)
from gui.features.statistics.range_view import RangeTable
from gui.look.text import tr
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import TimeRange
from gui.widgets.fields import Choice
from gui.widgets.label import Label, hint
from gui.widgets.layouts import NO_MARGINS, button, column, named, row, stacked, widget_of
from gui.widgets.sheet import scrolled

AT_ONCE_S = 0.012  # seconds of counting before the window handles events
PATIENCE_S = 0.3  # seconds of counting before a progress bar with Cancel is shown


class StatisticsPanel(QWidget):
    """Tables and a histogram of a range; `span_chosen` carries lane and index of a span.

    Without a range, they cover all measured steps, which are counted while the panel is visible.
    `message` carries a line for the status bar. The button `explain` makes the range a step. Large
    ranges are counted in slices, so that the window responds; a progress bar with Cancel appears
    after PATIENCE_S.
    """

    span_chosen = Signal(int, int)
    message = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.figures: RangeFigures | None = None
        self._chosen: TimeRange | None = None
        self._live = self._stopped = False
        self._scene: Scene | None = None
        self._job: RangeJob | None = None
        self._begun = 0.0
        self._runner = Runner(self, "counting")
        self._runner.advanced.connect(self._show_progress)
        self._runner.done.connect(self._show)
        self._runner.failed.connect(self._stop)
        self.hint = hint(tr(HINT))
        self.head = Label(look="heading", wrapped=True)
        self.notes = Label(look="quiet", wrapped=True)
        self.lanes = RangeTable(tr("Lanes in the range"))
        self.kinds = RangeTable(tr("Kinds of spans in the range"))
        self.names = RangeTable(tr("Names of spans in the range"))
        self.durations = Durations()
        self.durations.span_chosen.connect(self.span_chosen)
        self.kinds.chosen.connect(self.durations.choose_kind)
        self.names.chosen.connect(self._select_name)
        self.by = named(Choice(), tr("Spans by kind or by name"))
        self.by.addItems([tr("by kind"), tr("by name")])
        self.by.currentIndexChanged.connect(self._show_tables)
        self._build()

    # Content

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Count again if another run is shown, or if the same run has grown."""
        self._live = live
        if scene is None or scene is not self._scene:
            self.show_range(scene, None)
        elif not self._runner.running:
            self._count()
            # When a run ends, its open tasks no longer run, even if nothing is counted again.
            self._show_notes()

    def show_range(self, scene: Scene | None, chosen: TimeRange | None) -> None:
        """Count a range, or all measured steps if it is None; without a run, show the hint."""
        self._clear(tr(HINT))
        self._scene = scene
        self._chosen = chosen
        self._stopped = False
        self._count()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._count()

    def cancel(self) -> None:
        """Stop counting, and show no figures."""
        self._stop(tr("Counting was cancelled. Select a range to count it."))

    def copy_csv(self) -> None:
        """Put the figures on the clipboard as plain numbers."""
        self._copy(self._as_csv, tr("Copied the statistics as CSV."))

    def copy_markdown(self) -> None:
        """Put the tables on the clipboard as formatted text, in Markdown."""
        self._copy(self._as_markdown, tr("Copied the statistics as Markdown."))

    def _as_csv(self, trace: Trace, figures: RangeFigures) -> str:
        bins = histogram(figures.counted.sizes.sum(axis=0))
        return as_csv(trace, *figures, bins)

    def _as_markdown(self, trace: Trace, figures: RangeFigures) -> str:
        tables = [self.lanes.rows.table, self.kinds.rows.table, self.names.rows.table]
        # All outliers, although the panel may show only those of one kind.
        outliers = () if figures.by_name is None else figures.by_name.outliers
        if outliers:
            tables.append(outlier_table(trace, outliers))
        return as_markdown(self.head.text(), tables, notes(trace, *figures, self._live))

    def _copy(self, made: Callable[[Trace, RangeFigures], str], note: str) -> None:
        """Copy the text that `made` returns; without figures, report why there are none."""
        if self._scene is not None and self.figures is not None:
            QGuiApplication.clipboard().setText(made(self._scene.trace, self.figures))
        elif self._runner.running:
            note = tr("The range is still being counted.")
        else:
            note = tr("Drag over the lanes to select a range first.")
        self.message.emit(note)

    # Counting

    def _count(self) -> None:
        """Count the range, or else all measured steps, unless nothing has changed since."""
        if self._scene is None or self._stopped:
            return
        # A hidden panel does not count all steps; `showEvent` calls this again.
        if self._chosen is None and not self.isVisible():
            return
        trace = self._scene.trace
        job = self._job
        chosen = self._chosen or steps_range(trace, self._live)
        if chosen is None:
            return
        is_same_range = job is not None and job.range == chosen
        if job is not None and is_same_range and job.version == trace.version:
            return
        # A live trace grows all the time, but seldom within the range. If the number of spans in
        # the range is the same, there is nothing new to count.
        fresh = RangeJob(trace, self._scene.explained, chosen)
        if job is None or not is_same_range or job.spans != fresh.spans:
            self._begin(fresh)

    def _begin(self, job: RangeJob) -> None:
        self._job = job
        self._begun = time.monotonic()
        if self.figures is not None:
            # If the same range has grown, keep its figures until the new ones are counted.
            counted = self.figures.counted
            is_same_start = counted.start == job.range.start
            if not is_same_start or counted.end != job.range.end:
                self.figures = None
        self._runner.start(job.work(), AT_ONCE_S)

    def _stop(self, hint: str) -> None:
        """Show why nothing is counted, and count nothing until something else is chosen."""
        self._clear(hint)
        self._stopped = True

    def _clear(self, hint: str) -> None:
        """Stop counting, and say why nothing is shown."""
        self._runner.cancel()
        self._job = None
        self.figures = None
        self.hint.setText(hint)
        self._stack.setCurrentIndex(0)

    def _show_progress(self, share: float) -> None:
        self._progress.setValue(round(100 * share))
        waited_s = time.monotonic() - self._begun
        if self.figures is None and waited_s > PATIENCE_S:
            self._stack.setCurrentWidget(self._waiting)

    def _show(self, figures: RangeFigures) -> None:
        assert self._scene is not None
        trace = self._scene.trace
        self.figures = figures
        counted, causes, by_name = figures
        whole = self._chosen is None
        self.explain.setVisible(not whole and not trace.header.source.has_plan)
        self.head.setText(steps_headline(trace, counted) if whole else headline(counted))
        self.lanes.show_table(lane_table(trace, counted, causes))
        self.kinds.show_table(kind_table(counted))
        self.names.show_table(name_table(counted, by_name))
        self._show_notes()
        self._show_tables()
        self.durations.show_spans(trace, counted, by_name)
        self._stack.setCurrentIndex(1)

    def _show_notes(self) -> None:
        if self._scene is None or self.figures is None:
            return
        lines = list(notes(self._scene.trace, *self.figures, self._live))
        if self._chosen is None:
            lines.append(tr(RANGE))
        self.notes.say(" ".join(lines))

    def _show_tables(self) -> None:
        """Show the spans by kind or by name."""
        by_name = self.by.currentIndex() == 1
        self.kinds.setVisible(not by_name)
        self.names.setVisible(by_name)

    def _select_name(self, number: int) -> None:
        by_name = None if self.figures is None else self.figures.by_name
        if by_name is not None:
            chosen = by_name.names[number]
            self.span_chosen.emit(*chosen.place)

    # Building

    def _build(self) -> None:
        tip = tr("Copy as plain numbers for a spreadsheet.")
        csv = button(QPushButton, tr("CSV"), tip, self.copy_csv)
        tip = tr("Copy the tables as text.")
        markdown = button(QPushButton, tr("Markdown"), tip, self.copy_markdown)
        tip = tr("Treat the range as a step, to see its idle time by cause and to compare it.")
        self.explain = button(QPushButton, tr("Explain this range"), tip)
        copying = Label(tr("Copy as"), "quiet")
        spans = Label(tr("Spans"), "heading")
        page = column(
            across(self.head, copying, csv, markdown),
            self.lanes,
            row(self.explain, None, margins=NO_MARGINS),
            across(spans, self.by),
            self.kinds,
            self.names,
            self.durations,
            self.notes,
            None,
            margins=(10, 6, 10, 8),
            spacing=6,
        )
        body = named(widget_of(page, "plot"), tr("Statistics of the range"))
        self._progress = named(QProgressBar(textVisible=False), tr("Progress of counting"))
        cancel = button(QPushButton, tr("Cancel"), tr("Stop counting the range."), self.cancel)
        middle = across(self._progress, Label(tr("Counting…")), cancel)
        waiting = column(None, middle, None, margins=(24, 0, 24, 0))
        self._waiting = widget_of(waiting, "plot")
        self._stack = stacked(self, self.hint, scrolled(body), self._waiting)


HINT = N_(
    "Drag over the lanes to select a range: their busy, communication and idle time and the "
    "durations of their spans appear here. Drag along the axis for all lanes."
)


RANGE = N_("Drag over the lanes to see the figures of a range.")
