"""The runs of the window: on the engine, or under torchrun, whichever a specification asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.engine.client import EngineClient
from core.engine.messages import Ended, Message
from core.plan.specification import TORCHRUN, Specification

if TYPE_CHECKING:
    from core.job.launched import LaunchedJob


class RunClient(EngineClient):
    """An EngineClient that starts torchrun itself for the jobs that it launches."""

    def __init__(self) -> None:
        super().__init__()
        self._launched: LaunchedJob | None = None

    def run(self, specification: Specification) -> None:
        """Ask for a run; its messages come from `poll`.

        Raises OSError if no engine can be started, or no port be listened on.
        """
        if specification.launcher != TORCHRUN:
            super().run(specification)
            return
        # The window appears sooner without this import.
        from core.job.launched import LaunchedJob

        self._launched = LaunchedJob(specification)

    @property
    def running(self) -> bool:
        """True while a run is under way."""
        return self._launched is not None or super().running

    def stop(self) -> None:
        """Ask the run to stop."""
        if self._launched is not None:
            self._launched.stop()
        else:
            super().stop()

    def poll(self) -> list[Message]:
        """Return all messages since the last call. Never blocks."""
        messages = super().poll()
        if self._launched is not None:
            # The engine may end meanwhile: the next run starts another one.
            messages = [one for one in messages if not isinstance(one, Ended)]
            messages += self._launched.poll()
            if messages and isinstance(messages[-1], Ended):
                self._launched.close()
                self._launched = None
        return messages

    def close(self) -> None:
        """End the run and the engine, and wait for them."""
        if self._launched is not None:
            self._launched.close()
            self._launched = None
        super().close()
