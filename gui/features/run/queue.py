"""Several runs, one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from core.engine.messages import Outcome
from core.plan.specification import Specification
from gui.app.session import Run


class RunQueue:
    """Starts the next run when one has finished; a run that fails or is stopped ends the row.

    `start` begins a run and says whether it could.
    """

    def __init__(self, start: Callable[[Specification], bool]) -> None:
        self._start = start
        self._waiting: deque[Specification] = deque()
        self._then: Callable[[list[Run]], None] | None = None
        self._ended: list[Run] = []

    def run(
        self, specifications: Iterable[Specification], then: Callable[[list[Run]], None]
    ) -> None:
        """Run these, in this order, instead of what still waits; `then` gets all their runs."""
        self._waiting, self._then, self._ended = deque(specifications), then, []
        self._next()

    def end(self, run: Run) -> None:
        """A run is over."""
        if self._then is None:
            return
        self._ended.append(run)
        if run.outcome is not Outcome.FINISHED:
            self.forget()
        elif self._waiting:
            self._next()
        else:
            # Forgotten before the call: `then` may ask for the next row, which sets it again.
            then, self._then = self._then, None
            then(self._ended)

    @property
    def ended(self) -> int:
        """How many of these runs are over."""
        return len(self._ended)

    def forget(self) -> None:
        """Start none of those that still wait."""
        # The run that is under way goes on; without `_then` its end is none of this row's any more.
        self._waiting.clear()
        self._then = None

    def _next(self) -> None:
        if self._waiting and not self._start(self._waiting.popleft()):
            self.forget()
