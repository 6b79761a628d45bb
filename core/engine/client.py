"""Client of the engine process, for the window and the command line. Needs neither torch nor Qt."""

from __future__ import annotations

import json
import math
import queue
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.engine.kept_files import pieces_of
from core.engine.messages import Ended, EngineMessage, Outcome, Unusable, receive
from core.engine.remote import RemoteStart
from core.message import Message, Text, message
from core.plan.specification import Specification
from core.process.child import Child, Exit
from core.process.starts import ModuleStart

STOP_SECONDS = 1.5  # for a run to stop by itself; then the engine is killed
SILENT_SECONDS = 15.0
"""The same for an engine on another machine, counted from its last message, as links may be slow.
"""
ALIVE_SECONDS = 20.0
"""Time between two signs of life to an engine on another machine."""


# By default the GNU C library returns freed memory to the system, and the kernel maps new pages one
# by one while a task runs. That took up to a tenth of a step, and was measured as part of the task.
# So the engine keeps up to 1 GiB. 32 MiB is the largest threshold that the library accepts: larger
# tensors are mapped again each time.
KEPT_MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
    "MALLOC_MMAP_THRESHOLD_": str(1 << 25),
}


class EngineClient:
    """Starts the engine process, sends specifications to it, and collects its messages.

    `poll` never blocks: another thread waits for messages. The engine ends with this process,
    because a pipe closes then. `module` is the module that the process runs. With a `host`, which
    must be checked (core.process.ssh), the engine runs there, and the process is ssh.
    """

    module = "core.engine.start"

    def __init__(self, host: str = "") -> None:
        self.host = host
        self._engine: Child[EngineMessage] | None = None
        self._received: queue.SimpleQueue[EngineMessage | Exit] = queue.SimpleQueue()
        self._deadline: float | None = None
        self._latest = math.inf
        self._next_sign = math.inf
        self._running = False
        self._has_answered = False
        self._kept: str | None = None
        self._killed: Message | None = None
        self._unusable: Text = ""

    @property
    def running(self) -> bool:
        """True while a run is in progress."""
        return self._running

    @property
    def pid(self) -> int | None:
        """The process id of the engine, or of the connection to it; None without an engine."""
        return self._engine.pid if self._engine is not None else None

    def start(self) -> Child[EngineMessage]:
        """Start the engine unless it runs, without waiting. Raises OSError if it cannot start."""
        if self._engine is None:
            # A new queue for each engine, so that late messages of a previous one are ignored.
            received: queue.SimpleQueue[EngineMessage | Exit] = queue.SimpleQueue()
            if self.host:
                remote = RemoteStart(self.host)
                self._engine = Child(remote, remote.receive, received.put)
                self._next_sign = time.monotonic() + ALIVE_SECONDS
            else:
                local = ModuleStart(self.module, KEPT_MEMORY)
                self._engine = Child(local, receive, received.put)
            self._received = received
            self._killed = None
            self._unusable = ""
            self._has_answered = False
            self._kept = None
        return self._engine

    def move_to(self, host: str) -> None:
        """End the engine; the next one is started on another host, "" for this machine."""
        self.close()
        self.host = host
        self._next_sign = math.inf

    @property
    def has_answered(self) -> bool:
        """True if there is an engine, and it has sent a message."""
        return self._engine is not None and self._has_answered

    @property
    def keeps_files(self) -> bool:
        """True if the engine's machine has the files of `keep`."""
        return self._engine is not None and self._kept is not None

    def keep(self, files: Sequence[Path]) -> Iterator[None]:
        """Send files to the engine's machine, where they stay until the engine ends.

        The first file is the model file of all runs. Yields after each piece; the caller may stop
        then. Stops early if the engine ends. Raises OSError for a file that cannot be read.
        """
        engine = self.start()
        for piece in pieces_of(files):
            if not engine.send(json.dumps({"keep": piece}).encode()):
                return
            yield
        self._kept = files[0].name

    def run(self, specification: Specification) -> None:
        """Request a run; `poll` returns its messages. Starts an engine if there is none.

        Raises OSError if no engine can be started, and RuntimeError during a run.
        """
        if self._running:
            raise RuntimeError(message("a run is under way: stop it first"))
        self._send("run", specification)
        self._running = True
        self._deadline = None

    def describe(self, specification: Specification) -> None:
        """Request the description of the user's model; `poll` returns it, or an Ended message."""
        self._send("describe", specification)

    def stop(self, at_most: float = math.inf) -> None:
        """Request the run to stop. If it does not stop in time, `poll` kills the engine.

        An engine on another machine has more time while its messages arrive, up to `at_most` s. It
        is killed at once if it has never answered.
        """
        if self._engine is None or not self._running or self._deadline is not None:
            return
        now = time.monotonic()
        self._latest = now + at_most
        self._deadline = min(now + self._stop_seconds, self._latest)
        self._engine.send(json.dumps({"stop": True}).encode())
        if self.host and not self._has_answered:
            self._kill(message("had not answered when the run was stopped"))

    def poll(self) -> list[EngineMessage]:
        """Return all messages since the last call. Never blocks.

        If the engine has ended by itself, the last message is an Ended with the reason.
        """
        messages: list[EngineMessage] = []
        while self._engine is not None and not self._received.empty():
            received = self._received.get()
            if isinstance(received, Unusable):
                self._unusable = received.text  # its process ends next
                continue
            if isinstance(received, Exit):
                received = self._end(received.how)
                self._engine = None
            if isinstance(received, Ended):
                received = self._of_host(received)
            messages.append(received)
            if isinstance(received, Ended):
                self._running = False
                self._deadline = None
        now = time.monotonic()
        if messages:
            self._has_answered = True
            if self.host and self._deadline is not None:
                self._deadline = min(now + self._stop_seconds, self._latest)
        if self._engine is not None and now > self._next_sign:
            self._next_sign = now + ALIVE_SECONDS
            self._engine.send(json.dumps({"alive": True}).encode())
        if now > (self._deadline or math.inf):
            self._kill(self._late_text())
        return messages

    def close(self) -> None:
        """End the engine and wait for it, at most core.process.child.CLOSE_SECONDS."""
        engine = self._engine
        self._engine = None
        self._running = False
        if engine is not None:
            engine.close()

    @property
    def _stop_seconds(self) -> float:
        """Time for a run to stop. On another machine the relay there enforces STOP_SECONDS."""
        return SILENT_SECONDS if self.host else STOP_SECONDS

    def _of_host(self, ended: Ended) -> Ended:
        """Return an end that names the other machine if it has refused the run.

        Its reasons are about files and devices there.
        """
        if not self.host or ended.outcome is not Outcome.REFUSED:
            return ended
        text = message("the machine {host}: {reason}", host=self.host, reason=ended.text)
        return Ended(ended.outcome, text)

    def _kill(self, how: Message) -> None:
        """Kill the engine, unless it has ended or is being killed; `how` completes a sentence."""
        if self._engine is not None and self._killed is None:
            self._killed = how
            self._engine.kill()

    def _late_text(self) -> Message:
        """Describe the end of an engine that did not stop in time; completes a sentence."""
        if not self.host:
            return message(
                "was ended after {seconds:g} s, inside a long operation", seconds=STOP_SECONDS
            )
        if self._deadline == self._latest:
            return message("had not sent everything in time: the connection was closed")
        return message(
            "sent nothing for {seconds:g} s: the connection was closed", seconds=SILENT_SECONDS
        )

    def _send(self, command: str, specification: Specification) -> None:
        engine = self.start()
        values: dict[str, Any] = {command: specification.to_dict()}
        if self._kept is not None:
            values["kept"] = self._kept
        line = json.dumps(values).encode()
        # The engine has died between runs, so nothing is lost: send the command to a new one.
        if not engine.send(line):
            engine.kill()
            self._engine = None
            self.start().send(line)

    def _end(self, how: Message) -> Ended:
        """Return the final message of a run if the engine has ended; `how` describes its end."""
        outcome = Outcome.FAILED if self._deadline is None else Outcome.STOPPED
        if self._unusable:
            return Ended(Outcome.FAILED, self._unusable)
        how = self._killed or how
        if self.host:
            return Ended(outcome, message("the machine {host} {how}", host=self.host, how=how))
        return Ended(outcome, message("the engine process {how}", how=how))
