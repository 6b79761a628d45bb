"""Geometry of a picture of a run: time from left to right, lanes from top to bottom.

All classes are immutable values that need no window.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from core.arrays import Floats
from gui.look.theme import Theme
from gui.timeline.layout.folds import NO_FOLDS, Folds
from gui.timeline.layout.groups import Section
from gui.timeline.layout.moments import OF_RUN, Origin

AXIS = 24.0  # height of the time axis
STEPS = 18.0  # height of the strip with the steps' names
LABELS = 156.0  # width of the column with the lanes' names
RIGHT = 12.0  # free pixels at the plot's right edge
NOWHERE = -1e5  # place of lanes that are not shown
SHORTEST_NS = 100.0
LONGEST_NS = 1e15
MARGIN = 0.02  # fraction of the range, free on both sides after fitting
LEAD = 0.92  # place of the present in a view that follows it, as a fraction of the width


@dataclass(frozen=True, slots=True)
class Viewport:
    """The visible time: `span` ns from `start` on, over `width` pixels.

    Every change returns a new viewport. Times are ns since the run's start; pixels count from the
    left edge of the plot. If time is folded (`folds`), `span` is its drawn length. All conversions
    between times and pixels are done here, so that they respect the folds.
    """

    start: float = 0.0
    span: float = 1e8
    width: float = 1000.0
    folds: Folds = NO_FOLDS

    @property
    def end(self) -> float:
        """The time at the right edge."""
        return self.time(self.width)

    @property
    def ns_per_pixel(self) -> float:
        """Nanoseconds per pixel, except where time is folded."""
        return self.span / self.width

    def x(self, time_ns: float) -> float:
        """Return the pixel of a time."""
        left = self.folds.drawn(self.start)
        since_left = self.folds.drawn(time_ns) - left
        return since_left * self.width / self.span

    def xs(self, times: NDArray[np.integer | np.floating]) -> Floats:
        """Return the pixels of times."""
        left = self.folds.drawn(self.start)
        since_left = self.folds.all_drawn(times) - left
        return since_left * (self.width / self.span)

    def time(self, x: float) -> float:
        """Return the time at a pixel."""
        left = self.folds.drawn(self.start)
        since_left = x * self.span / self.width
        return self.folds.undone(left + since_left)

    def times(self, xs: NDArray[np.floating]) -> Floats:
        """Return the times at pixels."""
        left = self.folds.drawn(self.start)
        since_left = xs * self.ns_per_pixel
        return self.folds.all_undone(left + since_left)

    def zoomed(self, factor: float, x: float) -> Viewport:
        """Return a view of `factor` times as much time; the time under pixel `x` stays there."""
        # Computed in drawn time: within a fold, true time would not stay under the pointer.
        span = min(max(self.span * factor, SHORTEST_NS), LONGEST_NS)
        fixed = self.folds.drawn(self.time(x))
        since_left = x * span / self.width
        start = self.folds.undone(fixed - since_left)
        return replace(self, start=start, span=span)

    def panned(self, pixels: float) -> Viewport:
        """Return a view that is later by `pixels` (earlier if negative)."""
        return replace(self, start=self.time(pixels))

    def fitted(self, start: float, end: float) -> Viewport:
        """Return a view of `start` to `end` (ns) with a small margin on both sides."""
        drawn_start = self.folds.drawn(start)
        drawn_end = self.folds.drawn(end)
        length = min(max(drawn_end - drawn_start, SHORTEST_NS), LONGEST_NS)
        margin = length * MARGIN
        left = self.folds.undone(drawn_start - margin)
        return replace(self, start=left, span=length + 2 * margin)

    def resized(self, width: float) -> Viewport:
        """Return a view of the same time range with another width."""
        return replace(self, width=max(1.0, width))

    def coarser(self, by: int) -> Viewport:
        """Return a view with pixels `by` times as wide; the last one may reach beyond the end."""
        width = math.ceil(int(self.width) / by)
        span = by * width * self.ns_per_pixel
        return Viewport(self.start, span, width, self.folds)

    def following(self, now: float) -> Viewport:
        """Return a view with the present near the right edge, at the same zoom.

        It begins no more than a small margin before the run's start.
        """
        drawn_now = self.folds.drawn(now)
        start = self.folds.undone(drawn_now - LEAD * self.span)
        earliest = -MARGIN * self.span
        return replace(self, start=max(start, earliest))

    def centred(self, start: float, end: float) -> Viewport:
        """Return a view at the same zoom, centred on `start` to `end` unless both are visible."""
        if self.start <= start and end <= self.end:
            return self
        drawn_start = self.folds.drawn(start)
        drawn_end = self.folds.drawn(end)
        middle = (drawn_start + drawn_end) / 2
        left = self.folds.undone(middle - self.span / 2)
        return replace(self, start=left)


@dataclass(frozen=True, slots=True)
class Track:
    """A lane's track or strip. `helper` marks lanes under another lane, which are thinner.

    The row of a counter has the counter's `name`, and the `lane` that the row is under.
    """

    lane: int
    top: float
    height: float
    helper: bool = False
    name: str = ""

    @property
    def bottom(self) -> float:
        """The first pixel below the track."""
        return self.top + self.height


_Some = TypeVar("_Some", Track, Section)


@dataclass(frozen=True, slots=True)
class Layout:
    """All tracks from top to bottom.

    `predictions`, `memory` and `counters` are strips under compute lanes.
    `full_heights` are the heights of compute lanes with everything under them, by lane; `compute`
    is the height of a compute lane's own track, `height` the height of everything. The `pins` are
    the lanes (with the lanes that serve them) that stay at the top while the rest is scrolled by
    `scrolled` pixels; their band is `band` pixels high. `track_by_lane` has the track that
    represents each lane: its own, or its folded group's.
    """

    tracks: tuple[Track, ...] = ()
    groups: tuple[Section, ...] = ()
    predictions: tuple[Track, ...] = ()
    memory: tuple[Track, ...] = ()
    counters: tuple[Track, ...] = ()
    full_heights: Mapping[int, float] = field(default_factory=dict)
    compute: float = 0.0
    height: float = 0.0
    pins: frozenset[int] = frozenset()
    band: float = 0.0
    scrolled: float = 0.0
    track_by_lane: Mapping[int, Track] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Computed only if it is not given: `seen` and `layers` remove tracks with `replace`, but
        # keep `track_by_lane`.
        if not self.track_by_lane:
            object.__setattr__(self, "track_by_lane", _tracks_by_lane(self.tracks, self.groups))

    def track_at(self, y: float) -> Track | None:
        """Return the track at a height, or None between tracks."""
        return at_height(self.tracks, y)

    def track_of(self, lane: int) -> Track:
        """Return the track for a lane: its own, its folded group's, or an invisible one."""
        track = self.track_by_lane.get(lane)
        if track is None:
            return Track(lane, NOWHERE, 0.0, True)
        if lane in self.pins:
            return replace(track, top=track.top + self.scrolled)
        return track

    def extent_of(self, lane: int) -> tuple[float, float]:
        """Return the upper and lower edge of a lane with everything under it."""
        track = self.track_of(lane)
        room = track.height
        if track.lane == lane:
            room = self.full_heights.get(lane, room)
        return track.top, track.top + room

    def shows(self, lane: int) -> bool:
        """Return whether a lane has its own track."""
        track = self.track_by_lane.get(lane)
        return track is not None and track.lane == lane

    def seen(self, scrolled: float, height: float) -> Layout:
        """Return the part that is visible in `height` pixels, with the pinned lanes at the top.

        The layout's zero remains at the pixel `-scrolled`.
        """
        # Scrolled tracks are hidden by the band of pinned ones.
        first = scrolled + self.band
        last = scrolled + height

        def part(every: tuple[Track, ...]) -> tuple[Track, ...]:
            # Pinned tracks are the first in each tuple: the stacker adds them before the others.
            count = 0
            while count < len(every) and every[count].lane in self.pins:
                count += 1
            pinned = []
            for track in every[:count]:
                pinned.append(replace(track, top=track.top + scrolled))
            visible = _between(every[count:], first, last)
            return (*pinned, *visible)

        groups = _between(self.groups, first, last)
        return replace(self._with_parts(part), groups=groups, scrolled=scrolled)

    def layers(self) -> list[Layout]:
        """Return the scrolled tracks and the pinned tracks, as two layouts."""
        return [self._layer(False), self._layer(True)]

    def _layer(self, pinned: bool) -> Layout:
        def part(every: tuple[Track, ...]) -> tuple[Track, ...]:
            chosen = []
            for track in every:
                is_pinned = track.lane in self.pins
                if is_pinned is pinned:
                    chosen.append(track)
            return tuple(chosen)

        groups = () if pinned else self.groups
        return replace(self._with_parts(part), groups=groups)

    def _with_parts(self, part: Callable[[tuple[Track, ...]], tuple[Track, ...]]) -> Layout:
        """Return the layout with `part` applied to the tracks and to each kind of strips."""
        return replace(
            self,
            tracks=part(self.tracks),
            predictions=part(self.predictions),
            memory=part(self.memory),
            counters=part(self.counters),
        )


