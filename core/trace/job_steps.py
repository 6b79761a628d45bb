"""The steps of a training job: each rank's own ends with its update, and begins with the last one.

Ranks do not end their steps at the same time: one whose update takes longer is late by that in
every step. So each rank's lanes have bounds of their own, from its update to its next one, and the
job's step lasts from the moment when the last rank has updated to that of the next step.

What a job does between two of its steps and says is no part of them (`paused`, an evaluation) lies
before a step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.trace.columns import sorted_positions
from core.trace.trace import Trace

OUTSIDE = "outside_ms"
"""The counter of the time that a rank spent on what is part of no step, since the value's time."""

Ints = NDArray[np.int64]


def lane_bounds(trace: Trace, lane: int, steps: Ints) -> tuple[Ints, Ints]:
    """Return when each of S steps, which have spans, starts and ends on a lane, in ns.

    For a job these are the bounds of the lane's rank, else the step's.
    """
    table = trace.step_table
    places = sorted_positions(table.numbers, steps)
    if not table.follow:
        return table.starts[places], table.ends[places]
    main = trace.header.lanes[lane].serves
    ends, has_ended = _last_ends(trace, main, steps)
    ends = np.where(has_ended, ends, table.ends[places])
    before, follows = _last_ends(trace, main, steps - 1)
    firsts = first_starts(trace, main, steps)
    starts = np.where(follows, before, firsts)
    for row, at in _outside_rows(trace, main, steps):
        # What lies behind the step's first span is within the step, and cannot be cut out of it.
        if follows[at] and row[0] <= firsts[at]:
            starts[at] += row[1]
    return np.minimum(starts, firsts), ends


def step_at(trace: Trace, lane: int, time_ns: int) -> int | None:
    """Return the step in which a moment lies on a lane; None between steps.

    A rank of a job that is ahead of the others is in its next step before the job's step has ended.
    """
    table = trace.step_table
    if not table.follow:
        return table.at(time_ns)
    after = int(sorted_positions(table.ends, time_ns, "right"))
    some = table.numbers[after : after + 2].astype(np.int64)
    starts, ends = lane_bounds(trace, lane, some)
    hits = some[(starts <= time_ns) & (time_ns < ends)]
    return int(hits[0]) if len(hits) else None


def first_starts(trace: Trace, main: int, steps: Ints) -> Ints:
    """Return when the first span of each of S steps starts on the lanes that serve a lane, in ns.

    Where they have none it is the end of the step.
    """
    table = trace.step_table
    firsts = table.ends[sorted_positions(table.numbers, steps)].copy()
    for lane in trace.header.lanes:
        if lane.serves != main:
            continue
        spans = trace.spans(lane.index)
        low, high = (sorted_positions(spans.step, steps, side) for side in ("left", "right"))
        some = high > low
        firsts[some] = np.minimum(firsts[some], spans.start[low[some]])
    return firsts


def note_outside(trace: Trace) -> None:
    """Let a job's steps start behind what was part of none of them."""
    table = trace.step_table
    told = [counter for (name, _), counter in trace.counters.items() if name == OUTSIDE]
    if not table.follow or not told:
        return
    steps = np.unique(np.concatenate([counter.steps for counter in told]))
    steps = steps[np.isin(steps, table.numbers)].astype(np.int64)
    own = [lane_bounds(trace, lane.index, steps)[0] for lane in trace.header.compute_lanes]
    if own:
        latest = np.max(own, axis=0)
        table.late_starts = dict(zip(steps.tolist(), latest.tolist(), strict=True))


def _last_ends(trace: Trace, lane: int, steps: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Return when a lane's last span of each of S steps ends, in ns, and which steps have one."""
    spans = trace.spans(lane)
    low, high = (sorted_positions(spans.step, steps, side) for side in ("left", "right"))
    found = high > low
    ends = np.zeros(len(steps), np.int64)
    ends[found] = spans.end[high[found] - 1]
    return ends, found


def _outside_rows(trace: Trace, main: int, steps: Ints) -> list[tuple[tuple[int, int], int]]:
    """Return the start and length in ns of each time outside, and the place of its step."""
    found = []
    for counter in (trace.counter(OUTSIDE, main), trace.counter(OUTSIDE)):
        if not len(counter):
            continue
        for row in np.flatnonzero(np.isin(counter.steps, steps)).tolist():
            at = int(np.flatnonzero(steps == counter.steps[row])[0])
            length = round(1e6 * float(counter.values[row]))
            found.append(((int(counter.times[row]), length), at))
    return found
