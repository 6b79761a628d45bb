"""Lays the compared steps of two timelines over each other; they move and select together."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.compare.alignment import Alignment, at_moments
from core.compare.runs import TwoRuns
from gui.app.session import Run
from gui.features.compare.chooser import Other
from gui.features.compare.linking import LinkedViews
from gui.features.compare.mirror import Mirror
from gui.look.text import tr
from gui.timeline.interact.view import TimelineView
from gui.timeline.state.timeline import TimelineState


class Aligner(QObject):
    """Aligns the timeline of run B with that of run `a`, from `show` until `leave`.

    `aligned` says whether selected spans lie over each other, else the steps' starts do; `message`
    carries a note for the status bar.
    """

    aligned = Signal(bool)
    message = Signal(str)

    def __init__(self, a: TimelineView, b: TimelineState) -> None:
        super().__init__(a)
        self._a = a
        self._views, self._mirror = LinkedViews(a.state, b), Mirror(a.state, b)
        self._runs: tuple[Run, Other] | None = None
        self._two: TwoRuns | None = None
        self._over: int | None = None  # the step of A that B's stands under; None: the compared one
        self._moments: tuple[float, float] | None = None  # of A and B, over each other
        self._fit = False

    def leave(self) -> None:
        """Let both timelines be."""
        self._runs = self._two = self._mirror.two = None
        self._views.unlink()

    def show(self, run: Run, other: Other, two: TwoRuns | None) -> None:
        """These are compared now; they are laid over each other with `lay_over`."""
        self._runs, self._two = (run, other), two

    @property
    def alignment(self) -> Alignment:
        """How the times lie over each other."""
        return self._views.alignment

    def align(self, here: bool) -> None:
        """Lay the selected spans over each other, or again the beginnings of the steps."""
        self._moments = None
        if here and self._runs is not None:
            self._moments = self._mirror.starts
            if self._moments is None:
                self.message.emit(tr("Select a span in each run first, then align here."))
        self.aligned.emit(self._moments is not None)
        self.lay_over()

    def scale(self, fit: bool) -> None:
        """Draw both steps equally long, or both in true time."""
        self._fit = fit
        self.lay_over()

    def step_in_b(self, by: int) -> None:
        """Select the next span on B's lane (1) or the previous one, without its match in A."""
        if self._runs is not None:
            self._mirror.step_in_b(by)

    def lay_over(self, fresh: bool = False) -> None:
        """Align both views; where the comparison is fresh A moves to the step that is compared.

        While a live run is followed, B's step stands under the step that the run is in, and stays
        under it afterwards.
        """
        if self._runs is None:
            return
        (run, other), two = self._runs, self._two
        self._mirror.two = two
        if two is None:
            # No whole step to compare yet: the beginnings
            # of both runs lie over each other meanwhile.
            starts = float(run.trace.bounds[0]), float(other.trace.bounds[0])
            self._views.link(Alignment(*starts), starts[0])
            return
        if fresh:
            self._over = self._moments = None
            self.aligned.emit(False)
        if follows := self._follows:
            self._over = run.trace.steps[-1]
        over = self._mirror.over = two.step_a if self._over is None else self._over
        bounds_a, bounds_b = run.trace.step_bounds(over), other.trace.step_bounds(two.step_b)
        # Moments chosen by hand win. The scale is always that of the compared step, also while B's
        # stands under a later one of a live run: else it would change with every step.
        moments = self._moments or (bounds_a[0], bounds_b[0])
        step_a = run.trace.step_bounds(two.step_a)
        laid = at_moments(moments[0], moments[1], step_a, bounds_b, self._fit)
        self._views.link(laid, bounds_a[0])
        if fresh and not follows:
            # In A's time, where both steps are to be seen whole; B's view follows A's.
            first = min(bounds_a[0], laid.to_a(bounds_b[0]))
            self._a.navigator.fit_between(first, max(bounds_a[1], laid.to_a(bounds_b[1])))

    def follow(self) -> None:
        """Go along with a live run that has begun another step."""
        if self._runs is None or self._two is None or not self._follows:
            return
        if self._over != self._runs[0].trace.steps[-1]:
            self.lay_over()

    @property
    def _follows(self) -> bool:
        """Whether B's step is to stand under the newest of a live run."""
        is_live = self._runs is not None and self._runs[0].live
        return is_live and self._a.state.following and self._moments is None
