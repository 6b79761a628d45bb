"""Works out what two runs differ by; large steps on a thread, so that the window goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from core.compare.runs import TwoRuns, compare_runs
from core.compare.spent import Stopped, never
from core.trace.trace import Trace
from gui.look.text import problem_text

LARGE = 20_000
"""Tasks in all compared steps together; about a tenth of a second, more goes to the thread."""


class CompareWorker(QObject):
    """`done` carries a TwoRuns, or the line that says why there is none.

    Only the answer to the latest question comes; older ones are dropped.
    """

    done = Signal(object)
    _answered = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asked = self._told = 0
        self._threads: list[threading.Thread] = []
        self._answered.connect(self._take)

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._told < self._asked

    def ask(self, a: Trace, b: Trace, steps_a: Sequence[int], steps_b: Sequence[int]) -> bool:
        """Compare steps, at least one of each; True if the answer has come already."""
        self._asked += 1
        given = (list(steps_a), list(steps_b))
        if tasks_in(a, steps_a) + tasks_in(b, steps_b) <= LARGE:
            self._take(self._asked, _worked_out(a, b, *given))
            return True
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(
            target=self._work, args=(self._asked, a.snapshot(), b.snapshot(), *given),
            daemon=True, name="compare",
        )  # fmt: skip
        self._threads.append(thread)
        thread.start()
        return False

    def drop(self) -> None:
        """Let no answer come to what was asked; a thread ends after the step that it is at."""
        self._asked += 1
        self._told = self._asked

    def close(self) -> None:
        """Wait for every thread."""
        self.drop()
        for thread in self._threads:
            thread.join()

    def _work(
        self, number: int, a: Trace, b: Trace, steps_a: list[int], steps_b: list[int]
    ) -> None:
        self._answered.emit(
            number, _worked_out(a, b, steps_a, steps_b, lambda: number != self._asked)
        )

    def _take(self, number: int, answer: object) -> None:
        if number == self._asked and self.busy:
            self._told = number
            self.done.emit(answer)


def tasks_in(trace: Trace, steps: Sequence[int]) -> int:
    """How many finished tasks some steps of a run have."""
    count = 0
    for lane in range(len(trace.header.lanes)):
        known = trace.spans(lane).step
        count += int((np.searchsorted(known, steps, "right") - np.searchsorted(known, steps)).sum())
    return count


def _worked_out(
    a: Trace, b: Trace, steps_a: list[int], steps_b: list[int], stop: Callable[[], bool] = never
) -> TwoRuns | str:
    try:
        return compare_runs(a, b, steps_a, steps_b, stop)
    except Stopped:
        return ""
    except Exception as error:  # on a thread nobody else would hear of it
        return problem_text(error)
