"""Queue of runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from core.engine.messages import Outcome
from core.plan.specification import Specification
from gui.app.run import Run


class RunQueue:
    """Starts the next run when one has finished; a run that fails or is stopped clears the queue.

    `start` starts a run, and returns True if that succeeded.
    """

    def __init__(self, start: Callable[[Specification], bool]) -> None:
        self._start = start
        self._waiting: deque[Specification] = deque()
        self._then: Callable[[list[Run]], None] | None = None
        self._ended: list[Run] = []

    def run(
        self, specifications: Iterable[Specification], then: Callable[[list[Run]], None]
    ) -> None:
        """Replace the queue with these runs; when all have finished, `then` is called with them.

        If the first run cannot be started, the queue stays as it is.
        """
        waiting = deque(specifications)
        if not self._start(waiting.popleft()):
            return
        self._waiting = waiting
        self._then = then
        self._ended = []

    def end(self, run: Run) -> None:
        """Handle the end of a run."""
        if self._then is None:
            return
        self._ended.append(run)
        if run.outcome is not Outcome.FINISHED:
            self.forget()
        elif self._waiting:
            if not self._start(self._waiting.popleft()):
                self.forget()
        else:
            # Cleared before the call, because `then` may start another queue.
            then = self._then
            self._then = None
            then(self._ended)

    @property
    def ended(self) -> int:
        """Number of runs that have ended."""
        return len(self._ended)

    def forget(self) -> None:
        """Clear the queue; a run in progress continues."""
        # Without `_then`, the end of the run in progress is ignored.
        self._waiting.clear()
        self._then = None
