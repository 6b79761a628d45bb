"""The engine process as window and command line see it. No torch, no Qt."""

from __future__ import annotations

import io
import json
import math
import os
import queue
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pyarrow as pa

from core.engine.messages import Ended, Message, Outcome
from core.engine.wire import describe_exit, receive
from core.plan.specification import Specification
from core.process.spawn import environment

STOP_SECONDS = 1.5  # what a run is given to stop by itself; then the engine is killed
BURIAL_SECONDS = 0.5  # what an engine that is not heard any more is given to end by itself
LOOK_SECONDS = 0.2  # between two looks whether a silent engine is still there
CLOSE_SECONDS = 5.0  # for a killed process; the kernel may hold one for longer


class EngineClient:
    """Starts the engine process, sends it specifications, and collects what it sends.

    `poll` never blocks: a thread reads and waits. The engine ends when this process does, however
    that ends, because a pipe closes then. `module` is what the process runs.
    """

    module = "core.engine.server"

    def __init__(self) -> None:
        self._engine: _Engine | None = None
        self._deadline: float | None = None
        self._running = False

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._running

    @property
    def pid(self) -> int | None:
        """The engine's process id, if there is an engine."""
        return self._engine.process.pid if self._engine is not None else None

    def start(self) -> None:
        """Start the engine unless it is there. Does not wait for it; OSError if it cannot start."""
        if self._engine is None:
            self._engine = _Engine(self.module)

    def run(self, specification: Specification) -> None:
        """Ask for a run; its messages come from `poll`. Starts an engine if there is none.

        Raises OSError if no engine can be started.
        """
        if self._running:
            raise RuntimeError("a run is under way: stop it first")
        command: dict[str, object] = {"run": specification.to_dict()}
        self.start()
        if self._engine is not None and not self._engine.send(command):  # it is gone: another
            self._engine.process.kill()
            self._engine = _Engine(self.module)
            self._engine.send(command)
        self._running, self._deadline = True, None

    def stop(self) -> None:
        """Ask the run to stop; if it has not after 1.5 s, `poll` kills the engine."""
        if self._engine is not None and self._running and self._deadline is None:
            self._deadline = time.monotonic() + STOP_SECONDS
            self._engine.send({"stop": True})

    def poll(self) -> list[Message]:
        """All messages since the last call. Never blocks.

        An engine that ended by itself is told by an Ended, behind all that it had sent.
        """
        messages: list[Message] = []
        while self._engine is not None and not self._engine.received.empty():
            message = self._engine.received.get()
            if isinstance(message, str):
                stopped, self._engine = self._deadline is not None, None
                message = Ended(Outcome.STOPPED if stopped else Outcome.FAILED, message)
            messages.append(message)
            if isinstance(message, Ended):
                self._running, self._deadline = False, None
        if self._engine is not None and time.monotonic() > (self._deadline or math.inf):
            self._engine.killed = True
            self._engine.process.kill()
        return messages

    def close(self) -> None:
        """End the engine and wait for it, but not for ever."""
        engine, self._engine, self._running = self._engine, None, False
        if engine is not None:
            engine.process.kill()
            engine.reader.join(CLOSE_SECONDS)


class _Engine:
    """One engine process, its pipes, and the thread that hears it and closes them.

    `received` has its messages in order and last, once it is gone, a line that says how it ended.
    """

    def __init__(self, module: str) -> None:
        self.received: queue.SimpleQueue[Message | str] = queue.SimpleQueue()
        self.killed = False  # because it did not stop
        self._closing = threading.Lock()  # no command goes where a closed pipe's number is reused
        with ExitStack() as given, ExitStack() as kept:
            pipes = [os.pipe() for _ in range(3)]
            theirs = (pipes[0][1], pipes[1][0], pipes[2][0])
            self._wire = kept.enter_context(_Wire(pipes[0][0], "rb"))
            self._commands = kept.enter_context(io.FileIO(pipes[1][1], "wb"))
            kept.callback(os.close, pipes[2][1])
            for descriptor in theirs:
                given.callback(os.close, descriptor)
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "core.process.lifeline",
                    str(theirs[2]),
                    module,
                    *map(str, theirs[:2]),
                ],
                pass_fds=theirs,
                stdin=subprocess.DEVNULL,
                env=environment(),
                process_group=0,  # Ctrl+C is for the client, which asks the engine to stop
            )
            self._pipes = kept.pop_all()
        self._wire.is_over = self._is_over
        self.reader = threading.Thread(target=self._read, daemon=True, name="engine reader")
        self.reader.start()

    def send(self, command: dict[str, object]) -> bool:
        """Send a command; False if the engine takes none any more."""
        with self._closing:
            try:
                self._commands.write(json.dumps(command).encode() + b"\n")
            except (BrokenPipeError, ValueError):  # it has closed its end, or this one is closed
                return False
        return True

    def _read(self) -> None:
        """Put all that comes, and then how it ended."""
        text = ""
        try:
            with io.BufferedReader(self._wire) as file:
                for message in receive(pa.PythonFile(file, "r")):
                    self.received.put(message)
        except Exception as error:  # whatever goes wrong here, nobody waits for more
            text = f"what the engine sent cannot be read: {error}"
        end = self._bury()
        with self._closing:
            self._pipes.close()
        self.received.put(text or end)

    def _bury(self) -> str:
        """Wait until the process is gone; how it ended."""
        try:
            code = self.process.wait(BURIAL_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "the engine process did not answer any more, and was ended"
        if self.killed:
            return f"the engine was ended after {STOP_SECONDS:g} s, inside a long operation"
        return f"the engine process {describe_exit(code)}"

    def _is_over(self) -> bool:
        """Whether a silent engine will stay silent: it is gone, or hears no commands any more."""
        hung_up = select.poll()
        hung_up.register(self._commands, 0)
        return self.process.poll() is not None or bool(hung_up.poll(0))


class _Wire(io.FileIO):
    """The pipe from the engine; it ends with the engine even if others hold its far end open."""

    is_over: Callable[[], bool]

    def readinto(self, buffer: Any) -> int | None:
        """Read what there is, waiting until there is something; 0 at the end."""
        while not select.select([self], [], [], LOOK_SECONDS)[0]:
            if self.is_over() and not select.select([self], [], [], 0)[0]:
                return 0
        return super().readinto(buffer)
