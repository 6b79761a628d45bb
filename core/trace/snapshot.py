"""What is known of a run at a moment, for a thread to read while the run goes on."""

from __future__ import annotations

from core.trace.columns import StepBounds
from core.trace.event_rows import Counter
from core.trace.spans import LaneSpans
from core.trace.trace import Trace


def snapshot(trace: Trace) -> Trace:
    """A run as it is now; nothing is added to it any more. Its log and clocks are left behind.

    Columns are shared: what stands in them stays, they only grow. Bounds of steps are copied.
    """
    steps = trace.step_table
    numbers, starts, ends = steps.numbers.copy(), steps.starts.copy(), steps.ends.copy()
    return Trace.of(
        trace.header,
        [LaneSpans.of(trace.spans(lane.index)) for lane in trace.header.lanes],
        trace.table,
        step_table=StepBounds.of(numbers, starts, ends, bounds=steps.bounds),
        counters=[Counter.of(c.name, c.lane, c.times, c.values, c.steps) for c in trace.counters],
        costs=trace.costs,
        open_tasks=trace.open_tasks,
    )
