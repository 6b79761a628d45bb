"""Results of a sweep: means and deviations, the fastest setting, and the series to draw."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Any

import numpy as np

from core.option import Option, OptionValue
from core.plan.specification import STRATEGY_OPTIONS, Specification
from core.plan.strategies import STRATEGIES
from core.sweep.sweep import Point, Sweep, values_by_name
from core.sweep.table import SweepRow

STUDENT_T = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""Student's t for 95 %, two-sided, for 1 to 10 degrees of freedom; the last is used for more."""
MOST_NAMED = 3
"""If more settings than this are equally fast, their number is given instead of their names."""


OptionValues = tuple[tuple[Option[Any], OptionValue], ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The runs of one setting: mean and sample standard deviation of their `step_ms`.

    `deviation_ms` is None for a single run. `ideal_ms` is the mean of the same work on a single
    lane divided by `lanes`, as if the lanes shared it evenly, never waited and moved nothing; None
    until a single lane has been measured.
    """

    setting: Specification
    rows: tuple[SweepRow, ...]
    mean_ms: float
    deviation_ms: float | None
    ideal_ms: float | None = None

    @property
    def lanes(self) -> int:
        """Number of compute lanes."""
        return self.rows[0].lanes

    @property
    def spread(self) -> tuple[float, float]:
        """One deviation below and above the mean, in ms; for a single run, the mean twice."""
        off = self.deviation_ms or 0.0
        return max(0.0, self.mean_ms - off), self.mean_ms + off

    @property
    def median_point(self) -> Point:
        """The run with the median time; of two in the middle, the faster one."""
        by_time = sorted(self.rows, key=lambda row: row.step_ms)
        middle = (len(by_time) - 1) // 2
        return by_time[middle].point

    def differs_from(self, other: Result) -> bool | None:
        """Return True if two means differ significantly (95 %); None for single runs."""
        if self.deviation_ms is None or other.deviation_ms is None:
            return None
        # The variance of a difference of two means is the sum of their variances.
        count = len(self.rows)
        other_count = len(other.rows)
        variance = self.deviation_ms**2 / count
        variance += other.deviation_ms**2 / other_count
        freedom = count + other_count - 2
        tabulated = min(freedom, len(STUDENT_T))
        quantile = STUDENT_T[tabulated - 1]
        difference = abs(self.mean_ms - other.mean_ms)
        return difference > quantile * math.sqrt(variance)


@dataclass(frozen=True, slots=True)
class Series:
    """A curve: results by the value of the varied number; `settings` are the values they share."""

    settings: OptionValues
    results: tuple[tuple[float, Result], ...]


@dataclass(frozen=True)
class Results:
    """Everything measured so far, by setting."""

    sweep: Sweep
    measured: tuple[SweepRow, ...]

    @cached_property
    def by_setting(self) -> dict[Specification, Result]:
        """The result of every setting that was run, in the order of `Sweep.settings`."""
        by_place: dict[int, list[SweepRow]] = {}
        # Rows have the order of the runs, which is shuffled.
        for row in self.measured:
            rows = by_place.setdefault(row.point.setting, [])
            rows.append(row)
        found: dict[Specification, Result] = {}
        for place, setting in enumerate(self.sweep.settings):
            if place in by_place:
                found[setting] = _result(setting, by_place[place])
        with_ideals: dict[Specification, Result] = {}
        for setting, result in found.items():
            single_setting = self.sweep.single_of(setting)
            single = found.get(single_setting)
            if single is not None:
                ideal = single.mean_ms / result.lanes
                result = replace(result, ideal_ms=ideal)
            with_ideals[setting] = result
        return with_ideals

    @cached_property
    def fastest(self) -> Result | None:
        """The result with the lowest mean, if there is any."""
        return min(self.by_setting.values(), key=lambda result: result.mean_ms, default=None)

    @property
    def as_fast(self) -> tuple[Result, ...]:
        """Other results whose difference from the fastest is not significant."""
        best = self.fastest
        if best is None:
            return ()
        found: list[Result] = []
        for result in self.by_setting.values():
            if result is not best and result.differs_from(best) is False:
                found.append(result)
        return tuple(found)

    @property
    def timings(self) -> tuple[str, ...]:
        """The distinct notes on the times."""
        notes: dict[str, None] = {}
        for row in self.measured:
            if row.timing:
                notes[row.timing] = None
        return tuple(notes)

    @cached_property
    def bars(self) -> tuple[Result, ...]:
        """Results without a position on the axis, drawn as bars next to the curves."""
        results = self.by_setting.values()
        return tuple(result for result in results if self._place(result) is None)

    @cached_property
    def series(self) -> tuple[Series, ...]:
        """The curves."""
        found: dict[OptionValues, list[tuple[float, Result]]] = {}
        for result in self.by_setting.values():
            place = self._place(result)
            if place is not None:
                settings = self._settings_of(result)
                places = found.setdefault(settings, [])
                places.append((place, result))
        curves = []
        for settings, places in found.items():
            ordered = sorted(places, key=lambda pair: pair[0])
            curves.append(Series(settings, tuple(ordered)))
        return tuple(curves)

    @property
    def numbers(self) -> tuple[float, ...]:
        """All varied numbers, sorted, including those without a result."""
        axis = self.sweep.axis
        if axis is None:
            return ()
        numbers = [float(value or 0) for value in axis.values]
        return tuple(sorted(numbers))

    def _place(self, result: Result) -> float | None:
        """Return the number at which a result is drawn, if its strategy takes the option."""
        axis = self.sweep.axis
        if axis is None:
            return None
        # A strategy that does not take the option ran once, not for each value: it is drawn as a
        # bar, not as a point of a curve.
        strategy = STRATEGIES[result.setting.strategy]
        if axis.option in STRATEGY_OPTIONS and axis.option not in strategy.options:
            return None
        values = values_by_name(result.setting)
        value = values[axis.option.name]
        if not isinstance(value, int | float):
            return None
        return float(value)

    def _settings_of(self, result: Result) -> OptionValues:
        axis = self.sweep.axis
        different = self.sweep.differing(result.setting)
        if axis is None:
            return tuple(different)
        others = [pair for pair in different if pair[0] is not axis.option]
        return tuple(others)


def _result(setting: Specification, rows: Sequence[SweepRow]) -> Result:
    """Return the result of a setting's runs, without `ideal_ms`."""
    times = np.array([row.step_ms for row in rows])
    mean = float(times.mean())
    deviation = None
    if len(rows) > 1:
        deviation = float(times.std(ddof=1))
    return Result(
        setting=setting,
        rows=tuple(rows),
        mean_ms=mean,
        deviation_ms=deviation,
    )


def remaining(sweep: Sweep, done: Iterable[SweepRow]) -> Sequence[Point]:
    """Return the runs that have not been made yet, in order of execution."""
    measured = {row.point for row in done}
    return [point for point in sweep.points if point not in measured]


def seconds_left(points: Sequence[Point], took: Sequence[tuple[int, float]]) -> float | None:
    """Estimate the total duration of `points` in s; None before the first run has ended.

    `took` has the setting and the duration in s of each run so far. A setting that has not been
    run yet is expected to take the mean duration of all runs.
    """
    if not took:
        return None
    durations: dict[int, list[float]] = {}
    for setting, seconds in took:
        of_setting = durations.setdefault(setting, [])
        of_setting.append(seconds)
    # Settings may differ by orders of magnitude, such as one lane against eight.
    known = {setting: fmean(of_setting) for setting, of_setting in durations.items()}
    usual = fmean(seconds for _, seconds in took)
    left = 0.0
    for point in points:
        left += known.get(point.setting, usual)
    return left
