"""Dependencies of a span in both directions, found in columns without creating all spans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.order import find_keys
from core.trace.span import Span
from core.trace.spans import Spans
from core.trace.step import StepSpans
from core.trace.trace import Trace

_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Some spans that a span waited for (`needs`), and some that waited for it (`dependents`).

    The most relevant are first: needs that ended last, and dependents that the span delayed.
    """

    needs: tuple[Span, ...]
    dependents: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class LaneLinks:
    """The n dependencies between lanes as arrays of shape (n,), sorted by `start`.

    The waiting task ran on `lane` from `start` to `end`, the task that it waited for on
    `needed_lane` from `needed_start` to `needed_end`. Times are ns.
    """

    needed_lane: NDArray[np.int32]
    needed_start: Ints
    needed_end: Ints
    lane: NDArray[np.int32]
    start: Ints
    end: Ints


def lane_links(trace: Trace) -> LaneLinks:
    """Return all dependencies between lanes of another program's trace."""
    counts = [len(spans) for spans in trace.lanes]
    lane_numbers = np.arange(len(counts), dtype=np.int32)
    lane = np.repeat(lane_numbers, counts)
    if not len(trace.table.after):
        no_lanes = lane[:0]
        no_times = np.empty(0, np.int64)
        return LaneLinks(
            needed_lane=no_lanes,
            needed_start=no_times,
            needed_end=no_times,
            lane=no_lanes,
            start=no_times,
            end=no_times,
        )
    spans = Spans.joined(trace.lanes)
    waiting, needed = needed_spans(spans)
    is_between_lanes = lane[needed] != lane[waiting]
    needed = needed[is_between_lanes]
    waiting = waiting[is_between_lanes]
    waiting_start = spans.start[waiting]
    order = np.argsort(waiting_start, kind="stable")
    needed = needed[order]
    waiting = waiting[order]
    return LaneLinks(
        needed_lane=lane[needed],
        needed_start=spans.start[needed],
        needed_end=spans.end[needed],
        lane=lane[waiting],
        start=spans.start[waiting],
        end=spans.end[waiting],
    )


def needed_spans(spans: Spans) -> tuple[Ints, Ints]:
    """Return the positions of spans that waited, and of the spans in their step that they needed.

    The tasks of a plan run in several steps, so a span is found by its row and its step.
    """
    table = spans.table
    counts, tasks = table.needs(spans.row)
    waiting = np.repeat(np.arange(len(spans)), counts)
    plans = spans["plan"][waiting].astype(np.int64)
    wanted_row = table.firsts[plans] + tasks
    step = spans.step.astype(np.int64)
    rows = len(table)
    known = step * rows + spans.row
    wanted = step[waiting] * rows + wanted_row
    by_key = np.argsort(known, kind="stable")
    place, is_found = find_keys(known[by_key], wanted)
    needed = by_key[place]
    return waiting[is_found], needed[is_found]


def neighbours(trace: Trace, span: Span, most: int) -> Neighbours:
    """Return at most `most` finished spans in each direction of a span's dependencies.

    A task only waits for tasks with smaller numbers (as in StepColumns), so that walks along
    dependencies never visit a span twice.
    """
    needs = _needs(trace, span, most)
    waiting = _waiting(trace, span)
    waiting_spans = waiting.spans
    delayed_by_others = _delayed_by_others(trace, span, waiting_spans.row)
    # Spans that `span` delayed first; ties by start.
    order = np.lexsort((waiting_spans.start, delayed_by_others))
    dependents = _some(trace, waiting, order[:most])
    return Neighbours(needs, dependents)


def waited_for(trace: Trace, span: Span) -> Span | None:
    """Return the last span to end among the needs of `span`; None if it waited for none."""
    needs = _needs(trace, span, 1)
    return needs[0] if needs else None


def _needs(trace: Trace, span: Span, most: int) -> tuple[Span, ...]:
    # In a damaged file a task may wait for itself or for a later one.
    earlier = [task for task in span.after if task < span.task]
    needed = _of_tasks(trace, span.step, np.array(earlier, np.int32))
    latest_first = np.argsort(-needed.spans.end, kind="stable")
    return _some(trace, needed, latest_first[:most])


def _waiting(trace: Trace, span: Span) -> StepSpans:
    """Return the spans of its step that waited for `span`."""
    table = trace.table
    entries = np.flatnonzero(table.after == span.task)
    # An entry of `after` belongs to the last task whose entries begin at or before it.
    rows = np.searchsorted(table.rows["after"], entries, "right") - 1
    is_later = table.rows["task"][rows] > span.task
    return StepSpans.of(trace, span.step, rows[is_later])


def _delayed_by_others(trace: Trace, span: Span, rows: NDArray[np.int32]) -> Bools:
    """Return a mask of `rows`, all of which waited for `span`: True if another one ended later."""
    count = len(rows)
    if span.end is None or count == 0:
        return np.zeros(count, np.bool_)
    counts, tasks = trace.table.needs(rows)
    ends = _ends(trace, span.step, tasks)
    # A task's entries begin at the sum of the counts before it.
    firsts = np.cumsum(counts) - counts
    last_end = np.maximum.reduceat(ends, firsts)
    delayed: Bools = last_end > span.end
    return delayed


def _ends(trace: Trace, step: int, tasks: NDArray[np.int32]) -> Ints:
    """Return the ends in ns of tasks of a step; _NEVER for a task that has not ended."""
    distinct, which = np.unique(tasks, return_inverse=True)
    spans = _of_tasks(trace, step, distinct).spans
    place = np.searchsorted(distinct, spans["task"])
    ends = np.full(len(distinct), _NEVER)
    ends[place] = spans.end
    return ends[which]


def _of_tasks(trace: Trace, step: int, tasks: NDArray[np.int32]) -> StepSpans:
    is_wanted = np.isin(trace.table.rows["task"], tasks)
    rows = np.flatnonzero(is_wanted)
    return StepSpans.of(trace, step, rows)


def _some(trace: Trace, found: StepSpans, order: NDArray[np.intp]) -> tuple[Span, ...]:
    lanes = found.lane[order].tolist()
    indices = found.index[order].tolist()
    return tuple(map(trace.span, lanes, indices))
