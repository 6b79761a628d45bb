"""A fake client of an engine; the test chooses its messages."""

from __future__ import annotations

from collections.abc import Sequence

from core.engine.messages import Ended, EngineMessage, Outcome
from core.plan.specification import Specification
from tests.make_believe import HARDWARE, batches


class FakeClient:
    """Records its requests; `say` queues messages for the next poll."""

    def __init__(self) -> None:
        self.running = self.closed = self.started = self.stopped = False
        self.host = ""
        self.pid: int | None = None
        self.asked: list[Specification] = []
        self.messages: list[EngineMessage] = []

    def start(self) -> None:
        self.started = True
        self.say(HARDWARE)

    def move_to(self, host: str) -> None:
        self.host = host

    def run(self, specification: Specification) -> None:
        self.running = True
        self.asked.append(specification)

    def stop(self) -> None:
        self.stopped = True

    def poll(self) -> list[EngineMessage]:
        messages, self.messages = self.messages, []
        return messages

    def close(self) -> None:
        self.closed = True

    def say(self, *messages: EngineMessage) -> None:
        self.messages += messages

    def perform(
        self,
        specification: Specification,
        outcome: Outcome = Outcome.FINISHED,
        scale: float | Sequence[float] = 1.0,
    ) -> None:
        """Queue a whole run, whose tasks take `scale` times as long as usual."""
        header, made = batches(specification, scale=scale)
        self.say(header, *made, Ended(outcome))
        self.running = False
