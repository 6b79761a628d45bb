"""The noise floor of differences: what times scatter by from step to step."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from core.scatter import scatter

CHANCE = 0.01
"""The chance that equal lanes are taken for different, of ten steps; of five steps it is 0.05."""
FEWEST = 3
"""Steps of which the scatter is known."""
ALWAYS = 0.8
"""The part of the steps at least in which a lane must be the one that is blamed."""

Floats = NDArray[np.float64]


def median_error(values: Floats, chance: float = CHANCE) -> float:
    """Return how far the median of n values may be above the true one with such a `chance`.

    0 for fewer than FEWEST values, whose scatter is not known.
    """
    count = len(values)
    if count < FEWEST:
        return 0.0
    # Of few values the median deviation is too small: by n / (n - 0.8) (Croux and Rousseeuw 1992).
    deviation = scatter(values) * count / (count - 0.8)
    # A median of n values scatters 1.25 times as much as their mean does.
    return 1.25 * deviation * _student(count - 1, chance) / float(np.sqrt(count))


def surely_positive(values: Floats, chance: float) -> bool:
    """True if so many values are above 0 as happens with this `chance` at most (sign test)."""
    count, above = len(values), int((values > 0).sum())
    ways = sum(math.comb(count, number) for number in range(above, count + 1))
    found: bool = ways <= chance * 2**count
    return found


def surely_above(times: Floats) -> NDArray[np.bool_]:
    """True for each lane that surely takes longer than the lanes' mean; `times` are (steps, lanes).

    With fewer than FEWEST steps the scatter is not known: true for each that takes longer.
    """
    excess = times - times.mean(axis=1, keepdims=True)
    usual = np.median(excess, axis=0)
    errors = np.array([median_error(of_lane) for of_lane in excess.T])
    steadily = (excess > 0).mean(axis=0) >= ALWAYS if len(times) >= FEWEST else usual > 0
    found: NDArray[np.bool_] = (usual > errors) & steadily
    return found


def surely_apart(times: Floats) -> NDArray[np.bool_]:
    """True for each lane that surely takes longer, or shorter, than the lanes' mean."""
    apart: NDArray[np.bool_] = surely_above(times) | surely_above(-times)
    return apart


def _student(freedom: int, chance: float) -> float:
    """Student's quantile for a chance, one-sided, by the series of Cornish and Fisher."""
    z = NormalDist().inv_cdf(1 - chance)
    first = (z**3 + z) / (4 * freedom)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    return z + first + second + third
