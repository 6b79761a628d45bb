"""How many of several lanes are busy at once, and with what. NumPy only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.trace.spans import Spans
from gui.look.families import FAMILIES, FAMILY_CODES
from gui.timeline.layout.frame import Viewport
from gui.timeline.reduce.reduction import LaneColumns, pixel_edges, times_of

TAIL = 20_000  # spans that may have come since the last sorting, besides a quarter of those before

Events = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class Aggregate:
    """The time that several lanes together have spent in each family before any moment.

    Between two starts or ends it grows evenly, so it is kept at these, and a picture costs what
    its pixels cost. What has come since the last sorting is kept apart, until it is much.
    """

    def __init__(self) -> None:
        self.lanes = 0
        self._counts: list[int] = []
        self._sorted: dict[int, Events] = {}
        self._tail: dict[int, Events] = {}
        self._known = 0
        self._begun: list[int] = []

    def update(self, lanes: Sequence[Spans]) -> None:
        """Take the spans of each lane (all of them, the same lanes at every call)."""
        counts = [len(spans) for spans in lanes]
        if counts == self._counts:
            return
        self.lanes, self._counts = len(lanes), counts
        # Sorting all for each new batch would make a long live run quadratic. A quarter more at a
        # time, each span is sorted a few times in all.
        if sum(counts) - self._known > max(TAIL, self._known // 4):
            self._sorted, self._tail = events_of(lanes), {}
            self._known, self._begun = sum(counts), counts
        else:
            begun = self._begun or [0] * len(lanes)
            parts = [spans[first:] for spans, first in zip(lanes, begun, strict=True)]
            self._tail = events_of(parts)

    def shares(self, view: Viewport) -> NDArray[np.float64]:
        """The share, 0 to 1, of the lanes that each family takes in each pixel of a view.

        Shape (pixels, families); what is missing to 1 in a pixel is idle time.
        """
        found, edges = np.zeros((int(view.width), len(FAMILIES))), pixel_edges(view)
        for events in (self._sorted, self._tail):
            for family, kept in events.items():
                found[:, family] += np.diff(_before(kept, edges))
        return found * (1 / (view.ns_per_pixel * max(1, self.lanes)))


class Lanewise:
    """The same for lanes of so many spans that their starts and ends are not sorted together.

    Each lane is reduced by itself at every picture, from the sums over blocks of its spans.
    """

    def __init__(self, lanes: Sequence[LaneColumns]) -> None:
        self._lanes = lanes

    def shares(self, view: Viewport) -> NDArray[np.float64]:
        """As Aggregate.shares has it."""
        times = np.zeros((len(FAMILIES), int(view.width)))
        for lane in self._lanes:
            if len(lane):
                families, mine = times_of(lane, view)
                times[families] += mine
        return times.T / (view.ns_per_pixel * max(1, len(self._lanes)))


def events_of(lanes: Sequence[Spans]) -> dict[int, Events]:
    """For each family the moments at which a lane begins or ends it.

    Beside them how many lanes are in it from there on, and the ns that all have spent in it until
    there.
    """
    parts = [spans for spans in lanes if len(spans)]
    if not parts:
        return {}
    starts = np.concatenate([spans.start for spans in parts])
    ends = np.concatenate([spans.end for spans in parts])
    families = np.concatenate([FAMILY_CODES[spans["kind"]] for spans in parts])
    found = {}
    for family in np.unique(families).tolist():
        mine = families == family
        times = np.concatenate([starts[mine], ends[mine]])
        steps = np.repeat(np.array([1, -1], np.int64), int(mine.sum()))
        order = np.argsort(times, kind="stable")
        times, running = times[order], np.cumsum(steps[order])
        spent = np.zeros(len(times), np.int64)
        # Between two events `running` lanes each spend the time that passes: an integral of a step
        # function, in whole ns, so that it is exact.
        np.cumsum(running[:-1] * np.diff(times), out=spent[1:])
        found[family] = (times, running, spent)
    return found


def _before(
    events: Events, pixels: tuple[NDArray[np.float64], NDArray[np.int64]]
) -> NDArray[np.float64]:
    """The time spent before each edge; whole ns are looked up, so that no times are copied."""
    (times, running, spent), (edges, whole) = events, pixels
    at = np.searchsorted(times, whole, "right") - 1
    known = np.maximum(at, 0)
    since = np.maximum(edges - times[known], 0.0)
    return np.where(at >= 0, spent[known] + running[known] * since, 0.0)
