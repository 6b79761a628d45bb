"""The step time of a run, and the difference that two runs may have by chance.

The steps of a run are not independent: heat or another program slows a machine down for several
steps in a row. Their scatter alone would then understate the error of a mean. So the variance of
the middle mean is the largest of three estimates:

- of independent steps, by the winsorised variance (Tukey and McLaughlin 1963; Yuen 1974);
- of any dependence, from the slowest cosines of the winsorised times (Müller 2007; Lazarus, Lewis,
  Stock and Watson 2018), which gives Student's distribution with as many degrees of freedom as
  there are cosines;
- of a first-order autoregression, with its coefficient corrected for short series (Marriott and
  Pope 1954), because five or ten steps are too few to see a slow wave.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Floats
from core.trace.median_step import steps_of_usual_plan
from core.trace.trace import Trace

FEWEST_STEPS = 5
"""Steps that a side must have, so that its middle half and its scatter are known."""
CHANCE = 0.001
"""Chance that two runs without a change seem to differ in one direction."""
TAIL = 4
"""A quarter of the steps is cut off at each end, which leaves the middle half."""
MOST_CORRELATED = 0.8
"""Bound of the autoregression's coefficient: few steps cannot show a larger one."""
_ANGLES = 20_001


@dataclass(frozen=True, slots=True)
class StepTimeEstimate:
    """Estimate of a run's step time: the mean of the middle half of its steps.

    `steps` are all measured steps, and `middle` the steps of the middle half by length. `variance`
    is the square of the standard error of `mean_ns` (ns²), with `freedom` degrees of freedom.
    """

    steps: tuple[int, ...]
    middle: tuple[int, ...]
    mean_ns: float
    variance: float
    freedom: int


def step_times(trace: Trace, steps: Sequence[int]) -> StepTimeEstimate:
    """Estimate the step time from the `steps` that have the run's most frequent plan.

    Raises ValueError for fewer than FEWEST_STEPS of them.
    """
    chosen = sorted(steps_of_usual_plan(trace, steps))
    if len(chosen) < FEWEST_STEPS:
        raise ValueError(f"{len(chosen)} steps are too few; {FEWEST_STEPS} are needed")
    bounds = np.array([trace.step_bounds(step) for step in chosen], np.float64)
    times = bounds[:, 1] - bounds[:, 0]
    count = len(times)
    cut = count // TAIL
    order = np.argsort(times, kind="stable")
    middle = order[cut : count - cut]
    middle_steps = sorted(chosen[place] for place in middle.tolist())
    return StepTimeEstimate(
        steps=tuple(chosen),
        middle=tuple(middle_steps),
        mean_ns=float(times[middle].mean()),
        variance=_variance(times),
        freedom=_cosines(count),
    )


def noise_ns(one: StepTimeEstimate, other: StepTimeEstimate, chance: float = CHANCE) -> float:
    """Return by how many ns two middle means differ at most without a cause.

    A larger difference in one direction has the probability `chance`.
    """
    variance = one.variance + other.variance
    if variance == 0:
        return 0.0
    # Welch (1947) and Satterthwaite (1946): degrees of freedom of a sum of two variances.
    weight = one.variance**2 / one.freedom
    weight += other.variance**2 / other.freedom
    freedom = variance**2 / weight
    return student_quantile(freedom, chance) * math.sqrt(variance)


def student_quantile(freedom: float, chance: float) -> float:
    """Return the value that Student's t exceeds with a probability of `chance` (below 1/2)."""
    # With t = sqrt(freedom) * tan(angle) the density is proportional to a power of the cosine.
    right_angle = np.pi / 2
    angle = np.linspace(0, right_angle, _ANGLES)
    density = np.cos(angle) ** (freedom - 1)
    # The integral of the density up to each angle, by the trapezoidal rule.
    trapezoids = (density[1:] + density[:-1]) / 2
    below = np.zeros(_ANGLES)
    below[1:] = np.cumsum(trapezoids)
    whole = below[-1]
    # The density is symmetrical, and the angles are the upper half of it.
    wanted = (1 - 2 * chance) * whole
    found = float(np.interp(wanted, below, angle))
    return math.sqrt(freedom) * math.tan(found)


def _cosines(count: int) -> int:
    """Return how many cosines of n steps are used.

    Fewer than the 0.4 n^(2/3) of Lazarus et al., with which a gate would fail too often without a
    change: on autoregressions with a coefficient of 0.8 these keep them below one in 200.
    """
    return max(2, int(count**0.4))


def _variance(times: Floats) -> float:
    """Return the squared standard error of the middle mean of n times, which are in order."""
    count = len(times)
    cut = count // TAIL
    kept = count - 2 * cut
    ordered = np.sort(times)
    least = ordered[cut]
    most = ordered[count - cut - 1]
    winsorised = np.clip(times, least, most)
    deviation = winsorised - winsorised.mean()
    squares = float(deviation @ deviation)
    if squares == 0:
        return 0.0
    independent = squares / (count - 1)
    correlated = independent * _inflation(deviation, squares)
    squared_weights = _cosine_weights(winsorised) ** 2
    by_cosines = float(squared_weights.mean())
    largest = max(independent, correlated, by_cosines)
    # Yuen's factor: winsorised times scatter less than the mean of the kept ones does.
    kept_pairs = kept * (kept - 1)
    return largest * (count - 1) / kept_pairs


def _inflation(deviation: Floats, squares: float) -> float:
    """Return how many times as large autocorrelation makes the variance of a mean; at least 1."""
    count = len(deviation)
    products = float(deviation[1:] @ deviation[:-1])
    found = products / squares
    corrected = found + (1 + 3 * found) / count
    coefficient = min(max(corrected, 0.0), MOST_CORRELATED)
    return (1 + coefficient) / (1 - coefficient)


def _cosine_weights(values: Floats) -> Floats:
    """Return the weights of the slowest cosines in n values; each estimates the same variance."""
    count = len(values)
    waves = np.arange(_cosines(count)) + 1
    moments = (np.arange(count) + 0.5) / count
    angles = np.pi * waves[:, np.newaxis] * moments
    factor = math.sqrt(2 / count)
    weights: Floats = factor * (np.cos(angles) @ values)
    return weights
