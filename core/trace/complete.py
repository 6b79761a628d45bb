"""Checks that a run's steps are complete: a span for every planned task, and no overlaps.

A missing span would look like idle time, and all sums would still be consistent. So a step with
missing or repeated spans is reported as incomplete and is not explained.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.plan.plan import Role, working_lanes
from core.plan.task import ABSENT
from core.trace.columns import sorted_positions
from core.trace.source import Source
from core.trace.spans import Spans
from core.trace.step_bounds import Fault
from core.trace.trace import Trace
from core.trace.warmup import first_measured

MOST_NAMED = 3


def run_faults(trace: Trace) -> tuple[Fault, ...]:
    """Return the faults of finished steps, cached for each version of the trace."""
    # Log, status bar and every figure call this several times a second while a run is live.
    if trace.known_faults is None or trace.faults_version != trace.version:
        trace.known_faults, trace.faults_version = find_faults(trace), trace.version
    return trace.known_faults


def find_faults(trace: Trace, step: int | None = None) -> tuple[Fault, ...]:
    """Return the faults of all finished steps, or of one step; sorted by step.

    A step is finished when a later one has begun, when its loss is known, or when the run has
    finished. In a finished run, steps without any span are faults too. A recorded job lists the
    tasks of each step only when the step is complete, and its number of steps is not known.
    Predictions and traces of other programs have no faults.
    """
    if not trace.header.source.lists_all_tasks:
        return ()
    steps = trace.step_table.numbers
    asked = steps if step is None else steps[steps == step]
    counts = _counts(trace, asked)
    over = _over(trace, asked, counts)
    found: list[Fault] = []
    for place in np.flatnonzero(over & counts.is_wrong).tolist():
        found.append(_fault(trace, int(asked[place]), counts, place))
    if trace.outcome == "finished":
        known = {fault.step for fault in found}
        found += [fault for fault in _open_at_end(trace, step) if fault.step not in known]
        if step is None and trace.header.source.has_plan:
            planned = np.arange(len(trace.header.specification.all_rows))
            found += _without_spans(planned, steps)
    return tuple(sorted(found, key=lambda fault: fault.step))


def _over(trace: Trace, asked: NDArray[np.int32], counts: _Counts) -> NDArray[np.bool_]:
    """Return a mask of the steps that are finished."""
    over = np.ones(len(asked), np.bool_)
    if not len(asked):
        return over
    # Only the last step may be unfinished.
    last = int(asked[-1])
    over[-1] = is_over(trace, last)
    is_live_job = trace.header.source is Source.JOB and trace.outcome is None
    if is_live_job and last == trace.step_table.numbers[-1]:
        # The last step of a live job may be read only in part so far.
        over[-1] = counts.spans[-1] > counts.tasks[-1] or counts.disorder[-1]
    return over


def _open_at_end(trace: Trace, step: int | None) -> Iterator[Fault]:
    """Yield a fault for each task that never ended, of all steps or of one."""
    for span in trace.open_tasks:
        if step in (None, span.step):
            yield Fault(span.step, 0, 0, f"step {span.step}: task {span.task} never ended")


def is_over(trace: Trace, step: int) -> bool:
    """Return True if a step is finished (see `find_faults`), or if its spans arrive together."""
    steps = trace.step_table.numbers
    if trace.header.source.has_whole_steps or (len(steps) and step != steps[-1]):
        return True
    # Slow, and so only for the last step: both search all counters and log lines.
    return step in trace.counter("loss").steps or trace.outcome == "finished"


def measured_steps(trace: Trace) -> list[int]:
    """Return the run's steps without its warm-up (core.trace.warmup)."""
    steps = trace.steps
    return steps[bisect_left(steps, first_measured(trace)) :]


def ended_steps(trace: Trace) -> list[int]:
    """Return the measured steps that have ended: those whose loss is known.

    Jobs and traces of other programs need not have losses; all their steps have ended.
    """
    if not trace.header.source.has_plan:
        return [step for step in measured_steps(trace) if step != ABSENT]
    known = set(trace.counter("loss").steps.tolist())
    return [step for step in measured_steps(trace) if step in known]


def completed_steps(trace: Trace) -> list[int]:
    """Return the measured steps that have ended and have no fault."""
    faulty = {fault.step for fault in run_faults(trace)}
    return [step for step in ended_steps(trace) if step not in faulty]


def _without_spans(planned: NDArray[np.int64], steps: NDArray[np.int32]) -> Iterator[Fault]:
    """Yield a fault for each range of consecutive planned steps without spans."""
    missing = np.setdiff1d(planned, steps)
    if not len(missing):
        return
    gaps = np.flatnonzero(np.diff(missing) > 1) + 1
    for run in np.split(missing, gaps):
        first, last = int(run[0]), int(run[-1])
        named = f"step {first}" if first == last else f"steps {first} to {last}"
        yield Fault(first, len(run), 0, f"{named}: no task has a span")


