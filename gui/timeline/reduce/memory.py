"""Memory of a lane over time, updated with new counter values, and reduced to pixels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats, Ints
from core.explain.lane_memory import MEMORY_COUNTERS, held_bytes
from core.trace.columns import GrowingArray
from core.trace.trace import Trace
from gui.timeline.layout.frame import Viewport
from gui.timeline.reduce.pyramid import CROWDED, LEVELS, Pyramid, first_of, largest_of, level_for
from gui.timeline.reduce.reduction import (
    constant_pixels,
    count_before,
    count_until,
    pixel_edges,
)

ACTIVATIONS = "activations"


class LaneMemory:
    """A lane's memory in bytes, in total and in activations, from each of `starts` (ns) on.

    Values are float32 to save memory: there is one for each span, and seven digits are enough for
    pictures and texts.
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
    def times(self) -> Ints:
        """Times of changes, in ns since the run's start."""
        return self.starts[0]

    @property
    def peak(self) -> float:
        """The most bytes so far."""
        return float(self.held[LEVELS - 1].max(initial=0.0))

    @property
    def nbytes(self) -> int:
        """Total size of the stored columns, in bytes."""
        return self.starts.nbytes + self.held.nbytes + self.activations.nbytes

    def seen(self, view: Viewport) -> int:
        """Return the number of changes in a view."""
        first = int(self.times.searchsorted(math.floor(view.start)))
        last = int(self.times.searchsorted(math.floor(view.end)))
        return last - first

    def update(self, trace: Trace) -> None:
        """Add new values of the counters; recompute everything from the earliest new value on."""
        counters = [trace.counter(name, self.lane) for name in MEMORY_COUNTERS]
        fresh = []
        for counter, known in zip(counters, self._known, strict=True):
            if len(counter.times) > known:
                fresh.append(int(counter.times[known]))
        if not fresh:
            return
        self._known = [len(counter.times) for counter in counters]
        # The total is the sum of several counters, whose values arrive in separate batches. A new
        # value may be older than the last value of another counter; it changes the sum from there.
        since = min(fresh)
        keep = int(self.times.searchsorted(since))
        times, held = held_bytes(trace, self.lane, since)
        activations = trace.counter(ACTIVATIONS, self.lane)
        self.starts.replace(keep, times)
        self.held.replace(keep, held)
        self.activations.replace(keep, activations.at(times))

    def most(self, start: float, end: float) -> tuple[int, int]:
        """Return the most bytes from `start` to `end` ns, and how many of them were activations."""
        first = int(count_until(self.times, start)) - 1
        last = int(count_before(self.times, end))
        if last <= 0:
            return 0, 0
        first = max(0, first)
        last = max(last, first + 1)
        held = self.held[0]
        activations = self.activations[0]
        at = first + int(held[first:last].argmax())
        return int(held[at]), int(activations[at])


def reduce_memory(memory: LaneMemory, view: Viewport, end: float) -> Floats:
    """Return the most bytes in each pixel until `end` ns, and the most bytes of activations.

    The result has shape (2, pixels). Short peaks remain visible.
    """
    if not len(memory):
        return np.zeros((2, int(view.width)))
    seen = memory.seen(view)
    level = level_for(seen, CROWDED * view.width)
    edges, moments = pixel_edges(view)
    times = memory.starts[level]
    first = times.searchsorted(moments, "right") - 1  # valid where a pixel begins
    # A change exactly at the right edge belongs to the next pixel; just before the edge the
    # previous entry was valid.
    valid_at_right = first[1:]
    known = np.maximum(valid_at_right, 0)
    is_at_edge = times[known] == edges[1:]
    last = valid_at_right - is_at_edge  # valid just before a pixel ends
    is_before_first = last < 0
    is_after_end = edges[:-1] >= end
    empty = is_before_first | is_after_end
    first = np.maximum(first, 0)
    last = np.maximum(last, 0)
    held = _most(memory.held[level], first, last)
    activations = _most(memory.activations[level], first, last)
    if level:
        # A block of changes may contain a pause, through which its maximum is not valid.
        in_one_block = np.flatnonzero(first[:-1] == last)
        pixels, entries = constant_pixels(memory.times, moments, in_one_block)
        held[pixels] = memory.held[0][entries]
        activations[pixels] = memory.activations[0][entries]
    return np.where(empty, 0.0, np.stack([held, activations]))


def _most(values: NDArray[np.float32], first: Ints, last: Ints) -> NDArray[np.float32]:
    """Return the largest of values[first[i]] to values[last[i]], both included.

    `first` has one entry more than `last`; last[i] is first[i + 1] or first[i + 1] - 1.
    """
    # reduceat takes values[first[i]:first[i + 1]], without the entry at last[i] if that is
    # first[i + 1].
    begins = first[:-1]
    end = first[-1] + 1
    inside = np.maximum.reduceat(values[:end], begins)
    return np.maximum(inside, values[last])
