"""Explains the idle time of a run's step, even if it lacks spans or overlaps the next step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.arrays import Bools, Ints, Positions
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import Bounds, Explanation, explain_step
from core.explain.intervals import subtract
from core.order import stable_argsort
from core.plan.plan import Lane, device_streams
from core.plan.task import ABSENT
from core.trace.complete import find_faults, is_over
from core.trace.job_steps import first_starts, lane_bounds
from core.trace.spans import Spans
from core.trace.step import StepColumns
from core.trace.trace import Trace


def explain_run_step(trace: Trace, step: int) -> Explanation:
    """Explain a step of a run from the spans that have been recorded so far.

    In a step that lacks spans all idle time is INCOMPLETE. In a step that still runs, the wait at
    the end of each lane is NOT_KNOWN, or INCOMPLETE if the run has ended during the step.
    """
    columns = StepColumns.of_trace(trace, step)
    lanes = trace.header.lanes
    if trace.step_table.follow:
        explanation = explain_step(columns, lanes, _rank_bounds(trace, step))
        explanation = _with_between_steps(explanation, trace, step)
        return _unless_faulty(explanation, trace, step)
    explanation = explain_step(columns, lanes)
    if trace.imported is not None:
        explanation = _until_next_step(explanation, trace, step)
        explanation = without_earlier_work(explanation, trace, step)
        return _without_unproven_host(explanation)
    if not is_over(trace, step):
        at_end = Cause.NOT_KNOWN if trace.outcome is None else Cause.INCOMPLETE
        return _without_ends(explanation, at_end)
    return _unless_faulty(explanation, trace, step)


def _unless_faulty(explanation: Explanation, trace: Trace, step: int) -> Explanation:
    """Return the explanation; for a step with a fault, one in which all causes are INCOMPLETE."""
    faults = find_faults(trace, step)
    if not faults:
        return explanation
    # Each gap becomes one piece: in a step that lacks spans its parts are unknown.
    gaps, first = np.unique(explanation.gap, return_index=True)
    next_first = np.append(first[1:], len(explanation.gap))
    # Without idle time `next_first` has one entry too many; the slice drops it.
    last = next_first[: len(first)] - 1
    start = explanation.start[first]
    end = explanation.end[last]
    whole = _picked(explanation, last, start, end)
    code = CAUSES.index(Cause.INCOMPLETE)
    incomplete = np.full(len(gaps), code, np.int8)
    return replace(whole, cause=incomplete, fault=faults[0].text)


def _with_cause(explanation: Explanation, pieces: Bools, cause: Cause) -> Explanation:
    """Return the explanation with another cause for the pieces of a mask."""
    code = np.int8(CAUSES.index(cause))
    return replace(explanation, cause=np.where(pieces, code, explanation.cause))


def _without_unproven_host(explanation: Explanation) -> Explanation:
    """Replace the cause HOST by UNEXPLAINED where the trace does not prove it.

    The host was late if the task was launched after its lane became idle, or, without a recorded
    launch, if the trace has the task's dependencies.
    """
    columns = explanation.columns
    blocking = explanation.blocking
    is_host = explanation.cause == CAUSES.index(Cause.HOST)
    # The first piece of a gap begins with the gap, or when the lane's earlier work has ended.
    _, first, gap = np.unique(explanation.gap, return_index=True, return_inverse=True)
    idle_since = explanation.start[first[gap]]
    launched = columns.launched[blocking]
    was_late = launched >= idle_since
    dependencies = np.diff(columns.after_first)
    has_dependencies = dependencies[blocking] > 0
    is_proven = np.where(launched == ABSENT, has_dependencies, was_late)
    # The host is also proven if a stream waits for a thread of its host.
    is_thread = _is_host_thread(explanation.lanes)
    is_proven |= is_thread[columns.lane[blocking]]
    return _with_cause(explanation, is_host & ~is_proven, Cause.UNEXPLAINED)


def _is_host_thread(lanes: Sequence[Lane]) -> Bools:
    """Return True for each lane that is a thread of a host with streams."""
    with_streams: set[str] = set()
    for lane in lanes:
        if lane.stream_of and not lane.cores:
            with_streams.add(lane.device)
    is_thread = np.zeros(len(lanes), np.bool_)
    for lane in lanes:
        has_streams = lane.device in with_streams
        is_thread[lane.index] = bool(lane.cores) and has_streams
    return is_thread


def _rank_bounds(trace: Trace, step: int) -> Bounds:
    """Return the start and end of a job's step, overall and for each of its ranks."""
    steps = np.array([step], np.int64)
    lanes = trace.header.lanes
    begins = np.zeros(len(lanes), np.int64)
    finishes = np.zeros(len(lanes), np.int64)
    of_rank: dict[int, tuple[Ints, Ints]] = {}
    for lane in lanes:
        main = lane.serves
        if main not in of_rank:
            of_rank[main] = lane_bounds(trace, main, steps)
        starts, ends = of_rank[main]
        begins[lane.index] = starts[0]
        finishes[lane.index] = ends[0]
    begin, finish = trace.step_bounds(step)
    return Bounds(
        begin=begin,
        finish=finish,
        begins=begins,
        finishes=finishes,
        follow=True,
    )


