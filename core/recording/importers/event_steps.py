"""Finds the steps of a rank or process by the names of its events."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.order import groups, row_numbers
from core.plan.task import ABSENT
from core.recording.importers.event_names import matches
from core.recording.importers.imported_events import NO_STEP_RANGES, StepRanges

_PROFILER_STEP = re.compile(r"^ProfilerStep\s?#(\d+)$")
_OPTIMIZER = re.compile(r"^Optimizer\.step#")
STEP_RANGE = re.compile(
    r"^(?:train(?:ing)?[ _])?(?:step|iteration|iter)[ _#:=]*(\d+)$", re.IGNORECASE
)
"""Name of a range that is a step or an iteration, with its number."""
_BACKWARD = re.compile(r"Backward\d*(?!\w)")
"""Names of backward functions, such as `MmBackward0`, and of their evaluation."""
_LARGEST_NUMBER = (1 << 31) - 2
"""Largest number of a step: one more, for what follows the last step, fits a column of 32 bits."""


@dataclass(frozen=True, slots=True)
class MarkingEvents:
    """The n events that may mark steps, as columns; times are ns.

    `name` has positions in `names`, and `thread` numbers the rows of the file. `is_work` is False
    for annotations.
    """

    names: tuple[str, ...]
    name: NDArray[np.int32]
    thread: NDArray[np.int32]
    start: Ints
    end: Ints
    is_work: Bools

    def at(self, places: Ints) -> MarkingEvents:
        """Return the events at some places."""
        return replace(
            self,
            name=self.name[places],
            thread=self.thread[places],
            start=self.start[places],
            end=self.end[places],
            is_work=self.is_work[places],
        )


def steps_from_names(events: MarkingEvents) -> StepRanges:
    """Return the steps that events mark.

    Steps are the profiler's; otherwise they end with the last call of an optimizer in an iteration;
    otherwise they are ranges named step or iteration and a number.
    """
    by_profiler = _numbered_steps(events, _PROFILER_STEP)
    if len(by_profiler.number):
        return by_profiler
    by_optimizer = _optimizer_steps(events)
    if len(by_optimizer.number):
        return by_optimizer
    return _numbered_steps(events, STEP_RANGE)


def _numbered_steps(events: MarkingEvents, pattern: re.Pattern[str]) -> StepRanges:
    """Return steps whose number is in the names of events, from their first start to last end.

    If the numbers of a thread begin again, as in each epoch of some jobs, further steps begin, with
    numbers that follow the largest number so far. Ranges within other ones do not count.
    """
    numbers = np.full(len(events.names), ABSENT, np.int64)
    for place, text in enumerate(events.names):
        match = pattern.match(text)
        if match is not None:
            # Nine digits always fit a column of 32 bits.
            numbers[place] = int(match[1][:9])
    number = numbers[events.name]
    ranges = np.flatnonzero(number >= 0)
    if not len(ranges):
        return NO_STEP_RANGES
    chosen = []
    rounds = []
    for own in groups(events.thread, ranges):
        outer = _outer_ranges(events, own)
        begins_again = np.diff(number[outer], prepend=0) < 0
        chosen.append(outer)
        rounds.append(np.cumsum(begins_again))
    kept = np.concatenate(chosen)
    continued = _continued(number[kept], np.concatenate(rounds))
    return _increasing(StepRanges.spanning(continued, events.start[kept], events.end[kept]))


def _outer_ranges(events: MarkingEvents, ranges: Ints) -> Ints:
    """Return those of a thread's ranges that are not within another one, by start."""
    # Of two with the same start, the longer is first.
    order = np.lexsort((-events.end[ranges], events.start[ranges]))
    ranges = ranges[order]
    latest_end = np.maximum.accumulate(events.end[ranges])
    is_inner = np.zeros(len(ranges), np.bool_)
    is_inner[1:] = events.start[ranges[1:]] < latest_end[:-1]
    is_inner[1:] &= events.end[ranges[1:]] <= latest_end[:-1]
    return ranges[~is_inner]


def _continued(number: Ints, round_: Ints) -> Ints:
    """Return n numbers of steps, with those of each round following those of the round before.

    `round_` counts how often the numbers have begun again. The numbers of round 0 are unchanged.
    """
    rounds = int(round_.max()) + 1
    least = np.full(rounds, np.iinfo(np.int64).max)
    largest = np.zeros(rounds, np.int64)
    np.minimum.at(least, round_, number)
    np.maximum.at(largest, round_, number)
    widths = largest - least + 1
    first = least[0] + np.cumsum(widths) - widths
    if first[-1] + widths[-1] > _LARGEST_NUMBER:
        # Too far apart: number the steps one by one.
        return int(least[0]) + row_numbers(round_, number)
    continued: Ints = number - least[round_] + first[round_]
    return continued


_Counts = tuple[tuple[int, int], ...]
"""Numbers of names, each with how often it occurs."""


