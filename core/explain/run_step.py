"""The idle time of a run's step: also of one that lacks spans, goes on, or overlaps the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.costs.waits import Positions
from core.explain.causes import CAUSES, Bounds, Cause, Explanation, Ints, explain_step
from core.explain.intervals import subtract
from core.order import stable_argsort
from core.plan.plan import device_streams
from core.plan.task import ABSENT
from core.trace.complete import find_faults, is_over
from core.trace.job_steps import first_starts, lane_bounds
from core.trace.spans import Spans
from core.trace.step import StepColumns
from core.trace.trace import Trace


def explain_run_step(trace: Trace, step: int) -> Explanation:
    """Explain a step of a run from the spans that it has so far; not one that lacks some.

    Of one that is not over what a lane waits for at its end is NOT_KNOWN; INCOMPLETE if the run has
    ended in the middle of it, since nothing more will be told then.
    """
    columns = StepColumns.of_trace(trace, step)
    if trace.step_table.follow:
        explanation = explain_step(columns, trace.header.lanes, _own_bounds(trace, step))
        return _unless_faulty(_between_steps(explanation, trace, step), trace, step)
    explanation = explain_step(columns, trace.header.lanes)
    if trace.imported is not None:
        explanation = _as_far_as_told(explanation)
        return without_earlier_work(_until_next(explanation, trace, step), trace, step)
    if not is_over(trace, step):
        at_end = Cause.NOT_KNOWN if trace.outcome is None else Cause.INCOMPLETE
        return _without_ends(explanation, at_end)
    return _unless_faulty(explanation, trace, step)


def _unless_faulty(explanation: Explanation, trace: Trace, step: int) -> Explanation:
    """Return the same, but of a step with a fault all idle time as INCOMPLETE."""
    faults = find_faults(trace, step)
    if not faults:
        return explanation
    # Each gap becomes one piece again: what divides it is not known of a step that lacks spans.
    gap, first = np.unique(explanation.gap, return_index=True)
    last = np.append(first[1:], len(explanation.gap)) - 1 if len(first) else first
    whole = _picked(explanation, last, explanation.start[first], explanation.end[last])
    incomplete = np.full(len(gap), CAUSES.index(Cause.INCOMPLETE), np.int8)
    return replace(whole, cause=incomplete, fault=faults[0].text)


def _as_far_as_told(explanation: Explanation) -> Explanation:
    """The same with NOT_TOLD as the cause of what is laid to the host, but nothing shows that.

    The host was late for a task that was launched after its lane became idle, or, where the trace
    has no launch of it, that names what it waited for.
    """
    late = explanation.cause == CAUSES.index(Cause.HOST)
    columns, blocking = explanation.columns, explanation.blocking
    # Of several pieces of a gap the first begins with it.
    _, first, gap = np.unique(explanation.gap, return_index=True, return_inverse=True)
    idle_since = explanation.start[first][gap]
    launched = columns.launched[blocking]
    names_waits = np.diff(columns.after_first)[blocking] > 0
    by_host = np.where(launched == ABSENT, names_waits, launched >= idle_since)
    # A stream that waits for its host's own thread.
    lanes = explanation.lanes
    of_device = {lane.device for lane in lanes if lane.stream_of and not lane.cores}
    threads = [bool(lane.cores) and lane.device in of_device for lane in lanes]
    by_host |= np.array(threads, np.bool_)[columns.lane[blocking]]
    not_told = np.int8(CAUSES.index(Cause.NOT_TOLD))
    return replace(explanation, cause=np.where(late & ~by_host, not_told, explanation.cause))


def _own_bounds(trace: Trace, step: int) -> Bounds:
    """Return when a job's step begins and finishes, and when it does for each of its ranks."""
    steps, lanes = np.array([step], np.int64), trace.header.lanes
    of_rank = {main: lane_bounds(trace, main, steps) for main in {lane.serves for lane in lanes}}
    begins, finishes = (
        np.array([of_rank[lane.serves][which][0] for lane in lanes], np.int64) for which in (0, 1)
    )
    return Bounds(*trace.step_bounds(step), begins, finishes, follow=True)


