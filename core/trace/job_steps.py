"""Steps of a training job: on a rank, a step lasts from one update's end to the next one's.

Ranks end their steps at different times: a rank whose update takes longer is late in every step. So
each rank's lanes have separate bounds, and the job's step lasts from the end of the last rank's
update to the same moment of the next step.

Time that a job declares to be outside of its steps (`paused`, an evaluation) lies before a step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.trace.columns import sorted_positions
from core.trace.trace import Trace

OUTSIDE = "outside_ms"
"""The counter of time that a rank spent outside of all steps, from the value's time on."""


def lane_bounds(trace: Trace, lane: int, steps: Ints) -> tuple[Ints, Ints]:
    """Return the starts and ends in ns, shape (S,), of S steps with spans on a lane.

    In a job these are the bounds of the lane's rank, otherwise the step's bounds.
    """
    table = trace.step_table
    places = sorted_positions(table.numbers, steps)
    if not table.follow:
        return table.starts[places], table.ends[places]
    main = trace.header.lanes[lane].serves
    last_ends, has_ended = _last_ends(trace, main, steps)
    ends = np.where(has_ended, last_ends, table.ends[places])
    previous_ends, follows = _last_ends(trace, main, steps - 1)
    firsts = first_starts(trace, main, steps)
    starts = np.where(follows, previous_ends, firsts)
    for outside in _times_outside(trace, main, steps):
        at = outside.place
        # Time after the step's first span is inside the step and cannot be cut out.
        if follows[at] and outside.start <= firsts[at]:
            starts[at] += outside.duration
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
    candidates = table.numbers[after : after + 2].astype(np.int64)
    starts, ends = lane_bounds(trace, lane, candidates)
    contains = (starts <= time_ns) & (time_ns < ends)
    hits = candidates[contains]
    if not len(hits):
        return None
    return int(hits[0])


def first_starts(trace: Trace, main: int, steps: Ints) -> Ints:
    """Return the start in ns of the first span of each of S steps on the lanes that serve a lane.

    A step without spans there gets its end.
    """
    table = trace.step_table
    places = sorted_positions(table.numbers, steps)
    firsts = table.ends[places].copy()
    for lane in trace.header.lanes:
        if lane.serves != main:
            continue
        spans = trace.spans(lane.index)
        low = sorted_positions(spans.step, steps)
        high = sorted_positions(spans.step, steps, "right")
        has_spans = high > low
        own_firsts = low[has_spans]
        own_starts = spans.start[own_firsts]
        firsts[has_spans] = np.minimum(firsts[has_spans], own_starts)
    return firsts


def note_outside(trace: Trace) -> None:
    """Move the starts of a job's steps after time that is outside of all steps."""
    table = trace.step_table
    of_counters: list[NDArray[np.int32]] = []
    for (name, _), counter in trace.counters.items():
        if name == OUTSIDE:
            of_counters.append(counter.steps)
    lanes = trace.header.compute_lanes
    if not table.follow or not of_counters or not lanes:
        return
    named = np.unique(np.concatenate(of_counters))
    has_spans = np.isin(named, table.numbers)
    steps = named[has_spans].astype(np.int64)
    earliest = np.iinfo(np.int64).min
    latest = np.full(len(steps), earliest)
    for lane in lanes:
        starts, _ = lane_bounds(trace, lane.index, steps)
        np.maximum(latest, starts, out=latest)
    table.late_starts = dict(zip(steps.tolist(), latest.tolist(), strict=True))


def _last_ends(trace: Trace, lane: int, steps: Ints) -> tuple[Ints, Bools]:
    """Return the end in ns of a lane's last span in each of S steps, and a mask of those steps."""
    spans = trace.spans(lane)
    low = sorted_positions(spans.step, steps)
    high = sorted_positions(spans.step, steps, "right")
    has_spans = high > low
    lasts = high[has_spans] - 1
    ends = np.zeros(len(steps), np.int64)
    ends[has_spans] = spans.end[lasts]
    return ends, has_spans


class _TimeOutside(NamedTuple):
    """Time outside of all steps: start and duration in ns, and the `place` of its step."""

    place: int
    start: int
    duration: int


def _times_outside(trace: Trace, main: int, steps: Ints) -> list[_TimeOutside]:
    """Return the times outside of all steps that a rank recorded in `steps`."""
    found: list[_TimeOutside] = []
    for counter in (trace.counter(OUTSIDE, main), trace.counter(OUTSIDE)):
        if not len(counter):
            continue
        in_steps = np.isin(counter.steps, steps)
        for row in np.flatnonzero(in_steps).tolist():
            is_step = steps == counter.steps[row]
            place = int(np.argmax(is_step))
            start = int(counter.times[row])
            milliseconds = float(counter.values[row])
            duration = round(1e6 * milliseconds)
            found.append(_TimeOutside(place, start, duration))
    return found
