"""The recording of one training by a trainer, from its first event to its last."""

from __future__ import annotations

import atexit
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from bubblescope.recorder import exits  # type: ignore[import-not-found]
from bubblescope.recorder.session import record  # type: ignore[import-not-found]


class TrainingRecording:
    """Begins, pauses and ends a recording when a trainer reports these events.

    A trainer does not report every end: if training raises an error that the trainer does not
    report, the recording ends as failed when the next training begins or the process ends.
    """

    def __init__(self, out: str | Path) -> None:
        self._out = out
        self._session: Any = None
        self._pause: AbstractContextManager[None] | None = None

    def begin(self, model: Any) -> None:
        """Begin to record a model, or the first model that trains if it is None."""
        self.end_failed()
        self._session = record(model, None, self._out)
        self._session.__enter__()
        atexit.register(self.end_failed)

    @property
    def session(self) -> Any:
        """The recording; None before training begins and after it has ended."""
        return self._session

    @property
    def is_paused(self) -> bool:
        """True between `pause` and `resume`."""
        return self._pause is not None

    def pause(self) -> None:
        """Record nothing until `resume`. Does nothing if the recording is already paused."""
        if self._session is not None and self._pause is None:
            self._pause = self._session.paused()
            self._pause.__enter__()

    def resume(self) -> None:
        """End a pause. Does nothing if there is none."""
        pause, self._pause = self._pause, None
        if pause is not None:
            pause.__exit__(None, None, None)

    def tell(self, name: str, value: float) -> None:
        """Record a number of the step that has just ended."""
        if self._session is not None:
            self._session.tell(name, value)

    def end(self, error: BaseException | None = None) -> None:
        """End the recording, as failed if there was an error. Does nothing without a recording."""
        self.resume()
        session, self._session = self._session, None
        if session is not None:
            atexit.unregister(self.end_failed)
            session.__exit__(None if error is None else type(error), error, None)

    def end_failed(self) -> None:
        """End a recording whose trainer has not reported the end of its training."""
        if self._session is not None:
            self.end(exits.failure() or RuntimeError("the training did not end"))
