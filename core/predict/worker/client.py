"""The process that predicts, as the window sees it. No torch, no Qt."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import suppress
from functools import partial

from core.predict.advisor import Advise
from core.predict.whatif import WhatIfQuery
from core.predict.worker import server
from core.predict.worker.jobs import Draw, Job, Lost, Refused, Reply, StepTimes
from core.process.worker import Worker

ENDED = "the process that predicts has ended; ask again to start it afresh"
ORDER = (WhatIfQuery, StepTimes, Draw, Advise)


class PredictorClient:
    """Starts a worker with the first job, and gives it jobs one by one: of a kind only the latest.

    `listener` gets each reply on a thread of the worker's.
    """

    def __init__(self, listener: Callable[[Reply], None]) -> None:
        self._listener = listener
        self._worker: Worker | None = None
        self._number = 0
        self._lock = threading.Lock()
        self._waiting: dict[type[Job], tuple[int, Job]] = {}
        self._is_busy = False

    @property
    def pid(self) -> int | None:
        """The process's id, if there is a process."""
        return None if self._worker is None else self._worker.pid

    def start(self) -> Worker:
        """Start the process unless it is there, without waiting; OSError if that cannot be done."""
        if self._worker is None or self._worker.is_over:
            self.close()
            self._worker = Worker(self._listener, lambda: self._listener(Lost(ENDED)))
            with suppress(BrokenExecutor):  # its end is told
                self._worker.submit(server.begin)
        return self._worker

    def send(self, job: Job) -> int:
        """Ask for a job; returns the number that its replies carry.

        Where no process can start, Lost is reported before this returns.
        """
        self._number += 1
        try:
            worker = self.start()
        except OSError as error:
            self._listener(Lost(f"no prediction: {error.strerror or error}"))
            return self._number
        with self._lock:
            self._waiting[type(job)] = (self._number, job)
        self._go_on(worker)
        return self._number

    def close(self) -> None:
        """End the process and wait for it; what it has not answered it never will."""
        worker, self._worker = self._worker, None
        with self._lock:
            self._waiting.clear()
            self._is_busy = False
        if worker is not None:
            worker.close()

    def _go_on(self, worker: Worker) -> None:
        """Give the worker the next job, unless it has one."""
        with self._lock:
            if worker is not self._worker or self._is_busy or not self._waiting:
                return
            # The window shows answers to questions at once; a ranking of all ways takes longest.
            kind = next(kind for kind in ORDER if kind in self._waiting)
            number, job = self._waiting.pop(kind)
            self._is_busy = True
        with suppress(BrokenExecutor):  # its end is told
            future = worker.submit(server.reply_to, number, job)
            # Not under the lock: if the job is done already, the callback runs here and takes it.
            future.add_done_callback(partial(self._take, worker, number))

    def _take(self, worker: Worker, number: int, future: Future[Reply]) -> None:
        """Pass a reply on, unless the worker has ended meanwhile: that is reported by itself."""
        with self._lock:
            if worker is not self._worker:
                return
            self._is_busy = False
        try:
            reply = future.result()
        except (BrokenExecutor, CancelledError):
            return
        except Exception as error:  # it cannot be sent
            reply = Refused(number, f"the prediction failed: {type(error).__name__}: {error}")
        self._listener(reply)
        self._go_on(worker)
