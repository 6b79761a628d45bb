"""The longest idle gaps of a stretch of steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.explain.lanes import Gap, gaps_within
from core.plan.plan import Role
from core.trace.spans import sorted_positions
from core.trace.trace import Trace


def longest_gaps(
    trace: Trace, first: int, last: int, most: int, lanes: Sequence[int] | None = None
) -> list[Gap]:
    """The longest idle gaps of the compute lanes in the steps `first` to `last`, at most `most`.

    With `lanes`, only those of these. They come longest first, equally long ones by time and lane,
    as `lanes.gap_at` gives them.
    """
    found: list[Gap] = []
    for lane in trace.header.lanes:
        if lane.role is Role.COMPUTE and (lanes is None or lane.index in lanes):
            gaps = gaps_within(trace, lane.index, first, last)
            longest = np.lexsort((gaps.start, gaps.start - gaps.end))[:most]
            found += map(gaps.gap, longest.tolist())
    return sorted(found, key=lambda gap: (gap.start - gap.end, gap.start, gap.lane))[:most]


def spans_within(trace: Trace, first: ArrayLike, last: ArrayLike) -> int:
    """How many spans all lanes have in the steps `first` to `last`, or in several such runs."""
    count = 0
    for lane in range(len(trace.header.lanes)):
        steps = trace.spans(lane).step
        places = sorted_positions(steps, last, "right") - sorted_positions(steps, first)
        count += int(places.sum())
    return count
