"""Spans as rows of a table: all or some, sorted by lane or by a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.order import stable_argsort
from core.plan.task import ABSENT, KINDS
from core.trace.spans import Spans
from core.trace.trace import Trace

COLUMNS = (
    "lane",
    "task",
    "kind",
    "step",
    "stage",
    "microbatch",
    "replica",
    "block",
    "bucket",
    "start",
    "duration",
    "rows",
    "bytes",
    "name",
)
"""Columns by which a listing can be sorted."""
_BY_NAME = np.argsort(KINDS)
# The rank of each kind by its name: the argsort of a permutation is its inverse.
_ALPHABETICAL = np.argsort(_BY_NAME)


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows of a table that are spans of `trace`, without copying them.

    It has the first `counts[l]` spans of lane l or, with `chosen`, the spans at its sorted indices.
    `order` has the position of each row in the order by lane; None if rows are in that order.
    """

    trace: Trace
    counts: tuple[int, ...]
    chosen: tuple[Ints, ...] | None = None
    order: NDArray[np.integer[Any]] | None = None

    @classmethod
    def of(cls, trace: Trace, chosen: Mapping[int, Ints] | None = None) -> Listing:
        """Return a listing of all current spans or, with `chosen`, of these indices by lane."""
        if chosen is None:
            return cls(trace, tuple(map(len, trace.lanes)))
        none = np.empty(0, np.int64)
        parts = [chosen.get(lane, none) for lane in range(len(trace.lanes))]
        return cls(trace, tuple(map(len, parts)), tuple(parts))

    def __len__(self) -> int:
        return sum(self.counts)

    @property
    def firsts(self) -> Ints:
        """Position of each lane's first span in the order by lane, and the total number."""
        ends = np.cumsum(self.counts, dtype=np.int64)
        return np.append(0, ends)

    def places(self, first: int, last: int) -> tuple[Ints, Ints]:
        """Return lanes and indices of the spans in rows `first` to `last` (exclusive)."""
        last = min(last, len(self))
        flat: NDArray[np.integer[Any]] = np.arange(first, last)
        if self.order is not None:
            flat = self.order[first:last]
        firsts = self.firsts
        lanes = np.searchsorted(firsts, flat, "right") - 1
        index = flat - firsts[lanes]
        if self.chosen is not None:
            for lane in np.unique(lanes).tolist():
                mine = lanes == lane
                # Convert positions among the chosen spans to indices in the lane.
                index[mine] = self.chosen[lane][index[mine]]
        return lanes, index

    def row_of(self, lane: int, index: int) -> int | None:
        """Return the row of a lane's span; None if it is not in the listing."""
        at = index
        if self.chosen is not None:
            at = int(np.searchsorted(self.chosen[lane], index))
        if not 0 <= at < self.counts[lane]:
            return None
        if self.chosen is not None and self.chosen[lane][at] != index:
            return None
        flat = int(self.firsts[lane]) + at
        if self.order is None:
            return flat
        # A linear search, because an inverse of `order` would need as much memory again.
        rows = np.flatnonzero(self.order == flat)
        return int(rows[0])

    def grown(self, lane: int, count: int) -> Listing:
        """Return a listing with `count` spans of a lane; only for unsorted ones of all spans."""
        counts = list(self.counts)
        counts[lane] = count
        return replace(self, counts=tuple(counts))

    def sorted_by(self, column: str, descending: bool = False) -> Listing:
        """Return the rows sorted by a column of COLUMNS; equal values stay sorted by lane.

        Takes about a second for ten million rows. Raises KeyError for any other column.
        """
        if column not in COLUMNS:
            raise KeyError(column)
        ranks = None if column in _OF_A_SPAN else _ranks(self.trace, column)
        parts = []
        for lane, count in enumerate(self.counts):
            if count:
                parts.append(self._keys(lane, column, ranks))
        if not parts:
            return self
        keys = np.concatenate(parts)
        if descending:
            keys = -keys
        order = stable_argsort(keys)
        if len(order) < 1 << 31:
            order = order.astype(np.int32)  # half the memory: 40 MB for ten million rows
        return replace(self, order=order)

    def _keys(self, lane: int, column: str, ranks: NDArray[Any] | None) -> NDArray[Any]:
        """Return the sort keys of a lane's spans; `ranks` are of tasks, if the column is theirs."""
        if column == "lane":
            return np.full(self.counts[lane], lane, np.int32)
        spans = self.spans(lane)
        if ranks is not None:
            keys: NDArray[Any] = ranks[spans.row]
            return keys
        if column == "duration":
            return spans.end - spans.start
        return spans[column]

    def spans(self, lane: int) -> Spans:
        """Return a lane's spans that are in the listing, in order of time."""
        spans = self.trace.spans(lane)
        if self.chosen is None:
            return spans[: self.counts[lane]]
        return spans[self.chosen[lane]]


_OF_A_SPAN = ("lane", "step", "start", "duration")


def _ranks(trace: Trace, column: str) -> NDArray[Any]:
    """Return the dense rank of each task's value in `column`, shape (tasks,)."""
    table = trace.table
    values = table.rows[column]
    if column == "kind":
        values = _ALPHABETICAL[values]
    elif column == "name":
        count = len(table.names)
        places = np.full(count + 1, ABSENT)  # no name is -1, the extra last entry
        by_name = sorted(range(count), key=table.names.__getitem__)
        places[by_name] = np.arange(count)
        values = places[values]
    return np.unique(values, return_inverse=True)[1]
