"""A job that this process starts under torchrun; its ranks stream back to this process."""

from __future__ import annotations

import threading

from core.engine.messages import Ended, EngineMessage, Outcome
from core.engine.torchrun.launch import run_torchrun
from core.errors import PlanError
from core.job.client import JobClient
from core.machine import host_hardware
from core.message import error_message, message
from core.plain import error_text
from core.plan.launching import Hosts, check_launch
from core.plan.planning import lanes_of
from core.plan.specification import Specification, with_defaults

LOOPBACK = "127.0.0.1"


class LaunchedJob:
    """A job under torchrun, which is polled for the same messages as the engine.

    It runs until its last message, an Ended, or until `close`. Raise OSError if it cannot listen on
    a port of this machine.
    """

    def __init__(self, specification: Specification) -> None:
        self._specification = with_defaults(specification)
        self._client = JobClient(LOOPBACK, 0)
        self._stop = threading.Event()
        self._torchrun_end = Ended(Outcome.FAILED)
        self._streams_end: Ended | None = None
        self._has_ended = False
        self._thread = threading.Thread(target=self._run, name="torchrun", daemon=True)
        self._thread.start()

    def poll(self) -> list[EngineMessage]:
        """Return the messages since the last call, in order. Never blocks.

        The last message is an Ended. It gives the reason if torchrun or a rank has failed.
        """
        # Checked before the messages are taken: once the thread has ended, no message is added.
        is_over = not self._thread.is_alive()
        messages: list[EngineMessage] = []
        for received in self._client.poll():
            if isinstance(received, Ended):
                self._streams_end = received
            else:
                messages.append(received)
        if is_over and not self._has_ended:
            self._has_ended = True
            messages.append(self._end())
        return messages

    def stop(self) -> None:
        """Ask torchrun to end its processes. The steps recorded so far are kept."""
        self._stop.set()

    def close(self) -> None:
        """End the job and wait for its end."""
        self.stop()
        self._thread.join()

    def _run(self) -> None:
        """Run torchrun to its end, and then read the rest of the ranks' streams."""
        try:
            self._torchrun_end = self._run_torchrun()
        except PlanError as error:
            self._torchrun_end = Ended(Outcome.REFUSED, error_message(error))
        except Exception as error:  # whatever has failed, the caller of `poll` waits for the end
            text = message("torchrun cannot be started: {error}", error=error_text(error))
            self._torchrun_end = Ended(Outcome.FAILED, text)
        finally:
            self._client.finish()

    def _run_torchrun(self) -> Ended:
        lanes = lanes_of(self._specification, host_hardware(), present=False)
        out = self._client.address
        check_launch(self._specification, lanes, Hosts(), out)
        return run_torchrun(
            specification=self._specification,
            lanes=len(lanes),
            hosts=Hosts(),
            out=out,
            on_line=lambda line: None,
            stop=self._stop,
        )

    def _end(self) -> Ended:
        """Return the end of the job; a job whose recording is incomplete has failed."""
        streams_end = self._streams_end
        has_finished = self._torchrun_end.outcome is Outcome.FINISHED
        if has_finished and streams_end is not None and streams_end.outcome is Outcome.FAILED:
            return streams_end
        return self._torchrun_end
