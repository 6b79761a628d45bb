"""Synchronises the search bar, the table of spans, the timeline and the overview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from core.trace.search import Hits, SpanPosition, position_of
from core.trace.span import Span
from gui.features.spans.search_bar import SearchBar
from gui.timeline.interact.overview import Overview
from gui.timeline.interact.view import TimelineView
from gui.timeline.state.selection import Selection

if TYPE_CHECKING:
    from gui.features.spans.panel import SpansPanel


class Finder(QObject):
    """Marks the hits of the search bar, and follows the selection in bar and table."""

    def __init__(self, bar: SearchBar, timeline: TimelineView, overview: Overview) -> None:
        super().__init__(timeline)
        self._bar = bar
        self._timeline = timeline
        self._overview = overview
        self._spans: SpansPanel | None = None
        bar.hits_changed.connect(self._mark)
        bar.hit_chosen.connect(timeline.selector.select_span)
        bar.closed.connect(timeline.setFocus)
        timeline.state.selection_changed.connect(self._follow)
        timeline.state.view_changed.connect(self._move)

    def follow_in(self, spans: SpansPanel) -> None:
        """Select the span that is selected in the timeline in this table too, from now on."""
        self._spans = spans
        self._follow(self._timeline.state.selection)

    def _mark(self, hits: Hits) -> None:
        self._timeline.selector.set_hits(hits)
        self._overview.refresh()

    def _follow(self, selection: Selection | None) -> None:
        span = selection if isinstance(selection, Span) and selection.index >= 0 else None
        if self._spans is not None:
            self._spans.select_span(span)
        self._bar.set_place(self._place(span), span)

    def _move(self) -> None:
        # With a selected span, "Next" continues from that span, even if the view moves.
        if not isinstance(self._timeline.state.selection, Span):
            self._bar.set_place(self._place(None), None)

    def _place(self, span: Span | None) -> SpanPosition:
        """Return the place to search from: the selected span, or the start of the view."""
        trace = self._timeline.state.trace
        if span is None or trace is None:
            return SpanPosition(int(self._timeline.state.viewport.start), -1, -1)
        return position_of(trace, span.lane, span.index)
