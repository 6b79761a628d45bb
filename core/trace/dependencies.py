"""What a span waited for, and what waited for it, by columns: few spans are made, of many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.spans import Spans
from core.trace.trace import Span, Trace

_NEVER = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Some of what a span waited for (`needs`) and of what waited for it (`dependents`).

    Those that matter come first: what ended last, and what the span held up. `needed` and
    `depending` count all of them.
    """

    needs: tuple[Span, ...]
    dependents: tuple[Span, ...]
    needed: int
    depending: int


@dataclass(frozen=True, slots=True)
class _Found:
    """Spans of a step, with the lane and index of each: n entries."""

    lane: NDArray[np.int64]
    index: NDArray[np.int64]
    spans: Spans

    def some(self, trace: Trace, order: NDArray[np.int64]) -> tuple[Span, ...]:
        pairs = zip(self.lane[order].tolist(), self.index[order].tolist(), strict=True)
        return tuple(trace.span(lane, index) for lane, index in pairs)


def neighbours(trace: Trace, span: Span, most: int) -> Neighbours:
    """What a span waited for and what waited for it, as far as it has ended; `most` of each.

    A task waits only for tasks of smaller numbers (as in StepColumns): so who steps from a span to
    what it waited for, and on from there, never comes to one twice.
    """
    earlier = [task for task in span.after if task < span.task]
    needed = _of_tasks(trace, span.step, np.array(earlier, np.int32))
    latest = np.argsort(-needed.spans.end, kind="stable")[:most]
    waiting = _waiting(trace, span)
    return Neighbours(
        needed.some(trace, latest),
        waiting.some(trace, _by_weight(trace, span, waiting)[:most]),
        len(needed.lane),
        len(waiting.lane),
    )


def _by_weight(trace: Trace, span: Span, waiting: _Found) -> NDArray[np.int64]:
    """The order of what waited: what `span` held up first, and of the same weight by start."""
    return np.lexsort((waiting.spans.start, _held_by_others(trace, span, waiting.spans.row)))


def _waiting(trace: Trace, span: Span) -> _Found:
    """The spans of its step that waited for `span`."""
    table = trace.table
    entries = np.flatnonzero(table.after == span.task)
    rows = np.searchsorted(table.rows["after"], entries, "right") - 1
    return _of_rows(trace, span.step, rows[table.rows["task"][rows] > span.task])


def _held_by_others(trace: Trace, span: Span, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether the tasks of some rows, which waited for `span`, waited for another even longer."""
    counts, tasks = trace.table.needs(rows)
    ends = _ends(trace, span.step, tasks)
    if span.end is None or not len(rows):
        return np.zeros(len(rows), np.bool_)
    later: NDArray[np.bool_] = np.maximum.reduceat(ends, np.cumsum(counts) - counts) > span.end
    return later


def _ends(trace: Trace, step: int, tasks: NDArray[np.int32]) -> NDArray[np.int64]:
    """When tasks of a step ended, in ns; a number below all times if one has not."""
    distinct, which = np.unique(tasks, return_inverse=True)
    found = _of_tasks(trace, step, distinct)
    ends = np.full(len(distinct), _NEVER)
    ends[np.searchsorted(distinct, trace.table.rows["task"][found.spans.row])] = found.spans.end
    return ends[which]


def _of_tasks(trace: Trace, step: int, tasks: NDArray[np.int32]) -> _Found:
    return _of_rows(trace, step, np.flatnonzero(np.isin(trace.table.rows["task"], tasks)))


def _of_rows(trace: Trace, step: int, rows: NDArray[Any]) -> _Found:
    """The spans of a step that have one of some rows of the table, lane by lane."""
    lanes, indices, parts = [], [], []
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        mine = spans.of_step(step)
        index = np.flatnonzero(np.isin(spans.row[mine], rows)) + mine.start
        lanes.append(np.full(len(index), lane))
        indices.append(index)
        parts.append(spans[index])
    return _Found(np.concatenate(lanes), np.concatenate(indices), Spans.joined(parts))
