"""The longest idle gaps of a stretch of steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.explain.lanes import Gap
from core.plan.task import Role
from core.trace.columns import sorted_positions
from core.trace.trace import Trace

NONE = -1  # in `before`: nothing ends the gap


def longest_gaps(trace: Trace, first: int, last: int, most: int) -> list[Gap]:
    """The longest idle gaps of the compute lanes in the steps `first` to `last`, at most `most`.

    They come longest first, equally long ones by time and lane, as `lanes.gap_at` gives them.
    """
    lanes = [lane.index for lane in trace.header.lanes if lane.role is Role.COMPUTE]
    found: list[Gap] = []
    for lane in lanes:
        steps, starts, ends, before = _gaps(trace, lane, first, last)
        longest = np.lexsort((starts, starts - ends))[:most]
        columns = (column[longest].tolist() for column in (steps, starts, ends, before))
        found += [
            Gap(lane, step, start, end, held if held != NONE else None)
            for step, start, end, held in zip(*columns, strict=True)
        ]
    return sorted(found, key=lambda gap: (gap.start - gap.end, gap.start, gap.lane))[:most]


def spans_within(trace: Trace, first: int, last: int) -> int:
    """How many spans all lanes have in the steps `first` to `last`."""
    ends = [first, last + 1]
    found = (
        sorted_positions(trace.spans(lane)["step"], ends) for lane in range(len(trace.header.lanes))
    )
    return sum(int(place[1] - place[0]) for place in found)


def _gaps(trace: Trace, lane: int, first: int, last: int) -> tuple[NDArray[Any], ...]:
    """Step, start, end and ending span (or NONE) of a lane's gaps: all before spans, then tails."""
    table, spans = trace.step_table, trace.spans(lane)
    low, high = sorted_positions(table.numbers, [first, last + 1])
    numbers, begins, finishes = (
        column[low:high] for column in (table.numbers, table.starts, table.ends)
    )
    left, right = (int(n) for n in sorted_positions(spans["step"], [first, last + 1]))
    mine = spans[left:right]
    # Where each step's spans begin and end among the lane's; an idle step has an empty range.
    heads = sorted_positions(mine["step"], numbers)
    tails = np.append(heads[1:], len(mine))
    worked = tails > heads
    before_each = np.empty(len(mine), np.int64)
    before_each[1:] = mine["end"][:-1]
    before_each[heads[worked]] = begins[worked]
    after_last = begins.copy()
    after_last[worked] = mine["end"][tails[worked] - 1]
    steps = np.concatenate([mine["step"], numbers])
    starts = np.concatenate([before_each, after_last])
    ends = np.concatenate([mine["start"], finishes])
    before = np.concatenate([np.arange(left, right), np.full(len(numbers), NONE)])
    idle = ends > starts
    return steps[idle], starts[idle], ends[idle], before[idle]
