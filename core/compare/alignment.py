"""How the times of two runs are laid over each other."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alignment:
    """The moment `a` of run A stands over the moment `b` of run B, in ns since each run's start.

    One ns of A is as long as `scale` ns of B: 1 shows true time.
    """

    a: float
    b: float
    scale: float = 1.0

    def to_b(self, time_a: float) -> float:
        """The moment of B that stands under a moment of A."""
        return self.b + (time_a - self.a) * self.scale

    def to_a(self, time_b: float) -> float:
        """The moment of A that stands over a moment of B."""
        return self.a + (time_b - self.b) / self.scale


def at_moments(
    a: float, b: float, step_a: tuple[float, float], step_b: tuple[float, float], fit: bool
) -> Alignment:
    """Lay moment `a` over moment `b`; with `fit`, both steps (start and end) are equally long."""
    # Either may be 0, of a step of instants: then nothing can be fitted.
    lengths = step_a[1] - step_a[0], step_b[1] - step_b[0]
    return Alignment(a, b, lengths[1] / lengths[0] if fit and all(lengths) else 1.0)