def at_height(every: Iterable[_Some], y: float) -> _Some | None:
    """Return the track, strip or group at a height, or None."""
    for one in every:
        if one.top <= y < one.bottom:
            return one
    return None


@dataclass(frozen=True, slots=True)
class Frame:
    """Places and appearance of a scene in a picture.

    The plot begins at pixel `left`; the layout's zero is at `top`. `now` is the present in ns while
    the run is live. If `vector` is true, lines are drawn instead of textures. Tracks above
    `ceiling` or below `floor` are not visible. `path` and `arrows` show the critical path and all
    dependencies. Displayed times count from the `origin`.
    """

    view: Viewport
    layout: Layout
    left: float
    top: float
    theme: Theme
    now: float | None = None
    vector: bool = False
    ceiling: float = -math.inf
    floor: float = math.inf
    path: bool = False
    arrows: bool = False
    origin: Origin = OF_RUN

    @property
    def right(self) -> float:
        """The plot's right edge, in the picture."""
        return self.left + self.view.width

    @property
    def bottom(self) -> float:
        """The lower edge of the last lane, in the picture."""
        return self.top + self.layout.height

    def layers(self) -> list[Frame]:
        """Return the frame of the scrolled tracks, and of the pinned tracks if there are any.

        Each is visible from its ceiling to its floor; they meet at the lower edge of the pinned
        tracks.
        """
        if not self.layout.pins:
            return [self]
        scrolled, pinned = self.layout.layers()
        edge = self.ceiling + self.layout.band
        return [
            replace(self, layout=scrolled, ceiling=edge),
            replace(self, layout=pinned, floor=edge),
        ]

    @property
    def visible_tracks(self) -> list[Track]:
        """The tracks of lanes that are visible."""
        return list(self.visible(self.layout.tracks))

    def visible(self, tracks: Iterable[Track]) -> Iterator[Track]:
        """Return the tracks or strips that are visible."""
        above = self.ceiling - self.top
        below = self.floor - self.top
        return (track for track in tracks if track.bottom > above and track.top < below)

    def x(self, time_ns: float) -> float:
        """Return the pixel of a time, in the picture."""
        return self.left + self.view.x(time_ns)

    def centred(self, x: float, width: float) -> float:
        """Return the left edge of a box centred at a pixel, moved into the plot if needed."""
        leftmost = self.left
        rightmost = self.right - width
        return min(max(x - width / 2, leftmost), rightmost)

    def plot(self, top: float, bottom: float) -> QRectF:
        """Return the plot's rectangle between two heights."""
        return QRectF(self.left, top, self.view.width, bottom - top)

    def place(self, track: Track | Section) -> QRectF:
        """Return the rectangle of a track or group over the whole width of the plot."""
        top = self.top + track.top
        return QRectF(self.left, top, self.view.width, track.height)

    def between(self, track: Track | Section, left: float, right: float) -> QRectF:
        """Return the rectangle of a track or group between two pixels of the picture."""
        top = self.top + track.top
        return QRectF(left, top, right - left, track.height)

    def rect(self, track: Track, start: float, end: float) -> QRectF:
        """Return the rectangle of a range on a track, in the plot and at least a pixel wide."""
        # Clipped two pixels outside the plot, so that a bar that continues beyond the edge has no
        # outline there.
        leftmost = self.left - 2
        rightmost = self.right + 2
        x0 = min(max(self.x(start), leftmost), rightmost)
        x1 = min(max(self.x(end), leftmost), rightmost)
        top = self.top + track.top
        width = max(1.0, x1 - x0)
        return QRectF(x0, top, width, track.height)


def _between(every: tuple[_Some, ...], first: float, last: float) -> tuple[_Some, ...]:
    """Return the elements that are at least partly between two heights."""
    # The elements are below one another, so tops and bottoms both increase.
    begin = bisect_right(every, first, key=lambda one: one.bottom)
    end = bisect_left(every, last, lo=begin, key=lambda one: one.top)
    return every[begin:end]


def _tracks_by_lane(tracks: Iterable[Track], groups: Iterable[Section]) -> dict[int, Track]:
    tracks_by_lane: dict[int, Track] = {}
    for group in groups:
        if group.folded:
            for lane in group.numbers:
                tracks_by_lane[lane] = Track(-1, group.top, group.height, True)
    for track in tracks:
        tracks_by_lane[track.lane] = track
    return tracks_by_lane
