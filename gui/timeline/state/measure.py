"""Distances between two spans: end to start, start to start, end to end."""

from __future__ import annotations

from dataclasses import dataclass

from core.trace.span import Span
from gui.look.text import MINUS, duration_text


@dataclass(frozen=True, slots=True)
class Measure:
    """Two spans that have ended; `first` started first."""

    first: Span
    second: Span

    @classmethod
    def between(cls, one: object, other: object) -> Measure | None:
        """Return the measure of two different spans that have ended, else None."""
        if not isinstance(one, Span) or not isinstance(other, Span):
            return None
        if one == other or one.end is None or other.end is None:
            return None
        if (other.start, other.end) < (one.start, one.end):
            return cls(other, one)
        return cls(one, other)

    @property
    def end_to_start(self) -> int:
        """Ns from the first span's end to the second's start; negative if they overlap."""
        assert self.first.end is not None
        return self.second.start - self.first.end

    @property
    def start_to_start(self) -> int:
        """Ns from start to start."""
        return self.second.start - self.first.start

    @property
    def end_to_end(self) -> int:
        """Ns from the first span's end to the second's; negative if the second ends first."""
        assert self.first.end is not None and self.second.end is not None
        return self.second.end - self.first.end


def signed_text(ns: int) -> str:
    """Return a duration, with a minus sign if it is negative."""
    length = duration_text(abs(ns))
    if ns < 0:
        return f"{MINUS}{length}"
    return length
