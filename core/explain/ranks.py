"""Idle, compute, communication and overlap time of each rank of a trace, by union of intervals.

The definitions are taken from Holistic Trace Analysis (github.com/facebookresearch/
HolisticTraceAnalysis, temporal breakdown). From the first start to the last end on a rank's device,
time is compute while any stream computes, else idle while no stream works, else communication or
memory alone. Overlap is the part of communication during which the rank also computes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.arrays import Bools, Ints
from core.explain.intervals import intersect
from core.explain.statistics import union_ns
from core.order import groups
from core.plan.plan import Lane, device_streams
from core.plan.task import ABSENT, IS_COMMUNICATION
from core.recording.importers.event_names import MEMORY_COPY, matches
from core.trace.own_steps import PART_STEP
from core.trace.spans import Spans
from core.trace.trace import Trace
from core.trace.warmup import first_measured, found_warmup


@dataclass(frozen=True, slots=True)
class RankTime:
    """A rank's time in ns; `idle + compute + moving` is `span`.

    `communication` is all communication, `overlap` its part that is hidden by compute. `moving` is
    the time with communication or memory operations but without compute.
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
        """Fraction of communication that is hidden by compute, 0 to 1; 0 without communication."""
        if not self.communication_ns:
            return 0.0
        return self.overlap_ns / self.communication_ns

    @property
    def exposed_ns(self) -> int:
        """Communication during which the rank does not compute."""
        return self.communication_ns - self.overlap_ns

    @property
    def memory_ns(self) -> int:
        """Time with copies and fills of memory, but without communication or compute."""
        return self.moving_ns - self.exposed_ns


@dataclass(frozen=True, slots=True)
class Windows:
    """Disjoint intervals of time in ns, in order."""

    start: Ints
    end: Ints

    def covered(self, times: Ints) -> Ints:
        """Return the part of the windows that is before each time, in ns."""
        lengths = self.end - self.start
        total = np.append(0, np.cumsum(lengths))
        # The number of windows that have begun at each time; the last may not have ended.
        begun = np.searchsorted(self.start, times, "right")
        # Before the first window there is no window under way.
        ends = np.append(times.min(initial=0), self.end)
        rest = np.maximum(ends[begun] - times, 0)
        result: Ints = total[begun] - rest
        return result

    def cut(self, start: int, end: int) -> Windows:
        """Return the parts of the windows between two times."""
        begins = np.maximum(self.start, start)
        ends = np.minimum(self.end, end)
        some = begins < ends
        return Windows(begins[some], ends[some])


@dataclass(frozen=True, slots=True)
class Device:
    """A device of a recorded trace with the spans of all its streams.

    `main` is the lane of its main stream. The device is `in_use` from the first start to the last
    end of its tasks, or each time between two pauses of the profiler; only that time counts. In a
    trace with steps, tasks at either end are ignored if their launch was not recorded or is after
    the last step: work that was launched before the trace began would look like an idle host. If
    the first steps are warm-up (core.trace.warmup), the time in use begins with the first measured
    step. In a trace with a `part` only the tasks of the part count.
    """

    name: str
    main: int
    spans: Spans
    in_use: Windows


def rank_times(trace: Trace) -> list[RankTime]:
    """Return the times of each place of a trace, while it is in use (see Device).

    A place with the streams of several devices has the times of each device. If it has no streams,
    its lanes without cores count, or else all its lanes.
    """
    return list(each_rank_time(trace))


def each_rank_time(trace: Trace) -> Iterator[RankTime]:
    """Yield the items of `rank_times` one by one: many ranks with many tasks take seconds."""
    is_memory = _is_memory(trace)
    for place, spans in _places(trace):
        in_use = _in_use(trace, spans)
        yield _time(place, spans, is_memory, in_use)


def imported_rank_times(trace: Trace) -> list[RankTime]:
    """Return the times of each rank in another program's trace; [] for runs and recorded jobs.

    These have figures of their steps instead, and record no launches.
    """
    if trace.imported is None:
        return []
    return rank_times(trace)


