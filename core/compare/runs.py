"""Comparison of two runs: of one step each, or of the means of several."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from core.compare.differences import Difference, by_lane, by_other_lanes, by_reason
from core.compare.matching import Matches, StepTasks, match_steps
from core.compare.sentence import FormatDuration, sentence
from core.compare.settings import SettingDifference, differing_settings
from core.compare.step_times import FEWEST_STEPS, step_times, student_quantile
from core.compare.totals import TimeTotals, never, time_totals
from core.errors import PlanError
from core.explain.noise import CHANCE, median_error
from core.message import Message, Text, message
from core.plain import duration_text
from core.trace.median_step import median_step, steps_of_usual_plan, whole_steps
from core.trace.trace import Trace

ERROR_OF_MEDIAN = 1.15
"""Standard error of the median as a multiple of the middle mean's (core.compare.step_times).

For many normally distributed times: the square root of 1.57 over 1.19, their variances.
"""


@dataclass(frozen=True, slots=True)
class TwoRuns:
    """A comparison of two runs.

    `reasons` (kinds and causes) and `lanes` each add up to the difference of the makespans; the
    rows of `other_lanes` contribute nothing. `matches` pairs the tasks of `step_a` and `step_b`:
    the compared steps, or the median ones of several. `noise_ns` is the difference that median
    steps of equal runs may have by chance (core.explain.noise), 0 for steps that were chosen
    explicitly.
    """

    a: TimeTotals
    b: TimeTotals
    reasons: tuple[Difference, ...]
    lanes: tuple[Difference, ...]
    other_lanes: tuple[Difference, ...]
    settings: tuple[SettingDifference, ...]
    matches: Matches
    noise_ns: float = 0.0

    @property
    def step_a(self) -> int:
        """The step of A whose tasks are matched."""
        return self.a.step

    @property
    def step_b(self) -> int:
        """The step of B whose tasks are matched."""
        return self.b.step

    @property
    def makespans(self) -> tuple[int, int]:
        """Makespans of A and B in ns; means if several steps are compared."""
        return self.a.mean_makespan, self.b.mean_makespan

    @property
    def difference(self) -> int:
        """B's makespan minus A's, in ns."""
        return self.b.mean_makespan - self.a.mean_makespan

    def sentence(self, duration: FormatDuration = duration_text) -> Message:
        """Return the main reason of the difference; `duration` formats the times in it."""
        return sentence(self.reasons, self.makespans, self.settings, duration, self.noise_ns)

    def to_dict(self) -> dict[str, object]:
        """Return the comparison as plain JSON values."""
        only_a, only_b = self.matches.unmatched()
        return {
            "sentence": str(self.sentence()),
            "steps": {"a": list(self.a.steps), "b": list(self.b.steps)},
            "makespan_ns": dict(zip("ab", self.makespans, strict=True)),
            "difference_ns": self.difference,
            "settings": [asdict(setting) for setting in self.settings],
            "reasons": [row_dict(row) for row in self.reasons],
            "lanes": [row_dict(row) for row in self.lanes],
            "beside": [row_dict(row) for row in self.other_lanes],
            "matched_tasks": len(self.matches),
            "unmatched_tasks": {"a": dict(only_a), "b": dict(only_b)},
        }


def row_dict(row: Difference) -> dict[str, object]:
    """Return a row as plain JSON values."""
    return {
        "group": str(row.group),
        "name": row.name,
        "a_ns": row.a,
        "b_ns": row.b,
        "difference_ns": row.difference,
        "contribution_ns": row.contribution,
    }


def compare_runs(
    a: Trace,
    b: Trace,
    steps_a: Sequence[int] | None = None,
    steps_b: Sequence[int] | None = None,
    stop: Callable[[], bool] = never,
) -> TwoRuns:
    """Compare steps of two runs, the median step of each unless `steps_a` or `steps_b` name some.

    Several steps are compared by their means, because medians of parts would not add up. Raises
    PlanError for a run without a complete step or without compute lanes, and ComparisonStopped if
    `stop` returns True.
    """
    chosen_a = chosen_steps(a, steps_a, message("the first run"))
    chosen_b = chosen_steps(b, steps_b, message("the second run"))
    totals_a = time_totals(a, chosen_a, stop)
    totals_b = time_totals(b, chosen_b, stop)
    tasks_a = StepTasks.of(a, totals_a.step)
    tasks_b = StepTasks.of(b, totals_b.step)
    noise_ns = 0.0
    if steps_a is None and steps_b is None:
        noise_ns = _median_noise(a, b)
    return TwoRuns(
        a=totals_a,
        b=totals_b,
        reasons=by_reason(totals_a, totals_b),
        lanes=by_lane(totals_a, totals_b),
        other_lanes=by_other_lanes(totals_a, totals_b),
        settings=differing_settings(
            a=a,
            step_a=totals_a.step,
            b=b,
            step_b=totals_b.step,
        ),
        matches=match_steps(tasks_a, tasks_b),
        noise_ns=noise_ns,
    )


def _median_noise(a: Trace, b: Trace) -> float:
    """Return the ns by which the runs' median steps may differ by chance, from their scatter.

    Consecutive steps are often disturbed together, which can be measured from five steps on
    (core.compare.step_times). Fewer steps are taken as independent (core.explain.noise).
    """
    steps_a = steps_of_usual_plan(a, whole_steps(a))
    steps_b = steps_of_usual_plan(b, whole_steps(b))
    fewest = min(len(steps_a), len(steps_b))
    if fewest < FEWEST_STEPS:
        return math.hypot(_error_of_median(a, steps_a), _error_of_median(b, steps_b))
    variance = step_times(a, steps_a).variance + step_times(b, steps_b).variance
    error_of_means = math.sqrt(variance) * student_quantile(fewest - 1, CHANCE)
    return ERROR_OF_MEDIAN * error_of_means


def _error_of_median(trace: Trace, steps: Sequence[int]) -> float:
    """Return the error in ns of the median of a run's steps, assumed to be independent."""
    bounds = np.array([trace.step_bounds(step) for step in steps])
    lengths = np.diff(bounds, axis=1).ravel()
    return median_error(lengths.astype(np.float64))


def chosen_steps(trace: Trace, steps: Sequence[int] | None, name: Text) -> Sequence[int]:
    """Return `steps`, or the median one. Raises PlanError for steps that the run does not have."""
    whole = whole_steps(trace)
    if not whole:
        raise PlanError(
            message("{run} has no whole step to compare; use one with a whole step", run=name)
        )
    if steps is None:
        return [median_step(trace, whole)]
    known = set(trace.steps)
    for step in steps:
        if step not in known:
            raise PlanError(
                message(
                    "{run} has no step {step}; it has {first} to {last}",
                    run=name,
                    step=step,
                    first=whole[0],
                    last=whole[-1],
                )
            )
    return steps
