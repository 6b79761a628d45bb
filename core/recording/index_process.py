"""Builds a recording's index in a separate process, so that the window stays responsive."""

from __future__ import annotations

import signal
import sys
import time
from concurrent.futures import wait
from contextlib import closing
from pathlib import Path

from core.message import message
from core.process.worker import Worker, report
from core.recording.index import Cancelled, Progress, build_index, report_progress

POLL_SECONDS = 0.05  # between two checks for cancelling, and between two reports


def build_apart(path: Path | str, progress: Progress | None) -> None:
    """Build a recording's index in another process. Raises OSError if that fails.

    `progress` is called many times a second, in the calling thread. If it returns False, the
    process is ended, the unfinished index is removed, and Cancelled is raised.
    """
    reports = [(0, 1)]
    with closing(Worker(reports.append)) as worker:
        made = worker.submit(_build, path)
        try:
            while not wait([made], POLL_SECONDS).done:
                report_progress(progress, *reports[-1])
        except Cancelled:
            worker.terminate()
            wait([made])  # it removes the unfinished index
            raise
        if made.exception() is not None:
            raise OSError(message("the index could not be built")) from made.exception()


def _build(path: Path | str) -> None:
    """Build an index in the worker; SIGTERM removes the unfinished index."""
    # Exit by an exception, so that the half-written file is removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    next_time = 0.0

    def say(done: int, total: int) -> None:
        nonlocal next_time
        if time.monotonic() >= next_time:
            next_time = time.monotonic() + POLL_SECONDS
            report((done, total))

    build_index(path, say)
