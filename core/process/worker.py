"""A process that only computes: it runs calls one after the other, and may report progress.

It is the one worker of a ProcessPoolExecutor. A call is not interrupted: a caller that does not
want its result any more drops it, or ends the worker. A new process imports the program's
`__main__` again, so what that does stands under `if __name__ == "__main__"`.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, ParamSpec, TypeVar

from core.process.child import CLOSE_SECONDS
from core.process.lifeline import exit_with_parent

P = ParamSpec("P")
T = TypeVar("T")


class Worker:
    """A process that is there as soon as this is made, and until `close`.

    On threads of its own `listener` gets what a call reports, before callbacks that are added to
    the call's future, and `on_exit` is called if the process ends by itself. Futures then raise
    BrokenExecutor, and so does `submit`. The process also ends when this one does. Raises OSError
    if it cannot start.
    """

    def __init__(
        self,
        listener: Callable[[Any], None] = lambda value: None,
        on_exit: Callable[[], None] = lambda: None,
    ) -> None:
        self._listener, self._on_exit = listener, on_exit
        # The reader and the executor's thread both read the wire (_read_wire): one at a time, so
        # that reports come to the listener in their order.
        self._listening = threading.Lock()
        self.is_over = False
        context = _Context()
        lifeline, self._lifeline = context.Pipe(duplex=False)
        self._wire, wire = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(1, context, _begin, (lifeline, wire))
        # A process inherits what its parent blocks: Ctrl+C is for the parent.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._executor.submit(os.getpid)  # an executor starts its process with a call
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        # The worker's ends, which it has by now: with these open here too, the wire would not end
        # when the worker does.
        lifeline.close()
        wire.close()
        # So is the executor's own end for results, which it leaves open: with it, the executor
        # would wait for the rest of a result that a killed process had begun to write, for ever,
        # and this process could not exit. There is no public way to it.
        results: Any = self._executor._result_queue
        results._writer.close()
        self._process = context.process
        self.pid = self._process.pid
        self._reader = threading.Thread(target=self._read, daemon=True, name="worker reader")
        self._reader.start()

    def submit(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call. Does not wait. Raises BrokenExecutor if the process has ended."""
        try:
            future = self._executor.submit(function, *args, **kwargs)
        except RuntimeError as error:  # broken, or shut down before it knew that it is
            raise BrokenExecutor("the process has ended") from error
        # The first callback of the future: what the call reported last may still lie in the wire,
        # and those who added callbacks behind this one expect to have heard it.
        future.add_done_callback(lambda _: self._read_wire())
        return future

    def terminate(self) -> None:
        """Send SIGTERM, which ends the process at once, unless the running call handles it."""
        self._process.terminate()

    def close(self) -> None:
        """Kill the process and wait for it, at most CLOSE_SECONDS; queued calls never run.

        `on_exit` is not called.
        """
        # Before it is killed: the reader calls this as soon as the process is gone.
        self._on_exit = lambda: None
        self._process.kill()
        self._reader.join(CLOSE_SECONDS)

    def _read(self) -> None:
        """Read reports until the process is gone, and clean up behind it."""
        while wait([self._wire]) and self._read_wire():
            pass
        self.is_over = True
        self._executor.shutdown()
        self._wire.close()
        self._lifeline.close()
        self._on_exit()

    def _read_wire(self) -> bool:
        """Hand the listener all reports that have arrived; False if the process is gone."""
        with self._listening:
            try:
                while self._wire.poll():
                    self._listener(self._wire.recv())
            except (EOFError, OSError):
                return False
        return True


class _Context(SpawnContext):
    """Starts processes afresh, without what threads of this one hold; remembers the last one."""

    process: SpawnProcess

    def Process(self, *args: Any, **kwargs: Any) -> SpawnProcess:  # type: ignore[override]
        """The process that an executor asks for."""
        self.process = SpawnProcess(*args, **kwargs)
        return self.process


_parent: Connection | None = None  # in a worker, where reports go


def _begin(lifeline: Connection, wire: Connection) -> None:
    """The first that a worker does."""
    global _parent
    # A copy of its own, as the Connection closes its descriptor when it is collected.
    exit_with_parent(os.dup(lifeline.fileno()))
    os.setpgid(0, 0)  # what a terminal sends is for the parent
    _parent = wire


def report(value: object) -> None:
    """Within a call: send a value to the parent's listener."""
    assert _parent is not None
    _parent.send(value)
