"""The scatter of measured values, found so that a few outliers do not count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def scatter(values: NDArray[np.float64]) -> float:
    """The standard deviation, from the median deviation of the median (normal: 1.4826 of it)."""
    return 1.4826 * float(np.median(np.abs(values - np.median(values))))
