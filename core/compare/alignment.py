"""Alignment of the times of two runs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alignment:
    """Maps time `a` of run A to time `b` of run B, in ns since each run's start.

    One ns of A is drawn as long as `scale` ns of B; with 1 both have the same scale.
    """

    a: float
    b: float
    scale: float = 1.0

    def to_b(self, time_a: float) -> float:
        """Return the time of B at a time of A."""
        return self.b + (time_a - self.a) * self.scale

    def to_a(self, time_b: float) -> float:
        """Return the time of A at a time of B."""
        return self.a + (time_b - self.b) / self.scale


def at_moments(
    a: float, b: float, step_a: tuple[float, float], step_b: tuple[float, float], fit: bool
) -> Alignment:
    """Align time `a` with time `b`; with `fit`, scale the steps (start, end) to equal length."""
    length_a = step_a[1] - step_a[0]
    length_b = step_b[1] - step_b[0]
    # A step of instants has the length 0 and cannot be scaled.
    if fit and length_a and length_b:
        return Alignment(a, b, length_b / length_a)
    return Alignment(a, b)
