"""Computes the statistics of a range in parts, so that the window responds in between."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Ints
from core.explain.name_statistics import NameStatistics, name_statistics
from core.explain.range_causes import IdleCauses, idle_causes, step_causes, steps_within
from core.explain.statistics import RangeCount, RangeStatistics
from core.trace.trace import Trace
from gui.app.jobs import Work
from gui.timeline.state.explained import ExplanationCache
from gui.timeline.state.selection import TimeRange

MOST_STEPS = 64  # steps of a range that are explained, evenly distributed over it
MOST_TASKS = 100_000  # tasks of these steps, at most, not counting steps that are explained already


class RangeFigures(NamedTuple):
    """Figures of a range; `by_name` is None if the range has too many spans to name them."""

    counted: RangeStatistics
    causes: IdleCauses
    by_name: NameStatistics | None


class RangeJob:
    """Counts the spans of a range, then explains its steps, within MOST_STEPS and MOST_TASKS."""

    def __init__(self, trace: Trace, explained: ExplanationCache, chosen: TimeRange) -> None:
        self._trace = trace
        self._explained = explained
        self.range = chosen
        self.version = trace.version
        self._count = RangeCount(trace, chosen.start, chosen.end, chosen.lanes)
        self._steps = _spread(steps_within(trace, chosen.start, chosen.end).tolist())
        self._tasks = 0
        self._causes: list[Ints] = []

    @property
    def spans(self) -> int:
        """Number of spans that overlap the range."""
        return self._count.spans

    def work(self) -> Work[RangeFigures]:
        """Count and explain part by part; yield the progress, 0 to 1, and return the figures."""
        whole = self._count.parts + len(self._steps)
        while self._count.left:
            self._count.advance()
            yield (self._count.parts - self._count.left) / whole
        for number, step in enumerate(self._steps):
            self._explain(step)
            yield (self._count.parts + number) / whole
        counted = self._count.result()
        start = self.range.start
        end = self.range.end
        causes = idle_causes(self._trace, start, end, counted.lanes, self._causes)
        by_name = name_statistics(self._trace, counted)
        return RangeFigures(counted, causes, by_name)

    def _explain(self, step: int) -> None:
        """Explain a step, unless it has too many tasks and has not been explained before."""
        tasks = 0
        if not self._explained.knows(step):
            tasks = self._explained.progress(step).tasks
        if self._tasks + tasks > MOST_TASKS or not self._explained.at_hand(step):
            return
        self._tasks += tasks
        explanation = self._explained.explanation(step)
        start = self.range.start
        end = self.range.end
        causes = step_causes(self._trace, explanation, step, start, end)
        self._causes.append(causes)


def _spread(steps: list[int]) -> list[int]:
    """Return at most MOST_STEPS of the steps, evenly distributed."""
    if len(steps) <= MOST_STEPS:
        return steps
    # Not just the first ones, so that changes over the range are included.
    last = len(steps) - 1
    places = np.linspace(0, last, MOST_STEPS)
    whole_places = places.round().astype(int)
    return [steps[place] for place in whole_places.tolist()]
