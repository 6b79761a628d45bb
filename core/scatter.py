"""A measure of scatter that a few outliers do not affect."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def scatter(values: NDArray[np.float64]) -> float:
    """Return the standard deviation of n values, estimated from their median absolute deviation.

    For a normal distribution it is 1.4826 times that deviation (Rousseeuw and Croux 1993).
    """
    deviations = np.abs(values - np.median(values))
    return 1.4826 * float(np.median(deviations))
