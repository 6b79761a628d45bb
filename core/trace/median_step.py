"""The median step of a run, whose figures represent the whole run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Ints
from core.plan.task import ABSENT
from core.trace.columns import sorted_positions
from core.trace.complete import completed_steps, measured_steps
from core.trace.trace import Trace


def whole_steps(trace: Trace, live: bool = False) -> list[int]:
    """Return the steps from which the median is chosen: measured steps that are complete.

    A recording without losses does not show which steps are complete: then these are all measured
    steps, or all steps if none is measured, without the last one of a run that is still `live`.
    """
    steps = measured_steps(trace) or trace.steps
    return completed_steps(trace) or (steps[:-1] if live else steps)


def median_step(trace: Trace, steps: Sequence[int]) -> int:
    """Return the step with the median makespan among `steps`, which must not be empty.

    All steps must have spans. Of an even number of steps the shorter of the middle two is returned.
    Only steps of the most frequent plan count, because the last batch of an epoch may be smaller;
    all count if each has a different plan.
    """
    numbers = np.asarray(steps_of_usual_plan(trace, steps), np.int64)
    table = trace.step_table
    places = sorted_positions(table.numbers, numbers)
    makespans = table.ends[places] - table.starts[places]
    by_makespan = numbers[np.argsort(makespans, kind="stable")]
    middle = (len(by_makespan) - 1) // 2
    return int(by_makespan[middle])


def slowest_step(trace: Trace, steps: Sequence[int]) -> int:
    """Return the step with the longest makespan among `steps`, which must not be empty.

    The same steps count as for `median_step`. Of equally long steps the first is returned.
    """
    numbers = np.asarray(steps_of_usual_plan(trace, steps), np.int64)
    table = trace.step_table
    places = sorted_positions(table.numbers, numbers)
    makespans = table.ends[places] - table.starts[places]
    return int(numbers[np.argmax(makespans)])


def steps_of_usual_plan(trace: Trace, steps: Sequence[int]) -> list[int]:
    """Return those of `steps` with the most frequent plan; all if each has a different plan.

    `steps` must not be empty, and all must have spans.
    """
    numbers = np.asarray(steps, np.int64)
    plans = _plans(trace, numbers)
    each, counts = np.unique(plans, return_counts=True)
    if counts.max() > 1:
        numbers = numbers[plans == each[counts.argmax()]]
    return [int(step) for step in numbers]


def _plans(trace: Trace, steps: Ints) -> Ints:
    """Return the plan number of each of n steps, from its first span on the first lane with one."""
    plans = np.full(len(steps), ABSENT, np.int64)
    plan_of_row = trace.table.rows["plan"]
    for lane in trace.header.lanes:
        spans = trace.spans(lane.index)
        firsts = sorted_positions(spans.step, steps)
        ends = sorted_positions(spans.step, steps, "right")
        is_first = (plans == ABSENT) & (firsts < ends)
        rows = spans.row[firsts[is_first]]
        plans[is_first] = plan_of_row[rows]
        if (plans != ABSENT).all():
            break
    return plans
