"""Whether a verified run computed what a plain step does."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.trace.trace import Trace

EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
"""The distance from 1 to the next number of each type."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The largest relative errors of a run's gradients and losses, of all its steps.

    Up to `allowed` they are taken for rounding: half of a number's digits, the square root of its
    type's epsilon. Sums in another order stay far below it, a wrong factor is far above.
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
    allowed = math.sqrt(EPSILON[trace.header.specification.model.dtype])
    return Verified(float(gradient.max()), float(loss.max()) if len(loss) else 0.0, allowed)
