"""Going back and forward between views, and what is kept of a timeline that is left. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.recording.bookmarks import Bookmark
from gui.timeline.layout.frame import Viewport
from gui.timeline.layout.groups import TrackState
from gui.timeline.state.selection import Selection

MOST_VIEWS = 100


@dataclass(frozen=True, slots=True)
class ViewState:
    """What one can go back to: the time that is visible, and how the lanes stand.

    `height` is a lane's, None for what fits; `scroll` is in pixels; `tracks` is how the lanes are
    ordered and folded, `bookmarks` what is marked.
    """

    view: Viewport
    height: float | None = None
    scroll: int = 0
    tracks: TrackState = field(default_factory=TrackState)
    bookmarks: tuple[Bookmark, ...] = ()


class ViewHistory:
    """States to go back to, and forward again to those that one came back from.

    A run of the same gesture (one wheel turn, one drag) is one entry.
    """

    def __init__(self) -> None:
        self._back: list[ViewState] = []
        self._forward: list[ViewState] = []
        self._gesture = ""

    def push(self, state: ViewState, gesture: str) -> None:
        """Remember the state that `gesture` is about to leave; nothing lies ahead of it then."""
        # The state before the first notch of a wheel turn is the one to return to, not those
        # between.
        if gesture != self._gesture:
            self._back.append(state)
            del self._back[:-MOST_VIEWS]
        self._forward.clear()
        self._gesture = gesture

    def pause(self) -> None:
        """Let the next gesture be a new one, of whatever name."""
        self._gesture = ""

    def back(self, now: ViewState) -> ViewState | None:
        """The state before the last gesture, or None if there is none; `now` lies ahead of it."""
        return self._step(self._back, self._forward, now)

    def forward(self, now: ViewState) -> ViewState | None:
        """The state that one came back from, or None."""
        return self._step(self._forward, self._back, now)

    def _step(
        self, source: list[ViewState], target: list[ViewState], now: ViewState
    ) -> ViewState | None:
        self.pause()
        if not source:
            return None
        target.append(now)
        return source.pop()


@dataclass(frozen=True, slots=True)
class SavedView:
    """How one left a timeline, to find it again so."""

    state: ViewState
    selection: Selection | None = None
    following: bool = True
    choose_zoom: bool = True
    history: ViewHistory = field(default_factory=ViewHistory)
