"""Whether a run's spans are all there: one for every planned task, every lane in order.

What is missing would look like idle time, and every sum would still add up. So a step that lacks a
span, or has one twice, is said to be incomplete, and nothing about it is explained.
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
from core.trace.spans import Spans
from core.trace.step_bounds import Fault
from core.trace.trace import Trace
from core.trace.warmup import first_measured

MOST_NAMED = 3


def run_faults(trace: Trace) -> tuple[Fault, ...]:
    """The faults of the steps that are over, found once for each state of a run that goes on."""
    # Asked by the log, the status bar and every figure, several times a second while a run is live.
    if trace.known_faults is None or trace.faults_version != trace.version:
        trace.known_faults, trace.faults_version = find_faults(trace), trace.version
    return trace.known_faults


def find_faults(trace: Trace, step: int | None = None) -> tuple[Fault, ...]:
    """The faults of the steps that are over, or of one.

    A step is over when a later one has begun, when its loss is known, or when the run has finished;
    of a run that has finished also the steps are missed that have no span at all. A recorded job
    says of each step as a whole which tasks it has, and nobody knows how many steps it was to have.
    Predictions and traces of other programs have no faults.
    """
    header = trace.header
    if header.predicted or (header.foreign and not header.is_job):
        return ()
    finished = trace.outcome == "finished"
    steps = trace.step_table.numbers
    asked = steps if step is None else steps[steps == step]
    over = np.ones(len(asked), np.bool_)
    if len(asked):
        # Only the last step may still go on: the others have a later one.
        over[-1] = is_over(trace, int(asked[-1]))
    counts = _counts(trace, asked)
    if header.is_job and trace.outcome is None and len(asked) and asked[-1] == steps[-1]:
        # Of a job that goes on the last step may have been taken in part so far.
        over[-1] = counts.spans[-1] > counts.tasks[-1] or counts.disorder[-1]
    wrong = np.flatnonzero(over & counts.is_wrong).tolist()
    found = [_fault(trace, int(asked[place]), counts, place) for place in wrong]
    if finished:
        known = {fault.step for fault in found}
        found += [
            Fault(one.step, 0, 0, f"step {one.step}: task {one.task} never ended")
            for one in trace.open_tasks
            if one.step not in known and step in (None, one.step)
        ]
    if finished and step is None and not header.is_job:
        found += _never_told(np.arange(len(header.specification.all_rows)), steps)
    return tuple(sorted(found, key=lambda fault: fault.step))


def is_over(trace: Trace, step: int) -> bool:
    """Whether a step is over, as `find_faults` has it; each is of predictions and foreign ones."""
    header, steps = trace.header, trace.step_table.numbers
    if header.predicted or header.foreign or (len(steps) and step != steps[-1]):
        return True
    # Only of the last step: both walk through all that was told so far.
    return step in trace.counter("loss").steps or trace.outcome == "finished"


def measured_steps(trace: Trace) -> list[int]:
    """The run's steps without its warm-up (core.trace.warmup)."""
    steps = trace.steps
    return steps[bisect_left(steps, first_measured(trace)) :]


def ended_steps(trace: Trace) -> list[int]:
    """The measured steps that were run to their end: those whose loss is known.

    Of another program no loss is known: its recording has whole steps.
    """
    if trace.header.foreign:
        return [step for step in measured_steps(trace) if step != ABSENT]
    known = set(trace.counter("loss").steps.tolist())
    return [step for step in measured_steps(trace) if step in known]


def completed_steps(trace: Trace) -> list[int]:
    """The measured steps that were run to their end and lack no span."""
    faulty = {fault.step for fault in run_faults(trace)}
    return [step for step in ended_steps(trace) if step not in faulty]


