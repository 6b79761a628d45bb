"""Differences of two runs in rows, whose contributions add up exactly to the nanosecond.

A compute lane is always either at work or idle for a cause. So the times of its kinds and causes
add up to the makespan, and so do their means over the compute lanes. The contribution of a kind or
cause to the difference of two makespans is its mean over the compute lanes of B minus its mean over
the compute lanes of A. A second table divides the same time by lanes at work and idle.

Contributions are not causes. If a kind takes longer and another lane waits for it, both are
counted, each for the lanes that spent the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, pairwise

import numpy as np

from core.compare.totals import TimeTotals
from core.explain.causes import CAUSES
from core.plan.task import KINDS

_Totals = list[int | None]


class RowGroup(StrEnum):
    """The kind of time that a row is about. Tables have this order: append only."""

    KIND = "kind"
    """Work of the compute lanes by kind."""
    CAUSE = "idle"
    """Idle time of the compute lanes by cause."""
    OVERLAP = "overlap"
    """Correction for tasks of a lane that ran at once, which KIND counts twice."""
    LANE_WORK = "lane working"
    """One compute lane at work."""
    LANE_IDLE = "lane idle"
    """One compute lane idle."""
    OTHER_LANES = "beside"
    """Work of copy and communication lanes, which costs only the time that compute lanes wait."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A row: lane time in A and in B, in ns a step, summed over the row's lanes.

    `name` is a kind, a cause or a lane; `place` is the lane's position among the compute lanes, or
    -1. `contribution`, in ns, is the row's part of B's makespan minus A's. `a` or `b` is None if
    the run has no such lane.
    """

    group: RowGroup
    name: str
    a: int | None
    b: int | None
    contribution: int
    place: int = -1

    @property
    def difference(self) -> int:
        """B minus A, in ns of lane time."""
        return (self.b or 0) - (self.a or 0)


def by_reason(a: TimeTotals, b: TimeTotals) -> tuple[Difference, ...]:
    """Return rows of kinds and causes, largest contributions first.

    The contributions add up to the makespans' difference. Kinds and causes that neither run has are
    omitted.
    """
    heads: list[_Head] = []
    for kind in KINDS:
        heads.append(_Head(RowGroup.KIND, str(kind)))
    for cause in CAUSES:
        heads.append(_Head(RowGroup.CAUSE, str(cause)))
    heads.append(_Head(RowGroup.OVERLAP, str(RowGroup.OVERLAP)))
    return _rows(heads, _Side(a, _reasons(a)), _Side(b, _reasons(b)))


def by_lane(a: TimeTotals, b: TimeTotals) -> tuple[Difference, ...]:
    """Return rows of each compute lane at work and idle; they add up to the same difference."""
    most = max(len(a.lanes), len(b.lanes))
    heads: list[_Head] = []
    # Lanes are paired by position, because their names differ between machines.
    for place in range(most):
        name = _lane_name(place, a, b)
        heads.append(_Head(RowGroup.LANE_WORK, name, place))
        heads.append(_Head(RowGroup.LANE_IDLE, name, place))
    return _rows(heads, _Side(a, _lanes(a, most)), _Side(b, _lanes(b, most)))


def by_other_lanes(a: TimeTotals, b: TimeTotals) -> tuple[Difference, ...]:
    """Return rows of copy and communication lanes, largest differences first."""
    rows = []
    sums_a = a.other_lanes.tolist()
    sums_b = b.other_lanes.tolist()
    for kind, one, other in zip(KINDS, sums_a, sums_b, strict=True):
        if one or other:
            mean_a = one // len(a.steps)
            mean_b = other // len(b.steps)
            rows.append(
                Difference(
                    group=RowGroup.OTHER_LANES,
                    name=str(kind),
                    a=mean_a,
                    b=mean_b,
                    contribution=0,
                )
            )
    return tuple(sorted(rows, key=lambda row: -abs(row.difference)))


def apportioned(values: Sequence[int], divisor: int) -> list[int]:
    """Divide each value, rounding so that the quotients add up to the rounded-down total."""
    # Rounds cumulative sums, because rounded quotients would not add up: 5, 5, 5 over 2 have the
    # sums 2, 5, 7 and give 2, 3, 2.
    ends = [total // divisor for total in accumulate(values)]
    return [end - start for start, end in pairwise([0, *ends])]


@dataclass(frozen=True, slots=True)
class _Head:
    """The group, name and place of a row, as in Difference."""

    group: RowGroup
    name: str
    place: int = -1


@dataclass(frozen=True, slots=True)
class _Side:
    """A run, and its total for each head in ns; None if the run has no such lane."""

    run: TimeTotals
    totals: _Totals

    def means(self) -> list[int | None]:
        """Return the means over steps."""
        means: list[int | None] = []
        rounded = apportioned(self._values(), len(self.run.steps))
        for total, mean in zip(self.totals, rounded, strict=True):
            # A lane that this run lacks is 0 in sums and None in tables.
            if total is None:
                means.append(None)
            else:
                means.append(mean)
        return means

    def parts(self) -> list[int]:
        """Return the means over steps and lanes, which are the parts of the makespan."""
        divisor = len(self.run.steps) * len(self.run.lanes)
        return apportioned(self._values(), divisor)

    def _values(self) -> list[int]:
        return [total or 0 for total in self.totals]


def _rows(heads: Sequence[_Head], a: _Side, b: _Side) -> tuple[Difference, ...]:
    """Return a row for each head with a non-zero total in either run."""
    means_a = a.means()
    means_b = b.means()
    parts_a = a.parts()
    parts_b = b.parts()
    rows = []
    for i, head in enumerate(heads):
        if a.totals[i] or b.totals[i]:
            row = Difference(
                group=head.group,
                name=head.name,
                a=means_a[i],
                b=means_b[i],
                contribution=parts_b[i] - parts_a[i],
                place=head.place,
            )
            rows.append(row)
    return tuple(sorted(rows, key=lambda row: -abs(row.contribution)))


def _reasons(side: TimeTotals) -> _Totals:
    work = side.work.sum(axis=0)
    idle = side.idle.sum(axis=0)
    overlap = side.overlap.sum(keepdims=True)
    values: _Totals = np.concatenate([work, idle, overlap]).tolist()
    return values


def _lanes(side: TimeTotals, most: int) -> _Totals:
    """Return the work and idle time of each lane in turn, padded with None."""
    # Overlap is negative and removes time that is counted twice: work and idle add up to the
    # makespan.
    worked = side.work.sum(axis=1) + side.overlap
    values: _Totals = []
    for work in worked.tolist():
        values.append(work)
        values.append(side.makespan - work)
    while len(values) < 2 * most:
        values.append(None)
    return values


def _lane_name(place: int, *sides: TimeTotals) -> str:
    names: list[str] = []
    for side in sides:
        if place < len(side.lanes):
            names.append(side.lanes[place].name)
    return " / ".join(dict.fromkeys(names))
