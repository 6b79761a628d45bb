"""The median step of a run: the one step whose figures are shown where a run has one figure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.plan.task import ABSENT
from core.trace.columns import sorted_positions
from core.trace.complete import completed_steps, measured_steps
from core.trace.trace import Trace


def whole_steps(trace: Trace, live: bool = False) -> list[int]:
    """Return the steps from which the median one is chosen: measured, and run to their end.

    Of a recording that names no losses these are all measured steps, and without measured steps all
    steps; but not the last one of a run that is still `live`.
    """
    steps = measured_steps(trace) or trace.steps
    return completed_steps(trace) or (steps[:-1] if live else steps)


def median_step(trace: Trace, steps: Sequence[int]) -> int:
    """Return the step of median makespan among `steps`, at least one, all with spans.

    It is a step that was run: of an even number the shorter of the middle two. Only steps of the
    commonest plan count, as the last batch of an epoch may be smaller; all count if no two have a
    plan in common.
    """
    numbers = np.asarray(steps, np.int64)
    plans = _plans(trace, numbers)
    each, counts = np.unique(plans, return_counts=True)
    if counts.max() > 1:
        numbers = numbers[plans == each[counts.argmax()]]
    table = trace.step_table
    places = sorted_positions(table.numbers, numbers)
    makespans = table.ends[places] - table.starts[places]
    order = np.argsort(makespans, kind="stable")
    return int(numbers[order[(len(order) - 1) // 2]])


def _plans(trace: Trace, steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the plan's number of each of n steps: that of the first span of its first lane."""
    plans = np.full(len(steps), ABSENT, np.int64)
    plan_of_row = trace.table.rows["plan"]
    for lane in trace.header.lanes:
        spans = trace.spans(lane.index)
        firsts = sorted_positions(spans.step, steps)
        ends = sorted_positions(spans.step, steps, "right")
        found = (plans == ABSENT) & (firsts < ends)
        plans[found] = plan_of_row[spans.row[firsts[found]]]
        if (plans != ABSENT).all():
            break
    return plans
