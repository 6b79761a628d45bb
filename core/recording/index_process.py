"""Making a recording's index in a process of its own, so that a window goes on meanwhile."""

from __future__ import annotations

import signal
import sys
import time
from concurrent.futures import wait
from contextlib import closing
from pathlib import Path

from core.process.worker import Worker, report
from core.recording.index import Cancelled, Progress, build_index, report_progress

LOOK_SECONDS = 0.05  # between two questions whether to go on, and between two reports


def build_apart(path: Path | str, progress: Progress | None) -> None:
    """Make a recording's index in another process. Raises OSError if it could not be made.

    `progress` is asked many times a second, in this thread. Raises Cancelled if it returns False;
    nothing is left of the process and its index then.
    """
    reports = [(0, 1)]
    with closing(Worker(reports.append)) as worker:
        made = worker.submit(_build, path)
        try:
            while not wait([made], LOOK_SECONDS).done:
                report_progress(progress, *reports[-1])
        except Cancelled:
            worker.terminate()
            wait([made])  # it removes what it has not finished
            raise
        if made.exception() is not None:
            raise OSError("it could not be made") from made.exception()


def _build(path: Path | str) -> None:
    """In the worker: make an index, of which nothing is left if SIGTERM comes before the end."""
    # By an exception, so that what is half written is removed on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    next_time = 0.0

    def say(done: int, total: int) -> None:
        nonlocal next_time
        if time.monotonic() >= next_time:
            next_time = time.monotonic() + LOOK_SECONDS
            report((done, total))

    build_index(path, say)
