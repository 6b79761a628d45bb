"""A process that executes calls one after the other. A call may report progress.

Calls cannot be interrupted: a caller may ignore the result, or end the worker. Calls and results
are pickled, so functions must be importable by name from the project's modules.

The process is a `Child`. Calls are sent on its commands, one a line. Reports and results are sent
on its wire in order, so a report is always handled before the result of its call.
"""

from __future__ import annotations

import base64
import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from io import BufferedWriter
from queue import SimpleQueue
from typing import Any, BinaryIO, ParamSpec, TypeVar

from core.message import Message, message
from core.process.child import CLOSE_SECONDS, Child, Exit
from core.process.starts import ModuleStart

MODULE = "core.process.worker_process"
ENDED = message("the process has ended")

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Report:
    """A value that the running call reports."""

    value: object


@dataclass(frozen=True, slots=True)
class _Result:
    """Result of the oldest call: its return value, or the exception that it raised."""

    value: object
    error: BaseException | None


class Worker:
    """A worker process, alive from construction until close().

    `listener` gets each value that a call reports, on the worker's thread, before the callbacks of
    the call's future. `on_exit` is called if the process ends by itself; futures and `submit` then
    raise BrokenExecutor. The process also ends when this one does. Raises OSError if it cannot
    start.
    """

    def __init__(
        self,
        listener: Callable[[Any], None] = lambda value: None,
        on_exit: Callable[[], None] = lambda: None,
    ) -> None:
        self._listener = listener
        self._on_exit = on_exit
        self.is_over = False
        self._lock = threading.Lock()  # around `_pending` and `is_over`
        self._pending: deque[Future[Any]] = deque()
        self._unsent: SimpleQueue[bytes | None] = SimpleQueue()
        self._child: Child[_Report | _Result] = Child(
            ModuleStart(MODULE), _messages, self._handle, ends_if_suspended=True
        )
        self.pid = self._child.pid
        # A separate thread, so that `submit` does not block: a busy process does not read, and the
        # pipe holds only 64 KiB.
        self._sender = threading.Thread(target=self._send, daemon=True, name="worker sender")
        self._sender.start()

    def submit(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call. Does not wait. Raises BrokenExecutor if the process has ended.

        The future raises the error if the call cannot be pickled.
        """
        future: Future[T] = Future()
        # Running futures cannot be cancelled, and neither can calls in the process.
        future.set_running_or_notify_cancel()
        try:
            line = base64.b64encode(pickle.dumps((function, args, kwargs)))
        except Exception as error:  # an argument's class may raise any exception
            future.set_exception(error)
            return future
        with self._lock:
            if self.is_over:
                raise BrokenExecutor(ENDED)
            self._pending.append(future)
            self._unsent.put(line)
        return future

    def terminate(self) -> None:
        """Send SIGTERM, which ends the process at once, unless the running call handles it."""
        self._child.terminate()

    def close(self) -> None:
        """Kill the process and wait for it, at most CLOSE_SECONDS; queued calls never run.

        `on_exit` is not called.
        """
        # Before the kill, because the reading thread calls `on_exit` when the process has ended.
        self._on_exit = lambda: None
        self._child.close()
        self._sender.join(CLOSE_SECONDS)

    def _send(self) -> None:
        """Send queued calls until the process has ended."""
        while (line := self._unsent.get()) is not None:
            self._child.send(line)

    def _handle(self, received: _Report | _Result | Exit) -> None:
        """Handle a message of the process, or its end."""
        if isinstance(received, _Report):
            self._listener(received.value)
        elif isinstance(received, _Result):
            with self._lock:
                future = self._pending.popleft()
            _settle(future, received)
        else:
            self._end(received.how)

    def _end(self, how: Message) -> None:
        """Fail all pending calls, and call `on_exit`."""
        with self._lock:
            self.is_over = True
            unanswered = list(self._pending)
            self._pending.clear()
        self._unsent.put(None)
        for future in unanswered:
            future.set_exception(BrokenExecutor(message("the process {how}", how=how)))
        self._on_exit()


def _settle(future: Future[Any], result: _Result) -> None:
    if result.error is not None:
        future.set_exception(result.error)
    else:
        future.set_result(result.value)


def _messages(file: BinaryIO) -> Iterator[_Report | _Result]:
    """Yield the messages on a worker's wire. Raises UnpicklingError if the last is incomplete."""
    while True:
        try:
            yield pickle.load(file)
        except EOFError:
            return


_wire: BufferedWriter | None = None  # set in a worker's process, for reports and results


def serve(wire: BinaryIO, commands: BinaryIO) -> None:
    """Run calls in this process until its parent closes `commands`."""
    global _wire
    # Buffered: an unbuffered pipe may take only part of a message when a signal arrives.
    _wire = BufferedWriter(wire)
    for line in commands:
        _send(_run(line))


def report(value: object) -> None:
    """Send a value to the parent's listener. Only callable within a call."""
    _send(_Report(value))


def _run(line: bytes) -> _Result:
    try:
        function, args, kwargs = pickle.loads(base64.b64decode(line))
        return _Result(function(*args, **kwargs), None)
    except BaseException as error:  # SystemExit too ends only the call, not the process
        return _Result(None, error)


def _send(sent: _Report | _Result) -> None:
    """Send a message; a result that cannot be pickled is replaced by an error."""
    assert _wire is not None
    try:
        data = pickle.dumps(sent)
    except Exception as error:
        if isinstance(sent, _Report):
            raise
        lost = sent.error if sent.error is not None else error
        described = RuntimeError(f"{type(lost).__name__}: {lost}")
        data = pickle.dumps(_Result(None, described))
    _wire.write(data)
    _wire.flush()
