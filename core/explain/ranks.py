"""Idle, compute, communication and overlap of each rank of a trace, by union of intervals.

As Holistic Trace Analysis defines them: from the first start to the last end on a rank's device,
time is compute while any of its streams computes; else it is idle while none of them does anything,
and the rest is spent on communication or memory alone. Overlap is the part of communication during
which the rank also computes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.explain.statistics import union_ns
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.recording.importers.words import MEMORY, matching
from core.trace.own_steps import PART_STEP
from core.trace.spans import Spans
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class RankTime:
    """A rank's time in ns; `idle + compute + moving` is `span`.

    `communication` is all of it, also what is hidden behind compute: that is `overlap`.
    """

    place: str
    span_ns: int
    idle_ns: int
    compute_ns: int
    moving_ns: int
    communication_ns: int
    overlap_ns: int

    @property
    def overlap_fraction(self) -> float:
        """The share of communication that is hidden behind compute; 0 without communication."""
        return self.overlap_ns / self.communication_ns if self.communication_ns else 0.0


def rank_times(trace: Trace) -> list[RankTime]:
    """The times of each place of a trace.

    Where there are steps, a task of a device counts if its launch was seen, not after the last one:
    what was launched before the trace began would look like the work of an idle host. Counted are
    the lanes of a place that are devices' (without cores), or all where there is none. Of a trace
    with a `part`, all tasks of its step count, and no others.
    """
    memory = matching(trace.table.names, MEMORY)
    ends = trace.step_table.ends
    until = int(ends[-1]) if len(ends) else None
    times = []
    for place, several in _places(trace):
        spans = Spans.joined(several)
        counted = _seen(spans, until) if trace.part is None else spans[spans.step == PART_STEP]
        times.append(_time(place, counted, memory))
    return times


def told_rank_times(trace: Trace) -> list[RankTime]:
    """The times of ranks where they can be told: of a file that another program wrote.

    Runs and recorded jobs have figures of their steps instead, and tell no launches.
    """
    header = trace.header
    return rank_times(trace) if header.foreign and not header.is_job else []


def _places(trace: Trace) -> Iterator[tuple[str, list[Spans]]]:
    """The spans of each place."""
    lanes = trace.header.lanes
    for place in dict.fromkeys(lane.device for lane in lanes):
        mine = [lane for lane in lanes if lane.device == place]
        # Threads of a host have cores; a place without a device's lanes is shown by them.
        own = [lane for lane in mine if not lane.cores] or mine
        yield place, [trace.spans(lane.index) for lane in own]


def _seen(spans: Spans, until: int | None) -> Spans:
    """Those spans whose launch was seen, until the last step's end; all if no launch is known."""
    launched = spans["launched"] != ABSENT
    if until is not None and launched.any():
        spans = spans[launched & (spans["launched"] <= until)]
    return spans


def _time(place: str, spans: Spans, memory: NDArray[np.bool_]) -> RankTime:
    start, end = spans.start, spans.end
    moves = IS_COMMUNICATION[spans["kind"]]
    computes = ~moves & ~memory[spans["name"]]
    span = int(end.max() - start.min()) if len(start) else 0
    busy = union_ns(start, end)
    compute, communication = (union_ns(start[some], end[some]) for some in (computes, moves))
    either = union_ns(start[computes | moves], end[computes | moves])
    return RankTime(
        place, span, span - busy, compute, busy - compute, communication,
        compute + communication - either,
    )  # fmt: skip
