"""What two runs differ by, row by row; the contributions add up to the nanosecond.

The definition. A compute lane is always either at work or idle for a cause, so its kinds and its
causes add up to the makespan; so do their means over the compute lanes. What a kind or a cause
contributes to the difference of two makespans is its mean over the compute lanes of B less its
mean over those of A. The same time is cut a second way: each lane works or is idle, and each
of these contributes its share of the mean.

It is an account, not a cause: what a kind takes longer, another lane may wait for, and then both
are counted, each for the lanes that spent the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, pairwise

import numpy as np

from core.compare.spent import Spent
from core.explain.causes import CAUSES
from core.plan.task import KINDS

_Totals = list[int | None]


class Group(StrEnum):
    """What a row is about. The order is that of tables: append only."""

    KIND = "kind"
    """What the compute lanes worked on."""
    CAUSE = "idle"
    """Why the compute lanes were idle."""
    OVERLAP = "overlap"
    """Tasks of a lane that ran at once, counted twice above."""
    LANE_WORK = "lane working"
    """One compute lane at work."""
    LANE_IDLE = "lane idle"
    """One compute lane idle."""
    BESIDE = "beside"
    """What copy and communication lanes did: it costs only what compute lanes wait for it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A row: lane time in A and in B, in ns of a step, summed over the lanes that it is about.

    `name` is a kind, a cause or a lane, and `place` the lane's among the compute lanes (else -1).
    `contribution` is what it contributes to B's makespan less A's. None where a run has no such
    lane.
    """

    group: Group
    name: str
    a: int | None
    b: int | None
    contribution: int
    place: int = -1

    @property
    def difference(self) -> int:
        """B less A, in ns of lane time."""
        return (self.b or 0) - (self.a or 0)


def by_reason(a: Spent, b: Spent) -> tuple[Difference, ...]:
    """Kinds and causes, what contributes most first; they add up to the makespans' difference.

    Kinds and causes that neither run has are left out.
    """
    heads = [
        *((Group.KIND, str(kind), -1) for kind in KINDS),
        *((Group.CAUSE, str(cause), -1) for cause in CAUSES),
        (Group.OVERLAP, str(Group.OVERLAP), -1),
    ]
    return _rows(heads, (a, _reasons(a)), (b, _reasons(b)))


def by_lane(a: Spent, b: Spent) -> tuple[Difference, ...]:
    """Each compute lane at work and idle, first with first; adds up as `by_reason` does."""
    most = max(len(a.lanes), len(b.lanes))
    heads = [
        # By place, not by name: the same lanes of two machines have other names, and of other
        # strategies other roles.
        (group, _lane_name(place, a, b), place)
        for place in range(most)
        for group in (Group.LANE_WORK, Group.LANE_IDLE)
    ]
    return _rows(heads, (a, _lanes(a, most)), (b, _lanes(b, most)))


def beside(a: Spent, b: Spent) -> tuple[Difference, ...]:
    """What copy and communication lanes did, longest difference first; contributes nothing."""
    rows = [
        Difference(Group.BESIDE, str(kind), one // len(a.steps), other // len(b.steps), 0)
        for kind, one, other in zip(KINDS, a.beside.tolist(), b.beside.tolist(), strict=True)
        if one or other
    ]
    return tuple(sorted(rows, key=lambda row: -abs(row.difference)))


def apportioned(values: Sequence[int], divisor: int) -> list[int]:
    """Each value over `divisor` in whole numbers that add up to the sum over it, rounded down."""
    # Rounding each quotient would leave the table short of its sum by some ns. Cumulative sums are
    # rounded instead: 5, 5, 5 over 2 end at 2, 5, 7, which makes 2, 3, 2.
    ends = [total // divisor for total in accumulate(values)]
    return [end - begin for begin, end in pairwise([0, *ends])]


def _rows(
    heads: Sequence[tuple[Group, str, int]], a: tuple[Spent, _Totals], b: tuple[Spent, _Totals]
) -> tuple[Difference, ...]:
    """A row for each head of which there is something, with the totals of both runs."""
    (sums_a, parts_a), (sums_b, parts_b) = _means(*a), _means(*b)
    rows = [
        Difference(group, name, sums_a[i], sums_b[i], parts_b[i] - parts_a[i], place)
        for i, (group, name, place) in enumerate(heads)
        if a[1][i] or b[1][i]
    ]
    return tuple(sorted(rows, key=lambda row: -abs(row.contribution)))


def _means(side: Spent, totals: _Totals) -> tuple[list[int | None], list[int]]:
    """Totals as means over the steps, and these as means over the lanes: parts of the makespan."""
    values = [total or 0 for total in totals]
    means = apportioned(values, len(side.steps))
    # A lane that this run lacks counts as 0 where things are added up, and stays None where a table
    # says what it took.
    known = [None if totals[i] is None else mean for i, mean in enumerate(means)]
    return known, apportioned(values, len(side.steps) * len(side.lanes))


def _reasons(side: Spent) -> _Totals:
    parts = (side.work.sum(axis=0), side.idle.sum(axis=0), side.overlap.sum(keepdims=True))
    values: _Totals = np.concatenate(parts).tolist()
    return values


def _lanes(side: Spent, most: int) -> _Totals:
    """Time at work and idle of each lane in turn, None behind the last."""
    # Overlap is negative: what ran twice at once counts once, so that work and idle time make a
    # makespan.
    worked = (side.work.sum(axis=1) + side.overlap).tolist()
    values: _Totals = [ns for work in worked for ns in (work, side.makespan - work)]
    return values + [None] * (2 * most - len(values))


def _lane_name(place: int, *sides: Spent) -> str:
    names = [side.lanes[place].name for side in sides if place < len(side.lanes)]
    return " / ".join(dict.fromkeys(names))
