"""User-defined step boundaries for an imported trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.trace.spans import Spans
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
    starts = np.unique(np.array([start for start, _ in ranges], np.int64))
    if not len(starts):
        raise ValueError("there is no mark at which a step could begin")
    last = max(end for start, end in ranges if start == starts[-1])
    # Steps are half open: + 1 includes a span that begins in the last ns.
    finish = trace.bounds[1] + 1 if last == starts[-1] else last
    if finish <= starts[-1]:
        raise ValueError("the last mark lies behind the end of the trace")
    lanes = [_stepped(lane, starts, finish) for lane in trace.lanes]
    table = StepBounds.of(trace.header.lanes, lanes, np.arange(len(starts)), trace.bounds)
    made = replace(trace, lanes=lanes, step_table=table, part=None)
    made.header = replace(trace.header, specification=replace(trace.header.specification, warmup=0))
    return made


def with_range(trace: Trace, start: int, end: int) -> Trace:
    """Return the trace with one step: the tasks that begin from `start` to before `end`, in ns.

    It has no step if nothing begins there. The figures of its ranks cover only this step.
    """
    made = with_steps(trace, [(start, end)])
    made.part = (start, end)
    return made


def _stepped(spans: Spans, starts: NDArray[np.int64], finish: int) -> Spans:
    """Return spans with the steps in which they start: ABSENT before the first, n at the end."""
    step = np.searchsorted(starts, spans.start, "right") - 1
    # Not ABSENT, because step numbers on a lane must not decrease.
    step[spans.start >= finish] = len(starts)
    return replace(spans, step=step.astype(np.int32))
