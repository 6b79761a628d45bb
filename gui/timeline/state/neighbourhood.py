"""What surrounds the selected span, kept: painting asks for it with every frame."""

from __future__ import annotations

from core.trace.dependencies import Neighbours, neighbours
from core.trace.trace import Span, Trace

MOST = 24  # arrows to each side; more could not be told apart


class Neighbourhood:
    """Remembers the neighbours of the span that was asked for last."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._asked: tuple[int, Span] | None = None
        self._found = Neighbours((), (), 0, 0)

    def of(self, span: Span) -> Neighbours:
        """What a span waited for, and what waited for it, MOST of each."""
        asked = (self._trace.version, span)
        if asked != self._asked:
            self._asked, self._found = asked, neighbours(self._trace, span, MOST)
        return self._found
