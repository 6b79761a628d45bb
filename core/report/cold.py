"""Cold first steps of an imported trace, which compile, tune and fill caches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.plain import Say, digits, plainly
from core.trace.trace import Trace

LONGER = 1.5
"""A first step is cold if it takes so many times as long as the median step."""
FEWEST = 3
"""With fewer steps nothing is known of how long a step usually takes."""
COLD_STEP = (
    "The shares include the first step, which takes {factor} times as long as the median one."
)
COLD_STEPS = (
    "The shares include {n} cold first steps, which take {factor} times as long as the median one."
)


def cold_text(trace: Trace, steps: Sequence[int], say: Say = plainly) -> str:
    """Return a sentence on cold first steps that shares of the `steps` include; "" if none is cold.

    `say` fills the placeholders of a text, and may translate it first.
    """
    bounds = [trace.step_bounds(step) for step in steps]
    lengths = np.array([end - start for start, end in bounds])
    if len(steps) < FEWEST:
        return ""
    median = max(1.0, float(np.median(lengths)))
    is_warm = lengths <= LONGER * median
    cold = int(is_warm.argmax())  # steps before the first warm one; the median step is warm
    if not cold:
        return ""
    factor = digits(float(lengths[:cold].mean()) / median)
    return say(COLD_STEP if cold == 1 else COLD_STEPS, n=cold, factor=factor)
