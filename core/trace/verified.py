"""Whether a verified run computed what a plain step does."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.trace.trace import Trace

EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
"""The distance from 1 to the next number of each type."""
PLAIN_ERROR = "plain_error"
"""The counter of how far the plain step is from one in float64, where that had to be known."""
PLAIN_TIMES = 4  # both the step and the plain one it is compared with may be off by as much
MOST_ALLOWED = 0.1  # more would let wrong factors pass


def rounding_of(dtype: str) -> float:
    """Relative errors up to which are taken for rounding: half of the digits of a type."""
    return math.sqrt(EPSILON[dtype])


@dataclass(frozen=True, slots=True)
class Verified:
    """The largest relative errors of a run's gradients and losses, of all its steps.

    Up to `allowed` they are taken for rounding: half of a number's digits, the square root of its
    type's epsilon. Sums in another order stay far below it, a wrong factor is far above. Where a
    step is so ill-conditioned that the plain one is further than that from one in float64, it is
    four times that distance.
    """

    gradient: float
    loss: float
    allowed: float

    @property
    def agrees(self) -> bool:
        """Whether the errors may be rounding; what is no number is none."""
        return self.gradient <= self.allowed and self.loss <= self.allowed


def verified(trace: Trace) -> Verified | None:
    """What the verification of a run found; None if nothing was compared."""
    gradient, loss = (trace.counter(name).values for name in ("gradient_error", "loss_error"))
    if not len(gradient):
        return None
    plain = float(trace.counter(PLAIN_ERROR).values.max(initial=0.0))
    rounding = rounding_of(trace.header.specification.model.dtype)
    allowed = max(rounding, min(PLAIN_TIMES * plain, MOST_ALLOWED))
    return Verified(float(gradient.max()), float(loss.max()) if len(loss) else 0.0, allowed)
