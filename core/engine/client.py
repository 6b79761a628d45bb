"""The engine process as window and command line see it. No torch, no Qt."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa

from core.engine.messages import Ended, Message, Outcome
from core.engine.wire import describe_exit, receive
from core.plan.specification import Specification

STOP_SECONDS = 1.5  # what a run is given to stop by itself; then the engine is killed
BURIAL_SECONDS = 0.5
HOUSE = Path(__file__).resolve().parents[2]


class EngineClient:
    """Starts the engine process, sends it specifications, and collects what it sends.

    A thread reads the pipe; `poll` never blocks. The engine ends when this process does, however
    that ends, because a pipe closes then. `module` is what the process runs.
    """

    module = "core.engine.server"

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._commands = self._lifeline = -1
        self._received: queue.SimpleQueue[tuple[int, Message | None]] = queue.SimpleQueue()
        self._generation = 0
        self._deadline: float | None = None
        self._running = False

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._running

    @property
    def pid(self) -> int | None:
        """The engine's process id, if there is an engine."""
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        """Start the engine process, unless it is there already. Does not wait for it."""
        if self._process is not None:
            return
        wire_end, wire = os.pipe()
        commands_end, self._commands = os.pipe()
        lifeline_end, self._lifeline = os.pipe()
        given = (wire, commands_end, lifeline_end)
        self._process = subprocess.Popen(
            [sys.executable, "-m", self.module, *map(str, given)],
            pass_fds=given,
            stdin=subprocess.DEVNULL,
            env=environment(),
            process_group=0,  # Ctrl+C is for the client, which asks the engine to stop
        )
        for descriptor in given:
            os.close(descriptor)
        self._generation += 1
        self._reader = threading.Thread(
            target=self._read, args=(wire_end, self._generation), daemon=True, name="engine reader"
        )
        self._reader.start()

    def run(self, specification: Specification) -> None:
        """Ask for a run; its messages come from `poll`. Starts an engine if there is none."""
        if self._running:
            raise RuntimeError("a run is under way: stop it first")
        if self._process is not None and self._process.poll() is not None:
            self._drop()
        self.start()
        self._running, self._deadline = True, None
        self._send({"run": specification.to_dict()})

    def stop(self) -> None:
        """Ask the run to stop; if it has not after 1.5 s, `poll` kills the engine."""
        if self._running and self._deadline is None:
            self._deadline = time.monotonic() + STOP_SECONDS
            self._send({"stop": True})

    def poll(self) -> list[Message]:
        """All messages since the last call. Never blocks."""
        messages: list[Message] = []
        while not self._received.empty():
            generation, message = self._received.get()
            if generation != self._generation:
                continue
            if message is None:
                messages += self._bury()
            else:
                messages.append(message)
            if isinstance(message, Ended):
                self._running, self._deadline = False, None
        if self._deadline is not None and time.monotonic() > self._deadline:
            self._kill()
        return messages

    def close(self) -> None:
        """End the engine and wait for it."""
        self._kill()
        self._drop()
        self._running = False

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _bury(self) -> list[Message]:
        """The pipe has closed: the engine is gone, and with it the run that was under way."""
        assert self._process is not None
        stopped = self._deadline is not None
        try:
            how = describe_exit(self._process.wait(BURIAL_SECONDS))
        except subprocess.TimeoutExpired:
            self._process.kill()
            how = "closed the pipe to this one, and was ended"
        self._drop()
        if not self._running:
            return []
        self._running, self._deadline = False, None
        if stopped:
            text = f"the engine was ended after {STOP_SECONDS:g} s, inside a long operation"
            return [Ended(Outcome.STOPPED, text)]
        return [Ended(Outcome.FAILED, f"the engine process {how}")]

    def _drop(self) -> None:
        if self._process is not None:
            self._process.wait()
            self._reader.join()  # it may not be inside Arrow when the interpreter ends
            os.close(self._commands)
            os.close(self._lifeline)
            self._process = None
            self._generation += 1

    def _send(self, command: dict[str, object]) -> None:
        with contextlib.suppress(BrokenPipeError):  # the engine is gone: `poll` will say so
            os.write(self._commands, json.dumps(command).encode() + b"\n")

    def _read(self, descriptor: int, generation: int) -> None:
        try:
            with os.fdopen(descriptor, "rb") as file:
                for message in receive(pa.PythonFile(file, "r")):
                    self._received.put((generation, message))
        finally:  # whatever goes wrong here, nobody waits for more
            self._received.put((generation, None))


def environment() -> dict[str, str]:
    """This process's environment, in which the house's modules are found from any folder."""
    paths = filter(None, [str(HOUSE), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
