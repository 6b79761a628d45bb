"""The memory that a lane holds over time, kept up as counters arrive and reduced to pixels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.explain.balance import MEMORY_COUNTERS, held_bytes
from core.trace.columns import GrowingArray
from core.trace.trace import Trace
from gui.timeline.layout.frame import Viewport
from gui.timeline.reduce.pyramid import FACTOR, LEVELS, Pyramid, first_of, largest_of
from gui.timeline.reduce.reduction import count_before, count_until, pixel_edges

ACTIVATIONS = "activations"
CROWDED = 8.0  # entries of a level that a pixel may have: with more, the next coarser is read


class LaneMemory:
    """What one lane holds over time: in all, and in activations; in bytes from each of `starts` on.

    Bytes have seven digits, enough for a picture and its words: there is a value for every span.
    """

    def __init__(self, lane: int) -> None:
        self.lane = lane
        self.starts = Pyramid(GrowingArray(np.int64), first_of)
        self.held = Pyramid(GrowingArray(np.float32), largest_of)
        self.activations = Pyramid(GrowingArray(np.float32), largest_of)
        self._known = [0] * len(MEMORY_COUNTERS)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def times(self) -> NDArray[np.int64]:
        """When what is held changed, in ns since the run's start."""
        return self.starts[0]

    @property
    def peak(self) -> float:
        """The most bytes held so far."""
        return float(self.held[LEVELS - 1].max(initial=0.0))

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept."""
        return self.starts.nbytes + self.held.nbytes + self.activations.nbytes

    def seen(self, view: Viewport) -> int:
        """How many changes a view shows."""
        first, last = (self.times.searchsorted(math.floor(t)) for t in (view.start, view.end))
        return int(last - first)

    def update(self, trace: Trace) -> None:
        """Take the counters' new values; only what is not older than they are is worked out."""
        counters = [trace.counter(name, self.lane) for name in MEMORY_COUNTERS]
        fresh = [
            int(counter.times[known])
            for counter, known in zip(counters, self._known, strict=True)
            if len(counter.times) > known
        ]
        if not fresh:
            return
        self._known = [len(counter.times) for counter in counters]
        # What is held is the sum of four counters, whose values come in batches of their own: one
        # may be older than the last of another, and changes the sum from there on.
        since = min(fresh)
        keep = int(self.times.searchsorted(since))
        times, held = held_bytes(trace, self.lane, since)
        self.starts.replace(keep, times)
        self.held.replace(keep, held)
        self.activations.replace(keep, trace.counter(ACTIVATIONS, self.lane).at(times))

    def most(self, start: float, end: float) -> tuple[int, int]:
        """The most bytes held at once from `start` to `end` ns, and how many were activations."""
        first, last = int(count_until(self.times, start)) - 1, int(count_before(self.times, end))
        if last <= 0:
            return 0, 0
        first = max(0, first)
        at = first + int(self.held[0][first : max(last, first + 1)].argmax())
        return int(self.held[0][at]), int(self.activations[0][at])


def reduce_memory(memory: LaneMemory, view: Viewport, end: float) -> NDArray[np.float64]:
    """The most bytes that a lane holds in each pixel up to `end` ns, and the most of activations.

    Shape (2, pixels). A peak shows however short it is.
    """
    if not len(memory):
        return np.zeros((2, int(view.width)))
    seen, level = memory.seen(view), 0
    while level + 1 < LEVELS and seen > CROWDED * view.width * FACTOR**level:
        level += 1
    edges, moments = pixel_edges(view)
    times = memory.starts[level]
    first = times.searchsorted(moments, "right") - 1  # in force where a pixel begins
    # A change exactly at the right edge belongs to the next pixel; what was in force just before it
    # is that of the entry before.
    at_edge = times[np.maximum(first[1:], 0)] == edges[1:]
    last = first[1:] - at_edge  # and just before it ends
    empty = (last < 0) | (edges[:-1] >= end)
    first, last = np.maximum(first, 0), np.maximum(last, 0)
    both = (memory.held, memory.activations)
    return np.stack([np.where(empty, 0.0, _most(peaks[level], first, last)) for peaks in both])


def _most(
    values: NDArray[np.float32], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The largest of values[first[i]] to values[last[i]], both included, for each of `last`.

    `first` has one entry more; last[i] is at most first[i + 1], and at least one less.
    """
    # reduceat takes values[first[i]:first[i + 1]], without the entry that is in force at the right
    # edge: that one is `last`.
    inside = np.maximum.reduceat(values[: first[-1] + 1], first[:-1])
    return np.maximum(inside, values[last])
