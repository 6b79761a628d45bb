"""A child process that sends messages while it lives: a module of this project, or a program.

Pipes connect it with its parent: on the wire it sends messages, from the commands it reads lines,
and it ends when its lifeline closes. `core.process.starts` defines the ways to start a child.
"""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedReader, FileIO
from typing import Any, BinaryIO, Generic, Protocol, TypeVar, cast

from core.message import Message, message
from core.paths import PROJECT_ROOT

EXIT_SECONDS = 0.5  # for a child whose wire has ended to exit by itself
POLL_SECONDS = 0.2  # between two checks of a silent child
SUSPENDED_SECONDS = 2.0
"""The time for which a child with `ends_if_suspended` may be suspended, as by SIGSTOP."""
CLOSE_SECONDS = 5.0  # for a killed process to end, which may take the kernel longer

MessageT = TypeVar("MessageT")


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a child. `how` completes a sentence about it, such as "was ended by SIGKILL"."""

    how: Message


@dataclass(frozen=True, slots=True)
class Started:
    """A process that has been started, and this process's ends of its pipes, as descriptors.

    `lifeline` is never written to; it is None if the process ends when its commands close.
    """

    process: subprocess.Popen[bytes]
    wire: int
    commands: int
    lifeline: int | None = None


class Start(Protocol):
    """A way to start a child."""

    @property
    def name(self) -> str:
        """Name of the child, for the thread that reads its messages."""

    def begin(self) -> Started:
        """Start the process. Raises OSError if that is impossible; nothing stays open then."""

    def end_text(self, code: int) -> Message:
        """Describe the end of the process by its return code; see `Exit`."""


class Child(Generic[MessageT]):
    """A process, its pipes, and the thread that reads its messages and closes the pipes.

    On that thread `listener` is called with each message that `receive` reads from the wire and,
    once the process has ended, with an Exit. Only `close` waits for a child. With
    `ends_if_suspended` a child is killed if it is suspended, because it would never answer. Raises
    OSError if it cannot start.
    """

    def __init__(
        self,
        start: Start,
        receive: Callable[[BinaryIO], Iterable[MessageT]],
        listener: Callable[[MessageT | Exit], None],
        ends_if_suspended: bool = False,
    ) -> None:
        self._start = start
        self._receive = receive
        self._listener = listener
        self._ends_if_suspended = ends_if_suspended
        self._suspended_since = math.inf
        self._closing = threading.Lock()  # a closed pipe's number may be reused: never write to it
        started = start.begin()
        self._process = started.process
        self._pipes = ExitStack()
        self._wire = self._pipes.enter_context(_Wire(started.wire, "rb"))
        self._commands = self._pipes.enter_context(FileIO(started.commands, "wb"))
        if started.lifeline is not None:
            self._pipes.callback(os.close, started.lifeline)
        self.pid = self._process.pid
        self._wire.is_over = self._is_over
        self._reader = threading.Thread(target=self._read, daemon=True, name=f"{start.name} reader")
        self._reader.start()

    def send(self, line: bytes) -> bool:
        """Send a command of one line; returns False if the child no longer reads commands."""
        with self._closing:
            try:
                self._commands.write(line + b"\n")
            except (BrokenPipeError, ValueError):  # either end is closed
                return False
        return True

    def terminate(self) -> None:
        """Send SIGTERM, which a process may handle; the listener still gets the Exit."""
        self._process.terminate()

    def kill(self) -> None:
        """Kill the process; the listener still gets the Exit."""
        self._process.kill()

    def close(self) -> None:
        """Kill the process and wait for it, at most CLOSE_SECONDS."""
        self.kill()
        self._reader.join(CLOSE_SECONDS)

    def _read(self) -> None:
        """Pass every message to the listener, and finally the Exit."""
        failed: Message | None = None
        try:
            with BufferedReader(self._wire) as file:
                for received in self._receive(cast(BinaryIO, file)):
                    self._listener(received)
        except Exception as error:  # the thread must go on to report the end
            failed = message("sent data that cannot be read: {error}", error=error)
        end = self._wait()
        with self._closing:
            self._pipes.close()
        self._listener(Exit(failed or end))

    def _wait(self) -> Message:
        """Wait for the end of the process and describe it."""
        try:
            return self._start.end_text(self._process.wait(EXIT_SECONDS))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return message("stopped responding and was killed")

    def _is_over(self) -> bool:
        """Return True if a child will send no more: it has ended or closed its commands."""
        if self._ends_if_suspended:
            self._end_if_suspended()
        hung_up = select.poll()
        # 0: poll always reports a closed far end, whatever events are requested.
        hung_up.register(self._commands, 0)
        return self._process.poll() is not None or bool(hung_up.poll(0))

    def _end_if_suspended(self) -> None:
        """Kill the process if it has been suspended for SUSPENDED_SECONDS."""
        # WNOWAIT leaves the state for whoever waits for the process's end.
        try:
            state = os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # it is gone
            return
        now = time.monotonic()
        self._suspended_since = math.inf if state is None else min(self._suspended_since, now)
        if now - self._suspended_since >= SUSPENDED_SECONDS:
            self._process.kill()


class _Wire(FileIO):
    """The pipe from a child; it ends with the child even if other processes hold it open."""

    is_over: Callable[[], bool]

    def readinto(self, buffer: Any) -> int | None:
        """Read available bytes, waiting for the first; returns 0 at the end."""
        # Processes that the model has forked may keep the child's end of the pipe open for ever, so
        # check whether a silent child is alive. The second select catches data that the child wrote
        # just before its end.
        while not select.select([self], [], [], POLL_SECONDS)[0]:
            if self.is_over() and not select.select([self], [], [], 0)[0]:
                return 0
        return super().readinto(buffer)


def environment() -> dict[str, str]:
    """Return this process's environment with the project on PYTHONPATH."""
    # An empty part, as in `PYTHONPATH=$PYTHONPATH:/lib`, would be the current folder.
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT_ROOT), *given])}


def signal_name(number: int) -> str:
    """Return `SIGKILL`, or `signal 40`: most real-time signals have no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def exit_text(code: int) -> Message:
    """Describe a process's return code: "was ended by SIGKILL"."""
    if code >= 0:
        return message("ended with status {code}", code=code)
    name = signal_name(-code)
    if name == "SIGKILL":
        return message("was ended by {signal}; it may have run out of memory", signal=name)
    return message("was ended by {signal}", signal=name)
