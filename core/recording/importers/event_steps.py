"""Finds the steps of a rank or process by the names of its events."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
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
_LARGEST_NUMBER = (1 << 31) - 2
"""Largest number of a step: one more, for what follows the last step, fits a column of 32 bits."""


@dataclass(frozen=True, slots=True)
class MarkingEvents:
    """The n events that may mark steps, as columns; times are ns.

    `name` has positions in `names`, and `thread` numbers the rows of the file.
    """

    names: tuple[str, ...]
    name: NDArray[np.int32]
    thread: NDArray[np.int32]
    start: Ints
    end: Ints

    def at(self, places: Ints) -> MarkingEvents:
        """Return the events at some places."""
        return replace(
            self,
            name=self.name[places],
            thread=self.thread[places],
            start=self.start[places],
            end=self.end[places],
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


def _optimizer_steps(events: MarkingEvents) -> StepRanges:
    """Return steps that end with the last call of an optimizer in an iteration."""
    if not events.names:
        return NO_STEP_RANGES
    calls = np.flatnonzero(matches(events.names, _OPTIMIZER)[events.name])
    if not len(calls):
        return NO_STEP_RANGES
    calls = calls[np.argsort(events.start[calls], kind="stable")]
    # A new iteration begins when the same optimizer is called again.
    ends = [0]
    seen = set[int]()
    for place in calls.tolist():
        optimizer = int(events.name[place])
        if optimizer in seen:
            seen = set()
            ends.append(0)
        seen.add(optimizer)
        ends[-1] = int(events.end[place])
    begins = [int(events.start.min()), *ends[:-1]]
    numbers = np.arange(len(ends))
    steps = StepRanges(
        number=numbers,
        start=np.array(begins),
        end=np.array(ends),
    )
    return _increasing(steps)


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
