"""The memory that a lane holds over time, kept up as counters arrive and reduced to pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.explain.balance import held_bytes
from core.explain.summary import MEMORY_COUNTERS
from core.trace.columns import Column
from core.trace.trace import Trace
from gui.timeline.reduction import count_before, count_until, pixel_edges
from gui.timeline.viewport import Viewport

ACTIVATIONS = "activations"
BLOCK = 8  # values that share a maximum


class Peaks:
    """Values over time, growing, and the largest of each block of 8 of them.

    They have seven digits, enough for a picture and its words: there is one for every span.
    """

    def __init__(self) -> None:
        self._values, self._blocks = Column(np.float32), Column(np.float32)
        self._so_far = Column(np.float32)  # the largest up to the end of each block

    @property
    def values(self) -> NDArray[np.float32]:
        """All values."""
        return self._values.view

    @property
    def blocks(self) -> NDArray[np.float32]:
        """The largest value of each block; the last block may still be filling."""
        return self._blocks.view

    @property
    def largest(self) -> float:
        """The largest value of all, 0 if there is none above."""
        return float(self._so_far.view[-1]) if len(self._so_far) else 0.0

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept."""
        return self.values.nbytes + 2 * self.blocks.nbytes

    def replace(self, since: int, values: NDArray[np.float64]) -> None:
        """Put `values` where the value at `since` stood, instead of all from there on."""
        self._values.cut(since)
        self._values.extend(values)
        known = min(since // BLOCK, len(self._blocks))
        self._blocks.cut(known)
        self._so_far.cut(known)
        fresh = self.values[known * BLOCK :]
        if len(fresh):
            most = np.maximum.reduceat(fresh, np.arange(0, len(fresh), BLOCK))
            self._blocks.extend(most)
            self._so_far.extend(np.maximum(np.maximum.accumulate(most), self.largest))


class LaneMemory:
    """What one lane holds over time: in all, and in activations; in bytes from each time on."""

    def __init__(self, lane: int) -> None:
        self.lane = lane
        self._times = Column(np.int64)
        self.held, self.activations = Peaks(), Peaks()
        self._known = [0] * len(MEMORY_COUNTERS)

    def __len__(self) -> int:
        return len(self._times)

    @property
    def times(self) -> NDArray[np.int64]:
        """When what is held changed, in ns since the run's start."""
        return self._times.view

    @property
    def peak(self) -> float:
        """The most bytes held so far."""
        return self.held.largest

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept."""
        return self.times.nbytes + self.held.nbytes + self.activations.nbytes

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
        since = min(fresh)
        keep = int(self.times.searchsorted(since))
        times, held = held_bytes(trace, self.lane, since)
        self._times.cut(keep)
        self._times.extend(times)
        self.held.replace(keep, held)
        self.activations.replace(keep, trace.counter(ACTIVATIONS, self.lane).at(times))

    def most(self, start: float, end: float) -> tuple[int, int]:
        """The most bytes held at once from `start` to `end` ns, and how many were activations."""
        first, last = int(count_until(self.times, start)) - 1, int(count_before(self.times, end))
        if last <= 0:
            return 0, 0
        first = max(0, first)
        at = first + int(self.held.values[first : max(last, first + 1)].argmax())
        return int(self.held.values[at]), int(self.activations.values[at])


@dataclass(frozen=True, slots=True)
class MemoryColumns:
    """The most bytes held, and the most of activations, in each pixel column."""

    held: NDArray[np.float64]
    activations: NDArray[np.float64]


def reduce_memory(memory: LaneMemory, view: Viewport, end: float) -> MemoryColumns:
    """What a lane holds in each pixel up to `end` ns; a peak shows however short it is."""
    pixels = int(view.width)
    if not len(memory):
        return MemoryColumns(np.zeros(pixels), np.zeros(pixels))
    edges, moments = pixel_edges(view)
    first = np.searchsorted(memory.times, moments, "right") - 1  # in force where a pixel begins
    at_edge = memory.times[np.maximum(first[1:], 0)] == edges[1:]
    last = first[1:] - at_edge  # and just before it ends
    empty = (last < 0) | (edges[:-1] >= end)
    first, last = np.maximum(first, 0), np.maximum(last, 0)
    crowded = first[-1] - first[0] > BLOCK * pixels
    columns = []
    for peaks in (memory.held, memory.activations):
        if crowded:
            most = _most(peaks.blocks, first // BLOCK, last // BLOCK)
        else:
            most = _most(peaks.values, first, last)
        columns.append(np.where(empty, 0.0, most))
    return MemoryColumns(*columns)


def _most(
    values: NDArray[np.float32], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The largest of values[first[i]] to values[last[i]], both included, for each of `last`.

    `first` has one entry more; last[i] is at most first[i + 1], and at least one less.
    """
    inside = np.maximum.reduceat(values[: first[-1] + 1], first[:-1])
    return np.maximum(inside, values[last])
