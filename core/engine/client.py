"""The engine process as window and command line see it. No torch, no Qt."""

from __future__ import annotations

import json
import math
import queue
import time
from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa

from core.engine.messages import APART, APART_KEY, Ended, Message, Outcome, Unusable
from core.plan.specification import Specification
from core.process.child import Child
from core.recording.schema import read_header

STOP_SECONDS = 1.5  # what a run is given to stop by itself; then the engine is killed


# The GNU C library gives freed memory back, and the kernel maps new pages one by one while a task
# runs: that took up to a tenth of a step, and was measured as the task's. So up to 1 GiB is kept.
# 32 MiB is the largest threshold that the library takes: larger tensors are mapped anew each time.
KEPT_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 25)}


class EngineClient:
    """Starts the engine process, sends it specifications, and collects what it sends.

    `poll` never blocks: a thread reads and waits. The engine ends when this process does, however
    that ends, because a pipe closes then. `module` is what the process runs.
    """

    module = "core.engine.start"

    def __init__(self) -> None:
        self._engine: Child[Message] | None = None
        self._received: queue.SimpleQueue[Message | str] = queue.SimpleQueue()
        self._deadline: float | None = None
        self._running = self._killed = False
        self._unusable = ""

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._running

    @property
    def pid(self) -> int | None:
        """The engine's process id, if there is an engine."""
        return self._engine.pid if self._engine is not None else None

    def start(self) -> Child[Message]:
        """Start the engine unless it is there. Does not wait for it; OSError if it cannot start."""
        if self._engine is None:
            received: queue.SimpleQueue[Message | str] = queue.SimpleQueue()
            # Each engine has a queue of its own: what the thread of one that was
            # given up still puts goes nowhere.
            self._engine = Child(self.module, receive, received.put, KEPT_MEMORY)
            self._received, self._killed, self._unusable = received, False, ""
        return self._engine

    def run(self, specification: Specification) -> None:
        """Ask for a run; its messages come from `poll`. Starts an engine if there is none.

        Raises OSError if no engine can be started.
        """
        if self._running:
            raise RuntimeError("a run is under way: stop it first")
        self._send("run", specification)
        self._running, self._deadline = True, None

    def describe(self, specification: Specification) -> None:
        """Ask what the user's own model is: its description comes, or an Ended that says why."""
        self._send("describe", specification)

    def stop(self) -> None:
        """Ask the run to stop; if it has not after 1.5 s, `poll` kills the engine."""
        if self._engine is not None and self._running and self._deadline is None:
            self._deadline = time.monotonic() + STOP_SECONDS
            self._engine.send(json.dumps({"stop": True}).encode())

    def poll(self) -> list[Message]:
        """All messages since the last call. Never blocks.

        If the engine has ended by itself, the last message is an Ended that says how.
        """
        messages: list[Message] = []
        while self._engine is not None and not self._received.empty():
            message = self._received.get()
            if isinstance(message, Unusable):
                self._unusable = message.text  # its process ends next
                continue
            if isinstance(message, str):
                message, self._engine = self._end(message), None
            messages.append(message)
            if isinstance(message, Ended):
                self._running, self._deadline = False, None
        if self._engine is not None and time.monotonic() > (self._deadline or math.inf):
            self._killed = True
            self._engine.kill()
        return messages

    def close(self) -> None:
        """End the engine and wait for it, but not for ever."""
        engine, self._engine, self._running = self._engine, None, False
        if engine is not None:
            engine.close()

    def _send(self, command: str, specification: Specification) -> None:
        line = json.dumps({command: specification.to_dict()}).encode()
        engine = self.start()
        # It died while nothing ran, so nothing was lost: the command goes to a new one.
        if not engine.send(line):  # it is gone: another
            engine.kill()
            self._engine = None
            self.start().send(line)

    def _end(self, how: str) -> Ended:
        """The message that ends a run whose engine is gone; `how` says how the process ended."""
        outcome = Outcome.FAILED if self._deadline is None else Outcome.STOPPED
        if self._unusable:
            return Ended(Outcome.FAILED, self._unusable)
        if self._killed:
            how = f"was ended after {STOP_SECONDS:g} s, inside a long operation"
        return Ended(outcome, f"the engine process {how}")


def receive(file: BinaryIO) -> Iterator[Message]:
    """Messages until the pipe closes; a stream that breaks off ends without an Ended."""
    source = pa.PythonFile(file, "r")
    while True:
        try:
            # One stream behind the other: each ends by itself, and the next
            # one's schema follows at once.
            reader = pa.ipc.open_stream(source)
            yield from _receive_stream(reader)
        except (pa.ArrowInvalid, EOFError, OSError):
            return


def _receive_stream(reader: pa.RecordBatchStreamReader) -> Iterator[Message]:
    apart = (reader.schema.metadata or {}).get(APART_KEY)
    if apart is not None:
        name, value = json.loads(apart)
        # To its end, behind which the next stream begins.
        for _ in reader:
            pass
        yield APART[name](value)
        return
    yield read_header(reader.schema)
    yield from reader
