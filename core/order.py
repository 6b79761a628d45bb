"""The order of whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def stable_argsort(keys: NDArray[Any]) -> NDArray[np.int64]:
    """What `np.argsort(keys, kind="stable")` gives for n integers.

    Numbers of 16 bits NumPy sorts digit by digit, others by merging, which takes ten times as long.
    Lanes, kinds and most groups are so few that their numbers fit.
    """
    if len(keys):
        least = keys.min()
        if int(keys.max()) - int(least) <= np.iinfo(np.uint16).max:
            keys = (keys - least).astype(np.uint16)
    return np.argsort(keys, kind="stable")
