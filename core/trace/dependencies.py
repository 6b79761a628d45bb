"""What a span waited for, and what waited for it, by columns: few spans are made, of many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.plan.task import ABSENT
from core.trace.span import Span
from core.trace.step import StepSpans
from core.trace.trace import Trace

_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Some of what a span waited for (`needs`) and of what waited for it (`dependents`).

    Those that matter come first: what ended last, and what the span held up.
    """

    needs: tuple[Span, ...]
    dependents: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class LaneLinks:
    """Dependencies between lanes, n entries each, by the `start` of the task that waits.

    That task is on `lane`; what it waited for ran from `needed_start` to `needed_end` on
    `needed_lane`. Times are ns.
    """

    needed_lane: NDArray[np.int32]
    needed_start: NDArray[np.int64]
    needed_end: NDArray[np.int64]
    lane: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]


def lane_links(trace: Trace) -> LaneLinks:
    """Return all dependencies between lanes of another program's trace.

    Each task of such a trace has one span, so no step is needed to find it.
    """
    table = trace.table
    if not len(table.after):
        none, moments = np.empty(0, np.int32), np.empty(0, np.int64)
        return LaneLinks(none, moments, moments, none, moments, moments)
    lane = np.full(len(table), ABSENT, np.int32)
    start, end = np.zeros(len(table), np.int64), np.zeros(len(table), np.int64)
    for number, spans in enumerate(trace.lanes):
        lane[spans.row], start[spans.row], end[spans.row] = number, spans.start, spans.end
    waiting = np.repeat(np.arange(len(table)), table.rows["after_count"])
    # Entries name tasks by their numbers, and rows need not be in the order of these.
    by_task = np.argsort(table.rows["task"], kind="stable")
    tasks = table.rows["task"][by_task]
    needed = by_task[np.minimum(np.searchsorted(tasks, table.after), len(tasks) - 1)]
    is_one = (table.rows["task"][needed] == table.after) & (lane[needed] != lane[waiting])
    is_one &= (lane[needed] != ABSENT) & (lane[waiting] != ABSENT)
    needed, waiting = needed[is_one], waiting[is_one]
    order = np.argsort(start[waiting], kind="stable")
    needed, waiting = needed[order], waiting[order]
    return LaneLinks(
        lane[needed], start[needed], end[needed], lane[waiting], start[waiting], end[waiting]
    )


def neighbours(trace: Trace, span: Span, most: int) -> Neighbours:
    """What a span waited for and what waited for it, as far as it has ended; `most` of each.

    A task waits only for tasks of smaller numbers (as in StepColumns): so who steps from a span to
    what it waited for, and on from there, never comes to one twice.
    """
    waiting = _waiting(trace, span)
    # What `span` held up comes first, and of the same weight what began first.
    by_weight = np.lexsort((waiting.spans.start, _held_by_others(trace, span, waiting.spans.row)))
    return Neighbours(
        _needs(trace, span, most),
        _some(trace, waiting, by_weight[:most]),
    )


def waited_for(trace: Trace, span: Span) -> Span | None:
    """The span, of those that `span` waited for, that ended last."""
    return next(iter(_needs(trace, span, 1)), None)


def _needs(trace: Trace, span: Span, most: int) -> tuple[Span, ...]:
    # A damaged file may have a task wait for a later one, or for itself.
    earlier = [task for task in span.after if task < span.task]
    needed = _of_tasks(trace, span.step, np.array(earlier, np.int32))
    return _some(trace, needed, np.argsort(-needed.spans.end, kind="stable")[:most])


def _waiting(trace: Trace, span: Span) -> StepSpans:
    """The spans of its step that waited for `span`."""
    table = trace.table
    entries = np.flatnonzero(table.after == span.task)
    # `after` of the table is one array over all tasks, in their order: an entry belongs to the last
    # task that begins before it.
    rows = np.searchsorted(table.rows["after"], entries, "right") - 1
    return StepSpans.of(trace, span.step, rows[table.rows["task"][rows] > span.task])


def _held_by_others(trace: Trace, span: Span, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether the tasks of some rows, which waited for `span`, waited for another even longer."""
    counts, tasks = trace.table.needs(rows)
    ends = _ends(trace, span.step, tasks)
    if span.end is None or not len(rows):
        return np.zeros(len(rows), np.bool_)
    # Each task's own entries begin where the counts of those before it end.
    later: NDArray[np.bool_] = np.maximum.reduceat(ends, np.cumsum(counts) - counts) > span.end
    return later


def _ends(trace: Trace, step: int, tasks: NDArray[np.int32]) -> NDArray[np.int64]:
    """When tasks of a step ended, in ns; a number below all times if one has not."""
    distinct, which = np.unique(tasks, return_inverse=True)
    spans = _of_tasks(trace, step, distinct).spans
    ends = np.full(len(distinct), _NEVER)
    ends[np.searchsorted(distinct, spans["task"])] = spans.end
    return ends[which]


def _of_tasks(trace: Trace, step: int, tasks: NDArray[np.int32]) -> StepSpans:
    rows = np.flatnonzero(np.isin(trace.table.rows["task"], tasks))
    return StepSpans.of(trace, step, rows)


def _some(trace: Trace, found: StepSpans, order: NDArray[np.intp]) -> tuple[Span, ...]:
    pairs = zip(found.lane[order].tolist(), found.index[order].tolist(), strict=True)
    return tuple(trace.span(lane, index) for lane, index in pairs)
