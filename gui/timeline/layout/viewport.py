"""Time to pixels and back: a plain value, without a window."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gui.timeline.layout.folds import NO_FOLDS, Folds

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
