"""Undo and redo of view changes, and the saved view of a run that is not on screen. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.recording.bookmarks import Bookmark
from gui.timeline.layout.frame import Viewport
from gui.timeline.layout.groups import TrackState
from gui.timeline.state.selection import Selection

MOST_VIEWS = 100


@dataclass(frozen=True, slots=True)
class ViewState:
    """A state to return to: the visible time, the lanes, the bookmarks.

    `height` is a lane's in pixels, None for the height that fits; `scroll` is in pixels; `tracks`
    is the arrangement of the lanes.
    """

    view: Viewport
    height: float | None = None
    scroll: int = 0
    tracks: TrackState = field(default_factory=TrackState)
    bookmarks: tuple[Bookmark, ...] = ()


class ViewHistory:
    """Undo and redo stacks of view states.

    Consecutive changes by the same gesture (one wheel turn, one drag) are one entry.
    """

    def __init__(self) -> None:
        self._back: list[ViewState] = []
        self._forward: list[ViewState] = []
        self._gesture = ""

    def push(self, state: ViewState, gesture: str) -> None:
        """Push the state that `gesture` is about to leave, and clear the redo stack."""
        # The state to return to is the one before the first notch of a wheel turn.
        if gesture != self._gesture:
            self._back.append(state)
            del self._back[:-MOST_VIEWS]
        self._forward.clear()
        self._gesture = gesture

    def pause(self) -> None:
        """End the gesture: the next one is a new entry, even with the same name."""
        self._gesture = ""

    def back(self, now: ViewState) -> ViewState | None:
        """Return the state before the last gesture, or None; `now` can be redone."""
        return self._step(self._back, self._forward, now)

    def forward(self, now: ViewState) -> ViewState | None:
        """Return the state to redo, or None."""
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
    """The state in which a timeline was left, to be restored when its run is shown again."""

    state: ViewState
    selection: Selection | None = None
    following: bool = True
    choose_zoom: bool = True
    history: ViewHistory = field(default_factory=ViewHistory)
