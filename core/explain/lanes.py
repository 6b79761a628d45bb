"""Busy, communication and idle time of a lane within a span of time, and its idle gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.plan.links import IS_COMMUNICATION as IS_COMMUNICATION
from core.plan.task import KINDS, Kind
from core.trace.spans import Spans
from core.trace.trace import Trace

ENTERING = [KINDS.index(kind) for kind in (Kind.FORWARD, Kind.OVERLAP)]
"""The kinds, by their index in KINDS, that pass rows forward."""


@dataclass(frozen=True, slots=True)
class LaneTime:
    """A lane's time within a window, in ns; `busy + communication + idle` is the window."""

    busy_ns: int
    communication_ns: int
    idle_ns: int
    spans: int

    @property
    def idle_fraction(self) -> float:
        """Idle time over the window, 0 to 1; 0 for an empty window."""
        window = self.busy_ns + self.communication_ns + self.idle_ns
        return self.idle_ns / window if window else 0.0


@dataclass(frozen=True, slots=True)
class Gap:
    """An idle interval of a lane inside a step, in ns since the run's start.

    `before` is the index among the lane's spans of the one that ended the gap, or None if it
    had nothing more to do in the step.
    """

    lane: int
    step: int
    start: int
    end: int
    before: int | None


def lane_time(spans: Spans, start: int, end: int) -> LaneTime:
    """Sums over the part of `spans` (one lane's, so none overlap) between `start` and `end`."""
    inside = spans[(spans["end"] > start) & (spans["start"] < end)]
    length = np.minimum(inside["end"], end) - np.maximum(inside["start"], start)
    moving = IS_COMMUNICATION[inside["kind"]]
    communication = int(length[moving].sum())
    busy = int(length[~moving].sum())
    return LaneTime(busy, communication, max(0, end - start) - busy - communication, len(inside))


def idle_share(trace: Trace, lane: int, first: int, last: int) -> float:
    """The idle part, 0 to 1, of a lane over the makespans of the steps `first` to `last`."""
    spans, table = trace.spans(lane), trace.step_table
    begin, end = np.searchsorted(spans["step"], [first, last + 1])
    worked = int((spans["end"][begin:end] - spans["start"][begin:end]).sum())
    chosen = (table.numbers >= first) & (table.numbers <= last)
    whole = int((table.ends[chosen] - table.starts[chosen]).sum())
    return 1.0 - worked / whole if whole else 0.0


def gap_at(trace: Trace, lane: int, time_ns: int) -> Gap | None:
    """The idle interval of a lane at a moment, or None if it is busy or outside every step."""
    step = trace.step_at(time_ns)
    if step is None:
        return None
    starts, ends, before = _step_gaps(trace, lane, step)
    hit = int(np.searchsorted(starts, time_ns, "right")) - 1
    if hit < 0 or time_ns >= ends[hit]:
        return None
    held = int(before[hit])
    return Gap(lane, step, int(starts[hit]), int(ends[hit]), held if held >= 0 else None)


def _step_gaps(
    trace: Trace, lane: int, step: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    first, last = trace.step_bounds(step)
    spans = trace.spans(lane)
    where = spans.of_step(step)
    mine = spans[where]
    starts = np.concatenate([[first], mine["end"]])
    ends = np.concatenate([mine["start"], [last]])
    before = np.concatenate([np.arange(where.start, where.stop), [-1]])
    idle = ends > starts
    return starts[idle], ends[idle], before[idle]


def entering(spans: Spans) -> list[tuple[int, int, int]]:
    """Replica, micro-batch and rows of each of the spans that passes rows forward."""
    enter = spans[np.isin(spans["kind"], ENTERING)]
    numbers = (np.maximum(enter[name], 0).tolist() for name in ("replica", "microbatch"))
    return list(zip(*numbers, enter["rows"].tolist(), strict=True))