def _never_told(planned: NDArray[np.int64], steps: NDArray[np.int32]) -> Iterator[Fault]:
    """One fault for each run of steps of which there is no span."""
    left = np.setdiff1d(planned, steps)
    # Cut wherever a number does not follow the one before: a run of steps is one line in the log,
    # not a thousand.
    for run in np.split(left, np.flatnonzero(np.diff(left) > 1) + 1) if len(left) else ():
        first, last = int(run[0]), int(run[-1])
        named = f"step {first}" if first == last else f"steps {first} to {last}"
        yield Fault(first, len(run), 0, f"{named}: no task has a span")


@dataclass(frozen=True, slots=True)
class _Counts:
    """By step, in the order of the trace's steps: n entries.

    The number of its plan (-1 if it has tasks of several), how many spans and how many distinct
    tasks it has, how many its plan has, and whether a lane's spans overlap.
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
    """Of `steps`, which follow one another in the trace."""
    table, count, limits = trace.table, len(steps), np.iinfo(np.int64)
    spans, tasks = np.zeros(count, np.int64), np.zeros(count, np.int64)
    least, most = np.full(count, limits.max), np.full(count, limits.min)
    disorder = np.zeros(count, np.bool_)
    plan_of = table.rows["plan"].astype(np.int64)
    for lane in trace.header.lanes if count else ():
        every = trace.spans(lane.index)
        first, last = sorted_positions(every.step, [steps[0], steps[-1] + 1])
        mine = every[max(0, first - 1) : last]  # with the one before, to see what it overlaps
        place = np.searchsorted(steps, mine.step)
        # Sorted by start, so spans overlap exactly where one begins before the end of the one
        # before.
        overlaps = mine.start[1:] < mine.end[:-1]
        if trace.header.is_job:
            # The recorder puts collectives on lanes anew in each step: one that goes on after its
            # step may share its lane with one of the next step.
            overlaps &= mine.step[1:] == mine.step[:-1]
        disorder[place[1:][overlaps]] = True
        if lane.role is Role.NESTED:
            continue
        mine, place = every[first:last], place[len(mine) - (last - first) :]
        spans += np.bincount(place, minlength=count)
        tasks += _distinct(mine, place, count, len(table))
        # All of a step's spans are of one plan exactly where the least and the largest plan number
        # are the same.
        np.minimum.at(least, place, plan_of[mine.row])
        np.maximum.at(most, place, plan_of[mine.row])
    # The appended 0 is what a step of several plans (-1, the last entry) looks up.
    planned = np.append(_planned(trace), 0)
    plan = np.where(least == most, least, ABSENT)
    return _Counts(plan, spans, tasks, planned[plan], disorder)


def _distinct(spans: Spans, place: NDArray[np.int64], steps: int, tasks: int) -> NDArray[np.int64]:
    """How many distinct tasks a lane has in each step; most lanes run them in the plan's order."""
    keys = place * tasks + spans.row
    # Where tasks rise with time, none is there twice: no sorting is needed.
    if not (keys[1:] > keys[:-1]).all():
        keys = np.unique(keys)
    return np.bincount(keys // max(1, tasks), minlength=steps)


def _planned(trace: Trace) -> NDArray[np.int64]:
    """How many tasks each plan has, less those that are parts of others."""
    table = trace.table
    return np.bincount(table.rows["plan"][_is_own(trace)], minlength=len(table.firsts) - 1)


def _is_own(trace: Trace) -> NDArray[np.bool_]:
    lanes = [lane.index for lane in working_lanes(trace.header.lanes)]
    return np.isin(trace.table.rows["lane"], lanes)


def _fault(trace: Trace, step: int, counts: _Counts, place: int) -> Fault:
    """A step's fault in words."""
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
    """The tasks of a plan that have no span in a step: `0B3 on cpu:1`."""
    table, where = trace.table, trace.table.plan(plan)
    seen = np.zeros(len(table), np.bool_)
    for lane in trace.header.lanes:
        spans = trace.spans(lane.index)
        seen[spans.row[spans.step == step]] = True
    lanes = trace.header.lanes
    places = where.start + np.flatnonzero((~seen & _is_own(trace))[where])
    return [f"{task} on {lanes[task.lane].name}" for task in map(trace.task, places.tolist())]