def devices_of(trace: Trace) -> list[Device]:
    """Return the devices that have tasks and whose streams another program recorded."""
    devices = device_streams(trace.header.lanes)
    count = Counter(streams[0].device for streams in devices.values())
    found: list[Device] = []
    for main, streams in devices.items():
        spans_of_streams = [trace.spans(stream.index) for stream in streams]
        spans = Spans.joined(spans_of_streams)
        in_use = _in_use(trace, spans)
        if not len(in_use.start):
            continue
        first = streams[0]
        name = first.device
        if count[name] > 1:
            name = f"{name} {first.stream_of}"
        found.append(
            Device(
                name=name,
                main=main,
                spans=spans,
                in_use=in_use,
            )
        )
    return found


def device_time(trace: Trace, device: Device, windows: Windows) -> RankTime:
    """Return the times of a device while it is in use within the windows."""
    _, _, start, end = intersect(windows.start, windows.end, device.in_use.start, device.in_use.end)
    return _time(device.name, device.spans, _is_memory(trace), Windows(start, end))


def _is_memory(trace: Trace) -> Bools:
    """Return True for each name of the trace that is a copy or fill of memory.

    The last entry is for tasks without a name, which have the position -1.
    """
    return np.append(matches(trace.table.names, MEMORY_COPY), False)


def _in_use(trace: Trace, spans: Spans) -> Windows:
    """Return the time in which a device with these spans is in use; empty if it has no tasks.

    If the profiler recorded several times, there is an interval for each time.
    """
    if trace.part is not None:
        counted = spans[spans.step == PART_STEP]
    else:
        ends = trace.step_table.ends
        until = int(ends[-1]) if len(ends) else None
        counted = _with_known_launch(spans, until)
    earliest = trace.bounds[0]
    if trace.part is None and found_warmup(trace) is not None:
        earliest, _ = trace.step_bounds(first_measured(trace))
    use_starts = []
    use_ends = []
    pauses = () if trace.imported is None else trace.imported.pauses
    pause_ends = [end for _, end in pauses]
    pauses_before = np.searchsorted(pause_ends, counted.start, "right")
    for own in groups(pauses_before):
        tasks = counted[own]
        first = max(int(tasks.start.min()), earliest)
        last = int(tasks.end.max())
        if first < last:
            use_starts.append(first)
            use_ends.append(last)
    return Windows(np.array(use_starts, np.int64), np.array(use_ends, np.int64))


def _places(trace: Trace) -> Iterator[tuple[str, Spans]]:
    """Yield the name of each place or device with its spans."""
    of_place: dict[str, list[Lane]] = {}
    for lane in trace.header.lanes:
        of_place.setdefault(lane.device, []).append(lane)
    for place, lanes in of_place.items():
        of_device: dict[str, list[Lane]] = {}
        for lane in lanes:
            if lane.stream_of:
                of_device.setdefault(lane.stream_of, []).append(lane)
        if not of_device:
            # Threads of a host have cores. They count only at places without lanes of a device.
            of_device[""] = [lane for lane in lanes if not lane.cores] or lanes
        for device, own in of_device.items():
            name = f"{place} {device}" if len(of_device) > 1 else place
            spans = [trace.spans(lane.index) for lane in own]
            yield name, Spans.joined(spans)


def _with_known_launch(spans: Spans, until: int | None) -> Spans:
    """Return the spans that were launched until a time; all of them if no launch was recorded."""
    launched = spans["launched"]
    is_known = launched != ABSENT
    if until is None or not is_known.any():
        return spans
    counted: Spans = spans[is_known & (launched <= until)]
    return counted


def _time(place: str, spans: Spans, is_memory: Bools, windows: Windows) -> RankTime:
    """Return the times of a place's spans in the windows."""
    moves = IS_COMMUNICATION[spans["kind"]]
    is_copy = is_memory[spans["name"]]
    computes = ~moves & ~is_copy
    either = computes | moves
    span = int((windows.end - windows.start).sum())
    # On an axis that has only the windows, so that time outside them has no length.
    start = windows.covered(spans.start)
    end = windows.covered(spans.end)
    busy = union_ns(start, end)
    compute = union_ns(start[computes], end[computes])
    communication = union_ns(start[moves], end[moves])
    together = union_ns(start[either], end[either])
    return RankTime(
        place=place,
        span_ns=span,
        idle_ns=span - busy,
        compute_ns=compute,
        moving_ns=busy - compute,
        communication_ns=communication,
        overlap_ns=compute + communication - together,
    )
