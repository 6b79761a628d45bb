"""What a timeline shows and where one stands in it; without a widget."""

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
    """The values that a timeline is drawn from, and the few ways in which they change together.

    Moves and other commands are made of these: gui.timeline.state's `Navigator`, `Selector`,
    `LaneArranger` and `LaneChoice`. Whoever draws or mirrors a timeline observes the signals:

    - `scene_changed`: another run is shown.
    - `view_changed`: the visible time is another; `moved`: the user moved it, or the tracks.
    - `selection_changed`, `following_changed`, `strips_changed` carry what is new.
    - `tracks_changed`: lanes or their places are others; `lane_changed`: another is chosen.
    - `picture_changed`: all has to be drawn anew; `overlay_changed`: only what lies over it.

    While a run is live and followed, `refresh` moves the view; after the first pan or zoom by
    hand nothing else moves it until it is followed again. The chosen `lane` is a compute lane's
    number, None while there is none; it goes along with the selection. Distances are measured
    from the `anchor` to the selection. Moments count from the `origin`, which is as `count_from`
    says, or `aligned` with another timeline's; then no time is folded, so that both are drawn
    alike. The tracks are moved up by `scroll` pixels.
    """

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
        self.stack, self.strips = LaneStack(), Strips()
        self.scroll, self.most_scroll = 0, 0
        self.size = (0.0, 0.0)
        self.history = ViewHistory()
        self.bookmarks = Bookmarks(lambda: self.remember("marks", alone=True), self)
        self.bookmarks.shown.connect(self.overlay_changed)

    # What is shown

    def show_scene(
        self, scene: Scene | None, live: bool = False, saved: SavedView | None = None
    ) -> None:
        """Show another run, or nothing; as it was left in `saved`, else a live one is followed."""
        self.scene, self.now = scene, 0.0 if live else None
        if scene is not None:
            scene.live = live
        self.move(self.viewport)
        self.stack.take(scene)
        self.choose_zoom = saved is None or saved.choose_zoom
        self.history = ViewHistory() if saved is None else saved.history
        self.anchor = None
        # What belongs to the run before goes first, so that nobody who hears of a change looks up
        # its spans in this run.
        self.bookmarks.show(())
        self.select(None)
        self.select(None if saved is None else saved.selection)
        self.scene_changed.emit()
        self.set_following(saved is None or saved.following)
        self.lay_out()
        if saved is not None:
            # Behind `lay_out`: what is restored includes how far the tracks are scrolled, which a
            # layout with too few tracks would cut.
            self.restore(saved.state)
        self.lane = _lane_of(scene, self.selection, None)
        self.tracks_changed.emit()
        self.lane_changed.emit()
        if scene is not None and not live and self.following and self.choose_zoom:
            self.move(settled_view(self.viewport, scene))
        self.picture_changed.emit()

    @property
    def saved(self) -> SavedView:
        """How the run that is shown is left, for `show_scene`."""
        return SavedView(
            self.snapshot, self.selection, self.following, self.choose_zoom, self.history
        )

    @property
    def trace(self) -> Trace | None:
        """The trace that is shown, or None."""
        return None if self.scene is None else self.scene.trace

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.theme = theme
        self.picture_changed.emit()

    def set_prediction(
        self, prediction: Trace | None, beside: Mapping[str, str] | None = None, doubt: str = ""
    ) -> None:
        """Show a prediction of the run that is shown as ghosts under its lanes, or take it away.

        `beside` has, by the lanes' names, what stands beside their ghosts; `doubt` says why it is
        far off, where it is.
        It has the run's lanes and steps, in the run's time; another run that is shown has none.
        Does nothing while no run is shown. Raises ValueError if it has another number of lanes.
        """
        if self.scene is not None:
            self.scene.set_prediction(prediction, beside, doubt)
            self.lay_out()

    def show_strips(self, **shown: bool) -> None:
        """Show or hide what is beside the spans, by names of Strips, where there is some."""
        self.stack.chosen = replace(self.stack.chosen, **shown)
        self.lay_out()
        self.moved.emit()

    def refresh(self, now: float | None) -> None:
        """Show what has come since; `now` is a live run's present in ns, None once it ended."""
        if self.scene is None:
            return
        ended = self.now is not None and now is None
        self.now = now
        self.scene.live = now is not None
        self.move(self.viewport)  # more time may be folded by now
        # Laying out is no matter of each frame: only when new replicas, or the first memory
        # counters, ask for other tracks.
        if self.stack.is_stale(self.scene):
            self.lay_out()
        if self.following and now is not None:
            self.move(live_view(self.viewport, self.scene, now, self.choose_zoom))
        elif self.following and ended and self.choose_zoom:
            self.move(settled_view(self.viewport, self.scene))
        if ended:
            self.view_changed.emit()  # the whole is another
        self.picture_changed.emit()

    def select(self, selection: Selection | None) -> None:
        """Select a span, gap or range, or nothing."""
        if selection != self.selection:
            self.selection = selection
            self.lane = _lane_of(self.scene, selection, self.lane)
            self.selection_changed.emit(selection)
            self.overlay_changed.emit()

    # Where it is drawn

    def resize(self, width: float, height: float) -> None:
        """Have a picture of so many pixels, names and axis included."""
        self.size = (width, height)
        self.lay_out()

    def lay_out(self) -> None:
        """Stack the lanes as is wanted now."""
        width, height = self.size
        available = height - AXIS - STEPS
        self.move(self.viewport.resized(width - LABELS - RIGHT))
        self.stack.lay_out(self.scene, available)
        strips = self.stack.shown
        if strips != self.strips:
            self.strips = strips
            self.strips_changed.emit(strips)
        self.most_scroll = max(0, int(self.stack.layout.height - available))
        # Directly: this tells of another picture anyway, where `scroll_to` would tell of one more.
        self.scroll = min(self.scroll, self.most_scroll)
        self.picture_changed.emit()

    def scroll_to(self, pixels: float) -> None:
        """Move the tracks up by so many pixels, as far as there are tracks."""
        scroll = min(max(0, round(pixels)), self.most_scroll)
        if scroll != self.scroll:
            self.scroll = scroll
            self.picture_changed.emit()

    @property
    def frame(self) -> Frame:
        """Where the lanes are drawn in the picture."""
        height, body = self.size[1], AXIS + STEPS
        return Frame(
            self.viewport, self.stack.seen(self.scroll, height - body), LABELS,
            body - self.scroll, self.theme, self.now, ceiling=body, floor=height,
            path=self.strips.path, arrows=self.strips.arrows,
            origin=self.aligned or origin_of(self.scene, self.viewport, self.count_from),
        )  # fmt: skip

    # Moving

    def go_to(self, view: Viewport, gesture: str) -> None:
        """Show this part, as the user wants; moves of one `gesture` are taken back together."""
        if self.scene is not None and view != self.viewport:
            self.remember(gesture)
            self.leave_for(view)

    def leave_for(self, view: Viewport) -> None:
        """Show this part, and follow no longer."""
        self.set_following(False)
        self.choose_zoom = False
        self.move(view)
        self.moved.emit()
        self.picture_changed.emit()

    def move(self, view: Viewport) -> None:
        """Show this part, without a step in the history; it is drawn with the next picture."""
        scene = self.scene if self.aligned is None else None
        # Every view passes here, whichever folds it was made with.
        view = replace(view, folds=NO_FOLDS if scene is None else scene.folds)
        if view != self.viewport:
            self.viewport = view
            self.view_changed.emit()

    def set_following(self, following: bool) -> None:
        """Stay with the present, or do not."""
        if following != self.following:
            self.following = following
            self.following_changed.emit(following)

    # Going back

    @property
    def snapshot(self) -> ViewState:
        """What one can go back to."""
        stack = self.stack
        return ViewState(
            self.viewport, stack.height, self.scroll, stack.state, self.bookmarks.listed
        )

    def remember(self, gesture: str, alone: bool = False) -> None:
        """Let what is about to change be taken back: by itself, or with more of its gesture."""
        if alone:
            self.history.pause()
        self.history.push(self.snapshot, gesture)
        if alone:
            self.history.pause()

    def restore(self, state: ViewState) -> None:
        """Take a state; the tracks stay where they are scrolled to if they are as high as in it."""
        stack = self.stack
        if (state.height, state.tracks) != (stack.height, stack.state):
            stack.height, stack.state = state.height, state.tracks
            self.lay_out()
            self.scroll_to(state.scroll)
            self.tracks_changed.emit()
        self.bookmarks.take_back(state.bookmarks)
        # The window may have had another width when the state was remembered.
        self.move(state.view.resized(self.viewport.width))


def _lane_of(scene: Scene | None, selection: Selection | None, lane: int | None) -> int | None:
    """The compute lane of what is selected; the one that was chosen where that is none."""
    if scene is None:
        return None
    if selection is None or isinstance(selection, TimeRange):
        return lane
    return scene.trace.header.lanes[selection.lane].serves
