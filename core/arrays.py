"""Types of NumPy arrays, by the kind of their values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Positions = Ints
"""Positions of entries in other arrays, such as the rows of tasks; ABSENT marks none."""
