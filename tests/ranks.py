"""The ranks of a training job, forked from a process that has imported torch.

Under torchrun every rank, and torchrun itself, imports torch, which takes longer than all else that
most jobs of tests do. Here `python -m tests.ranks` imports it once. Each rank is a process of its
own with the variables that torchrun sets, and runs the script as `python train.py` does: with its
own working folder, arguments, output, exit status and interpreter's end. How torchrun starts and
ends ranks is not shown; the tests that start torchrun itself are about that. A script without
ranks can be recorded in the same way, from the moment at which torch is imported.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.paths import PROJECT_ROOT

PRELOADED = (
    "torch", "torch.distributed.fsdp", "torch.distributed.optim", "torch.distributed.pipelining",
    "torch.distributed.tensor.parallel", "torch.utils.data",
)  # fmt: skip
LIMIT_SECONDS = 100.0


class Ranks:
    """Runs jobs, one after the other. The process that forks starts with the first job."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[str] | None = None

    def run(self, folder: Path, ranks: int, *words: str) -> None:
        """Run a script of `folder` with arguments in all ranks. Each of them has to succeed."""
        statuses = self._statuses({"folder": str(folder), "ranks": ranks, "words": words})
        printed = [(folder / f"printed-{rank}.txt").read_text() for rank in range(ranks)]
        assert statuses == [0] * ranks, "\n".join([f"ended with {statuses}", *printed])

    def record(self, folder: Path, out: str, *words: str) -> tuple[int, str]:
        """Record a script of `folder` as `bubblescope record --out OUT -- python WORDS` does.

        Returns its status and what it printed.
        """
        task = {"folder": str(folder), "ranks": 1, "words": words, "out": str(folder / out)}
        [status] = self._statuses(task)
        return status, (folder / "printed-0.txt").read_text()

    def _statuses(self, task: dict[str, Any]) -> list[int]:
        if self._server is None:
            self._server = _start()
        assert self._server.stdin is not None and self._server.stdout is not None
        print(json.dumps(task), file=self._server.stdin, flush=True)
        statuses: list[int] = json.loads(self._server.stdout.readline())
        return statuses

    def close(self) -> None:
        """End the process that forks; ranks that would be left are killed with their job."""
        if self._server is not None:
            assert self._server.stdin is not None and self._server.stdout is not None
            self._server.stdin.close()
            self._server.wait()
            self._server.stdout.close()


def _start() -> subprocess.Popen[str]:
    # One thread each, in PyTorch and in what NumPy computes with: a rank is forked from one thread.
    variables = {"PYTHONPATH": str(PROJECT_ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.ranks"], env={**os.environ, **variables},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@contextlib.contextmanager
def forked_ranks() -> Iterator[Ranks]:
    """Yields what runs jobs; no process of it is left afterwards."""
    ranks = Ranks()
    try:
        yield ranks
    finally:
        ranks.close()


def serve() -> tuple[dict[str, Any], int, int] | None:
    """Run jobs until there are no more; None then. A forked rank returns (job, rank, port)."""
    for line in sys.stdin:
        task = json.loads(line)
        assert len(os.listdir("/proc/self/task")) == 1
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        started = []
        for rank in range(task["ranks"]):
            pid = os.fork()
            if pid == 0:
                return task, rank, port
            started.append(pid)
        print(json.dumps(_wait(started)), flush=True)
    return None


def _wait(pids: Sequence[int]) -> list[int | None]:
    """Return the status of every rank. If one fails, or all take too long, the rest are killed."""
    statuses: dict[int, int] = {}
    deadline = time.monotonic() + LIMIT_SECONDS
    while len(statuses) < len(pids):
        for pid in set(pids) - set(statuses):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                statuses[pid] = os.waitstatus_to_exitcode(status)
        if any(statuses.values()) or time.monotonic() > deadline:
            for pid in set(pids) - set(statuses):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)
    return [statuses[pid] for pid in pids]


def become(task: dict[str, Any], rank: int, port: int) -> None:
    """Run a job's script in this process, which is a rank of it from now on."""
    os.chdir(task["folder"])
    printed = os.open(f"printed-{rank}.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, place in enumerate((nothing, printed, printed)):
        os.dup2(place, descriptor)
    if "out" in task:
        _record(task["out"])
    else:
        world = str(task["ranks"])
        os.environ.update(
            RANK=str(rank),
            LOCAL_RANK=str(rank),
            WORLD_SIZE=world,
            LOCAL_WORLD_SIZE=world,
            MASTER_ADDR="127.0.0.1",
            MASTER_PORT=str(port),
        )
    sys.argv = task["words"]
    sys.path.insert(0, "")
    runpy.run_path(sys.argv[0], run_name="__main__")


def _record(out: str) -> None:
    """Record this process, as a new interpreter does that finds the recorder's sitecustomize."""
    os.environ["BUBBLESCOPE_RECORD"] = out
    site = importlib.import_module("core.recorder.site.sitecustomize")
    site._begin()  # its hook would have done so after the import of torch


if __name__ == "__main__":
    for name in PRELOADED:
        importlib.import_module(name)
    gc.freeze()  # a rank's end would go through all that is imported, and copy its memory
    given = serve()
    if given is not None:
        become(*given)