@dataclass(frozen=True, slots=True)
class _Counts:
    """Counts for n steps, as arrays of shape (n,).

    `plan` is the step's plan number (-1 if its tasks are of several plans), `spans` the number of
    its spans, `tasks` of its distinct tasks and `planned` of its plan's tasks. `disorder` is True
    if spans of a lane overlap.
    """

    plan: NDArray[np.int64]
    spans: NDArray[np.int64]
    tasks: NDArray[np.int64]
    planned: NDArray[np.int64]
    disorder: NDArray[np.bool_]

    @property
    def is_wrong(self) -> NDArray[np.bool_]:
        wrong: NDArray[np.bool_] = (
            (self.plan == ABSENT)
            | (self.tasks != self.planned)
            | (self.spans != self.tasks)
            | self.disorder
        )
        return wrong


def _counts(trace: Trace, steps: NDArray[np.int32]) -> _Counts:
    """Return the counts of `steps`, which must be consecutive entries of the trace's steps."""
    table, count = trace.table, len(steps)
    spans, tasks = np.zeros(count, np.int64), np.zeros(count, np.int64)
    limits = np.iinfo(np.int64)
    least, most = np.full(count, limits.max), np.full(count, limits.min)
    disorder = np.zeros(count, np.bool_)
    plan_of = table.rows["plan"].astype(np.int64)
    is_job = trace.header.source is Source.JOB
    for lane in trace.header.lanes if count else ():
        every = trace.spans(lane.index)
        first, last = sorted_positions(every.step, [steps[0], steps[-1] + 1])
        # With the span before, which may overlap the first one.
        begin = max(0, first - 1)
        some = every[begin:last]
        place = np.searchsorted(steps, some.step)
        # Sorted by start: a span overlaps if it begins before the end of the previous one.
        overlaps = some.start[1:] < some.end[:-1]
        if is_job:
            # The recorder assigns lanes to collectives in each step independently: a collective
            # that continues after its step may share its lane with one of the next step.
            overlaps &= some.step[1:] == some.step[:-1]
        disorder[place[1:][overlaps]] = True
        if lane.role is Role.NESTED:
            continue
        own, place = some[first - begin :], place[first - begin :]
        spans += np.bincount(place, minlength=count)
        tasks += _distinct(own, place, count, len(table))
        # A step has a single plan if its smallest and largest plan numbers are equal.
        plans = plan_of[own.row]
        np.minimum.at(least, place, plans)
        np.maximum.at(most, place, plans)
    plan = np.where(least == most, least, ABSENT)
    # Steps with several plans (-1) look up the appended 0.
    planned = np.append(_planned(trace), 0)[plan]
    return _Counts(plan, spans, tasks, planned, disorder)


def _distinct(spans: Spans, place: NDArray[np.int64], steps: int, tasks: int) -> NDArray[np.int64]:
    """Return the number of distinct tasks of a lane in each step, shape (steps,)."""
    keys = place * tasks + spans.row
    # Most lanes run tasks in the plan's order: increasing keys are distinct without sorting.
    if not (keys[1:] > keys[:-1]).all():
        keys = np.unique(keys)
    return np.bincount(keys // max(1, tasks), minlength=steps)


def _planned(trace: Trace) -> NDArray[np.int64]:
    """Return the number of tasks of each plan, except those on nested lanes."""
    table = trace.table
    return np.bincount(table.rows["plan"][_is_own(trace)], minlength=len(table.firsts) - 1)


def _is_own(trace: Trace) -> NDArray[np.bool_]:
    lanes = [lane.index for lane in working_lanes(trace.header.lanes)]
    return np.isin(trace.table.rows["lane"], lanes)


def _fault(trace: Trace, step: int, counts: _Counts, place: int) -> Fault:
    """Return a step's fault with its text."""
    plan, planned = int(counts.plan[place]), int(counts.planned[place])
    missing = planned - int(counts.tasks[place])
    repeated = int(counts.spans[place] - counts.tasks[place])
    parts = []
    if plan == ABSENT:
        parts.append("its spans are of several plans")
    elif missing:
        names = ", ".join(_missing(trace, step, plan)[:MOST_NAMED])
        more = ", …" if missing > MOST_NAMED else ""
        parts.append(f"{missing} of {planned} tasks have no span ({names}{more})")
    if repeated:
        parts.append(f"{repeated} spans are of tasks that have one already")
    if counts.disorder[place]:
        parts.append("spans of a lane overlap")
    return Fault(step, max(0, missing), repeated, f"step {step}: {'; '.join(parts)}")


def _missing(trace: Trace, step: int, plan: int) -> list[str]:
    """Return the tasks of a plan without a span in a step: `0B3 on cpu:1`."""
    table, where = trace.table, trace.table.plan(plan)
    seen = np.zeros(len(table), np.bool_)
    for lane in trace.header.lanes:
        spans = trace.spans(lane.index)
        seen[spans.row[spans.step == step]] = True
    lanes = trace.header.lanes
    places = where.start + np.flatnonzero((~seen & _is_own(trace))[where])
    return [f"{task} on {lanes[task.lane].name}" for task in map(trace.task, places.tolist())]
