"""What the panels say of the selection, and which of them comes to the front for it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDockWidget

from core.explain.lanes import Gap
from gui.app.explaining import Explainer
from gui.app.session import Session
from gui.app.shown import Shown
from gui.timeline.interact.view import TimelineView
from gui.timeline.state.selection import Selection, TimeRange
from gui.widgets.layouts import bring
from gui.window.docks import Panels


class SelectionPanels(QObject):
    """Shows in Details, Statistics and the panels of a step what is selected in the timeline."""

    def __init__(
        self, shown: Shown, session: Session, timeline: TimelineView, panels: Panels,
        docks: Mapping[str, QDockWidget], explainer: Explainer,
    ) -> None:  # fmt: skip
        super().__init__(timeline)
        self._shown, self._session, self._timeline, self._panels = shown, session, timeline, panels
        self._docks, self._explainer = docks, explainer
        timeline.state.selection_changed.connect(self._show)
        panels.statistics.span_chosen.connect(self._select_longest)
        panels.sql.span_asked.connect(self._select_of_run)

    def show_gap_again(self) -> None:
        """A step has been explained: if a gap is selected, say why it is there."""
        if isinstance(self._timeline.state.selection, Gap):
            self._show(self._timeline.state.selection)

    def show_step(self) -> None:
        """Another step is on screen: show its figures."""
        run, scene = self._shown.run_shown, self._timeline.state.scene
        if run is not None and scene is not None:
            for part in self._panels.step_parts(scene, run.live):
                part()

    def _show(self, selection: Selection | None) -> None:
        run, scene, panels = self._shown.run_shown, self._timeline.state.scene, self._panels
        report, note = None, ""
        if run is not None and scene is not None and isinstance(selection, Gap):
            report, note = self._explainer.reason(scene.explained, selection, run.live)
        trace, now = (run.trace, run.now) if run else (None, None)
        measure = self._timeline.selector.measure
        panels.details.show_selection(trace, selection, now, report, measure, note)
        if selection is None or isinstance(selection, TimeRange):
            panels.statistics.show_range(scene, selection)
        lists = (
            panels.spans.table,
            panels.runs,
            panels.sql.table,
        )  # who walks through one stays in it
        if selection is not None and not any(part.hasFocus() for part in lists):
            bring(self._docks["statistics" if isinstance(selection, TimeRange) else "details"])

    def _select_of_run(self, number: int, step: int, task: int) -> None:
        """Show the span of a task, in whichever run it is."""
        for run in self._session.runs:
            span = run.trace.find(step, task) if run.number == number else None
            if span is not None:
                self._shown.show_run(run)
                self._timeline.selector.select_span(span.lane, span.index)

    def _select_longest(self, lane: int, index: int) -> None:
        self._timeline.selector.select_span(lane, index)
        # Selecting has brought Details to the front; the list that was chosen from comes back.
        bring(self._docks["statistics"])
