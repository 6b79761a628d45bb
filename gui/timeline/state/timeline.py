"""Contents and view of a timeline, without a widget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from core.trace.span import Span
from core.trace.trace import Trace
from gui.look.theme import LIGHT, Theme
from gui.timeline.layout.folds import NO_FOLDS
from gui.timeline.layout.frame import AXIS, LABELS, RIGHT, STEPS, Frame, Viewport
from gui.timeline.layout.groups import Strips
from gui.timeline.layout.moments import CountFrom, Origin
from gui.timeline.state.bookmarks import Bookmarks
from gui.timeline.state.history import SavedView, ViewHistory, ViewState
from gui.timeline.state.lane_stack import LaneStack
from gui.timeline.state.navigation import live_view, origin_of, settled_view
from gui.timeline.state.scene import Scene
from gui.timeline.state.selection import Selection, TimeRange


class TimelineState(QObject):
    """The values that a timeline is drawn from, with the basic ways to change them.

    Commands are built on these: gui.timeline.state's `Navigator`, `Selector`, `LaneArranger` and
    `LaneChoice`. Views observe the signals:

    - `leaving`: another run is about to be shown; `scene_changed`: it is shown.
    - `view_changed`: the visible time changed; `moved`: the user moved the view or the tracks.
    - `selection_changed`, `following_changed`, `strips_changed`: with the new value.
    - `tracks_changed`: lanes or their places changed; `lane_changed`: another lane is chosen.
    - `picture_changed`: redraw everything; `overlay_changed`: redraw only the overlay.

    While a live run is followed, `refresh` moves the view; after a pan or zoom by the user nothing
    else moves it until it is followed again. The chosen `lane` is a compute lane's number, or None;
    it changes with the selection. Distances are measured from the `anchor` to the selection. Times
    count from the origin that `count_from` selects, or from `aligned`, the origin of a linked
    timeline. While timelines are linked no time is folded, so that both have the same scale. The
    tracks are scrolled by `scroll` pixels.
    """

    leaving = Signal()
    scene_changed = Signal()
    view_changed = Signal()
    moved = Signal()
    selection_changed = Signal(object)
    following_changed = Signal(bool)
    strips_changed = Signal(object)
    tracks_changed = Signal()
    lane_changed = Signal()
    picture_changed = Signal()
    overlay_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.scene: Scene | None = None
        self.theme = LIGHT
        self.viewport = Viewport()
        self.now: float | None = None
        self.following = self.choose_zoom = True
        self.selection: Selection | None = None
        self.anchor: Span | None = None
        self.lane: int | None = None
        self.count_from = CountFrom.STEP
        self.aligned: Origin | None = None
        self.stack = LaneStack()
        self.strips = Strips()
        self.scroll = 0
        self.most_scroll = 0
        self.size = (0.0, 0.0)
        self.history = ViewHistory()
        self.bookmarks = Bookmarks(lambda: self.remember("marks", alone=True), self)
        self.bookmarks.shown.connect(self.overlay_changed)

    # Content

    def show_scene(
        self, scene: Scene | None, live: bool = False, saved: SavedView | None = None
    ) -> None:
        """Show another run, or nothing; restore the state `saved`, or else follow a live run."""
        self.leaving.emit()
        self.scene = scene
        self.now = 0.0 if live else None
        if scene is not None:
            scene.live = live
        self.move(self.viewport)
        self.stack.take(scene)
        self.choose_zoom = saved is None or saved.choose_zoom
        self.history = ViewHistory() if saved is None else saved.history
        self.anchor = None
        # Values of the previous run are removed first, so that no observer of a change looks up its
        # spans in the new run.
        self.bookmarks.show(())
        self.select(None)
        self.select(None if saved is None else saved.selection)
        self.scene_changed.emit()
        self.set_following(saved is None or saved.following)
        self.lay_out()
        if saved is not None:
            # After `lay_out`: restoring includes scrolling, which a layout with fewer tracks would
            # limit.
            self.restore(saved.state)
        self.lane = _lane_of(scene, self.selection, None)
        self.tracks_changed.emit()
        self.lane_changed.emit()
        if scene is not None and not live and self.following and self.choose_zoom:
            self.move(settled_view(self.viewport, scene))
        self.picture_changed.emit()

    @property
    def saved(self) -> SavedView:
        """The state of the run on screen, for `show_scene`."""
        return SavedView(
            self.snapshot, self.selection, self.following, self.choose_zoom, self.history
        )

    @property
    def trace(self) -> Trace | None:
        """The trace on screen, or None."""
        return None if self.scene is None else self.scene.trace

    def set_theme(self, theme: Theme) -> None:
        """Set the colours, and redraw."""
        self.theme = theme
        self.picture_changed.emit()

    def set_prediction(
        self, prediction: Trace | None, lane_texts: Mapping[str, str] | None = None, doubt: str = ""
    ) -> None:
        """Show a prediction of the run on screen under its lanes, or remove it.

        The prediction has the run's lanes and steps, in the run's time. `lane_texts` maps the names
        of lanes to the texts next to their predictions; `doubt` says why the prediction differs
        much, or is "". Does nothing without a run. Raises ValueError if the number of lanes
        differs.
        """
        if self.scene is not None:
            self.scene.set_prediction(prediction, lane_texts, doubt)
            self.lay_out()

    def show_strips(self, **shown: bool) -> None:
        """Show or hide strips, given by the names of their fields in Strips."""
        self.stack.chosen = replace(self.stack.chosen, **shown)
        self.lay_out()
        self.moved.emit()

    def refresh(self, now: float | None) -> None:
        """Show new data; `now` is a live run's present in ns, None after its end."""
        if self.scene is None:
            return
        ended = self.now is not None and now is None
        self.now = now
        self.scene.live = now is not None
        self.move(self.viewport)  # more time may be folded
        # Not for each frame: only when new replicas, or the first memory counters, need other
        # tracks.
        if self.stack.is_stale(self.scene):
            self.lay_out()
        if self.following and now is not None:
            self.move(live_view(self.viewport, self.scene, now, self.choose_zoom))
        elif self.following and ended and self.choose_zoom:
            self.move(settled_view(self.viewport, self.scene))
        if ended:
            self.view_changed.emit()  # the range of the whole run changed
        self.picture_changed.emit()

    def select(self, selection: Selection | None) -> None:
        """Select a span, gap or range, or nothing."""
        if selection != self.selection:
            self.selection = selection
            self.lane = _lane_of(self.scene, selection, self.lane)
            self.selection_changed.emit(selection)
            self.overlay_changed.emit()

    # Size and scrolling

    def resize(self, width: float, height: float) -> None:
        """Set the size of the picture in pixels, including names and axis."""
        self.size = (width, height)
        self.lay_out()

    def lay_out(self) -> None:
        """Stack the lanes with the current settings."""
        width, height = self.size
        available = height - AXIS - STEPS
        self.move(self.viewport.resized(width - LABELS - RIGHT))
        self.stack.lay_out(self.scene, available)
        strips = self.stack.shown
        if strips != self.strips:
            self.strips = strips
            self.strips_changed.emit(strips)
        overflow = self.stack.layout.height - available
        self.most_scroll = max(0, int(overflow))
        # Set directly, because `scroll_to` would announce another picture a second time.
        self.scroll = min(self.scroll, self.most_scroll)
        self.picture_changed.emit()

    def scroll_to(self, pixels: float) -> None:
        """Scroll the tracks by `pixels`, within limits."""
        scroll = min(max(0, round(pixels)), self.most_scroll)
        if scroll != self.scroll:
            self.scroll = scroll
            self.picture_changed.emit()

    @property
    def frame(self) -> Frame:
        """The places of the lanes in the picture."""
        height = self.size[1]
        body = AXIS + STEPS
        return Frame(
            self.viewport,
            self.stack.seen(self.scroll, height - body),
            LABELS,
            body - self.scroll,
            self.theme,
            self.now,
            ceiling=body,
            floor=height,
            path=self.strips.path,
            arrows=self.strips.arrows,
            origin=self.aligned or origin_of(self.scene, self.viewport, self.count_from),
        )

    # Moving

    def go_to(self, view: Viewport, gesture: str) -> None:
        """Show a view for the user; consecutive moves of one `gesture` are undone together."""
        if self.scene is not None and view != self.viewport:
            self.remember(gesture)
            self.leave_for(view)

    def leave_for(self, view: Viewport) -> None:
        """Show a view, and stop following."""
        self.set_following(False)
        self.choose_zoom = False
        self.move(view)
        self.moved.emit()
        self.picture_changed.emit()

    def move(self, view: Viewport) -> None:
        """Show a view without an undo step; it is drawn with the next picture."""
        scene = self.scene if self.aligned is None else None
        # All views pass here, and may have been made with other folds.
        folds = NO_FOLDS if scene is None else scene.folds
        view = replace(view, folds=folds)
        if view != self.viewport:
            self.viewport = view
            self.view_changed.emit()

    def set_following(self, following: bool) -> None:
        """Follow the present, or stop following."""
        if following != self.following:
            self.following = following
            self.following_changed.emit(following)

    # Undo

    @property
    def snapshot(self) -> ViewState:
        """The state that undo returns to."""
        stack = self.stack
        return ViewState(
            self.viewport, stack.height, self.scroll, stack.state, self.bookmarks.listed
        )

    def remember(self, gesture: str, alone: bool = False) -> None:
        """Make the next change undoable: `alone`, or together with other changes by its gesture."""
        if alone:
            self.history.pause()
        self.history.push(self.snapshot, gesture)
        if alone:
            self.history.pause()

    def restore(self, state: ViewState) -> None:
        """Restore the lanes and the visible time of a state, but not its bookmarks.

        The scroll position is kept if lanes and heights are the same.
        """
        stack = self.stack
        if (state.height, state.tracks) != (stack.height, stack.state):
            stack.height = state.height
            stack.state = state.tracks
            self.lay_out()
            self.scroll_to(state.scroll)
            self.tracks_changed.emit()
        # The window may have had another width when the state was stored.
        self.move(state.view.resized(self.viewport.width))


def _lane_of(scene: Scene | None, selection: Selection | None, lane: int | None) -> int | None:
    """Return the compute lane of a selection; if it has none, `lane`, which was chosen before."""
    if scene is None:
        return None
    if selection is None or isinstance(selection, TimeRange):
        return lane
    return scene.trace.header.lanes[selection.lane].serves
