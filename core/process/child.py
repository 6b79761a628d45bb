"""A child process that runs one of this project's modules and sends messages while it lives.

Three pipes join it with its parent: the wire, on which it sends; the commands, lines which it
takes; and the lifeline, with which it ends.
"""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from io import BufferedReader, FileIO
from typing import Any, BinaryIO, Generic, TypeVar, cast

from core.paths import PROJECT_ROOT

LIFELINE = "core.process.lifeline"
EXIT_SECONDS = 0.5  # what a child that is not heard any more is given to end by itself
LOOK_SECONDS = 0.2  # between two looks whether a silent child is still there
SUSPENDED_SECONDS = 2.0
"""For which a child may be suspended, as by SIGSTOP, that ends if it is."""
CLOSE_SECONDS = 5.0  # for a killed process; the kernel may hold one for longer

Message = TypeVar("Message")


class Child(Generic[Message]):
    """A process, its pipes, and the thread that reads its messages and closes the pipes.

    On that thread `listener` gets each message that `receive` reads from the wire and then, once
    the process is gone, how it ended, as a sentence without its subject ("was ended by SIGKILL").
    Only `close` waits for a child. `variables` are set in its environment. One that
    `ends_if_suspended` is killed when somebody has suspended it, for it would never answer. Raises
    OSError if it cannot start.
    """

    def __init__(
        self,
        module: str,
        receive: Callable[[BinaryIO], Iterable[Message]],
        listener: Callable[[Message | str], None],
        variables: Mapping[str, str] | None = None,
        ends_if_suspended: bool = False,
    ) -> None:
        self._receive, self._listener = receive, listener
        self._ends_if_suspended, self._suspended_since = ends_if_suspended, math.inf
        self._closing = threading.Lock()  # no command goes where a closed pipe's number is reused
        with ExitStack() as given, ExitStack() as kept:
            pipes = [os.pipe() for _ in range(3)]
            #     wire      child writes   parent reads    messages
            #     commands  parent writes  child reads     one a line
            #     lifeline  parent holds   child watches   nothing is ever written
            theirs = (pipes[0][1], pipes[1][0], pipes[2][0])
            self._wire = kept.enter_context(_Wire(pipes[0][0], "rb"))
            self._commands = kept.enter_context(FileIO(pipes[1][1], "wb"))
            kept.callback(os.close, pipes[2][1])
            # Closed here once the child has them: the wire would else not
            # end while this process lives.
            for descriptor in theirs:
                given.callback(os.close, descriptor)
            wire, commands, lifeline = map(str, theirs)
            # A process inherits what its parent blocks: SIGINT does not end it before it can
            # ignore it (lifeline.open_pipes).
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                self._process = subprocess.Popen(
                    # -P: the current folder may hold modules of any name.
                    [sys.executable, "-P", "-m", LIFELINE, lifeline, module, wire, commands],
                    pass_fds=theirs,
                    stdin=subprocess.DEVNULL,
                    env={**environment(), **(variables or {})},
                    process_group=0,  # Ctrl+C is for the parent, which asks or ends its children
                )
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            # If anything above raised, `kept` has closed this side's ends too.
            self._pipes = kept.pop_all()
        self.pid = self._process.pid
        self._wire.is_over = self._is_over
        self._reader = threading.Thread(target=self._read, daemon=True, name=f"{module} reader")
        self._reader.start()

    def send(self, line: bytes) -> bool:
        """Send a command of one line; False if the child takes none any more."""
        with self._closing:
            try:
                self._commands.write(line + b"\n")
            except (BrokenPipeError, ValueError):  # it has closed its end, or this one is closed
                return False
        return True

    def terminate(self) -> None:
        """Send SIGTERM, which a process may handle; the listener still gets how it ended."""
        self._process.terminate()

    def kill(self) -> None:
        """End the process, whatever it does; the listener still gets how it ended."""
        self._process.kill()

    def close(self) -> None:
        """End the process and wait for it, but not for ever."""
        self.kill()
        self._reader.join(CLOSE_SECONDS)

    def _read(self) -> None:
        """Hand every message to the listener, and then how the child ended."""
        text = ""
        try:
            with BufferedReader(self._wire) as file:
                for message in self._receive(cast(BinaryIO, file)):
                    self._listener(message)
        except Exception as error:  # whatever goes wrong here, nobody waits for more
            text = f"sent what cannot be read: {error}"
        end = self._wait()
        with self._closing:
            self._pipes.close()
        self._listener(text or end)

    def _wait(self) -> str:
        """Wait until the process is gone; how it ended."""
        try:
            return _describe_exit(self._process.wait(EXIT_SECONDS))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return "did not answer any more, and was ended"

    def _is_over(self) -> bool:
        """Whether a silent child will stay silent: it is gone, or has closed its commands."""
        if self._ends_if_suspended:
            self._end_if_suspended()
        hung_up = select.poll()
        # No events are asked for: poll tells of a closed far end in any case.
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
    """The pipe from a child; it ends with the child even if others hold its far end open."""

    is_over: Callable[[], bool]

    def readinto(self, buffer: Any) -> int | None:
        """Read what there is, waiting until there is something; 0 at the end."""
        # A pipe ends when nobody can write to it any more. What the model has forked may hold the
        # child's end open for ever, so a silent child is looked after. Twice select: it may have
        # written right before its end, after the first.
        while not select.select([self], [], [], LOOK_SECONDS)[0]:
            if self.is_over() and not select.select([self], [], [], 0)[0]:
                return 0
        return super().readinto(buffer)


def environment() -> dict[str, str]:
    """This process's environment, in which the project's modules are found from any folder."""
    # An empty part, as in `PYTHONPATH=$PYTHONPATH:/lib`, would be the current folder.
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT_ROOT), *given])}


def signal_name(number: int) -> str:
    """`SIGKILL`, or `signal 40`: most real-time signals have no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _describe_exit(code: int) -> str:
    """What a process's return code says, in words."""
    if code >= 0:
        return f"ended with status {code}"
    name = signal_name(-code)
    hint = "; it may have run out of memory" if name == "SIGKILL" else ""
    return f"was ended by {name}{hint}"
