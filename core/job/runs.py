"""Starts the window's runs, on the engine or under torchrun."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from core.engine.client import EngineClient
from core.engine.messages import Ended, EngineMessage
from core.message import message
from core.plan.specification import TORCHRUN, Specification

if TYPE_CHECKING:
    from core.job.launched import LaunchedJob


class RunClient(Protocol):
    """Protocol: starts one run at a time and returns its messages.

    EngineClient and RunLauncher implement it.
    """

    def start(self) -> object:
        """Start the engine, without waiting for it. Raise OSError if it cannot be started."""

    def move_to(self, host: str) -> None:
        """End the engine; the next one is started on another host, "" for this machine."""

    def run(self, specification: Specification) -> None:
        """Start a run. Raise OSError if it cannot be started."""

    def stop(self) -> None:
        """Ask the run to stop."""

    def poll(self) -> list[EngineMessage]:
        """Return all messages since the last call. Never blocks."""

    def close(self) -> None:
        """End the run and all processes, and wait for them."""


class RunLauncher:
    """Starts each run on the engine or under torchrun, as its specification says."""

    def __init__(self) -> None:
        self._engine = EngineClient()
        self._job: LaunchedJob | None = None

    @property
    def running(self) -> bool:
        """True while a run is in progress."""
        return self._job is not None or self._engine.running

    @property
    def pid(self) -> int | None:
        """The engine's process id, if there is an engine."""
        return self._engine.pid

    def start(self) -> object:
        """Start the engine, without waiting for it. Raise OSError if it cannot be started."""
        return self._engine.start()

    def move_to(self, host: str) -> None:
        """End the engine; the next one is started on another host, "" for this machine."""
        self._engine.move_to(host)

    def run(self, specification: Specification) -> None:
        """Start a run, whose messages `poll` returns.

        Raise OSError if the engine cannot be started or no port can be listened on, RuntimeError if
        a run is in progress.
        """
        if self.running:
            raise RuntimeError(message("a run is under way: stop it first"))
        if specification.launcher != TORCHRUN:
            self._engine.run(specification)
            return
        # Imported here, so that the window appears sooner.
        from core.job.launched import LaunchedJob

        self._job = LaunchedJob(specification)

    def stop(self) -> None:
        """Ask the run to stop."""
        if self._job is not None:
            self._job.stop()
        else:
            self._engine.stop()

    def poll(self) -> list[EngineMessage]:
        """Return all messages since the last call. Never blocks."""
        messages = self._engine.poll()
        if self._job is None:
            return messages
        # An engine that ends does not end the job. The next run starts another engine.
        messages = [message for message in messages if not isinstance(message, Ended)]
        messages += self._job.poll()
        if messages and isinstance(messages[-1], Ended):
            self._job.close()
            self._job = None
        return messages

    def close(self) -> None:
        """End the run and the engine, and wait for them."""
        if self._job is not None:
            self._job.close()
            self._job = None
        self._engine.close()
