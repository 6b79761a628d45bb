"""Several runs, one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from core.engine.messages import Outcome
from core.plan.specification import Specification
from gui.session import Run


class InTurn:
    """Starts the next run when one has finished; a run that fails or is stopped ends the row.

    `start` begins a run and says whether it could.
    """

    def __init__(self, start: Callable[[Specification], bool]) -> None:
        self._start = start
        self._waiting: deque[Specification] = deque()

    def run(self, specifications: Iterable[Specification]) -> None:
        """Run these, in this order, instead of what still waits."""
        self._waiting = deque(specifications)
        self._next()

    def end(self, run: Run) -> None:
        """A run is over."""
        if run.outcome is Outcome.FINISHED:
            self._next()
        else:
            self.forget()

    def forget(self) -> None:
        """Start none of those that still wait."""
        self._waiting.clear()

    def _next(self) -> None:
        if self._waiting and not self._start(self._waiting.popleft()):
            self.forget()
