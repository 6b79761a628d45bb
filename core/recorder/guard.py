"""Keeps the recorder's own errors away from the job that it records."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from .messages import print_message


class Guard:
    """Runs the recorder's code inside a user's training job.

    Every hook, callback and entry of the recorder runs through one guard. The first error ends the
    recording and prints one line. After that no guarded code runs, and the job continues.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.error = ""
        """The error that ended the recording; "" if there was none."""

    def __call__(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Return the function's result; None if it fails, or if an earlier call has failed."""
        if self.error:
            return None
        try:
            return function(*arguments, **options)
        except Exception as error:  # no error of a recording may end a training job
            self._end(error)
            return None

    def always(self, function: Callable[[], object]) -> None:
        """Run a clean-up, even after an error. Only the first error is printed."""
        try:
            function()
        except Exception as error:
            self._end(error)

    def around(self, function: Callable[..., Any]) -> Callable[..., None]:
        """Return a callback that runs the function under this guard and returns None.

        torch replaces a tensor or a gradient by a callback's result, so callbacks return nothing.
        """

        def guarded(*arguments: Any, **options: Any) -> None:
            self(function, *arguments, **options)

        return guarded

    def stop(self) -> None:
        """Run no more guarded code, without a message. Call it in a forked process."""
        self._lock = threading.Lock()  # another thread of the parent may have held it
        self.error = "this process was forked"

    def _end(self, error: Exception) -> None:
        # Several threads may fail at the same time. Only the first error is kept and printed.
        with self._lock:
            if not self.error:
                self.error = " ".join(f"{type(error).__name__}: {error}".split())
                print_message(f"the recording has ended: {self.error}")
