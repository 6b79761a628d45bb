"""Aligns the compared steps of two timelines, which scroll and select together."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.compare.alignment import Alignment, at_moments
from core.compare.runs import TwoRuns
from gui.app.run import Run
from gui.features.compare.chooser import Other
from gui.features.compare.linking import LinkedViews
from gui.features.compare.mirror import Mirror
from gui.look.text import tr
from gui.timeline.interact.view import TimelineView
from gui.timeline.state.timeline import TimelineState


class Aligner(QObject):
    """Aligns the timeline `b` of run B with the timeline `a` of run A, from `show` until `leave`.

    `aligned` carries True if selected spans are aligned, False if the starts of the steps are;
    `message` carries a note for the status bar.
    """

    aligned = Signal(bool)
    message = Signal(str)

    def __init__(self, a: TimelineView, b: TimelineState) -> None:
        super().__init__(a)
        self._a = a
        self._views = LinkedViews(a.state, b)
        self._mirror = Mirror(a.state, b)
        self._runs: tuple[Run, Other] | None = None
        self._two: TwoRuns | None = None
        self._over: int | None = None  # the step of A above B's step; None for A's compared step
        self._moments: tuple[float, float] | None = None  # in A and B, aligned by the user
        self._fit = False

    def leave(self) -> None:
        """Unlink the two timelines."""
        self._runs = self._two = self._mirror.two = None
        self._views.unlink()

    def show(self, run: Run, other: Other, two: TwoRuns | None) -> None:
        """Set the runs to align, and their comparison, if any; `lay_over` then aligns them."""
        self._runs = (run, other)
        self._two = two

    @property
    def alignment(self) -> Alignment:
        """The mapping between the times of both runs."""
        return self._views.alignment

    def align(self, here: bool) -> None:
        """Align the selected spans if `here` is true, otherwise the starts of the steps."""
        self._moments = None
        if here and self._runs is not None:
            self._moments = self._mirror.starts
            if self._moments is None:
                self.message.emit(tr("Select one span in each run, then align them."))
        self.aligned.emit(self._moments is not None)
        self.lay_over()

    def scale(self, fit: bool) -> None:
        """Draw both steps with equal lengths if `fit` is true, otherwise on one time scale."""
        self._fit = fit
        self.lay_over()

    def step_in_b(self, by: int) -> None:
        """Select the next span on B's lane (1) or the previous one, without its match in A."""
        if self._runs is not None:
            self._mirror.step_in_b(by)

    def lay_over(self, fresh: bool = False) -> None:
        """Align both views; for a `fresh` comparison, show both compared steps as a whole.

        While a live run is followed, B's step is below the newest step of A instead, and A does not
        move. When following ends, B's step stays below the step that was newest then.
        """
        if self._runs is None:
            return
        run, other = self._runs
        two = self._two
        self._mirror.two = two
        if two is None:
            # No whole step to compare yet: align the starts of both runs meanwhile.
            start, _ = run.trace.bounds
            other_start, _ = other.trace.bounds
            alignment = Alignment(float(start), float(other_start))
            self._views.link(alignment, float(start))
            return
        if fresh:
            self._over = self._moments = None
            self.aligned.emit(False)
        follows = self._follows
        if follows:
            self._over = run.trace.steps[-1]
        over = two.step_a if self._over is None else self._over
        self._mirror.over = over
        bounds_a = run.trace.step_bounds(over)
        bounds_b = other.trace.step_bounds(two.step_b)
        # Moments chosen by the user have priority. A's compared step determines the scale even if
        # B's step is below a later step of a live run. Otherwise the scale would change at every
        # step.
        start_a, end_a = bounds_a
        start_b, end_b = bounds_b
        moment_a, moment_b = self._moments or (start_a, start_b)
        step_a = run.trace.step_bounds(two.step_a)
        laid = at_moments(moment_a, moment_b, step_a, bounds_b, self._fit)
        self._views.link(laid, start_a)
        if fresh and not follows:
            # Both steps in A's time; B's view follows A's.
            first = min(start_a, laid.to_a(start_b))
            last = max(end_a, laid.to_a(end_b))
            self._a.navigator.fit_between(first, last)

    def follow(self) -> None:
        """Move B's step below the newest step of a live run, if that is followed."""
        if self._runs is None or self._two is None or not self._follows:
            return
        if self._over != self._runs[0].trace.steps[-1]:
            self.lay_over()

    @property
    def _follows(self) -> bool:
        """True if B's step is to be below the newest step of a live run."""
        is_live = self._runs is not None and self._runs[0].live
        return is_live and self._a.state.following and self._moments is None
