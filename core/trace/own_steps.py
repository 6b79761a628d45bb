"""User-defined step boundaries for an imported trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.message import message
from core.trace.dependencies import needed_spans
from core.trace.imported import Imported
from core.trace.spans import Spans, TaskTable
from core.trace.step_bounds import StepBounds
from core.trace.trace import Trace

PART_STEP = 0
"""The number of the step of `with_range`."""


def with_steps(trace: Trace, ranges: Sequence[tuple[int, int]]) -> Trace:
    """Return the trace with a step from each mark, (start, end) in ns, to the start of the next.

    The last step ends with its mark, or with the trace if that mark is a moment. A step lasts as
    long as the spans that begin in it. Spans that start before the first step or after the last
    belong to no step. Raises ValueError if there is no mark, or if the last one is after the end of
    the trace.
    """
    if not ranges:
        raise ValueError(message("there is no mark at which a step could begin"))
    # The last mark; if several have the same start, the longest one.
    last_start, last_end = max(ranges)
    finish = last_end
    if last_start == last_end:
        # Steps are half open: + 1 includes a span that begins in the last ns.
        finish = trace.bounds[1] + 1
    if finish <= last_start:
        raise ValueError(message("the last mark is after the end of the trace"))
    starts = np.unique([start for start, _ in ranges]).astype(np.int64)
    trace = _with_task_per_span(trace)
    lanes = [_stepped(lane, starts, finish) for lane in trace.lanes]
    numbers = np.arange(len(starts))
    table = StepBounds.of(trace.header.lanes, lanes, numbers, trace.bounds)
    made = replace(trace, lanes=lanes, step_table=table, part=None)
    specification = replace(trace.header.specification, warmup=0)
    made.header = replace(trace.header, specification=specification)
    return made


def with_range(trace: Trace, start: int, end: int) -> Trace:
    """Return the trace with one step: the tasks that begin from `start` to before `end`, in ns.

    It has no step if nothing begins there. The figures of its ranks cover only this step.
    """
    made = with_steps(trace, [(start, end)])
    made.part = (start, end)
    return made


def _with_task_per_span(trace: Trace) -> Trace:
    """Return the trace with one plan that has a task for each span, in the order of the starts.

    With the old plans, a step with new bounds could contain a task twice: equal steps share a plan,
    and several plans have tasks with equal numbers.
    """
    if len(trace.table.firsts) <= 2 and trace.span_count <= len(trace.table):
        return trace
    spans = Spans.joined(trace.lanes)
    count = len(spans)
    order = np.argsort(spans.start, kind="stable")
    old_rows = spans.row[order]
    number = np.empty(count, np.int32)
    number[order] = np.arange(count, dtype=np.int32)
    waiting, needed = needed_spans(spans)
    after = number[waiting]
    before = number[needed]
    is_forward = before < after
    after = after[is_forward]
    before = before[is_forward]
    rows = trace.table.rows[old_rows]
    rows["after_count"] = np.bincount(after, minlength=count)
    by_waiter = np.argsort(after, kind="stable")
    table = TaskTable(trace.table.names)
    table.add(rows, before[by_waiter])
    lanes: list[Spans] = []
    first = 0
    for lane in trace.lanes:
        last = first + len(lane)
        row = number[first:last]
        lanes.append(replace(lane, table=table, row=row))
        first = last
    imported = _by_span(trace, old_rows)
    return replace(trace, table=table, lanes=lanes, imported=imported)


def _by_span(trace: Trace, rows: NDArray[np.int32]) -> Imported | None:
    """Return the data of an imported trace for a table with these rows of the present table."""
    imported = trace.imported
    if imported is None:
        return None
    colours = imported.colours
    if colours is not None:
        colours = colours[rows]
    arguments = imported.arguments
    if arguments is not None:
        arguments = arguments.ordered(rows.astype(np.int64))
    return replace(imported, colours=colours, arguments=arguments)


def _stepped(spans: Spans, starts: Ints, finish: int) -> Spans:
    """Return spans with the steps in which they start: ABSENT before the first, n at the end."""
    step = np.searchsorted(starts, spans.start, "right") - 1
    # Not ABSENT, because step numbers on a lane must not decrease.
    step[spans.start >= finish] = len(starts)
    return replace(spans, step=step.astype(np.int32))
