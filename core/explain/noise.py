"""Noise floor: tests that lanes differ by more than their times scatter from step to step."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from core.arrays import Bools, Floats
from core.scatter import scatter

CHANCE = 0.01
"""Chance that equal lanes seem to differ, with ten steps. With five steps it is 0.05."""
FEWEST = 3
"""Number of steps from which the scatter is known."""
ALWAYS = 0.8
"""Least fraction of the steps in which a lane must take longer than the mean."""


def median_error(values: Floats, chance: float = CHANCE) -> float:
    """Return by how much the median of n values exceeds the true median with a given chance.

    0 for fewer than FEWEST values, whose scatter is unknown.
    """
    count = len(values)
    if count < FEWEST:
        return 0.0
    # For few values the median deviation is too small, by n / (n - 0.8) (Croux and Rousseeuw 1992).
    correction = count / (count - 0.8)
    deviation = scatter(values) * correction
    error_of_mean = deviation / math.sqrt(count)
    # For normally distributed values the standard error of the median is sqrt(pi / 2), or 1.25,
    # times the mean's.
    error_of_median = 1.25 * error_of_mean
    return error_of_median * _student(count - 1, chance)


def significantly_positive(values: Floats, chance: float) -> bool:
    """Return True if significantly more than half of the values are above 0.

    By a sign test at the level `chance`: if each value were positive with a probability of 1/2, so
    many would be positive with a probability of at most `chance`.
    """
    count = len(values)
    above = int((values > 0).sum())
    ways = 0
    for number in range(above, count + 1):
        ways += math.comb(count, number)
    all_ways = 2**count
    return bool(ways <= chance * all_ways)


def significantly_above(times: Floats) -> Bools:
    """Return True for each lane that takes significantly longer than the mean of the lanes.

    `times` has the shape (steps, lanes). With fewer than FEWEST steps the scatter is unknown, and
    any excess counts.
    """
    mean = times.mean(axis=1, keepdims=True)
    excess = times - mean
    usual = np.median(excess, axis=0)
    errors = np.array([median_error(of_lane) for of_lane in excess.T])
    found: Bools = usual > errors
    if len(times) >= FEWEST:
        share = (excess > 0).mean(axis=0)
        found &= share >= ALWAYS
    return found


def significantly_different(times: Floats) -> Bools:
    """Return True for each lane that takes significantly longer or shorter than the mean."""
    longer = significantly_above(times)
    shorter = significantly_above(-times)
    found: Bools = longer | shorter
    return found


def _student(freedom: int, chance: float) -> float:
    """Return the one-sided quantile of Student's t distribution, by the Cornish-Fisher series.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    z = NormalDist().inv_cdf(1 - chance)
    z3 = z**3
    z5 = z**5
    z7 = z**7
    first = (z3 + z) / (4 * freedom)
    second = (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom**2)
    polynomial = 3 * z7 + 19 * z5 + 17 * z3 - 15 * z
    third = polynomial / (384 * freedom**3)
    return z + first + second + third
