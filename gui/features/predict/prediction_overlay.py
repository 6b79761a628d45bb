"""Predictions of runs that have ended, computed on a thread, to compare with the measurement."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QObject, Signal

from core.errors import PlanError
from core.predict.compare import Comparison, predict_steps, prediction_trace
from core.trace.complete import completed_steps
from core.trace.median_step import median_step
from core.trace.source import Source
from core.trace.trace import Trace
from gui.app.jobs import Runner, Work
from gui.app.run import Run
from gui.look.text import tr

KEPT = 4  # number of predictions; each is about as large as its run's last steps
MOST_SPANS = 300_000  # in a run's last steps; older steps are not predicted

Predicted = tuple[Run, Comparison, Trace]
"""A run, its measurement compared with its prediction, and the prediction as a trace."""


class PredictionOverlay(QObject):
    """Predicts runs on a thread. `failed` carries a one-line message.

    `ready` carries a run once its `comparison` and `prediction` exist. A run has a prediction if
    it has ended and its costs are known. The predictions of the runs shown last are kept; others
    are computed again when their runs are shown again.
    """

    ready = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runner = Runner(self, "prediction overlay")
        self.runner.done.connect(self._take)
        self.runner.failed.connect(self._say_why)
        self._seen: deque[Run] = deque()

    def predict(self, run: Run) -> None:
        """Predict a run that has ended, unless it is among the last that were tried."""
        is_predicted = run.trace.header.source is Source.PREDICTED
        if run.live or is_predicted or run in self._seen:
            return
        self._seen.append(run)
        if len(self._seen) > KEPT:
            # It is no longer in `_seen`, so it is predicted again when it is shown again.
            forgotten = self._seen.popleft()
            forgotten.comparison = forgotten.prediction = None
        # `add`, not `start`, which would cancel the prediction of another run. The thread reads the
        # trace without a lock, because nothing is added to a run that has ended.
        self.runner.add(_predicted(run), thread=True)

    def _take(self, made: Predicted | None) -> None:
        if made is not None:
            run, comparison, prediction = made
            run.comparison = comparison
            run.prediction = prediction
            self.ready.emit(run)

    def _say_why(self, problem: str) -> None:
        self.failed.emit(tr("There is no prediction: {why}", why=problem))


def _predicted(run: Run) -> Work[Predicted | None]:
    found = yield from compared(run.trace)
    return None if found is None else (run, found, prediction_trace(run.trace, found))


def compared(trace: Trace) -> Work[Comparison | None]:
    """Return the prediction of a run's last steps; None if their costs are not known.

    Raises PlanError with the reason why the last step cannot be predicted.
    """
    # Newest step first: if there are too many spans, only the newest steps are predicted.
    steps = completed_steps(trace)[::-1]
    parts: list[Comparison] = []
    spans = 0
    for number, step in enumerate(steps):
        try:
            part = predict_steps(trace, [step])
        except PlanError:
            if not parts:
                raise
            break  # an older step that cannot be predicted; the newer ones are kept
        if part is None or spans > MOST_SPANS:
            break
        parts.append(part)
        spans += len(part.steps[0].columns)
        yield number / len(steps)
    if not parts:
        return None
    predicted = tuple(part.steps[0] for part in reversed(parts))
    median = median_step(trace, [one.step for one in predicted])
    return Comparison(parts[0].source, predicted, median)
