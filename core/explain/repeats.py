"""Spans of one name together, and those that took far longer than their like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.explain.statistics import RangeStatistics, SpanFigures, spans_in_range
from core.plan.task import ABSENT, IS_COMMUNICATION, KINDS, Kind
from core.trace.spans import Spans
from core.trace.trace import Trace

MOST_SPANS = 1_000_000  # of a range that are told apart; some tenths of a second
MOST_NAMES = 1_000
MOST_OUTLIERS = 100
FEWEST = 5  # spans alike before one of them can be an outlier
FAR, MORE = 3.0, 1.25  # interquartile ranges beyond the third quartile, and times the median


@dataclass(frozen=True, slots=True)
class NameFigures(SpanFigures):
    """The spans with one label on their bars, `F0`, of all lanes of a range.

    `place` is the longest one's lane and index.
    """

    label: str
    place: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Outlier:
    """A span, at `index` of its lane, that took `duration` ns; its like take `usual` (median)."""

    lane: int
    index: int
    kind: Kind
    duration: int
    usual: int


@dataclass(frozen=True, slots=True)
class Repeats:
    """What repeats in a range: names with the most time first, and outliers by what they lost.

    There are `named` names and `outlying` outliers; only the first of many are here.
    """

    names: tuple[NameFigures, ...] = ()
    outliers: tuple[Outlier, ...] = ()
    named: int = 0
    outlying: int = 0


def repeats(trace: Trace, counted: RangeStatistics) -> Repeats | None:
    """What repeats in a counted range; None if there are too many spans to tell them apart."""
    parts = [
        spans_in_range(trace.spans(lane), counted.start, counted.end) for lane in counted.lanes
    ]
    counts = [len(spans) for spans, _ in parts]
    if not 0 < sum(counts) <= MOST_SPANS:
        return None if any(counts) else Repeats()
    spans = Spans.joined([spans for spans, _ in parts])
    lane = np.repeat(np.array(list(counted.lanes), np.int64), counts)
    index = np.concatenate([first + np.arange(len(spans)) for spans, first in parts])
    names, named = _names(trace, spans, lane, index, (counted.start, counted.end))
    outliers, outlying = _outliers(spans, lane, index)
    return Repeats(names, outliers, named, outlying)


@dataclass(frozen=True, slots=True)
class _Groups:
    """n spans sorted by group and then by duration: group g's are `first[g] : first[g + 1]`."""

    group: NDArray[np.int64]
    order: NDArray[np.int64]
    first: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, spans: Spans, *columns: NDArray[np.integer]) -> _Groups:
        """Spans for which all columns are equal are of one group."""
        group, sizes = np.zeros(len(spans), np.int64), spans.end - spans.start
        for column in columns:
            _, own = np.unique(column, return_inverse=True)
            # Both as one number; made dense again, so that further columns find room.
            _, group = np.unique(group * (int(own.max()) + 1) + own, return_inverse=True)
        order = np.lexsort((sizes, group))
        first = np.concatenate([[0], np.cumsum(np.bincount(group))])
        return cls(group, order, first, sizes[order])

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many spans each group has."""
        return np.diff(self.first)

    def place(self, percent: int) -> NDArray[np.int64]:
        """Where the shortest span of each group stands that so many per cent do not exceed."""
        # The share of the count rounded up, in whole numbers, which are exact.
        placed: NDArray[np.int64] = self.first[:-1] + (percent * self.counts + 99) // 100 - 1
        return placed

    def size(self, percent: int) -> NDArray[np.int64]:
        """Its duration."""
        return self.sizes[self.place(percent)]


def _names(
    trace: Trace, spans: Spans, lane: NDArray[np.int64], index: NDArray[np.int64],
    ends: tuple[int, int],
) -> tuple[tuple[NameFigures, ...], int]:  # fmt: skip
    groups = _Groups.of(spans, *_label_columns(spans))
    inside = np.minimum(spans.end, ends[1]) - np.maximum(spans.start, ends[0])
    sums = np.bincount(groups.group, inside).astype(np.int64)
    means = np.add.reduceat(groups.sizes, groups.first[:-1]) / groups.counts
    figures = (groups.counts, sums, means, *map(groups.size, (50, 99, 100)))
    longest = groups.order[groups.place(100)]
    found = []
    for group in np.argsort(-sums, kind="stable")[:MOST_NAMES].tolist():
        at = int(lane[longest[group]]), int(index[longest[group]])
        count, total, mean, p50, p99, most = (column[group].item() for column in figures)
        span = trace.span(*at)
        label = span.name or span.label  # the groups are those of whole names
        found.append(NameFigures(count, total, mean, p50, p99, most, label, at))
    return tuple(found), len(groups.counts)


def _label_columns(spans: Spans) -> list[NDArray[np.integer]]:
    """Columns that tell names apart: a name of its own, else kind and numbers."""
    rows = spans.table.rows[spans.row]
    named = rows["name"] != ABSENT
    columns = [rows["name"]]
    for number in ("kind", "microbatch", "bucket", "block", "replica", "paired_microbatch"):
        applies = ~named
        if number == "replica":
            applies &= IS_COMMUNICATION[rows["kind"]]
        columns.append(np.where(applies, rows[number].astype(np.int64), ABSENT))
    return columns


def _outliers(
    spans: Spans, lane: NDArray[np.int64], index: NDArray[np.int64]
) -> tuple[tuple[Outlier, ...], int]:
    """Spans far from those of their kind, name and part of the model on their lane."""
    alike = ("kind", "name", "stage", "replica", "block", "bucket", "rows", "bytes")
    rows = spans.table.rows[spans.row]
    groups = _Groups.of(spans, lane, *(rows[name] for name in alike))
    usual, low, high = map(groups.size, (50, 25, 75))
    # The fence of a box plot (J. W. Tukey, Exploratory Data Analysis, 1977), and at least MORE
    # times the median: with no scatter at all the fence alone would call everything else an
    # outlier.
    limit = np.maximum(high + FAR * (high - low), MORE * usual)
    limit[groups.counts < FEWEST] = np.inf
    length = spans.end - spans.start
    out = np.flatnonzero(length > limit[groups.group])
    lost = length[out] - usual[groups.group[out]]
    most = out[np.argsort(-lost, kind="stable")[:MOST_OUTLIERS]]
    found = tuple(
        Outlier(
            int(lane[at]), int(index[at]), KINDS[int(rows["kind"][at])], int(length[at]),
            int(usual[groups.group[at]]),
        )
        for at in most.tolist()
    )  # fmt: skip
    return found, len(out)
