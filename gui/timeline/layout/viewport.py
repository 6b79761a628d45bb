"""Time to pixels and back: a plain value, without a window."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

SHORTEST_NS = 100.0
LONGEST_NS = 1e15
MARGIN = 0.02  # of the range, left free on both sides when it is fitted
LEAD = 0.92  # where the present stands in the view while it is followed


@dataclass(frozen=True, slots=True)
class Viewport:
    """The visible time: `span` ns from `start` on, over `width` pixels.

    Every change gives a new viewport. Times are ns since the run's start; pixels count from the
    left edge of the plot.
    """

    start: float = 0.0
    span: float = 1e8
    width: float = 1000.0

    @property
    def end(self) -> float:
        """The time at the right edge."""
        return self.start + self.span

    @property
    def ns_per_pixel(self) -> float:
        """Nanoseconds in one pixel."""
        return self.span / self.width

    def x(self, time_ns: float) -> float:
        """The pixel of a time."""
        return (time_ns - self.start) * self.width / self.span

    def time(self, x: float) -> float:
        """The time at a pixel."""
        return self.start + x * self.span / self.width

    def zoomed(self, factor: float, x: float) -> Viewport:
        """Show `factor` times as much time; the time under pixel `x` stays there."""
        span = min(max(self.span * factor, SHORTEST_NS), LONGEST_NS)
        fixed = self.time(x)
        return replace(self, start=fixed - x * span / self.width, span=span)

    def panned(self, pixels: float) -> Viewport:
        """Move later by `pixels` (earlier if negative)."""
        return replace(self, start=self.start + pixels * self.ns_per_pixel)

    def fitted(self, start: float, end: float) -> Viewport:
        """Show `start` to `end` with a small margin on both sides."""
        length = min(max(end - start, SHORTEST_NS), LONGEST_NS)
        margin = length * MARGIN
        return replace(self, start=start - margin, span=length + 2 * margin)

    def resized(self, width: float) -> Viewport:
        """The same time over another width."""
        return replace(self, width=max(1.0, width))

    def coarser(self, by: int) -> Viewport:
        """The same time in pixels that are `by` as wide; the last one may reach beyond the end."""
        width = math.ceil(int(self.width) / by)
        return Viewport(self.start, by * width * self.ns_per_pixel, width)

    def following(self, now: float) -> Viewport:
        """The same zoom with the present near the right edge; never before the run's start."""
        return replace(self, start=max(now - LEAD * self.span, -MARGIN * self.span))

    def centred(self, start: float, end: float) -> Viewport:
        """The same zoom, moved only as far as needed to see `start` to `end`."""
        if self.start <= start and end <= self.end:
            return self
        return replace(self, start=(start + end - self.span) / 2)