@dataclass(frozen=True, slots=True)
class _Work:
    """The work before each of c calls of optimizers, since the call before it.

    `call` and `name` are those of each event of work. Only backward passes count as work if the
    events have any (`is_backward`). `is_known` is False if there are no events of work at all.
    """

    call: Ints
    name: NDArray[np.int32]
    is_backward: bool
    is_known: bool


def _optimizer_steps(events: MarkingEvents) -> StepRanges:
    """Return steps that end with the last call of an optimizer in an iteration.

    Calls without a backward pass between them (without any work, if no backward pass is recorded)
    are of one iteration. If the other calls and the backward passes before them recur with a
    period, as those of several models that are trained in turns, an iteration is a period. If they
    do not, a new iteration begins when the same optimizer is called again.
    """
    if not events.names:
        return NO_STEP_RANGES
    is_call = matches(events.names, _OPTIMIZER)[events.name]
    calls = np.flatnonzero(is_call)
    if not len(calls):
        return NO_STEP_RANGES
    calls = calls[np.argsort(events.start[calls], kind="stable")]
    work = _work_before(events, calls, is_call)
    begins_group = np.ones(len(calls), np.bool_)
    if work.is_known:
        begins_group = np.bincount(work.call, minlength=len(calls)) > 0
        begins_group[0] = True
    group = np.cumsum(begins_group) - 1
    last = np.append(np.flatnonzero(begins_group)[1:], len(calls)) - 1
    latest_end = np.maximum.accumulate(events.end[calls])
    count = len(last)
    optimizers = _names_by_group(group, events.name[calls], count)
    passes = _names_by_group(group[work.call], work.name, count)
    if not work.is_backward:
        passes = [()] * count
    ends = latest_end[last[_iteration_ends(optimizers, passes)]]
    begins = np.append(events.start.min(), ends[:-1])
    steps = StepRanges(
        number=np.arange(len(ends)),
        start=begins,
        end=ends,
    )
    return _increasing(steps)


def _work_before(events: MarkingEvents, calls: Ints, is_call: Bools) -> _Work:
    """Return the work between calls of optimizers; `calls` are positions of events, by start."""
    is_work = events.is_work & ~is_call
    is_known = bool(is_work.any())
    names_backward = matches(events.names, _BACKWARD)
    is_backward = is_work & names_backward[events.name]
    has_backward = bool(is_backward.any())
    work = np.flatnonzero(is_backward if has_backward else is_work)
    start = events.start[work]
    latest_end = np.maximum.accumulate(events.end[calls])
    begun = np.searchsorted(events.start[calls], start, "right")
    # Before the first call, none has an end.
    end_of_begun = np.append(latest_end, start.min(initial=0))[begun - 1]
    is_between = (start >= end_of_begun) & (begun < len(calls))
    return _Work(
        call=begun[is_between],
        name=events.name[work[is_between]],
        is_backward=has_backward,
        is_known=is_known,
    )


def _names_by_group(group: Ints, name: NDArray[np.int32], count: int) -> list[_Counts]:
    """Return how often each name occurs in each of `count` groups."""
    found: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    if len(group):
        names = int(name.max()) + 1
        keys, counts = np.unique(group * names + name, return_counts=True)
        for key, times in zip(keys.tolist(), counts.tolist(), strict=True):
            found[key // names].append((key % names, times))
    return [tuple(each) for each in found]


def _iteration_ends(optimizers: Sequence[_Counts], passes: Sequence[_Counts]) -> list[int]:
    """Return the groups of calls that end an iteration.

    `optimizers` are the calls of each group, and `passes` the backward passes before it, by name.
    """
    calls = list(zip(optimizers, passes, strict=True))
    period = _smallest_period(calls)
    if 2 * period <= len(calls):
        return list(range(period - 1, len(calls), period))
    ends = []
    seen = set[int]()
    for place, group in enumerate(optimizers):
        names = [name for name, _ in group]
        if seen.intersection(names):
            seen.clear()
            ends.append(place - 1)
        seen.update(names)
    return [*ends, len(calls) - 1]


def _smallest_period(items: Sequence[Hashable]) -> int:
    """Return the smallest p for which each item equals the one that is p places before it."""
    # The prefix function of Knuth, Morris and Pratt: `borders[n]` is the length of the longest
    # proper prefix of the first n + 1 items that is also their suffix.
    borders = [0] * len(items)
    for place in range(1, len(items)):
        length = borders[place - 1]
        while length and items[place] != items[length]:
            length = borders[length - 1]
        borders[place] = length + (items[place] == items[length])
    return len(items) - borders[-1]


def _increasing(steps: StepRanges) -> StepRanges:
    """Return the steps that start later than all steps of smaller numbers."""
    latest = np.maximum.accumulate(steps.start)
    before_all = -(1 << 62)
    growth = np.diff(latest, prepend=before_all)
    kept = np.flatnonzero(growth > 0)
    return StepRanges(
        number=steps.number[kept],
        start=steps.start[kept],
        end=steps.end[kept],
    )
