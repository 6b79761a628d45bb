"""How far two spans are apart: from the end of one to the start of the other, and from starts."""

from __future__ import annotations

from dataclasses import dataclass

from core.trace.span import Span
from gui.look.text import MINUS, duration_text


@dataclass(frozen=True, slots=True)
class Measure:
    """Two spans that have ended, the one that started first as `first`."""

    first: Span
    second: Span

    @classmethod
    def between(cls, one: object, other: object) -> Measure | None:
        """The measure of two different spans that have ended; None of anything else."""
        if not isinstance(one, Span) or not isinstance(other, Span) or one == other:
            return None
        if one.end is None or other.end is None:
            return None
        first, second = sorted((one, other), key=lambda span: (span.start, span.end))
        return cls(first, second)

    @property
    def end_to_start(self) -> int:
        """Ns from the first one's end to the second one's start; negative where they overlap."""
        assert self.first.end is not None
        return self.second.start - self.first.end

    @property
    def start_to_start(self) -> int:
        """Ns from start to start."""
        return self.second.start - self.first.start

    @property
    def end_to_end(self) -> int:
        """Ns from the first one's end to the second one's; negative if that ends before."""
        assert self.first.end is not None and self.second.end is not None
        return self.second.end - self.first.end


def signed_text(ns: int) -> str:
    """A distance with a minus sign where it is negative."""
    return f"{MINUS if ns < 0 else ''}{duration_text(abs(ns))}"