def _with_between_steps(explanation: Explanation, trace: Trace, step: int) -> Explanation:
    """Replace the cause HOST by BETWEEN_STEPS before the first task of each rank in the step."""
    steps = np.array([step], np.int64)
    first = np.zeros(len(explanation.lanes), np.int64)
    of_rank: dict[int, Ints] = {}
    for lane in explanation.lanes:
        main = lane.serves
        if main not in of_rank:
            of_rank[main] = first_starts(trace, main, steps)
        first[lane.index] = of_rank[main][0]
    is_before = explanation.end <= first[explanation.lane]
    is_host = explanation.cause == CAUSES.index(Cause.HOST)
    return _with_cause(explanation, is_before & is_host, Cause.BETWEEN_STEPS)


def _picked(explanation: Explanation, pieces: Positions, start: Ints, end: Ints) -> Explanation:
    """Return an explanation with only some pieces, in the order of `pieces`, at new times."""
    lane = explanation.lane[pieces]
    count = len(explanation.lanes)
    return replace(
        explanation,
        lane=lane,
        start=start,
        end=end,
        cause=explanation.cause[pieces],
        blocking=explanation.blocking[pieces],
        gap=explanation.gap[pieces],
        lane_first=np.searchsorted(lane, np.arange(count + 1)),
    )


def _until_next_step(explanation: Explanation, trace: Trace, step: int) -> Explanation:
    """Cut the idle time at the start of the next step, which may overlap the end of this one.

    Only steps of other programs' traces overlap: there the start of a task decides its step.
    """
    table = trace.step_table
    later_starts = table.starts[table.numbers > step]
    if not len(later_starts):
        return explanation
    limit = later_starts[0]
    if limit >= explanation.finish:
        return explanation
    kept = np.flatnonzero(explanation.start < limit)
    start = explanation.start[kept]
    end = np.minimum(explanation.end[kept], limit)
    return _picked(explanation, kept, start, end)


def without_earlier_work(explanation: Explanation, trace: Trace, step: int) -> Explanation:
    """Remove the time in which a lane still works for an earlier step.

    A stream is not idle while any stream of its device works. A piece may be cut into several.
    """
    lanes = explanation.lanes
    busy: list[tuple[Ints, Ints]] = []
    count = 0
    for lane in lanes:
        of_lane = _ending_after(trace.spans(lane.index), step, explanation.begin)
        busy.append(of_lane)
        count += len(of_lane[0])
    if not count:
        return explanation
    # Join once per device: it may have thousands of streams.
    for streams in device_streams(lanes).values():
        joined = _joined([busy[stream.index] for stream in streams])
        for stream in streams:
            busy[stream.index] = joined
    pieces = []
    starts = []
    ends = []
    bounds = explanation.lane_first.tolist()
    for lane in lanes:
        first = bounds[lane.index]
        last = bounds[lane.index + 1]
        idle_start = explanation.start[first:last]
        idle_end = explanation.end[first:last]
        busy_start, busy_end = busy[lane.index]
        piece, start, end = subtract(idle_start, idle_end, busy_start, busy_end)
        pieces.append(first + piece)
        starts.append(start)
        ends.append(end)
    piece = np.concatenate(pieces)
    start = np.concatenate(starts)
    end = np.concatenate(ends)
    return _picked(explanation, piece, start, end)


def _joined(times: Sequence[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """Join the starts and ends of several lanes, sorted by start."""
    start, end = map(np.concatenate, zip(*times, strict=True))
    order = stable_argsort(start)
    return start[order], end[order]


def _ending_after(spans: Spans, step: int, begin: int) -> tuple[Ints, Ints]:
    """Return starts and ends of a lane's spans of earlier steps that end after `begin` (ns)."""
    earlier = spans[: spans.of_step(step).start]
    # Spans of one lane do not overlap, so their ends are sorted as well.
    first = int(np.searchsorted(earlier.end, begin, "right"))
    return earlier.start[first:], earlier.end[first:]


def _without_ends(explanation: Explanation, cause: Cause) -> Explanation:
    """Replace the gap at the end of each lane by one piece with the given cause."""
    columns = explanation.columns
    last = np.full(len(explanation.lanes), explanation.begin)
    np.maximum.at(last, columns.lane, columns.end)
    last_end = last[explanation.lane]
    at_end = explanation.start >= last_end
    # The first piece at a lane's end is kept and extended to the end of the step.
    is_first = explanation.start == last_end
    kept = np.flatnonzero(~at_end | is_first)
    start = explanation.start[kept]
    end = np.where(at_end, explanation.finish, explanation.end)
    pieces = _picked(explanation, kept, start, end[kept])
    return _with_cause(pieces, at_end[kept], cause)
