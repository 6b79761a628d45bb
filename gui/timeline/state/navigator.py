"""Navigation commands of a timeline: zoom, pan, fit, follow, undo."""

from __future__ import annotations

from gui.timeline.layout.frame import LABELS, Viewport
from gui.timeline.layout.moments import CountFrom, Origin
from gui.timeline.state.history import ViewState
from gui.timeline.state.selection import bounds_of
from gui.timeline.state.timeline import TimelineState

KEY_ZOOM = 0.7  # factor of the visible time
KEY_PAN = 0.15  # fraction of the visible time


class Navigator:
    """Changes the visible time for mouse, keys and menus.

    Pixels count from the left edge of the picture, which begins with the lane names.
    """

    def __init__(self, state: TimelineState) -> None:
        self._state = state

    def zoom_at(self, factor: float, x: float) -> None:
        """Show `factor` times as much time; the time under pixel `x` stays there.

        Zooming out of a finished run ends with the whole run.
        """
        state = self._state
        view = state.viewport
        x_in_plot = max(0.0, x - LABELS)
        zoomed = view.zoomed(factor, x_in_plot)
        whole = self._whole_run()
        # A linked timeline may show a longer run, and both must show the same length of time.
        is_free = state.now is not None or state.aligned is not None
        if whole is not None and factor > 1 and not is_free and zoomed.span > whole.span:
            zoomed = whole
        state.go_to(zoomed, "zoom")

    def pan_by(self, pixels: float) -> None:
        """Move the view later by a number of pixels, or earlier if it is negative."""
        if pixels:
            panned = self._state.viewport.panned(pixels)
            self._state.go_to(panned, "pan")

    def zoom(self, by: int) -> None:
        """Zoom one step in (1) or out (-1); the time in the middle stays there."""
        middle = LABELS + self._state.viewport.width / 2
        self.zoom_at(KEY_ZOOM**by, middle)

    def pan(self, by: int) -> None:
        """Move the view one step later (1) or earlier (-1)."""
        self.pan_by(by * KEY_PAN * self._state.viewport.width)

    def zoom_back(self) -> None:
        """Return to the view before the last zoom, pan, fit or change of the lanes."""
        earlier = self._state.history.back(self._state.snapshot)
        self._return_to(earlier)

    def zoom_forward(self) -> None:
        """Redo the change that `zoom_back` undid last."""
        later = self._state.history.forward(self._state.snapshot)
        self._return_to(later)

    def fit(self) -> None:
        """Fill the view with the selection.

        If it does that already, or nothing is selected, fill the view with the whole run, and
        choose the height of the lanes so that they fit.
        """
        state = self._state
        scene = state.scene
        if scene is None:
            return
        view = state.viewport
        if state.selection is not None:
            start, end = bounds_of(scene.trace, state.selection, state.now)
            fitted = view.fitted(start, end)
            if fitted != view:
                state.go_to(fitted, "fit selection")
                return
        everything = self._whole_run()
        assert everything is not None
        if everything != view or state.stack.height is not None:
            state.remember("fit")
            state.stack.height = None
            state.lay_out()
            state.leave_for(everything)

    def fit_between(self, start: float, end: float) -> None:
        """Fill the view with a time range, in ns."""
        fitted = self._state.viewport.fitted(start, end)
        self._state.go_to(fitted, "fit step")

    def show_moments(self, start: float, end: float) -> None:
        """Show a time range, in ns; move the view only if needed, zoom out if it does not fit."""
        view = self._state.viewport
        fits = end - start <= view.span
        shown = view.centred(start, end) if fits else view.fitted(start, end)
        self._state.go_to(shown, "mark")

    def centre_on(self, time_ns: float) -> None:
        """Centre the view on a time, in ns, at the same zoom."""
        view = self._state.viewport
        self.pan_by(view.x(time_ns) - view.width / 2)

    def follow(self) -> None:
        """Follow the present at the same zoom; if the run has finished, show its end."""
        state = self._state
        state.set_following(True)
        state.choose_zoom = False
        if state.scene is None:
            return
        present = state.now
        if present is None:
            _, end = state.scene.bounds
            present = float(end)
        following = state.viewport.following(present)
        state.move(following)
        state.picture_changed.emit()

    def count_from(self, start: CountFrom) -> None:
        """Count the times shown from the step on screen, from the run's start, or by the clock."""
        self._state.count_from = start
        self._state.picture_changed.emit()

    def align(self, origin: Origin | None) -> None:
        """Count the times shown from the origin of a linked timeline; None removes the link."""
        if origin != self._state.aligned:
            self._state.aligned = origin
            # The same view again, because `move` folds time only while `aligned` is None.
            self._state.move(self._state.viewport)
            self._state.picture_changed.emit()

    def _whole_run(self) -> Viewport | None:
        """Return the view of the whole run; None without one."""
        scene = self._state.scene
        if scene is None:
            return None
        first, last = scene.bounds
        return self._state.viewport.fitted(float(first), float(last))

    def _return_to(self, remembered: ViewState | None) -> None:
        if remembered is not None:
            self._state.restore(remembered)
            self._state.bookmarks.take_back(remembered.bookmarks)
            self._state.leave_for(self._state.viewport)
