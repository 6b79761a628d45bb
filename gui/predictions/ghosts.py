"""Predictions of runs that were made, beside what was measured; worked out on a thread."""

from __future__ import annotations

import threading
from collections import deque

from PySide6.QtCore import QObject, Signal

from core.predict.compare import Comparison, predict_steps, prediction_trace
from core.trace.complete import completed_steps
from core.trace.trace import Trace
from gui.app.session import Run
from gui.look.text import problem_text, tr

KEPT = 4  # predictions, each about as large as its run's last steps
MOST_SPANS = 300_000  # of a run's last steps: older ones have no ghost


class Ghosts(QObject):
    """`ready` carries a run once its `comparison` and `ghost` are there; `failed` one line.

    A run has a prediction where its costs are known. It must have ended. Those of the runs shown
    last are kept; others are worked out anew when they are shown again.
    """

    ready = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._seen: deque[Run] = deque()

    def predict(self, run: Run) -> None:
        """Predict a run that has ended, unless that has been tried lately."""
        if run.live or run.trace.header.predicted or run in self._seen:
            return
        self._seen.append(run)
        if len(self._seen) > KEPT:
            forgotten = self._seen.popleft()
            forgotten.comparison = forgotten.ghost = None
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        thread = threading.Thread(target=self._work, args=(run,), daemon=True, name="ghosts")
        self._threads.append(thread)
        thread.start()

    def close(self) -> None:
        """End every thread, after the step that it is at."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _work(self, run: Run) -> None:
        try:
            found = compared(run.trace, self._stop)
            ghost = None if found is None else prediction_trace(run.trace, found)
        except Exception as error:  # on a thread nobody else would hear of it
            self.failed.emit(tr("There is no prediction: {why}", why=problem_text(error)))
            return
        if found is not None and not self._stop.is_set():
            run.comparison, run.ghost = found, ghost
            self.ready.emit(run)


def compared(trace: Trace, stop: threading.Event) -> Comparison | None:
    """The prediction of a run's last steps, step by step until `stop`; None if there is none."""
    parts: list[Comparison] = []
    spans = 0
    for step in reversed(completed_steps(trace)):
        part = None if stop.is_set() else predict_steps(trace, [step])
        if part is None or spans > MOST_SPANS:
            break
        parts.append(part)
        spans += len(part.steps[0].columns)
    if not parts:
        return None
    return Comparison(parts[0].source, tuple(part.steps[0] for part in reversed(parts)))
