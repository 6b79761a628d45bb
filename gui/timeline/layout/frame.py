"""Where everything stands in a picture of a run: times across, lanes down, and both in a frame.

All of these are plain values, without a window.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from gui.look.theme import Theme
from gui.timeline.layout.folds import NO_FOLDS, Folds
from gui.timeline.layout.groups import Section
from gui.timeline.layout.moments import OF_RUN, Origin

AXIS = 24.0  # height of the time axis
STEPS = 18.0  # height of the strip that names the steps
LABELS = 156.0  # width of the column that names the lanes
RIGHT = 12.0  # free pixels at the plot's right edge
NOWHERE = -1e5  # where a lane stands that is not shown
SHORTEST_NS = 100.0
LONGEST_NS = 1e15
MARGIN = 0.02  # of the range, left free on both sides when it is fitted
LEAD = 0.92  # where the present stands in the view while it is followed


@dataclass(frozen=True, slots=True)
class Viewport:
    """The visible time: `span` ns from `start` on, over `width` pixels.

    Every change gives a new viewport. Times are ns since the run's start; pixels count from the
    left edge of the plot. Where some of the time is folded (`folds`), `span` is what is drawn of
    it: all that turns times to pixels or back asks here, and so follows the folds.
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
        """Nanoseconds in one pixel, except where time is folded."""
        return self.span / self.width

    def x(self, time_ns: float) -> float:
        """The pixel of a time."""
        drawn = self.folds.drawn
        return (drawn(time_ns) - drawn(self.start)) * self.width / self.span

    def xs(self, times: NDArray[np.integer | np.floating]) -> NDArray[np.float64]:
        """The pixels of times."""
        drawn = self.folds.all_drawn(times) - self.folds.drawn(self.start)
        return drawn * (self.width / self.span)

    def time(self, x: float) -> float:
        """The time at a pixel."""
        return self.folds.undone(self.folds.drawn(self.start) + x * self.span / self.width)

    def times(self, xs: NDArray[np.floating]) -> NDArray[np.float64]:
        """The times at pixels."""
        return self.folds.all_undone(self.folds.drawn(self.start) + xs * self.ns_per_pixel)

    def zoomed(self, factor: float, x: float) -> Viewport:
        """Show `factor` times as much time; the time under pixel `x` stays there."""
        # All in drawn time: within a fold, true time under the pointer would not stay there.
        span = min(max(self.span * factor, SHORTEST_NS), LONGEST_NS)
        fixed = self.folds.drawn(self.time(x))
        return replace(self, start=self.folds.undone(fixed - x * span / self.width), span=span)

    def panned(self, pixels: float) -> Viewport:
        """Move later by `pixels` (earlier if negative)."""
        return replace(self, start=self.time(pixels))

    def fitted(self, start: float, end: float) -> Viewport:
        """Show `start` to `end` with a small margin on both sides."""
        drawn, undone = self.folds.drawn, self.folds.undone
        length = min(max(drawn(end) - drawn(start), SHORTEST_NS), LONGEST_NS)
        margin = length * MARGIN
        return replace(self, start=undone(drawn(start) - margin), span=length + 2 * margin)

    def resized(self, width: float) -> Viewport:
        """The same time over another width."""
        return replace(self, width=max(1.0, width))

    def coarser(self, by: int) -> Viewport:
        """The same time in pixels that are `by` as wide; the last one may reach beyond the end."""
        width = math.ceil(int(self.width) / by)
        return Viewport(self.start, by * width * self.ns_per_pixel, width, self.folds)

    def following(self, now: float) -> Viewport:
        """The same zoom with the present near the right edge; never before the run's start."""
        start = self.folds.undone(self.folds.drawn(now) - LEAD * self.span)
        return replace(self, start=max(start, -MARGIN * self.span))

    def centred(self, start: float, end: float) -> Viewport:
        """The same zoom, moved only as far as needed to see `start` to `end`."""
        if self.start <= start and end <= self.end:
            return self
        drawn = self.folds.drawn
        middle = (drawn(start) + drawn(end)) / 2
        return replace(self, start=self.folds.undone(middle - self.span / 2))


