"""What a sweep has found: means and deviations, the fastest setting, and what is drawn as what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from core.option import Option, Value
from core.plan.specification import STRATEGY_OPTIONS, Specification
from core.plan.strategies import STRATEGIES
from core.sweep.sweep import Point, Sweep, values_by_name
from core.sweep.table import Measured

APART = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""Standard errors by which two means differ at least that are told apart: Student's t for 95 %, by
the runs of both less two, from one on; the last for all that have more."""
MOST_NAMED = 3
"""Settings that are named beside the fastest; of more their number is told."""


@dataclass(frozen=True, slots=True)
class Result:
    """The runs of one setting: the mean of their `step_ms`, and its deviation from run to run.

    The deviation is that of a sample; None of a single run. `ideal_ms` is the mean of the same work
    on a single lane, divided by `lanes`: as if they shared it evenly, never waited and moved
    nothing. None until a single lane was measured.
    """

    setting: Specification
    rows: tuple[Measured, ...]
    mean_ms: float
    deviation_ms: float | None
    ideal_ms: float | None = None

    @property
    def lanes(self) -> int:
        """How many lanes compute."""
        return self.rows[0].lanes

    @property
    def spread(self) -> tuple[float, float]:
        """From one deviation below the mean to one above it, in ms; the mean of a single run."""
        off = self.deviation_ms or 0.0
        return max(0.0, self.mean_ms - off), self.mean_ms + off

    @property
    def median_point(self) -> Point:
        """The run whose time is in the middle."""
        return sorted(self.rows, key=lambda row: row.step_ms)[(len(self.rows) - 1) // 2].point

    def differs_from(self, other: Result) -> bool | None:
        """Whether two means are further apart than chance moves them; None of single runs."""
        if self.deviation_ms is None or other.deviation_ms is None:
            return None
        # The variance of a difference of two means is the sum of theirs.
        errors = ((r.deviation_ms or 0.0) ** 2 / len(r.rows) for r in (self, other))
        times = APART[min(len(self.rows) + len(other.rows) - 2, len(APART)) - 1]
        return abs(self.mean_ms - other.mean_ms) > times * float(np.sqrt(sum(errors)))


@dataclass(frozen=True, slots=True)
class Series:
    """Results along the varied numbers, by their value; all have these other `settings`."""

    settings: tuple[tuple[Option[Any], Value], ...]
    results: tuple[tuple[float, Result], ...]


@dataclass(frozen=True)
class Results:
    """All that was measured so far, by setting."""

    sweep: Sweep
    measured: tuple[Measured, ...]

    @cached_property
    def of(self) -> dict[Specification, Result]:
        """The result of every setting that was run, in the order of `Sweep.settings`."""
        found: dict[Specification, Result] = {}
        by_place: dict[int, list[Measured]] = {}
        for row in self.measured:
            # Rows come in the order of the runs, which is shuffled; results stand in that of the
            # settings.
            by_place.setdefault(row.point.setting, []).append(row)
        for place, setting in enumerate(self.sweep.settings):
            if rows := tuple(by_place.get(place, ())):
                times = np.array([row.step_ms for row in rows])
                # Of a sample: less one, for the mean was taken from the same runs.
                deviation = float(times.std(ddof=1)) if len(rows) > 1 else None
                found[setting] = Result(setting, rows, float(times.mean()), deviation)
        return {setting: self._with_ideal(result, found) for setting, result in found.items()}

    @cached_property
    def fastest(self) -> Result | None:
        """The result of the lowest mean."""
        return min(self.of.values(), key=lambda result: result.mean_ms, default=None)

    @property
    def as_fast(self) -> tuple[Result, ...]:
        """Other results that cannot be told from the fastest: the runs differ as much by chance."""
        best = self.fastest
        others = (r for r in self.of.values() if r is not best)
        return tuple(r for r in others if best is not None and r.differs_from(best) is False)

    @property
    def timings(self) -> tuple[str, ...]:
        """What has to be said of the times, each once."""
        return tuple(dict.fromkeys(row.timing for row in self.measured if row.timing))

    @cached_property
    def bars(self) -> tuple[Result, ...]:
        """The results that stand beside the curves: those without a number to be drawn along."""
        return tuple(result for result in self.of.values() if self._place(result) is None)

    @cached_property
    def series(self) -> tuple[Series, ...]:
        """The curves."""
        found: dict[tuple[tuple[Option[Any], Value], ...], list[tuple[float, Result]]] = {}
        for result in self.of.values():
            if (place := self._place(result)) is not None:
                found.setdefault(self._settings_of(result), []).append((place, result))
        return tuple(
            Series(settings, tuple(sorted(places, key=lambda pair: pair[0])))
            for settings, places in found.items()
        )

    @property
    def numbers(self) -> tuple[float, ...]:
        """The varied numbers, in their order, whether there is a result or not."""
        along = self.sweep.along
        return () if along is None else tuple(sorted(float(v or 0) for v in along.values))

    def _place(self, result: Result) -> float | None:
        """The number that a result is drawn at, if its strategy takes the option."""
        along = self.sweep.along
        if along is None:
            return None
        # A strategy without the option ran once, whatever its value: a level bar beside the curves,
        # not a point on one.
        own = along.option in STRATEGY_OPTIONS
        if own and along.option not in STRATEGIES[result.setting.strategy].options:
            return None
        value = values_by_name(result.setting)[along.option.name]
        return float(value) if isinstance(value, int | float) else None

    def _settings_of(self, result: Result) -> tuple[tuple[Option[Any], Value], ...]:
        along = self.sweep.along
        different = self.sweep.differing(result.setting)
        return tuple(pair for pair in different if along is None or pair[0] is not along.option)

    def _with_ideal(self, result: Result, found: dict[Specification, Result]) -> Result:
        single = found.get(self.sweep.single_of(result.setting))
        ideal = None if single is None else single.mean_ms / result.lanes
        return Result(result.setting, result.rows, result.mean_ms, result.deviation_ms, ideal)


def remaining(sweep: Sweep, done: Iterable[Measured]) -> Sequence[Point]:
    """The runs that are still to be made, in their order."""
    there = {row.point for row in done}
    return [point for point in sweep.points if point not in there]


def seconds_left(points: Sequence[Point], took: Sequence[tuple[int, float]]) -> float | None:
    """How long these runs will take, from what runs of settings took, in s; None if none has.

    A setting that was not run yet takes as long as the others on average.
    """
    if not took:
        return None
    places, seconds = np.array([place for place, _ in took]), np.array([s for _, s in took])
    # Settings differ by orders of magnitude (one lane against eight), so each is taken by its own
    # runs as soon as it has one.
    known = {place: float(seconds[places == place].mean()) for place in set(places.tolist())}
    usual = float(seconds.mean())
    return sum(known.get(point.setting, usual) for point in points)
