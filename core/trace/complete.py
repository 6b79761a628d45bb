"""Checks that a run's steps are complete: a span for every planned task, and no overlaps.

A missing span would look like idle time, and all sums would still be consistent. So a step with
missing or repeated spans is reported as incomplete and is not explained.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.message import Message, Text, counted, list_texts, message
from core.plan.plan import Role, lane_indices, working_lanes
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
        trace.known_faults = find_faults(trace)
        trace.faults_version = trace.version
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
    asked = steps
    if step is not None:
        asked = steps[steps == step]
    counts = _counts(trace, asked)
    is_finished = _finished(trace, asked, counts)
    is_faulty = is_finished & counts.is_wrong
    found: list[Fault] = []
    for place in np.flatnonzero(is_faulty).tolist():
        number = int(asked[place])
        found.append(_fault(trace, number, counts, place))
    if trace.outcome == "finished":
        known = {fault.step for fault in found}
        for fault in _open_at_end(trace, step):
            if fault.step not in known:
                found.append(fault)
        if step is None and trace.header.source.has_plan:
            planned_count = len(trace.header.specification.all_rows)
            found += _without_spans(np.arange(planned_count), steps)
    found.sort(key=attrgetter("step"))
    return tuple(found)


def _finished(trace: Trace, asked: NDArray[np.int32], counts: _Counts) -> Bools:
    """Return a mask of the steps that are finished."""
    over = np.ones(len(asked), np.bool_)
    if not len(asked):
        return over
    # Only the last step may be unfinished.
    last = int(asked[-1])
    over[-1] = is_over(trace, last)
    is_live_job = trace.header.source is Source.JOB and trace.outcome is None
    last_of_all = trace.step_table.numbers[-1]
    if is_live_job and last == last_of_all:
        # The last step of a live job may be read only in part so far.
        spans = counts.spans[-1]
        tasks = counts.tasks[-1]
        over[-1] = spans > tasks or counts.disorder[-1]
    return over


def _open_at_end(trace: Trace, step: int | None) -> Iterator[Fault]:
    """Yield a fault for each task that never ended, of all steps or of one."""
    for span in trace.open_tasks:
        if step in (None, span.step):
            text = message("step {step}: task {task} never ended", step=span.step, task=span.task)
            yield Fault(span.step, missing=0, repeated=0, text=text)


def is_over(trace: Trace, step: int) -> bool:
    """Return True if a step is finished (see `find_faults`), or if its spans arrive together."""
    if trace.header.source.has_whole_steps:
        return True
    steps = trace.step_table.numbers
    if len(steps) and step != steps[-1]:
        return True
    # This is only done for the last step, because both search all counters and log lines.
    losses = trace.counter("loss")
    return step in losses.steps or trace.outcome == "finished"


def measured_steps(trace: Trace) -> list[int]:
    """Return the run's steps without its warm-up (core.trace.warmup)."""
    steps = trace.steps
    place = bisect_left(steps, first_measured(trace))
    return steps[place:]


def ended_steps(trace: Trace) -> list[int]:
    """Return the measured steps that have ended: those whose loss is known.

    Jobs and traces of other programs need not have losses, and predictions have none; all their
    steps have ended.
    """
    source = trace.header.source
    steps = measured_steps(trace)
    if not source.has_plan or source is Source.PREDICTED:
        return [step for step in steps if step != ABSENT]
    losses = trace.counter("loss")
    known = set(losses.steps.tolist())
    return [step for step in steps if step in known]


def completed_steps(trace: Trace) -> list[int]:
    """Return the measured steps that have ended and have no fault."""
    faulty = {fault.step for fault in run_faults(trace)}
    return [step for step in ended_steps(trace) if step not in faulty]


def _without_spans(planned: Ints, steps: NDArray[np.int32]) -> Iterator[Fault]:
    """Yield a fault for each range of consecutive planned steps without spans."""
    missing = np.setdiff1d(planned, steps)
    if not len(missing):
        return
    is_before_gap = np.diff(missing) > 1
    gaps = np.flatnonzero(is_before_gap) + 1
    for run in np.split(missing, gaps):
        first = int(run[0])
        last = int(run[-1])
        if first == last:
            text = message("step {step}: no task has a span", step=first)
        else:
            text = message("steps {first} to {last}: no task has a span", first=first, last=last)
        yield Fault(first, missing=len(run), repeated=0, text=text)


@dataclass(frozen=True, slots=True)
class _Counts:
    """Counts for n steps, as arrays of shape (n,).

    `plan` is the step's plan number (-1 if its tasks are of several plans), `spans` the number of
    its spans, `tasks` of its distinct tasks and `planned` of its plan's tasks. `disorder` is True
    if spans of a lane overlap.
    """

    plan: Ints
    spans: Ints
    tasks: Ints
    planned: Ints
    disorder: Bools

    @property
    def is_wrong(self) -> Bools:
        """Mask of the steps that have a fault."""
        several_plans = self.plan == ABSENT
        missing = self.tasks != self.planned
        repeated = self.spans != self.tasks
        wrong: Bools = several_plans | missing | repeated | self.disorder
        return wrong


