"""Number of busy lanes in a group over time, by family. NumPy only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Floats, Ints
from core.trace.spans import Spans
from gui.look.families import FAMILIES, FAMILY_CODES
from gui.timeline.layout.frame import Viewport
from gui.timeline.reduce.reduction import LaneColumns, pixel_edges, times_of

TAIL = 20_000  # spans kept separately: at most this many, or a quarter of the others if more


class Events(NamedTuple):
    """The sorted `times` (ns) at which spans of a family begin or end on some lanes.

    `running` is the number of lanes in the family from each time on, `spent` the ns that all lanes
    together have spent in it until then.
    """

    times: Ints
    running: Ints
    spent: Ints


class Aggregate:
    """The total time that several lanes have spent in each family, as a function of time.

    The function is linear between starts and ends of spans, so that it is stored only at these, and
    the cost of a picture depends on its pixels, not on the spans. New spans are kept separately
    until there are many.
    """

    def __init__(self) -> None:
        self.lanes = 0
        self._counts: list[int] = []
        self._sorted: dict[int, Events] = {}
        self._tail: dict[int, Events] = {}
        self._known = 0
        self._begun: list[int] = []

    def update(self, lanes: Sequence[Spans]) -> None:
        """Add new spans, given all spans of each lane; the lanes are the same in every call."""
        counts = [len(spans) for spans in lanes]
        if counts == self._counts:
            return
        self.lanes = len(lanes)
        self._counts = counts
        # Sorting everything for each new batch would cost quadratic time in a long live run.
        # Everything is sorted again only when it has grown by a quarter.
        total = sum(counts)
        most_unsorted = max(TAIL, self._known // 4)
        if total - self._known > most_unsorted:
            self._sorted = events_of(lanes)
            self._tail = {}
            self._known = total
            self._begun = counts
        else:
            begun = self._begun or [0] * len(lanes)
            fresh = []
            for spans, first in zip(lanes, begun, strict=True):
                fresh.append(spans[first:])
            self._tail = events_of(fresh)

    def shares(self, view: Viewport) -> Floats:
        """Return the share, 0 to 1, of the lanes in each family, for each pixel of a view.

        The result has shape (pixels, families); the remainder to 1 in a pixel is idle time.
        """
        times = np.zeros((int(view.width), len(FAMILIES)))
        edges = pixel_edges(view)
        for events in (self._sorted, self._tail):
            for family, kept in events.items():
                before = _before(kept, edges)
                times[:, family] += np.diff(before)
        lane_count = max(1, self.lanes)
        available = view.ns_per_pixel * lane_count
        return times * (1 / available)


class Lanewise:
    """Replaces `Aggregate` for lanes with too many spans to sort their starts and ends together.

    For every picture, each lane is reduced from the sums over blocks of its spans.
    """

    def __init__(self, lanes: Sequence[LaneColumns]) -> None:
        self._lanes = lanes

    def shares(self, view: Viewport) -> Floats:
        """Return the same as Aggregate.shares."""
        times = np.zeros((len(FAMILIES), int(view.width)))
        for lane in self._lanes:
            if len(lane):
                families, mine = times_of(lane, view)
                times[families] += mine
        lane_count = max(1, len(self._lanes))
        available = view.ns_per_pixel * lane_count
        return times.T / available


def events_of(lanes: Sequence[Spans]) -> dict[int, Events]:
    """Return the events of each family that occurs in several lanes, by its index in FAMILIES."""
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
        count = int(mine.sum())
        begins_or_ends = np.array([1, -1], np.int64)
        steps = np.repeat(begins_or_ends, count)
        order = np.argsort(times, kind="stable")
        times = times[order]
        running = np.cumsum(steps[order])
        # Between two events, each of the `running` lanes spends the time that passes. This integral
        # of a step function is exact, because all values are whole ns.
        spent_between = running[:-1] * np.diff(times)
        spent = np.zeros(len(times), np.int64)
        np.cumsum(spent_between, out=spent[1:])
        found[family] = Events(times, running, spent)
    return found


def _before(events: Events, pixels: tuple[Floats, Ints]) -> Floats:
    """Return the ns spent before each edge; `pixels` are the edges, also rounded to whole ns."""
    # Looking up whole ns avoids a conversion of all times to floats.
    times, running, spent = events
    edges, whole = pixels
    last_event = np.searchsorted(times, whole, "right") - 1
    known = np.maximum(last_event, 0)
    since = np.maximum(edges - times[known], 0.0)
    before = spent[known] + running[known] * since
    return np.where(last_event >= 0, before, 0.0)
