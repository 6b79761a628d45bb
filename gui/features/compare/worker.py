"""Compares two runs; large steps on a thread, so that the window stays responsive."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from core.compare.runs import TwoRuns, compare_runs
from core.compare.totals import never
from core.explain.lanes import spans_within
from core.trace.trace import Trace
from gui.app.jobs import Runner, Work

LARGE = 20_000
"""More tasks than this, which take about a tenth of a second, are compared on a thread."""


class CompareWorker(Runner):
    """Compares two runs. `done` carries a TwoRuns, only for the latest call of `ask`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent, "compare")

    def ask(self, a: Trace, b: Trace, steps_a: Sequence[int], steps_b: Sequence[int]) -> None:
        """Compare steps, at least one of each run; few tasks are compared before this returns."""
        tasks = spans_within(a, steps_a, steps_a) + spans_within(b, steps_b, steps_b)
        if tasks <= LARGE:
            # In this thread, without a time limit: the result is ready before the next frame.
            work = _compared(a, b, list(steps_a), list(steps_b), never)
            self.start(work, math.inf)
            return
        # Snapshots: the session adds spans in the window's thread while this thread reads.
        stop = threading.Event()
        work = _compared(a.snapshot(), b.snapshot(), list(steps_a), list(steps_b), stop.is_set)
        self.start(work, thread=True, stop=stop)


def _compared(
    a: Trace, b: Trace, steps_a: list[int], steps_b: list[int], stop: Callable[[], bool]
) -> Work[TwoRuns]:
    yield 0.0
    return compare_runs(a, b, steps_a, steps_b, stop)
