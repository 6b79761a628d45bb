"""Figures of spans by name, and outliers that took far longer than similar spans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.explain.statistics import RangeStatistics, SpanFigures, spans_in_range
from core.plan.task import ABSENT, IS_COMMUNICATION, KINDS, Kind
from core.trace.spans import Spans
from core.trace.trace import Trace

MOST_SPANS = 1_000_000  # in a range; this many take some tenths of a second
MOST_NAMES = 1_000
MOST_OUTLIERS = 100
FEWEST = 5  # similar spans; with fewer there are no outliers
FAR = 3.0  # least distance of an outlier from the third quartile, in interquartile ranges
MORE = 1.25  # least duration of an outlier, in medians

_NUMBERS = ("kind", "microbatch", "bucket", "block", "replica", "paired_microbatch")
"""Attributes that distinguish the labels of tasks without a name."""
_SIMILAR = ("kind", "name", "stage", "replica", "block", "bucket", "rows", "bytes")
"""Attributes in which similar spans on a lane are equal."""


@dataclass(frozen=True, slots=True)
class NameFigures(SpanFigures):
    """Figures of the spans with one `label`, such as F0, on all lanes of a range.

    `place` is the lane and index of the longest span.
    """

    label: str
    place: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Outlier:
    """A span that took `duration` ns; `usual` is the median of similar spans on its lane."""

    lane: int
    index: int
    kind: Kind
    duration: int
    usual: int


@dataclass(frozen=True, slots=True)
class NameStatistics:
    """Names with the most time first, and outliers with the largest excess first.

    `name_count` and `outlier_count` are the numbers of all names and outliers; if there are many,
    only the first are listed.
    """

    names: tuple[NameFigures, ...] = ()
    outliers: tuple[Outlier, ...] = ()
    name_count: int = 0
    outlier_count: int = 0


@dataclass(frozen=True, slots=True)
class _RangeSpans:
    """The n spans of a range from `start` to `end` ns, each with its lane and index."""

    spans: Spans
    lane: Ints
    index: Ints
    start: int
    end: int

    def place(self, position: int) -> tuple[int, int]:
        """Return the lane and the index of a span."""
        return int(self.lane[position]), int(self.index[position])


def name_statistics(trace: Trace, counted: RangeStatistics) -> NameStatistics | None:
    """Return names and outliers of a range; None if it has more than MOST_SPANS spans."""
    parts: list[Spans] = []
    lanes: list[Ints] = []
    indices: list[Ints] = []
    count = 0
    for lane in counted.lanes:
        spans, first = spans_in_range(trace.spans(lane), counted.start, counted.end)
        number = len(spans)
        parts.append(spans)
        lanes.append(np.full(number, lane, np.int64))
        indices.append(np.arange(first, first + number))
        count += number
    if not count:
        return NameStatistics()
    if count > MOST_SPANS:
        return None
    found = _RangeSpans(
        spans=Spans.joined(parts),
        lane=np.concatenate(lanes),
        index=np.concatenate(indices),
        start=counted.start,
        end=counted.end,
    )
    names, name_count = _names(trace, found)
    outliers, outlier_count = _outliers(found)
    return NameStatistics(
        names=names,
        outliers=outliers,
        name_count=name_count,
        outlier_count=outlier_count,
    )


@dataclass(frozen=True, slots=True)
class _Groups:
    """n spans sorted by group and then by duration; `first[g] : first[g + 1]` are group g's."""

    group: Ints
    order: Ints
    first: Ints
    durations: Ints

    @classmethod
    def of(cls, spans: Spans, *columns: NDArray[np.integer]) -> _Groups:
        """Group the spans for which all columns are equal."""
        group = np.zeros(len(spans), np.int64)
        for column in columns:
            values, value = np.unique(column, return_inverse=True)
            # Combine both into one number, and renumber, so that further columns do not overflow.
            combined = group * len(values) + value
            _, group = np.unique(combined, return_inverse=True)
        durations = spans.end - spans.start
        order = np.lexsort((durations, group))
        ends = np.cumsum(np.bincount(group))
        return cls(
            group=group,
            order=order,
            first=np.append(0, ends),
            durations=durations[order],
        )

    @property
    def counts(self) -> Ints:
        """Number of spans of each group."""
        return np.diff(self.first)

    def percentile_places(self, percent: int) -> Ints:
        """Return the position of a percentile of each group, by the nearest-rank method."""
        # Rounded up in integers, which are exact.
        rank = (percent * self.counts + 99) // 100
        first_of_group = self.first[:-1]
        places: Ints = first_of_group + rank - 1
        return places

    def percentile(self, percent: int) -> Ints:
        """Return a percentile of the durations of each group, in ns."""
        places = self.percentile_places(percent)
        return self.durations[places]


