"""Durations of a task, or of the gap before it, in the other steps of a run."""

from __future__ import annotations

import numpy as np

from core.explain.lanes import Gap, gaps_within
from core.plan.task import ABSENT
from core.trace.complete import measured_steps
from core.trace.span import Span
from core.trace.trace import Trace

MOST_STEPS = 64
"""Number of the latest measured steps to compare."""


def durations_in_other_steps(trace: Trace, span: Span) -> list[int]:
    """Return the ns that a span's task takes in the other measured steps, on the same lane.

    Steps in which the lane runs no such task are left out.
    """
    spans = trace.spans(span.lane)
    found = []
    for step in _other_steps(trace, span.step):
        place = _place(trace, span.lane, step, span.task)
        if place is not None:
            duration = spans.end[place] - spans.start[place]
            found.append(int(duration))
    return found


def gaps_in_other_steps(trace: Trace, gap: Gap) -> list[int]:
    """Return the ns of the same gap in the other measured steps: 0 where the lane does not wait.

    The same gap is the one before the same task, or after the last task of a step.
    """
    spans = trace.spans(gap.lane)
    task = ABSENT
    if gap.before is not None:
        row = spans.row[gap.before]
        task = int(trace.table.rows["task"][row])
    found = []
    for step in _other_steps(trace, gap.step):
        before: int | None = ABSENT
        if gap.before is not None:
            before = _place(trace, gap.lane, step, task)
        if before is not None:
            gaps = gaps_within(trace, gap.lane, step, step)
            is_same = gaps.before == before
            lengths = gaps.end - gaps.start
            found.append(int(lengths[is_same].sum()))
    return found


def _other_steps(trace: Trace, step: int) -> list[int]:
    latest = measured_steps(trace)[-MOST_STEPS:]
    return [other for other in latest if other != step]


def _place(trace: Trace, lane: int, step: int, task: int) -> int | None:
    """Return the index of a task's span among a lane's spans, None if the lane does not run it."""
    spans = trace.spans(lane)
    mine = spans.of_step(step)
    rows = spans.row[mine]
    tasks = trace.table.rows["task"][rows]
    hits = np.flatnonzero(tasks == task)
    if not len(hits):
        return None
    place: int = mine.start + int(hits[0])
    return place
