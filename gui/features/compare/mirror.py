"""Selects in one run the match of the span that is selected in the other."""

from __future__ import annotations

from core.compare.runs import TwoRuns
from core.trace.span import Span
from gui.timeline.state.selection import Selection
from gui.timeline.state.selector import Selector
from gui.timeline.state.timeline import TimelineState


class Mirror:
    """Mirrors the selection of each timeline in the other while `two` is set.

    A step of B is matched with the step of A above it: B's compared step with the step `over` of A,
    and the steps before and after it accordingly. A span without a match leaves the other selection
    unchanged.
    """

    def __init__(self, a: TimelineState, b: TimelineState) -> None:
        self.a = a
        self.b = b
        self.two: TwoRuns | None = None
        self.over = 0
        self._busy = False
        # Each selection changes the other; `_busy` prevents an endless exchange.
        a.selection_changed.connect(lambda selection: self._select(selection, self.b, True))
        b.selection_changed.connect(lambda selection: self._select(selection, self.a, False))

    def step_in_b(self, by: int) -> None:
        """Select the next (1) or previous (-1) span on B's lane, without changing A's selection."""
        self._busy = True
        selector = Selector(self.b)
        if isinstance(self.b.selection, Span):
            selector.step(by)
        elif self.two is not None:
            first_task = int(self.two.matches.b.task[0])
            selector.select_task(self.two.step_b, first_task)
        self._busy = False

    @property
    def starts(self) -> tuple[float, float] | None:
        """Starts in ns of the selected spans of A and B; None unless each has one."""
        a = self.a.selection
        b = self.b.selection
        if isinstance(a, Span) and isinstance(b, Span):
            return float(a.start), float(b.start)
        return None

    def _select(self, selection: Selection | None, target: TimelineState, to_b: bool) -> None:
        if self._busy or self.two is None:
            return
        self._busy = True
        if selection is None:
            target.select(None)
        elif isinstance(selection, Span):
            match = self._match(selection, to_b)
            if match is not None:
                target.select(match)
        self._busy = False

    def _match(self, span: Span, to_b: bool) -> Span | None:
        """Return the matching span of the other run, or None."""
        if self.two is None or self.a.trace is None or self.b.trace is None:
            return None
        matches = self.two.matches
        shift = self.two.step_b - self.over
        if to_b:
            task = matches.task_in_b(span.task)
            trace = self.b.trace
            step = span.step + shift
        else:
            task = matches.task_in_a(span.task)
            trace = self.a.trace
            step = span.step - shift
        return None if task is None else trace.find(step, task)