def _names(trace: Trace, found: _RangeSpans) -> tuple[tuple[NameFigures, ...], int]:
    """Return figures of the names with the most time, and the number of all names."""
    spans = found.spans
    groups = _Groups.of(spans, *_label_columns(spans))
    first_inside = np.maximum(spans.start, found.start)
    last_inside = np.minimum(spans.end, found.end)
    inside = last_inside - first_inside
    sums = np.bincount(groups.group, inside).astype(np.int64)
    totals = np.add.reduceat(groups.durations, groups.first[:-1])
    means = totals / groups.counts
    p50 = groups.percentile(50)
    p99 = groups.percentile(99)
    most = groups.percentile(100)
    longest = groups.order[groups.percentile_places(100)]
    largest_first = np.argsort(-sums, kind="stable")
    names: list[NameFigures] = []
    for group in largest_first[:MOST_NAMES].tolist():
        place = found.place(longest[group])
        span = trace.span(*place)
        figures = NameFigures(
            count=int(groups.counts[group]),
            inside=int(sums[group]),
            mean=float(means[group]),
            p50=int(p50[group]),
            p99=int(p99[group]),
            longest=int(most[group]),
            label=span.name or span.label,  # spans are grouped by full names
            place=place,
        )
        names.append(figures)
    return tuple(names), len(groups.counts)


def _label_columns(spans: Spans) -> list[NDArray[np.integer]]:
    """Return columns that identify a label: the name, or else the kind and the numbers."""
    rows = spans.table.rows[spans.row]
    is_unnamed = rows["name"] == ABSENT
    columns: list[NDArray[np.integer]] = [rows["name"]]
    for name in _NUMBERS:
        applies = is_unnamed
        if name == "replica":
            applies = is_unnamed & IS_COMMUNICATION[rows["kind"]]
        number = rows[name].astype(np.int64)
        columns.append(np.where(applies, number, ABSENT))
    return columns


def _outliers(found: _RangeSpans) -> tuple[tuple[Outlier, ...], int]:
    """Return spans far longer than similar spans on their lane, and the number of all such spans.

    Similar spans have the same kind, name, part of the model, rows and bytes.
    """
    spans = found.spans
    rows = spans.table.rows[spans.row]
    similar = [rows[name] for name in _SIMILAR]
    groups = _Groups.of(spans, found.lane, *similar)
    median = groups.percentile(50)
    low = groups.percentile(25)
    high = groups.percentile(75)
    # The outer fence of a box plot (J. W. Tukey, Exploratory Data Analysis, 1977), and at least
    # MORE times the median: if most durations are equal, the fence alone would make every other
    # span an outlier.
    fence = high + FAR * (high - low)
    limit = np.maximum(fence, MORE * median)
    limit[groups.counts < FEWEST] = np.inf
    duration = spans.end - spans.start
    usual = median[groups.group]
    limit_of_span = limit[groups.group]
    places = np.flatnonzero(duration > limit_of_span)
    excess = duration[places] - usual[places]
    largest_first = places[np.argsort(-excess, kind="stable")]
    kinds = rows["kind"]
    outliers: list[Outlier] = []
    for at in largest_first[:MOST_OUTLIERS].tolist():
        lane, index = found.place(at)
        outlier = Outlier(
            lane=lane,
            index=index,
            kind=KINDS[kinds[at]],
            duration=int(duration[at]),
            usual=int(usual[at]),
        )
        outliers.append(outlier)
    return tuple(outliers), len(places)
