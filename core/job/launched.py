"""A job that this process starts under torchrun, whose ranks stream back to it."""

from __future__ import annotations

import threading

from core.engine.messages import Ended, Message, Outcome
from core.engine.torchrun.launch import run_torchrun
from core.errors import PlanError
from core.job.client import JobClient
from core.machine import host
from core.plain import error_text
from core.plan.launching import Hosts
from core.plan.planning import lanes_of
from core.plan.specification import Specification, with_defaults

LOOPBACK = "127.0.0.1"


class LaunchedJob:
    """A job under torchrun, polled for its messages as the engine is.

    It runs until its last message, an Ended, or until `close`. Raises OSError if no port on this
    machine can be listened on.
    """

    def __init__(self, specification: Specification) -> None:
        self._specification = with_defaults(specification)
        self._client = JobClient(LOOPBACK, 0)
        self._stop = threading.Event()
        self._is_read = True  # of the ranks that have begun, all that they sent
        self._end: Ended | None = None
        self._thread = threading.Thread(target=self._run, name="torchrun", daemon=True)
        self._thread.start()

    def poll(self) -> list[Message]:
        """Return all messages since the last call, in order. Never blocks.

        The last one of all is the Ended, which says why if a rank or torchrun has failed.
        """
        messages: list[Message] = []
        # In this order: once torchrun has ended, no rank begins any more.
        is_over = not self._thread.is_alive()
        for message in self._client.poll():
            self._is_read = isinstance(message, Ended)
            if not self._is_read:
                messages.append(message)
        if is_over and self._is_read and self._end is not None:
            messages.append(self._end)
            self._end = None
        return messages

    def stop(self) -> None:
        """Ask torchrun to end its processes; what was recorded stays."""
        self._stop.set()

    def close(self) -> None:
        """End the job and wait for that."""
        self.stop()
        self._thread.join()
        self._client.close()

    def _run(self) -> None:
        """Run torchrun to its end; on its own thread."""
        specification, out = self._specification, self._client.address
        try:
            lanes = len(lanes_of(specification, host(), present=False))
            self._end = run_torchrun(specification, lanes, Hosts(), out, lambda _: None, self._stop)
        except PlanError as error:
            self._end = Ended(Outcome.REFUSED, str(error))
        except OSError as error:
            self._end = Ended(Outcome.FAILED, f"torchrun cannot be started: {error_text(error)}")