@dataclass(frozen=True, slots=True)
class Track:
    """A lane's track or strip. `helper` marks lanes under another one, which are thinner.

    The row of a counter has its `name`; `lane` is the one that it is under.
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
    """All tracks from top to bottom; `ghosts`, `memory`, `counters` are strips under compute lanes.

    `rooms` tells for each compute lane how high it is with all that stands under it; `compute` is
    its own height, `height` that of everything. The `pins` are the lanes (with those that serve
    them) that stay at the top while the rest is scrolled; they take `band` pixels. `stands` has
    what stands for each lane: its track, or that of its folded group.
    """

    tracks: tuple[Track, ...] = ()
    groups: tuple[Section, ...] = ()
    ghosts: tuple[Track, ...] = ()
    memory: tuple[Track, ...] = ()
    counters: tuple[Track, ...] = ()
    rooms: Mapping[int, float] = field(default_factory=dict)
    compute: float = 0.0
    height: float = 0.0
    pins: frozenset[int] = frozenset()
    band: float = 0.0
    scrolled: float = 0.0
    stands: Mapping[int, Track] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Only where it is not given: `seen` and `layers` leave tracks out by `replace`, but what
        # stands for each lane stays known.
        if not self.stands:
            object.__setattr__(self, "stands", _stands(self.tracks, self.groups))

    def track_at(self, y: float) -> Track | None:
        """The track at a height, or None between tracks."""
        return at_height(self.tracks, y)

    def track_of(self, lane: int) -> Track:
        """What stands for a lane: its track, or its folded group's, or one that cannot be seen."""
        track = self.stands.get(lane)
        if track is None:
            return Track(lane, NOWHERE, 0.0, True)
        return replace(track, top=track.top + self.scrolled) if lane in self.pins else track

    def extent_of(self, lane: int) -> tuple[float, float]:
        """Where a lane begins and ends, with all that stands under it."""
        track = self.track_of(lane)
        room = self.rooms.get(lane, track.height) if track.lane == lane else track.height
        return track.top, track.top + room

    def shows(self, lane: int) -> bool:
        """Whether a lane has a track of its own."""
        return lane in self.stands and self.stands[lane].lane == lane

    def seen(self, scrolled: float, height: float) -> Layout:
        """What can be seen of it in `height` pixels, the pinned lanes moved to the top.

        The layout's zero stands at the pixel `-scrolled`, as before.
        """
        # Tracks that scroll are hidden behind the band of pinned ones.
        first, last = scrolled + self.band, scrolled + height

        def part(every: tuple[Track, ...]) -> tuple[Track, ...]:
            # Pinned tracks come first in every tuple: the stacker adds them before the band ends.
            scrolls = (place for place, track in enumerate(every) if track.lane not in self.pins)
            count = next(scrolls, len(every))
            pinned = (replace(track, top=track.top + scrolled) for track in every[:count])
            return (*pinned, *_between(every[count:], first, last))

        return replace(
            self, tracks=part(self.tracks), ghosts=part(self.ghosts), memory=part(self.memory),
            counters=part(self.counters), groups=_between(self.groups, first, last),
            scrolled=scrolled,
        )  # fmt: skip

    def layers(self) -> list[Layout]:
        """The tracks that scroll, and then the pinned ones: drawn one by one."""

        def part(every: tuple[Track, ...], pinned: bool) -> tuple[Track, ...]:
            return tuple(track for track in every if (track.lane in self.pins) is pinned)

        return [
            replace(
                self, tracks=part(self.tracks, pinned), ghosts=part(self.ghosts, pinned),
                memory=part(self.memory, pinned), counters=part(self.counters, pinned),
                groups=() if pinned else self.groups,
            )
            for pinned in (False, True)
        ]  # fmt: skip


def at_height(every: Iterable[_Some], y: float) -> _Some | None:
    """The track, strip or group at a height, or None."""
    return next((one for one in every if one.top <= y < one.bottom), None)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where and how a scene is drawn.

    The plot begins at pixel `left`; the layout's zero stands at `top`. `now` is the present in ns
    while the run is live. `vector` asks for lines instead of textures. Tracks above `ceiling` or
    below `floor` cannot be seen. `path` asks for the critical path, `arrows` for all
    dependencies. Times count from the `origin`.
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

    def layers(self) -> list[Frame]:
        """The frame of the tracks that scroll, and that of the pinned ones if there are any.

        Each can be seen from its ceiling to its floor, where the other one ends.
        """
        if not self.layout.pins:
            return [self]
        scrolled, pinned = self.layout.layers()
        edge = self.ceiling + self.layout.band
        return [
            replace(self, layout=scrolled, ceiling=edge),
            replace(self, layout=pinned, floor=edge),
        ]

    def visible(self, tracks: Iterable[Track]) -> Iterator[Track]:
        """Those of `tracks` that can be seen."""
        above, below = self.ceiling - self.top, self.floor - self.top
        return (track for track in tracks if track.bottom > above and track.top < below)

    def x(self, time_ns: float) -> float:
        """The pixel of a time, in the picture."""
        return self.left + self.view.x(time_ns)

    def place(self, track: Track) -> QRectF:
        """A track over the whole width of the plot, in the picture."""
        return QRectF(self.left, self.top + track.top, self.view.width, track.height)

    def rect(self, track: Track, start: float, end: float) -> QRectF:
        """The rectangle of a time range on a track, cut to the plot and at least one pixel wide."""
        right = self.left + self.view.width
        # Cut two pixels outside of the plot: what goes on beyond it has no outline at its edge.
        x0 = min(max(self.x(start), self.left - 2), right + 2)
        x1 = min(max(self.x(end), self.left - 2), right + 2)
        return QRectF(x0, self.top + track.top, max(1.0, x1 - x0), track.height)


def _between(every: tuple[_Some, ...], first: float, last: float) -> tuple[_Some, ...]:
    """Those of which a part lies between two heights."""
    # They stand below one another, so that bottoms grow as tops do.
    begin = bisect_right(every, first, key=lambda one: one.bottom)
    return every[begin : bisect_left(every, last, lo=begin, key=lambda one: one.top)]


def _stands(tracks: Iterable[Track], groups: Iterable[Section]) -> dict[int, Track]:
    stands = {
        lane: Track(-1, group.top, group.height, True)
        for group in groups
        if group.folded
        for lane in group.numbers
    }
    return stands | {track.lane: track for track in tracks}
