"""Steps of a training job: a rank's step lasts from the end of its last update to that of the next.

Ranks end their steps at different times: a rank whose update takes longer is late in every step. So
each rank's lanes have separate bounds, and the job's step lasts from the end of the last rank's
update to the same moment of the next step.

Time that a job declares to be outside of its steps (`paused`, an evaluation) lies before a step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.trace.columns import sorted_positions
from core.trace.trace import Trace

OUTSIDE = "outside_ms"
"""The counter of time that a rank spent outside of all steps, from the value's time on."""

Ints = NDArray[np.int64]


def lane_bounds(trace: Trace, lane: int, steps: Ints) -> tuple[Ints, Ints]:
    """Return the starts and ends in ns, shape (S,), of S steps with spans on a lane.

    In a job these are the bounds of the lane's rank, otherwise those of the step.
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
        # Time after the step's first span is inside the step and cannot be cut out.
        if follows[at] and row[0] <= firsts[at]:
            starts[at] += row[1]
    return np.minimum(starts, firsts), ends


def step_at(trace: Trace, lane: int, time_ns: int) -> int | None:
    """Return the step at a time on a lane; None between steps.

    A rank of a job that is ahead of the others begins its next step before the job's step has
    ended.
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
    """Return the start in ns of the first span of each of S steps on the lanes that serve a lane.

    A step without spans there gets its end.
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
    """Move the starts of a job's steps after time that is outside of all steps."""
    table = trace.step_table
    outside = [counter for (name, _), counter in trace.counters.items() if name == OUTSIDE]
    if not table.follow or not outside:
        return
    steps = np.unique(np.concatenate([counter.steps for counter in outside]))
    steps = steps[np.isin(steps, table.numbers)].astype(np.int64)
    own = [lane_bounds(trace, lane.index, steps)[0] for lane in trace.header.compute_lanes]
    if own:
        latest = np.max(own, axis=0)
        table.late_starts = dict(zip(steps.tolist(), latest.tolist(), strict=True))


def _last_ends(trace: Trace, lane: int, steps: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the end in ns of a lane's last span in each of S steps, and a mask of those steps."""
    spans = trace.spans(lane)
    low, high = (sorted_positions(spans.step, steps, side) for side in ("left", "right"))
    found = high > low
    ends = np.zeros(len(steps), np.int64)
    ends[found] = spans.end[high[found] - 1]
    return ends, found


def _outside_rows(trace: Trace, main: int, steps: Ints) -> list[tuple[tuple[int, int], int]]:
    """Return the start and duration in ns of each time outside, and its step's position."""
    found = []
    for counter in (trace.counter(OUTSIDE, main), trace.counter(OUTSIDE)):
        if not len(counter):
            continue
        for row in np.flatnonzero(np.isin(counter.steps, steps)).tolist():
            at = int(np.flatnonzero(steps == counter.steps[row])[0])
            length = round(1e6 * float(counter.values[row]))
            found.append(((int(counter.times[row]), length), at))
    return found
