"""The predictor's process as the window sees it. No torch, no Qt."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from core.predict.worker.jobs import Job, Lost, Reply
from core.process.spawn import environment

ENDED = "the process that predicts has ended; ask again to start it afresh"


class PredictorClient:
    """Starts the process with the first job, and ends it; it also ends when this process does.

    `listener` gets each reply on a thread of the client's.
    """

    def __init__(self, listener: Callable[[Reply], None]) -> None:
        self._listener = listener
        self._process: subprocess.Popen[bytes] | None = None
        self._reader = threading.Thread()
        self._number = 0

    @property
    def pid(self) -> int | None:
        """The process's id, if there is a process."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process unless it is there, without waiting; OSError if that cannot be done."""
        if self._process is not None and self._process.poll() is None and self._reader.is_alive():
            return
        self.close()
        self._wire, other = Pipe()
        lifeline_end, self._lifeline = os.pipe()
        given = (other.fileno(), lifeline_end)
        try:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "core.process.lifeline",
                    str(lifeline_end),
                    "core.predict.worker.server",
                    str(other.fileno()),
                ],
                pass_fds=given,
                stdin=subprocess.DEVNULL,
                env=environment(),
                process_group=0,
            )
        except OSError:
            self._wire.close()
            os.close(self._lifeline)
            raise
        finally:
            other.close()
            os.close(lifeline_end)
        self._reader = threading.Thread(
            target=self._read, args=(self._wire,), daemon=True, name="predictions"
        )
        self._reader.start()

    def send(self, job: Job) -> int:
        """Ask for a job; returns the number that its replies carry. Raises OSError as `start`."""
        self._number += 1
        self.start()
        try:
            self._wire.send((self._number, job))
        except OSError:  # it has ended, though it cannot be waited for yet
            self.close()
            self.start()
            self._wire.send((self._number, job))
        return self._number

    def close(self) -> None:
        """End the process and wait for it; what it has not answered it never will."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        self._reader.join()
        self._wire.close()
        os.close(self._lifeline)

    def _read(self, wire: Connection) -> None:
        try:
            while True:
                self._listener(wire.recv())
        except Exception:  # it has ended, or what it sent cannot be read
            if self._process is not None:
                self._listener(Lost(ENDED))
