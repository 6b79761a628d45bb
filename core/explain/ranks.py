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
from core.plan.plan import device_streams
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.recording.importers.event_names import MEMORY_COPY, matches
from core.trace.own_steps import PART_STEP
from core.trace.spans import Spans
from core.trace.trace import Trace
from core.trace.warmup import first_measured, found_warmup

_LATE = 1 << 62
"""Ns; later than anything."""


@dataclass(frozen=True, slots=True)
class RankTime:
    """A rank's time in ns; `idle + compute + moving` is `span`.

    `communication` is all of it, also what is hidden behind compute: that is `overlap`. `moving` is
    communication or memory alone.
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

    @property
    def exposed_ns(self) -> int:
        """Communication during which the rank does not compute."""
        return self.communication_ns - self.overlap_ns

    @property
    def memory_ns(self) -> int:
        """Copies and fills of memory alone, without communication or compute meanwhile."""
        return self.moving_ns - self.exposed_ns


@dataclass(frozen=True, slots=True)
class Windows:
    """Stretches of time in ns, in order and apart."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]

    def covered(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the part of the windows that lies before each time, in ns."""
        before = np.concatenate([[0], np.cumsum(self.end - self.start)])
        place = np.searchsorted(self.start, times, "right")
        # The part of the window that a time lies in which comes after it; none before the first.
        after = np.append(times.min(initial=0), self.end)[place] - times
        result: NDArray[np.int64] = before[place] - np.maximum(after, 0)
        return result

    def cut(self, start: int, end: int) -> Windows:
        """The parts of the windows between two times."""
        begins, ends = np.maximum(self.start, start), np.minimum(self.end, end)
        some = begins < ends
        return Windows(begins[some], ends[some])


@dataclass(frozen=True, slots=True)
class Device:
    """A device of a recorded trace, called `name`, and all that its streams did.

    `main` is the number of its main stream. Its time counts while it is `in_use`: from the first
    start to the last end of its tasks. Where there are steps, those tasks do not count at either
    end whose launch was not seen, or came after the last step: what was launched before the trace
    began would look like the work of an idle host. Where first steps are warm-up
    (core.trace.warmup), it is in use from the first measured step on at the earliest. Of a trace
    with a `part` it is the tasks of the part that count.
    """

    name: str
    main: int
    spans: Spans
    in_use: Windows


def rank_times(trace: Trace) -> list[RankTime]:
    """The times of each place of a trace.

    They are counted while the place is in use, see Device, on its streams; without any, on the
    lanes that are devices' (without cores), or else on all.
    """
    memory = _memory(trace)
    return [_time(place, spans, memory, _in_use(trace, spans)) for place, spans in _places(trace)]


def imported_rank_times(trace: Trace) -> list[RankTime]:
    """Return the times of each rank in another program's trace; [] for runs and recorded jobs.

    These have figures of their steps instead, and record no launches.
    """
    return [] if trace.imported is None else rank_times(trace)


def devices_of(trace: Trace) -> list[Device]:
    """The devices whose streams another program recorded, those that did something."""
    devices = device_streams(trace.header.lanes)
    places = [streams[0].device for streams in devices.values()]
    found = []
    for main, streams in devices.items():
        spans = Spans.joined([trace.spans(stream.index) for stream in streams])
        in_use = _in_use(trace, spans)
        if len(in_use.start):
            place = streams[0].device
            name = place if places.count(place) == 1 else f"{place} {streams[0].stream_of}"
            found.append(Device(name, main, spans, in_use))
    return found


def device_time(trace: Trace, device: Device, windows: Windows) -> RankTime:
    """The times of a device within windows, as far as it is in use."""
    in_use = windows.cut(int(device.in_use.start[0]), int(device.in_use.end[0]))
    return _time(device.name, device.spans, _memory(trace), in_use)


def _memory(trace: Trace) -> NDArray[np.bool_]:
    """Return for each name of the trace whether it names a copy or a fill of memory.

    The last entry is for tasks without a name, which have the position -1.
    """
    return np.append(matches(trace.table.names, MEMORY_COPY), False)


def _in_use(trace: Trace, spans: Spans) -> Windows:
    """The time in which a device with such spans is in use; none if it does nothing."""
    if trace.part is not None:
        counted = spans[spans.step == PART_STEP]
    else:
        ends = trace.step_table.ends
        counted = _seen(spans, int(ends[-1]) if len(ends) else None)
    first, last = counted.start.min(initial=_LATE), counted.end.max(initial=-_LATE)
    if trace.part is None and found_warmup(trace) is not None:
        begin, _ = trace.step_bounds(first_measured(trace))
        first = max(first, begin)
    some = first < last
    return Windows(np.array([first])[[some]], np.array([last])[[some]])


def _places(trace: Trace) -> Iterator[tuple[str, Spans]]:
    """The spans of each place."""
    lanes = trace.header.lanes
    for place in dict.fromkeys(lane.device for lane in lanes):
        mine = [lane for lane in lanes if lane.device == place]
        streams = [lane for lane in mine if lane.stream_of]
        # Threads of a host have cores; a place without a device's lanes is shown by them.
        own = streams or [lane for lane in mine if not lane.cores] or mine
        yield place, Spans.joined([trace.spans(lane.index) for lane in own])


def _seen(spans: Spans, until: int | None) -> Spans:
    """Those spans whose launch was seen, until the last step's end; all if no launch is known."""
    launched = spans["launched"] != ABSENT
    if until is not None and launched.any():
        spans = spans[launched & (spans["launched"] <= until)]
    return spans


def _time(place: str, spans: Spans, memory: NDArray[np.bool_], windows: Windows) -> RankTime:
    """The times within windows."""
    moves = IS_COMMUNICATION[spans["kind"]]
    computes = ~moves & ~memory[spans["name"]]
    span = int((windows.end - windows.start).sum())
    # Counted in time of the windows alone: what lies outside of them has no length.
    start, end = windows.covered(spans.start), windows.covered(spans.end)
    busy = union_ns(start, end)
    compute, communication = (union_ns(start[some], end[some]) for some in (computes, moves))
    either = union_ns(start[computes | moves], end[computes | moves])
    return RankTime(
        place, span, span - busy, compute, busy - compute, communication,
        compute + communication - either,
    )  # fmt: skip
