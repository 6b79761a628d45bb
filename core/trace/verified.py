"""Comparison of a verified run's gradients and losses with a plain step's."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.trace.trace import Trace

EPSILON = {
    "float64": 2.0**-52,
    "float32": 2.0**-23,
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
}
"""Machine epsilon of each type."""
PLAIN_ERROR = "plain_error"
"""The counter of the plain step's error relative to float64, where it was measured."""
PLAIN_TIMES = 4  # the step and the plain one both have errors of this size
MOST_ALLOWED = 0.1  # a higher limit would accept wrong factors


def rounding_of(dtype: str) -> float:
    """Return the largest relative error that counts as rounding: half of a type's digits."""
    return math.sqrt(EPSILON[dtype])


@dataclass(frozen=True, slots=True)
class Verified:
    """The largest relative errors of gradients and losses over all steps of a run.

    Errors up to `allowed` count as rounding: the square root of the type's epsilon, which is half
    of its digits. Summation in another order stays far below this limit, and a wrong factor is far
    above it. In an ill-conditioned step the plain step itself differs from one in float64; then the
    limit is four times this difference, if that is larger.
    """

    gradient: float
    loss: float
    allowed: float

    @property
    def agrees(self) -> bool:
        """True if the errors are within rounding; NaN is not."""
        return self.gradient <= self.allowed and self.loss <= self.allowed

    @property
    def text(self) -> str:
        """The result in one sentence; if the steps do not agree, with the requirements."""
        errors = f"gradient error {self.gradient:.2g}, loss error {self.loss:.2g}"
        if self.agrees:
            return f"verified: the run computed what a plain step does ({errors})"
        return (
            f"NOT what a plain step computes: {errors}; rounding causes less than "
            f"{self.allowed:.1g}. The loss must be finite and a mean over rows, and nothing may be "
            "drawn at random."
        )


def verified(trace: Trace) -> Verified | None:
    """Return the result of a run's verification; None if nothing was compared."""
    gradient, loss = (trace.counter(name).values for name in ("gradient_error", "loss_error"))
    if not len(gradient):
        return None
    plain = float(trace.counter(PLAIN_ERROR).values.max(initial=0.0))
    rounding = rounding_of(trace.header.specification.model.dtype)
    allowed = max(rounding, min(PLAIN_TIMES * plain, MOST_ALLOWED))
    loss_error = 0.0
    if len(loss):
        loss_error = float(loss.max())
    return Verified(
        gradient=float(gradient.max()),
        loss=loss_error,
        allowed=allowed,
    )
