"""Engines, their ranks and workers, forked from a process that has made their imports.

Importing torch takes longer than all else that most runs of tests do, and each engine and each rank
imports it. A worker imports NumPy and what predicts, or DuckDB, which takes half a second.
`python -m tests.forked ADDRESS` imports all of it once. A forked process has what a started
one has: a process group, a folder, an environment, a limit of memory, standard streams, pipes and
a lifeline of its own. It does not show how the interpreter starts, or that an engine imports what
it needs, and a worker that is suspended is not noticed: it is no child of the test's process. So
tests of that, and tests in which the process of an engine or a worker is killed, are marked
`starts_processes`: their processes are started as users start them. The engine that replaces a
killed one may be forked again: see the fixture `forking_again`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from core.engine.client import KEPT_MEMORY
from core.paths import PROJECT_ROOT
from core.process.child import Started, environment
from core.process.lifeline import run_child_module
from core.process.starts import LIFELINE, ModuleStart, child_pipes

PRELOADED = (
    "core.engine.rank_models.ddp",
    "core.engine.rank_models.fsdp",
    "core.engine.ranks.rank",
    "core.engine.server",
    "core.predict.worker.server",
    "core.process.worker",
    "core.recording.index_process",
    "core.sql.query_process",
    "duckdb",
    "numpy.ma",
    "pyarrow.compute",
    "torch._dynamo",
    "torch.distributed.fsdp",
    "torch.distributed.tensor.parallel",
)
MODULES = ("core.engine.start", "core.engine.ranks.start", "core.process.worker_process")
"""The modules of a child that are forked; others are started."""
ADDRESS = "BUBBLESCOPE_TESTS_FORK"
"""Variable with the path of the socket on which processes are requested."""
MAIN = [
    sys.executable,
    str(PROJECT_ROOT / "tests" / "forked_engine.py"),
    str(PROJECT_ROOT / "main.py"),
]
"""Runs commands whose engines are forked, in a test that uses the fixture `forked_engines`."""
MOST_BYTES = 1 << 20


class ForkedProcess:
    """A process that another one has forked, with the methods of `subprocess.Popen` for `Child`."""

    def __init__(self, connection: socket.socket) -> None:
        answer, (self._handle,), _, _ = socket.recv_fds(connection, MOST_BYTES, 1)
        self.pid = int(answer)
        self.returncode: int | None = None
        self._connection = connection
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        """Return the status of a process that has ended, as Popen does."""
        with self._lock:
            if self.returncode is None and select.select([self._connection], [], [], 0)[0]:
                # Nothing is sent if the process that forks has been killed.
                self.returncode = int(self._connection.recv(MOST_BYTES) or -signal.SIGKILL)
                self._connection.close()
                os.close(self._handle)
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end. Raises subprocess.TimeoutExpired."""
        status = self.poll()
        if status is None:
            select.select([self._connection], [], [], timeout)
            status = self.poll()
        if status is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired("forked", timeout)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal unless the process has ended."""
        with self._lock, suppress(ProcessLookupError):
            if self.returncode is None:
                signal.pidfd_send_signal(self._handle, number)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)


begin_started = ModuleStart.begin


def begin(start: ModuleStart) -> Started:
    """Take the place of `ModuleStart.begin`: fork the modules that import torch."""
    if ADDRESS not in os.environ or start.module not in MODULES:
        return begin_started(start)
    with ExitStack() as given, ExitStack() as kept:
        pipes = child_pipes(given, kept)
        connection = kept.enter_context(_connection())
        request = {
            "module": start.module,
            "folder": os.getcwd(),
            "environment": {**environment(), **start.variables},
            "most_memory": resource.getrlimit(resource.RLIMIT_AS),
        }
        socket.send_fds(connection, [json.dumps(request).encode()], [*pipes.theirs, 1, 2])
        process: Any = ForkedProcess(connection)
        kept.pop_all()
    return Started(process, pipes.wire, pipes.commands, pipes.lifeline)


def forked_for(pid: int) -> list[int]:
    """Return the living processes that were forked for another one."""
    if ADDRESS not in os.environ or not Path(os.environ[ADDRESS]).exists():
        return []
    with _connection() as connection:
        connection.send(json.dumps({"pid": pid}).encode())
        return list(json.loads(connection.recv(MOST_BYTES)))


def _connection() -> socket.socket:
    """Connect to the process that forks."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(os.environ[ADDRESS])
    return connection


