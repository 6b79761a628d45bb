"""Runs the check in a separate process, which imports torch, and collects its measurements."""

from __future__ import annotations

import json
import queue
from collections.abc import Iterator
from typing import BinaryIO

from core.check.measured import CheckMessage, Done, Failed, Measured, from_plain
from core.message import message
from core.process.child import Child, Exit
from core.process.starts import ModuleStart

MODULE = "core.engine.machine_check.start"


class CheckClient:
    """A running check. `poll` never blocks. Raises OSError if the process cannot start.

    `folder` is where the process saves recordings, or "". A `full` check takes up to ten minutes.
    """

    def __init__(self, folder: str = "", full: bool = False) -> None:
        self._received: queue.SimpleQueue[CheckMessage | Exit] = queue.SimpleQueue()
        self._child = Child(ModuleStart(MODULE), _receive, self._received.put)
        self._child.send(json.dumps({"folder": folder, "full": full}).encode())
        self.is_over = False
        """True once `poll` has returned everything."""

    def poll(self) -> list[Measured | Failed]:
        """Return the measurements since the last call, and a Failed if the process ended early."""
        found: list[Measured | Failed] = []
        while not self.is_over and not self._received.empty():
            received = self._received.get()
            if isinstance(received, Done):
                self.is_over = True
            elif isinstance(received, Exit):
                text = message("the process of the check {how}", how=received.how)
                found.append(Failed(text))
                self.is_over = True
            else:
                found.append(received)
        return found

    def close(self) -> None:
        """End the process."""
        self._child.close()


def _receive(wire: BinaryIO) -> Iterator[CheckMessage]:
    """Yield the messages that a process sends, one in each line."""
    for line in wire:
        yield from_plain(json.loads(line))