def _counts(trace: Trace, steps: NDArray[np.int32]) -> _Counts:
    """Return the counts of `steps`, which must be consecutive entries of the trace's steps."""
    count = len(steps)
    spans = np.zeros(count, np.int64)
    tasks = np.zeros(count, np.int64)
    disorder = np.zeros(count, np.bool_)
    limits = np.iinfo(np.int64)
    least_plan = np.full(count, limits.max)
    most_plan = np.full(count, limits.min)
    plan_of = trace.table.rows["plan"].astype(np.int64)
    is_job = trace.header.source is Source.JOB
    lanes = trace.header.lanes if count else ()
    for lane in lanes:
        every = trace.spans(lane.index)
        bounds = [steps[0], steps[-1] + 1]
        first, last = sorted_positions(every.step, bounds)
        # Include the span before, which may overlap the first one.
        begin = max(0, first - 1)
        some = every[begin:last]
        place = np.searchsorted(steps, some.step)
        overlaps = _overlaps(some, is_job)
        overlapping = place[overlaps]
        disorder[overlapping] = True
        if lane.role is Role.NESTED:
            continue
        before = first - begin
        own = some[before:]
        own_place = place[before:]
        spans += np.bincount(own_place, minlength=count)
        tasks += _distinct(own, own_place, count, len(trace.table))
        plans = plan_of[own.row]
        np.minimum.at(least_plan, own_place, plans)
        np.maximum.at(most_plan, own_place, plans)
    # A step has a single plan if its smallest and largest plan numbers are equal.
    has_one_plan = least_plan == most_plan
    plan = np.where(has_one_plan, least_plan, ABSENT)
    # Steps with several plans (-1) look up the appended 0.
    tasks_of_plan = np.append(_planned(trace), 0)
    planned = tasks_of_plan[plan]
    return _Counts(
        plan=plan,
        spans=spans,
        tasks=tasks,
        planned=planned,
        disorder=disorder,
    )


def _overlaps(spans: Spans, is_job: bool) -> Bools:
    """Return a mask of a lane's spans that begin before the end of the previous one."""
    overlaps = np.zeros(len(spans), np.bool_)
    overlaps[1:] = spans.start[1:] < spans.end[:-1]
    if is_job:
        # The recorder assigns lanes to collectives in each step independently: a collective that
        # continues after its step may share its lane with one of the next step.
        overlaps[1:] &= spans.step[1:] == spans.step[:-1]
    return overlaps


def _distinct(spans: Spans, place: Ints, steps: int, tasks: int) -> Ints:
    """Return the number of distinct tasks of a lane in each step, shape (steps,)."""
    keys = place * tasks + spans.row
    # Most lanes run tasks in the plan's order: increasing keys are distinct without sorting.
    is_increasing = (keys[1:] > keys[:-1]).all()
    if not is_increasing:
        keys = np.unique(keys)
    step_place = keys // max(1, tasks)
    return np.bincount(step_place, minlength=steps)


def _planned(trace: Trace) -> Ints:
    """Return the number of tasks of each plan, except those on nested lanes."""
    table = trace.table
    is_own = _is_own(trace)
    plans = table.rows["plan"][is_own]
    plan_count = len(table.firsts) - 1
    return np.bincount(plans, minlength=plan_count)


def _is_own(trace: Trace) -> Bools:
    """Return a mask of the tasks that are not on nested lanes."""
    lanes = lane_indices(working_lanes(trace.header.lanes))
    return np.isin(trace.table.rows["lane"], lanes)


def _fault(trace: Trace, step: int, counts: _Counts, place: int) -> Fault:
    """Return a step's fault with its text."""
    plan = int(counts.plan[place])
    planned = int(counts.planned[place])
    tasks = int(counts.tasks[place])
    spans = int(counts.spans[place])
    missing = planned - tasks
    repeated = spans - tasks
    problems: list[Message] = []
    if plan == ABSENT:
        problems.append(message("its spans are of several plans"))
    elif missing:
        missing_rows = _missing(trace, step, plan)
        without_span = counted(
            "{n} of {planned} tasks has no span ({tasks})",
            "{n} of {planned} tasks have no span ({tasks})",
            missing,
            planned=planned,
            tasks=_first_tasks(trace, missing_rows),
        )
        problems.append(without_span)
    if repeated:
        has_several = counted(
            "{n} span is of a task that has one already",
            "{n} spans are of tasks that have one already",
            repeated,
        )
        problems.append(has_several)
    if counts.disorder[place]:
        problems.append(message("spans of a lane overlap"))
    problem = problems[0]
    for other in problems[1:]:
        problem = message("{problem}; {other}", problem=problem, other=other)
    text = message("step {step}: {problem}", step=step, problem=problem)
    return Fault(
        step=step,
        missing=max(0, missing),
        repeated=repeated,
        text=text,
    )


def _missing(trace: Trace, step: int, plan: int) -> list[int]:
    """Return the rows of a plan's tasks without a span in a step."""
    tasks = trace.table.plan(plan)
    seen = np.zeros(len(trace.table), np.bool_)
    for lane in trace.header.lanes:
        spans = trace.spans(lane.index)
        rows = spans.row[spans.step == step]
        seen[rows] = True
    is_missing = _is_own(trace) & ~seen
    numbers = np.flatnonzero(is_missing[tasks])
    rows = tasks.start + numbers
    found: list[int] = rows.tolist()
    return found


def _first_tasks(trace: Trace, rows: Sequence[int]) -> Text:
    """Return the first MOST_NAMED tasks as text: `0B3 on cpu:1, 0B4 on cpu:1`."""
    lanes = trace.header.lanes
    names: list[Message] = []
    for row in rows[:MOST_NAMED]:
        task = trace.task(row)
        lane = lanes[task.lane].name
        names.append(message("{task} on {lane}", task=str(task), lane=lane))
    text = list_texts(names)
    if len(rows) > MOST_NAMED:
        text = message("{tasks}, …", tasks=text)
    return text
