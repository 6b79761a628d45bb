"""Keeps the recorder's own errors away from the job that it records."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class Guard:
    """Runs the recorder's code inside somebody's training job.

    Every hook, callback and entry of the recorder runs through one guard. The first error ends the
    recording with one printed line: nothing guarded runs from then on, and the job goes on.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.error = ""
        """The error that ended the recording; empty while there is none."""

    def __call__(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Return the function's result; None after an error, its own or an earlier one."""
        if self.error:
            return None
        try:
            return function(*arguments, **options)
        except Exception as error:  # whatever it is: a recording is not worth a training job
            self._end(error)
            return None

    def always(self, function: Callable[[], object]) -> None:
        """Run a clean-up, also after an error; only the first error is printed."""
        try:
            function()
        except Exception as error:
            self._end(error)

    def around(self, function: Callable[..., Any]) -> Callable[..., None]:
        """Return a callback that runs the function under this guard and returns nothing.

        A callback that changes what it is given returns a value, so none of the recorder's may.
        """

        def guarded(*arguments: Any, **options: Any) -> None:
            self(function, *arguments, **options)

        return guarded

    def _end(self, error: Exception) -> None:
        # Threads may fail at once, each with an error of its own: one of them is printed.
        with self._lock:
            if not self.error:
                self.error = " ".join(f"{type(error).__name__}: {error}".split())
                print(f"bubblescope: the recording has ended: {self.error}", flush=True)
