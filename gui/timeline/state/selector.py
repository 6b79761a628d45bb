"""Selection commands: a span by its number, the next span, dependencies, and measuring."""

from __future__ import annotations

from core.explain.lanes import Gap
from core.trace.search import Hits
from core.trace.span import Span
from gui.timeline.state.lanes import reveal
from gui.timeline.state.measure import Measure
from gui.timeline.state.navigation import along_lane, blocking_span, same_in
from gui.timeline.state.selection import Selection, TimeRange, bounds_of
from gui.timeline.state.timeline import TimelineState


class Selector:
    """Selects for mouse, keys and panels, and moves the selection into view."""

    def __init__(self, state: TimelineState) -> None:
        self._state = state

    def clear(self) -> None:
        """Select nothing."""
        self.stop_measuring()
        self._state.select(None)

    def select_visible(self) -> None:
        """Select the visible time, over all lanes."""
        view = self._state.viewport
        visible = TimeRange(int(view.start), int(view.end))
        self._state.select(visible)

    def fit(self, selection: Selection) -> None:
        """Select something, and fill the view with it."""
        state = self._state
        state.select(selection)
        if state.trace is not None:
            start, end = bounds_of(state.trace, selection, state.now)
            fitted = state.viewport.fitted(start, end)
            state.go_to(fitted, "fit selection")

    # Spans

    def select_task(self, step: int, task: int) -> None:
        """Select a task of a step by its number in the plan, and move it into view."""
        trace = self._state.trace
        if trace is not None:
            self._select_and_see(trace.find(step, task))

    def select_span(self, lane: int, index: int) -> None:
        """Select a lane's span, and move it into view."""
        trace = self._state.trace
        if trace is not None:
            self._select_and_see(trace.span(lane, index))

    def step(self, by: int) -> None:
        """Select the next span on the lane (1), or the previous one (-1)."""
        trace = self._state.trace
        span = self._state.selection
        if trace is not None and isinstance(span, Span):
            following = along_lane(trace, span, by)
            self._select_and_see(following)

    def dependency(self) -> None:
        """Select a dependency of the selected span, or the task that most of a gap waits for."""
        scene = self._state.scene
        selected = self._state.selection
        if scene is None:
            return
        if isinstance(selected, Gap):
            blocking = blocking_span(scene, selected)
            self._select_and_see(blocking)
        if isinstance(selected, Span):
            needs = scene.neighbours_of(selected).needs
            self._select_and_see(next(iter(needs), None))

    def dependent(self) -> None:
        """Select a task that waited for the selected span."""
        scene = self._state.scene
        span = self._state.selection
        if scene is not None and isinstance(span, Span):
            dependents = scene.neighbours_of(span).dependents
            self._select_and_see(next(iter(dependents), None))

    def same_task(self, by: int) -> None:
        """Select the same task in the next step (1) or the previous one (-1)."""
        trace = self._state.trace
        span = self._state.selection
        if trace is None or not isinstance(span, Span):
            return
        steps = trace.steps
        if span.step not in steps:
            return
        place = steps.index(span.step) + by
        if 0 <= place < len(steps):
            same = same_in(trace, span, steps[place])
            self._select_and_see(same)

    def set_hits(self, hits: Hits) -> None:
        """Mark the hits of a search."""
        if self._state.scene is not None:
            self._state.scene.hits = dict(hits)
            self._state.picture_changed.emit()

    # Measuring

    @property
    def measure(self) -> Measure | None:
        """The distance from the anchor to the selection, if both are spans that have ended."""
        return Measure.between(self._state.anchor, self._state.selection)

    def anchor_here(self) -> None:
        """Set the anchor to the selected span; if there is an anchor, remove it."""
        anchor = None
        selected = self._state.selection
        if self._state.anchor is None and isinstance(selected, Span):
            anchor = selected
        self._set_anchor(anchor)

    def measure_to(self, found: object) -> None:
        """Select a span, and measure to it from the anchor (default: the selected span)."""
        state = self._state
        if isinstance(found, Span):
            if state.anchor is None and isinstance(state.selection, Span):
                state.anchor = state.selection
            state.select(found)

    def stop_measuring(self) -> None:
        """Remove the anchor."""
        if self._state.anchor is not None:
            self._set_anchor(None)

    # Inside

    def _set_anchor(self, span: Span | None) -> None:
        self._state.anchor = span
        # The selection is the same, but the Details panel shows its distance from the anchor.
        self._state.selection_changed.emit(self._state.selection)
        self._state.overlay_changed.emit()

    def _select_and_see(self, span: Span | None) -> None:
        state = self._state
        if span is None or state.trace is None:
            return
        state.select(span)
        reveal(state, span.lane)
        start, end = bounds_of(state.trace, span, state.now)
        centred = state.viewport.centred(start, end)
        state.go_to(centred, "step")
