"""Navigation commands of a timeline: zoom, pan, fit, follow, undo."""

from __future__ import annotations

from gui.timeline.layout.frame import LABELS
from gui.timeline.layout.moments import CountFrom, Origin
from gui.timeline.state.history import ViewState
from gui.timeline.state.selection import bounds_of
from gui.timeline.state.timeline import TimelineState

KEY_ZOOM = 0.7
KEY_PAN = 0.15  # fraction of the visible time


class Navigator:
    """Changes the visible time for mouse, keys and menus; pixels are the picture's."""

    def __init__(self, state: TimelineState) -> None:
        self._state = state

    def zoom_at(self, factor: float, x: float) -> None:
        """Show `factor` times as much time; the time under pixel `x` stays there."""
        view = self._state.viewport
        self._state.go_to(view.zoomed(factor, max(0.0, x - LABELS)), "zoom")

    def pan_by(self, pixels: float) -> None:
        """Move later by `pixels`."""
        if pixels:
            self._state.go_to(self._state.viewport.panned(pixels), "pan")

    def zoom(self, by: int) -> None:
        """Zoom around the middle by one step, in (1) or out (-1)."""
        self.zoom_at(KEY_ZOOM**by, LABELS + self._state.viewport.width / 2)

    def pan(self, by: int) -> None:
        """Move later (1) or earlier (-1) by one step."""
        self.pan_by(by * KEY_PAN * self._state.viewport.width)

    def zoom_back(self) -> None:
        """Return to the view before the last zoom, pan, fit or change of the lanes."""
        self._return_to(self._state.history.back(self._state.snapshot))

    def zoom_forward(self) -> None:
        """Redo the change that `zoom_back` undid last."""
        self._return_to(self._state.history.forward(self._state.snapshot))

    def fit(self) -> None:
        """Fill the view with the selection; again, or without one, with the whole run.

        With the whole run, the height of lanes is chosen again so that they fit.
        """
        state = self._state
        if state.scene is None:
            return
        if state.selection is not None:
            bounds = bounds_of(state.scene.trace, state.selection, state.now)
            fitted = state.viewport.fitted(*bounds)
            if fitted != state.viewport:
                state.go_to(fitted, "fit selection")
                return
        everything = state.viewport.fitted(*map(float, state.scene.bounds))
        if everything != state.viewport or state.stack.height is not None:
            state.remember("fit")
            state.stack.height = None
            state.lay_out()
            state.leave_for(everything)

    def fit_between(self, start: float, end: float) -> None:
        """Fill the view with a time range, in ns."""
        self._state.go_to(self._state.viewport.fitted(start, end), "fit step")

    def show_moments(self, start: float, end: float) -> None:
        """Move a time range, in ns, into view; keep the zoom if it fits."""
        view = self._state.viewport
        fits = end - start <= view.span
        shown = view.centred(start, end) if fits else view.fitted(start, end)
        self._state.go_to(shown, "mark")

    def centre_on(self, time_ns: float) -> None:
        """Centre the view on a time, in ns, at the same zoom."""
        view = self._state.viewport
        self.pan_by(view.x(time_ns) - view.width / 2)

    def follow(self) -> None:
        """Go to the present (or the end) and follow it, at the same zoom."""
        state = self._state
        state.set_following(True)
        state.choose_zoom = False
        if state.scene is not None:
            present = state.now if state.now is not None else float(state.scene.bounds[1])
            state.move(state.viewport.following(present))
            state.picture_changed.emit()

    def count_from(self, what: CountFrom) -> None:
        """Measure times from the step on screen, the run's start, or the clock."""
        self._state.count_from = what
        self._state.picture_changed.emit()

    def align(self, origin: Origin | None) -> None:
        """Measure times from the origin of a linked timeline; None removes the link."""
        if origin != self._state.aligned:
            self._state.aligned = origin
            # The same range again, because `move` folds time only without `aligned`.
            self._state.move(self._state.viewport)
            self._state.picture_changed.emit()

    def _return_to(self, earlier: ViewState | None) -> None:
        if earlier is not None:
            self._state.restore(earlier)
            self._state.leave_for(self._state.viewport)