class Forking:
    """Within `forked`, engines and workers of this process, and ranks, are forked.

    The process that forks starts with the first use, and ends with `close`.
    """

    def __init__(self, folder: Path) -> None:
        self._address = folder / "fork"
        self._server: subprocess.Popen[bytes] | None = None

    @contextlib.contextmanager
    def forked(self) -> Iterator[None]:
        """Context in which engines and their ranks are forked."""

        def begin_here(start: ModuleStart) -> Started:
            if ADDRESS in os.environ and start.module in MODULES:
                self.start()
            return begin(start)

        os.environ[ADDRESS] = str(self._address)
        ModuleStart.begin = begin_here  # type: ignore[method-assign]
        try:
            yield
        finally:
            ModuleStart.begin = begin_started  # type: ignore[method-assign]
            os.environ.pop(ADDRESS, None)

    @contextlib.contextmanager
    def started(self) -> Iterator[None]:
        """Context within `forked` in which they are started as usual."""
        del os.environ[ADDRESS]
        try:
            yield
        finally:
            os.environ[ADDRESS] = str(self._address)

    def resume(self) -> None:
        """Fork again from here on, within `started`."""
        os.environ[ADDRESS] = str(self._address)

    def start(self) -> None:
        """Start the process that forks, unless it runs; return once it has imported torch."""
        if self._server is not None:
            return
        # A fork has one thread only: NumPy must not have others, nor the allocator of Arrow.
        variables = {
            **KEPT_MEMORY,
            "PYTHONPATH": str(PROJECT_ROOT),
            "OPENBLAS_NUM_THREADS": "1",
            "JE_ARROW_MALLOC_CONF": "background_thread:false",
        }
        self._server = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.forked", str(self._address)],
            env={**os.environ, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == b"ready\n"

    def close(self) -> None:
        """End the process that forks."""
        if self._server is not None:
            assert self._server.stdin is not None and self._server.stdout is not None
            self._server.stdin.close()
            self._server.wait()
            self._server.stdout.close()


class Server:
    """Forks a process for each request, and reports its end to the process that requested it."""

    def __init__(self, address: str) -> None:
        self._selector = selectors.DefaultSelector()
        self._requested: dict[int, int] = {}  # who requested a living process
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(address)
        self._listener.listen()
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._selector.register(sys.stdin, selectors.EVENT_READ)

    def serve(self) -> tuple[dict[str, Any], list[int]] | None:
        """Fork until standard input closes; None then. A fork returns its request, descriptors."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    return None
                forked = key.data(key.fileobj)
                if forked is not None:
                    return forked

    def _accept(self, _: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
        connection, _ = self._listener.accept()
        line, descriptors, _, _ = socket.recv_fds(connection, MOST_BYTES, 8)
        request = json.loads(line)
        if "pid" in request:
            wanted = request["pid"]
            pids = [pid for pid, requester in self._requested.items() if requester == wanted]
            with connection, suppress(BrokenPipeError):
                connection.send(json.dumps(pids).encode())
            return None
        pid = os.fork()
        if pid == 0:
            self._close(connection)
            return request, descriptors
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        self._requested[pid] = struct.unpack("3i", credentials)[0]
        for descriptor in descriptors:
            os.close(descriptor)
        handle = os.pidfd_open(pid)
        with suppress(BrokenPipeError):
            socket.send_fds(connection, [str(pid).encode()], [handle])
        self._selector.register(
            handle, selectors.EVENT_READ, lambda _: self._report(handle, pid, connection)
        )
        return None

    def _report(self, handle: int, pid: int, connection: socket.socket) -> None:
        self._selector.unregister(handle)
        os.close(handle)
        del self._requested[pid]
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with connection, suppress(BrokenPipeError):
            connection.send(str(status).encode())

    def _close(self, connection: socket.socket) -> None:
        """Close in a fork what belongs to the server."""
        handles = [key.fileobj for key in self._selector.get_map().values()]
        for handle in handles:
            if isinstance(handle, int):
                os.close(handle)
        self._selector.close()
        self._listener.close()
        connection.close()


def become(request: Mapping[str, Any], descriptors: list[int]) -> None:
    """Be the requested process: run its module."""
    wire, commands, lifeline, output, errors = descriptors
    os.setpgid(0, 0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, place in enumerate((nothing, output, errors)):
        os.dup2(place, descriptor)
        os.close(place)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    resource.setrlimit(resource.RLIMIT_AS, request["most_memory"])
    ModuleStart.begin = begin  # type: ignore[method-assign]
    if "OMP_NUM_THREADS" in os.environ:  # which OpenMP reads when torch is imported
        import torch

        torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    sys.argv = [LIFELINE, str(lifeline), request["module"], str(wire), str(commands)]
    run_child_module()


if __name__ == "__main__":
    from core.engine.imports import keep_imports

    with keep_imports():
        for name in PRELOADED:
            importlib.import_module(name)
    assert len(os.listdir("/proc/self/task")) == 1, "a thread would not be forked"
    gc.freeze()  # or each process would go through all that is imported, and copy its memory
    made = Server(sys.argv[1])
    print("ready", flush=True)
    forked = made.serve()
    if forked is not None:
        become(*forked)