def _between_steps(explanation: Explanation, trace: Trace, step: int) -> Explanation:
    """The same with BETWEEN_STEPS as the cause of what is late before anything of a rank begins."""
    steps = np.array([step], np.int64)
    lanes = explanation.lanes
    firsts = {main: first_starts(trace, main, steps)[0] for main in {one.serves for one in lanes}}
    first = np.array([firsts[lane.serves] for lane in lanes], np.int64)
    is_before = explanation.end <= first[explanation.lane]
    is_before &= explanation.cause == CAUSES.index(Cause.HOST)
    between = np.int8(CAUSES.index(Cause.BETWEEN_STEPS))
    return replace(explanation, cause=np.where(is_before, between, explanation.cause))


def _picked(explanation: Explanation, pieces: Positions, start: Ints, end: Ints) -> Explanation:
    """The same with some of its pieces alone, in their order, at other times."""
    lane = explanation.lane[pieces]
    return replace(
        explanation,
        lane=lane,
        start=start,
        end=end,
        cause=explanation.cause[pieces],
        blocking=explanation.blocking[pieces],
        gap=explanation.gap[pieces],
        lane_first=np.searchsorted(lane, np.arange(len(explanation.lanes) + 1)),
    )


def _until_next(explanation: Explanation, trace: Trace, step: int) -> Explanation:
    """The same up to the next step, in which a lane may well work while this one's last task runs.

    Only steps of other programs' traces overlap so: their tasks are told apart by when they start.
    """
    starts = trace.step_table.starts
    behind = starts[trace.step_table.numbers > step]
    if not len(behind) or behind[0] >= explanation.finish:
        return explanation
    kept = np.flatnonzero(explanation.start < behind[0])
    end = np.minimum(explanation.end[kept], behind[0])
    return _picked(explanation, kept, explanation.start[kept], end)


def without_earlier_work(explanation: Explanation, trace: Trace, step: int) -> Explanation:
    """The same without the time for which a lane still works for an earlier step.

    A stream is not idle while any stream of its device does. Each piece may be cut into several.
    """
    lanes = explanation.lanes
    late = [_ending_after(trace.spans(one.index), step, explanation.begin) for one in lanes]
    if not any(len(start) for start, _ in late):
        return explanation
    # The streams of a device are joined once for all of them: there may be thousands.
    busy = dict(enumerate(late))
    for streams in device_streams(lanes).values():
        working = [stream.index for stream in streams]
        busy |= dict.fromkeys(working, _joined([late[index] for index in working]))
    parts = []
    for lane in lanes:
        first, last = explanation.lane_first[lane.index : lane.index + 2].tolist()
        start, end = explanation.start[first:last], explanation.end[first:last]
        piece, start, end = subtract(start, end, *busy[lane.index])
        parts.append((first + piece, start, end))
    return _picked(explanation, *map(np.concatenate, zip(*parts, strict=True)))


def _joined(times: Sequence[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """Starts and ends of all of several lanes' spans, by start."""
    start, end = (np.concatenate(some) for some in zip(*times, strict=True))
    order = stable_argsort(start)
    return start[order], end[order]


def _ending_after(spans: Spans, step: int, begin: int) -> tuple[Ints, Ints]:
    """Starts and ends of a lane's spans of steps before `step` that end after `begin` (ns)."""
    earlier = spans[: spans.of_step(step).start]
    # Spans of one lane do not overlap, so their ends are sorted as well.
    late = earlier[int(np.searchsorted(earlier.end, begin, "right")) :]
    return late.start, late.end


def _without_ends(explanation: Explanation, cause: Cause) -> Explanation:
    """The same with one piece, of this cause, for each lane's last gap if it ends with the step."""
    columns, lanes = explanation.columns, len(explanation.lanes)
    last = np.full(lanes, explanation.begin)
    np.maximum.at(last, columns.lane, columns.end)
    at_end = explanation.start >= last[explanation.lane]
    # Of the pieces at a lane's end only the first stays, and lasts until the step's end.
    kept = np.flatnonzero(~at_end | (explanation.start == last[explanation.lane]))
    end = np.where(at_end, explanation.finish, explanation.end)[kept]
    kept_pieces = _picked(explanation, kept, explanation.start[kept], end)
    unknown = np.int8(CAUSES.index(cause))
    return replace(kept_pieces, cause=np.where(at_end[kept], unknown, kept_pieces.cause))
